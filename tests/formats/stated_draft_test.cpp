#include <gtest/gtest.h>

#include <string>

#include "configs/configs.hpp"
#include "formats/stated/draft.hpp"
#include "formats/stated/mapping.hpp"

namespace plumbline::formats {
namespace {

std::string draft_of(std::string_view text) {
  Input input;
  input.name = "bench.log";
  input.bytes = text;
  const std::string draft = stated::draft_of(input, *configs::MetricNames::builtin(), "drafted");
  const auto read = stated::parse_formats(draft, "draft");
  EXPECT_TRUE(read) << read.error().message << "\n" << draft;
  return draft;
}

TEST(StatedDraft, a_number_sign_is_what_it_is) {
  const std::string draft = draft_of("Bench #4.1 on node\ncase a: 12.5 ms\ncase b: 13.5 ms\n");
  EXPECT_NE(draft.find("recognise: \"Bench #{} on node\""), std::string::npos) << draft;
}

TEST(StatedDraft, a_column_called_null_is_one) {
  const std::string draft = draft_of("node;what;NULL (s)\nn1;boot;3.5\nn2;boot;4\n");
  EXPECT_NE(draft.find("as: \"null\""), std::string::npos) << draft;
}

TEST(StatedDraft, a_date_is_no_word_that_varies) {
  const std::string draft = draft_of("Bench of nodes\nstep 2026-11-29 took 12.5 ms\nstep last took 13.5 ms\n");
  EXPECT_NE(draft.find("\"step {} took {took} ms\""), std::string::npos) << draft;
  EXPECT_NE(draft.find("\"step last took {took} ms\""), std::string::npos) << draft;
}

}  // namespace
}  // namespace plumbline::formats
