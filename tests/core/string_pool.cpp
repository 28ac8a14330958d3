#include "core/string_pool.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <unordered_map>
#include <vector>

namespace plumbline::core {
namespace {

TEST(StringPool, id_zero_is_the_empty_text) {
  StringPool pool;
  EXPECT_EQ(pool.size(), 1U);
  EXPECT_EQ(pool.view(0), "");
  EXPECT_EQ(pool.intern(""), 0U);
  EXPECT_EQ(pool.find(""), 0U);
}

TEST(StringPool, the_same_text_has_one_id_and_ids_are_dense) {
  StringPool pool;
  EXPECT_EQ(pool.intern("a"), 1U);
  EXPECT_EQ(pool.intern("b"), 2U);
  EXPECT_EQ(pool.intern("a"), 1U);
  EXPECT_EQ(pool.find("b"), 2U);
  EXPECT_EQ(pool.find("c"), kNoId);
  EXPECT_EQ(pool.size(), 3U);
}

TEST(StringPool, any_guess_is_safe) {
  StringPool pool;
  const Id a = pool.intern("a");
  EXPECT_EQ(pool.intern("a", a), a);
  EXPECT_EQ(pool.intern("a", 0), a);
  EXPECT_EQ(pool.intern("a", kNoId), a);
  EXPECT_EQ(pool.intern("new", 77), 2U);
}

TEST(StringPool, texts_with_zero_bytes_and_long_common_beginnings_are_told_apart) {
  StringPool pool;
  const Id zero = pool.intern(std::string_view("\0", 1));
  const Id zeros = pool.intern(std::string_view("\0\0", 2));
  EXPECT_NE(zero, 0U);
  EXPECT_NE(zero, zeros);
  const std::string common(300, 'x');
  EXPECT_NE(pool.intern(common + "1"), pool.intern(common + "2"));
}

TEST(StringPool, views_stay_where_they_are_while_it_grows) {
  StringPool pool;
  const std::string_view first = pool.view(pool.intern("the first"));
  const char* const at = first.data();
  for (int i = 0; i < 200'000; ++i) pool.intern("key." + std::to_string(i));
  EXPECT_EQ(pool.view(1).data(), at);
  EXPECT_EQ(first, "the first");
  EXPECT_EQ(pool.find("key.0"), 2U);
  EXPECT_EQ(pool.find("key.199999"), 200'001U);
}

TEST(StringPool, a_text_larger_than_a_chunk_gets_its_own) {
  StringPool pool;
  const std::string large(5 << 20, 'L');
  const Id small = pool.intern("small");
  const Id id = pool.intern(large);
  const Id after = pool.intern("after");
  EXPECT_EQ(pool.view(id), large);
  EXPECT_EQ(pool.intern(large), id);
  EXPECT_EQ(pool.view(small), "small");
  EXPECT_EQ(pool.view(after).data(), pool.view(small).data() + 5);  // the current chunk goes on being filled
}

TEST(StringPool, reserve_changes_nothing_that_is_seen) {
  StringPool pool;
  const Id a = pool.intern("a");
  pool.reserve(100'000);
  EXPECT_EQ(pool.find("a"), a);
  EXPECT_EQ(pool.size(), 2U);
  pool.reserve(1);
  EXPECT_EQ(pool.find("a"), a);
}

TEST(StringPool, agrees_with_a_map) {
  StringPool pool;
  std::unordered_map<std::string, Id> expected = {{"", 0}};
  std::mt19937_64 random(5);
  for (int i = 0; i < 50'000; ++i) {
    const std::string text = std::to_string(random() % 20'000);
    const auto [at, added] = expected.try_emplace(text, static_cast<Id>(expected.size()));
    ASSERT_EQ(pool.intern(text), at->second);
    ASSERT_EQ(pool.view(at->second), text);
  }
  EXPECT_EQ(pool.size(), expected.size());
}

// Handfuls of any size, with texts that repeat inside them and guesses that are right, wrong and absurd, beside a map that is
// asked one by one.
TEST(StringPool, a_handful_at_once_gives_what_one_after_the_other_gives) {
  StringPool pool;
  std::unordered_map<std::string, Id> expected = {{"", 0}};
  std::mt19937_64 random(6);
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::string> kept(random() % 200);
    std::vector<Id> wanted;
    std::uint64_t next = random() % 20'000;
    for (std::string& text : kept) {
      next = random() % 8 == 0 ? random() % 20'000 : next + 1;
      text = next % 50 == 0 ? "" : "point[size=" + std::to_string(next) + "].time";
      wanted.push_back(expected.try_emplace(text, static_cast<Id>(expected.size())).first->second);
    }
    const std::vector<std::string_view> texts(kept.begin(), kept.end());
    std::vector<Id> ids(texts.size(), 77);
    const Id guesses[] = {kNoId, kNoId - 1, 0, wanted.empty() ? 1 : wanted.front(), static_cast<Id>(random() % 30'000)};
    pool.intern_all(texts, ids, guesses[round % 5]);
    ASSERT_EQ(ids, wanted);
    for (std::size_t i = 0; i < texts.size(); ++i) ASSERT_EQ(pool.view(ids[i]), texts[i]);
  }
  EXPECT_EQ(pool.size(), expected.size());
  for (const auto& [text, id] : expected) ASSERT_EQ(pool.find(text), id);
}

TEST(StringPool, a_second_handful_is_found_behind_its_guess_past_texts_that_differ) {
  StringPool pool;
  const std::vector<std::string_view> first = {"a", "b", "c", "d", "e"}, second = {"a", "b", "new", "d", "e"};
  std::vector<Id> ids(5);
  pool.intern_all(first, ids);
  EXPECT_EQ(ids, (std::vector<Id>{1, 2, 3, 4, 5}));
  pool.intern_all(second, ids, 1);
  EXPECT_EQ(ids, (std::vector<Id>{1, 2, 6, 4, 5}));
  pool.intern_all({}, ids, 1);
  EXPECT_EQ(pool.size(), 7U);
}

}  // namespace
}  // namespace plumbline::core
