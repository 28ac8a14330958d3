// Secrets are looked for once in each text of a pool, wherever it lies and whichever side brought it.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "core/measurement.hpp"
#include "formats/format.hpp"

namespace plumbline::formats {
namespace {

const std::string kSecret = "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";

core::Measurement read_into(const std::shared_ptr<core::StringPool>& pool, const std::string& text) {
  ReadOptions options;
  options.pool = pool;
  Input input;
  input.name = "t.json";
  input.bytes = text;
  auto read = formats::read(input, options);
  EXPECT_TRUE(read);
  return std::move(*read);
}

bool shows_secret(const core::Measurement& measurement) {
  for (const core::Row& row : measurement.rows()) {
    if (measurement.key(row).find(kSecret) != std::string_view::npos) return true;
    if (row.text != 0 && measurement.pool().view(row.text).find(kSecret) != std::string_view::npos) return true;
  }
  return false;
}

bool warns(const core::Measurement& measurement) {
  for (const core::Warning& warning : measurement.warnings) {
    if (warning.code == "secret_in_source") return true;
  }
  return false;
}

std::string rows(int count, int secret_at) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) {
    if (i > 0) text += ", ";
    text += "\"row" + std::to_string(i) + (i == secret_at ? "." + kSecret : std::string()) + ".latency_ms\": 3";
  }
  return text + "}";
}

TEST(Screen, finds_a_secret_in_the_second_file_of_a_pool) {
  const auto pool = std::make_shared<core::StringPool>();
  EXPECT_FALSE(warns(read_into(pool, rows(50, -1))));
  const core::Id clean = pool->clean_before();
  EXPECT_GT(clean, 50U) << "those texts need no second look";
  const core::Measurement second = read_into(pool, rows(50, 7));
  EXPECT_TRUE(warns(second));
  EXPECT_FALSE(shows_secret(second));
  EXPECT_EQ(pool->clean_before(), clean) << "what came after them does";
}

TEST(Screen, finds_a_secret_that_both_files_of_a_pool_hold_in_both) {
  const auto pool = std::make_shared<core::StringPool>();
  for (int side = 0; side < 3; ++side) {
    const core::Measurement read = read_into(pool, rows(50, 7));
    EXPECT_TRUE(warns(read)) << side;
    EXPECT_FALSE(shows_secret(read)) << side;
  }
}

TEST(Screen, finds_a_secret_wherever_it_is_among_many_texts) {
  constexpr int kMany = 110'000;  // which two threads look through
  for (const int at : {0, kMany / 2 - 1, kMany / 2, kMany - 1}) {
    const core::Measurement read = read_into(std::make_shared<core::StringPool>(), rows(kMany, at));
    EXPECT_TRUE(warns(read)) << at;
    EXPECT_FALSE(shows_secret(read)) << at;
  }
}

}  // namespace
}  // namespace plumbline::formats
