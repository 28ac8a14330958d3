// The table as data: names, the schema and help of every verb. Goldens: tests/verbs/golden, rewritten with
// PLUMBLINE_UPDATE_GOLDENS=1.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "verbs/calling/for_agents.hpp"
#include "verbs/verb.hpp"
#include "verdict/policy.hpp"

namespace plumbline::verbs {
namespace {

void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(PLUMBLINE_TESTS) + "/verbs/golden/" + name;
  if (std::getenv("PLUMBLINE_UPDATE_GOLDENS") != nullptr) std::ofstream(path) << text;
  std::ifstream file(path);
  std::ostringstream golden;
  golden << file.rdbuf();
  EXPECT_EQ(text, golden.str()) << path;
}

TEST(Table, HoldsTheVerbsInTheOrderOfHelp) {
  std::string names;
  for (const Verb& verb : table()) names += std::string(verb.name) + "=" + std::string(verb.tool) + " ";
  EXPECT_EQ(names,
            "record=perf_baseline_record diff=perf_baseline_diff profile-diff=profile_diff accept=perf_baseline_accept "
            "history=perf_baseline_history inspect=measurement_inspect verify=bundle_verify search=search_evidence "
            "outliers=measurement_outliers run= bisect= calibrate= "
            "import= gc= export= config= digest= formats= checkpoint= index= keygen= ");
}

TEST(Table, FindsByCommandToolAndAlias) {
  EXPECT_EQ(find("diff")->name, "diff");
  EXPECT_EQ(find("perf_baseline_diff")->name, "diff");
  EXPECT_EQ(find("profile_profile_diff")->name, "profile-diff");
  EXPECT_EQ(find("profile_diff")->name, "profile-diff");
  EXPECT_EQ(find(""), nullptr);
  for (const std::string_view later : {"install", "doctor", "serve"}) {
    EXPECT_EQ(find(later), nullptr) << later;
  }
}

TEST(Table, EveryVerbIsComplete) {
  for (const Verb& verb : table()) {
    SCOPED_TRACE(verb.name);
    EXPECT_NE(verb.run, nullptr);
    EXPECT_FALSE(verb.title.empty());
    EXPECT_NE(verb.summary.find(". "), std::string_view::npos) << "what it does, then when to use it";
    EXPECT_TRUE(verb.safety == "read_only" || verb.safety == "writes_artifacts");
    EXPECT_FALSE(verb.examples.empty());
    const auto output = nlohmann::json::parse(verb.output_schema, nullptr, false);
    EXPECT_TRUE(output.is_object()) << "no output schema";
    std::set<std::string_view> names;
    for (const Param& param : verb.params) {
      EXPECT_TRUE(names.insert(param.name).second) << param.name;
      EXPECT_EQ(param.kind == ParamKind::choice, !param.choices.empty()) << param.name;
      EXPECT_FALSE(is_rare(verb, param) && param.required) << param.name << " is needed in every call";
      EXPECT_EQ(mistaken_for(verb, param.name), nullptr) << param.name << " is a parameter itself";
    }
    EXPECT_FALSE(answers_without_writing(verb) && !writes(verb));
    EXPECT_TRUE(names.contains("repo_root"));
  }
}

TEST(Table, TheChoicesOfPolicyAreThePolicies) {
  std::vector<std::string_view> known;
  for (const verdict::Policy* policy : verdict::table()) known.push_back(policy->name);
  for (const Param& param : find("diff")->params) {
    if (param.name != "policy") continue;
    EXPECT_EQ(param.choices, known);
  }
}

TEST(InputSchema, IsFlatAndSmallAndSaysEverything) {
  for (const Verb& verb : table()) {
    SCOPED_TRACE(verb.name);
    const std::string text = input_schema(verb);
    const auto schema = nlohmann::json::parse(text);
    EXPECT_EQ(schema["type"], "object");
    EXPECT_FALSE(schema.contains("required"));
    for (const auto& [name, property] : schema["properties"].items()) {
      EXPECT_TRUE(property.contains("type")) << name;
      if (!verb.tool.empty()) {
        EXPECT_GE(property.value("description", "").size(), 8U) << name << " is not described";
      }
      for (const char* combinator : {"anyOf", "oneOf", "allOf", "not", "$ref", "if"})
        EXPECT_FALSE(property.contains(combinator)) << name;
    }
    EXPECT_LE(text.size() + verb.summary.size(), 2400U) << "what a session pays before it asks anything";
    expect_golden("schema." + std::string(verb.name) + ".json", schema.dump(1) + "\n");
  }
}

TEST(ListedOutputSchema, KeepsWhatACallerBranchesOn) {
  for (const Verb& verb : table()) {
    SCOPED_TRACE(verb.name);
    const std::string text = listed_output_schema(verb);
    EXPECT_LT(text.size(), 2048U);
    const auto listed = nlohmann::json::parse(text), whole = nlohmann::json::parse(verb.output_schema);
    EXPECT_EQ(listed["type"], "object");
    // Members that may be null are not listed: several clients know no schema of more than one type.
    const auto& members = whole["properties"];
    const auto with_choices = std::count_if(members.begin(), members.end(), [](const auto& property) {
      return property.contains("enum") && !(property.contains("type") && property["type"].is_array());
    });
    ASSERT_EQ(listed["properties"].size(), static_cast<std::size_t>(with_choices));
    for (const auto& [name, property] : listed["properties"].items()) {
      for (const auto& [keyword, value] : property.items()) {
        EXPECT_TRUE(keyword == "type" || keyword == "enum") << name << " " << keyword;
        EXPECT_EQ(value, whole["properties"][name][keyword]) << name;
      }
    }
  }
  EXPECT_EQ(listed_output_schema(Verb{}), "") << "none declared";
}

TEST(Help, ReadsLikeAPage) {
  for (const Verb& verb : table()) expect_golden("help." + std::string(verb.name) + ".txt", help_text(verb));
}

}  // namespace
}  // namespace plumbline::verbs
