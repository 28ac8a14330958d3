// What is opened ahead is what would have been opened later, whatever it is, and whether or not anybody asks for it.
#include "intake/opened_ahead.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <utility>

#include "base/beside.hpp"
#include "formats/parsed_ahead.hpp"
#include "intake/measurement.hpp"
#include "tests/registry/scratch.hpp"

namespace plumbline::intake {
namespace {

// A flat object that is large enough to be worth a thread.
std::string flat_text(double first) {
  std::string text = "{\"k0.busbw\": " + std::to_string(first);
  for (int i = 1; text.size() < base::kWorthAThread; ++i)
    text += ", \"k" + std::to_string(i) + ".busbw\": " + std::to_string(i) + ".5";
  return text + "}";
}

class OpenedAheadTest : public ::testing::Test {
 protected:
  registry::test::Scratch folder_;
};

core::Expected<core::Measurement> read_one(core::Expected<Opened> opened) {
  if (!opened) return core::fail(opened.error());
  std::vector<Opened> sources;
  sources.push_back(std::move(*opened));
  return read(sources, {});
}

TEST_F(OpenedAheadTest, gives_the_file_with_what_was_parsed_of_it) {
  const std::string path = folder_.write("flat.json", flat_text(1.5));
  OpenedAhead ahead(path, {});
  auto opened = ahead.open(path, {});
  ASSERT_TRUE(opened);
  ASSERT_NE(opened->input().ahead, nullptr);
  const auto measurement = read_one(std::move(opened)), plain = read_one(open(path, {}));
  ASSERT_TRUE(measurement);
  ASSERT_TRUE(plain);
  ASSERT_EQ(measurement->rows().size(), plain->rows().size());
  for (std::size_t i = 0; i < plain->rows().size(); ++i) {
    ASSERT_EQ(measurement->key(measurement->rows()[i]), plain->key(plain->rows()[i]));
    ASSERT_EQ(measurement->values(measurement->rows()[i])[0], plain->values(plain->rows()[i])[0]);
  }
}

TEST_F(OpenedAheadTest, what_was_parsed_is_taken_once_and_for_its_own_text_alone) {
  const std::string text = flat_text(1), same = flat_text(1);
  formats::ParsedAhead ahead(text, {});
  EXPECT_FALSE(ahead.take(same)) << "the same bytes at another place";
  EXPECT_FALSE(ahead.take(std::string_view(text).substr(1)));
  EXPECT_TRUE(ahead.take(text));
  EXPECT_FALSE(ahead.take(text)) << "a reader forgets what it has read";
}

TEST_F(OpenedAheadTest, another_file_is_opened_as_if_nothing_had_been) {
  const std::string first = folder_.write("first.json", flat_text(1)), second = folder_.write("second.json", flat_text(2));
  OpenedAhead ahead(first, {});
  const auto opened = ahead.open(second, {});
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->source.path, open(second, {})->source.path);
  EXPECT_EQ(opened->input().ahead, nullptr);
  EXPECT_NE(ahead.open(first, {})->input().ahead, nullptr) << "it is still there for its own";
  EXPECT_EQ(ahead.open(first, {})->input().ahead, nullptr) << "once";
}

TEST_F(OpenedAheadTest, what_is_no_flat_object_is_left_to_its_reader) {
  const std::string flat = flat_text(1);
  const std::string nested = folder_.write("nested.json", flat.substr(0, flat.size() - 1) + R"(, "more": {"x": 1}})"),
                    cut = folder_.write("cut.json", flat.substr(0, flat.size() - 1)),
                    small = folder_.write("small.json", R"({"a": 1, "b": 2})");
  for (const std::string& path : {nested, cut, small}) {
    SCOPED_TRACE(path);
    OpenedAhead ahead(path, {});
    const auto one = read_one(ahead.open(path, {})), other = read_one(open(path, {}));
    ASSERT_EQ(one.has_value(), other.has_value());
    if (one) {
      EXPECT_EQ(one->rows().size(), other->rows().size());
    } else {
      EXPECT_EQ(one.error().message, other.error().message);
      EXPECT_EQ(one.error().where, other.error().where);
    }
  }
}

TEST_F(OpenedAheadTest, an_error_comes_up_in_its_turn_and_may_be_gone_by_then) {
  const std::string path = folder_ / "late.json";
  OpenedAhead absent(path, {});
  EXPECT_EQ(absent.open(path, {}).error().code, core::ErrorCode::not_found);
  registry::PathLimits limits;
  std::atomic<bool> stopped{true};
  limits.stop = [&stopped] { return stopped.load(); };
  folder_.write("late.json", flat_text(1));
  OpenedAhead cancelled(path, limits);
  EXPECT_TRUE(cancelled.open(path, {})) << "who asks has limits of its own";
}

TEST_F(OpenedAheadTest, nobody_has_to_ask) {
  const std::string path = folder_.write("flat.json", flat_text(1));
  { const OpenedAhead unasked(path, {}); }
  OpenedAhead replaced(path, {});
  replaced = OpenedAhead();
  EXPECT_TRUE(replaced.open(path, {}));
}

}  // namespace
}  // namespace plumbline::intake
