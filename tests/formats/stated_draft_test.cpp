#include <gtest/gtest.h>

#include <string>

#include "configs/configs.hpp"
#include "formats/stated/draft.hpp"
#include "formats/stated/mapping.hpp"

namespace plumbline::formats {
namespace {

using namespace std::string_view_literals;

std::string draft_of(std::string_view text) {
  Input input;
  input.name = "bench.log";
  input.bytes = text;
  std::string draft = stated::draft_of(input, *configs::MetricNames::builtin(), "drafted");
  if (draft.empty()) return draft;
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

TEST(StatedDraft, none_is_made_of_binary_data) { EXPECT_EQ(draft_of("node;took (s)\0\nn1;3.5\nn2;4\n"sv), ""); }

TEST(StatedDraft, a_table_whose_names_are_too_long_for_yaml_is_lines) {
  EXPECT_NE(draft_of("node;took\nn1;3.5\nn2;4\n").find("table:"), std::string::npos);
  EXPECT_EQ(draft_of("node;" + std::string(1100, 'a') + "\nn1;3.5\nn2;4\n").find("table:"), std::string::npos);
}

TEST(StatedDraft, a_word_that_varies_and_a_number_have_names_of_their_own) {
  const std::string draft = draft_of("Bench of cases\ncase a: 12.5 ms 3 MB\ncase b: 13.5 ms 4 MB\n");
  EXPECT_NE(draft.find("\"case {case}: {ms} ms {mb} MB\""), std::string::npos) << draft;
  EXPECT_EQ(draft.find("case: {"), std::string::npos) << draft;
}

TEST(StatedDraft, a_date_is_no_word_that_varies) {
  const std::string draft = draft_of("Bench of nodes\nstep 2026-11-29 took 12.5 ms\nstep last took 13.5 ms\n");
  EXPECT_NE(draft.find("\"step {} took {took} ms\""), std::string::npos) << draft;
  EXPECT_NE(draft.find("\"step last took {took} ms\""), std::string::npos) << draft;
}

}  // namespace
}  // namespace plumbline::formats
