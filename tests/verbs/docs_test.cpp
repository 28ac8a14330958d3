// The tables of options in docs/verbs/ hold the parameters' own words: they are written from the table of verbs and compared
// here. PLUMBLINE_UPDATE_GOLDENS=1 writes them.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "tests/support/page.hpp"
#include "verbs/calling/parameters.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {
namespace {

// The verbs whose page has a table of all their options; the others tell of them in sentences.
constexpr std::array<std::string_view, 2> kWithTable = {"record", "diff"};

// "`--report table`, `json`", "`--current PATH…`"
std::string flag_cell(const Param& param) {
  std::string cell = "`" + flag_of(param.name);
  for (std::size_t i = 0; i < param.choices.size(); ++i) cell += (i == 0 ? " " : "`, `") + std::string(param.choices[i]);
  if (param.choices.empty() && !param.value_name.empty()) cell += " " + std::string(param.value_name);
  if (param.kind == ParamKind::path_list) cell += "…";
  return cell + "`";
}

std::string_view words_of(const Param& param) {
  if (!param.page.empty()) return param.page;
  return param.help.empty() ? param.doc : param.help;
}

std::string options_of(const Verb& verb) {
  std::string out = "| option | |\n|---|---|\n";
  for (const Param& param : verb.params) {
    if (param.mcp_only) continue;
    out += "| " + testing::cell(flag_cell(param)) + " | " + testing::cell(words_of(param)) + " |\n";
  }
  return out;
}

TEST(VerbPages, HoldTheOptionsAsTheParametersTellThem) {
  for (const std::string_view name : kWithTable) {
    const Verb* verb = find(name);
    ASSERT_NE(verb, nullptr) << name;
    testing::expect_part("docs/verbs/" + std::string(name) + ".md", "options", "tests/verbs/docs_test.cpp", options_of(*verb));
  }
}

TEST(VerbPages, LeaveNoOptionOfTheirTablesWithoutWords) {
  for (const std::string_view name : kWithTable) {
    for (const Param& param : find(name)->params)
      EXPECT_TRUE(param.mcp_only || !words_of(param).empty()) << name << " " << param.name;
  }
}

}  // namespace
}  // namespace plumbline::verbs
