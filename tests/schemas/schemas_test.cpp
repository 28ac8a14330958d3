// Every schema parses, says which draft it is, and keeps to the keywords that draft-07 and 2020-12 share and that our
// validators know; results, which are MCP output schemas, require nothing at their root.
#include "schemas/schemas.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

namespace plumbline::schemas {
namespace {

using nlohmann::json;

const std::set<std::string> kKeywords = {"$schema",
                                         "$id",
                                         "title",
                                         "description",
                                         "type",
                                         "enum",
                                         "const",
                                         "properties",
                                         "patternProperties",
                                         "additionalProperties",
                                         "required",
                                         "minProperties",
                                         "maxProperties",
                                         "items",
                                         "minItems",
                                         "maxItems",
                                         "uniqueItems",
                                         "minimum",
                                         "maximum",
                                         "exclusiveMinimum",
                                         "exclusiveMaximum",
                                         "minLength",
                                         "maxLength",
                                         "pattern",
                                         "format",
                                         "anyOf",
                                         "oneOf",
                                         "allOf",
                                         "not",
                                         "default"};

bool says(const json& schema, const char* type) {
  if (!schema.contains("type")) return false;
  const json& types = schema["type"];
  return types == type || (types.is_array() && std::find(types.begin(), types.end(), type) != types.end());
}

void check(const json& schema, const std::string& where, bool may_lack_required) {
  if (schema.is_boolean()) return;
  ASSERT_TRUE(schema.is_object()) << where;
  for (const auto& [word, value] : schema.items()) EXPECT_TRUE(kKeywords.contains(word)) << where << " uses " << word;
  if (says(schema, "object") && !may_lack_required) {
    EXPECT_TRUE(schema.contains("required")) << where << " is an object without `required`";
  }
  for (const char* map : {"properties", "patternProperties"}) {
    if (!schema.contains(map)) continue;
    for (const auto& [name, inner] : schema[map].items()) check(inner, where + "." + name, false);
  }
  if (schema.contains("required") && schema.contains("properties")) {
    for (const json& name : schema["required"])
      EXPECT_TRUE(schema["properties"].contains(name)) << where << " requires unknown " << name;
  }
  for (const char* one : {"items", "additionalProperties", "not"}) {
    if (schema.contains(one)) check(schema[one], where + "/" + one, false);
  }
}

class EverySchema : public testing::TestWithParam<std::string> {};

TEST_P(EverySchema, ParsesAndKeepsToTheSharedKeywords) {
  const json schema = json::parse(text(GetParam()), nullptr, false);
  ASSERT_FALSE(schema.is_discarded()) << "not JSON";
  EXPECT_EQ(schema.value("$schema", ""), "http://json-schema.org/draft-07/schema#");
  EXPECT_FALSE(schema.value("title", "").empty());
  EXPECT_EQ(schema.value("type", ""), "object");
  const bool result = GetParam().starts_with("plumbline.result.");
  check(schema, GetParam(), result);
  if (result) {
    EXPECT_FALSE(schema.contains("required")) << "the reference tool's envelope must validate too";
  }
}

INSTANTIATE_TEST_SUITE_P(Schemas, EverySchema, testing::ValuesIn([] {
                           std::vector<std::string> all;
                           for (const std::string_view name : names()) all.emplace_back(name);
                           return all;
                         }()),
                         [](const testing::TestParamInfo<std::string>& one) {
                           std::string name = one.param;
                           for (char& c : name) {
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                           }
                           return name;
                         });

TEST(Schemas, AreTheOnesThatWereWrittenDown) {
  const std::set<std::string_view> wanted = {"inference_perfbench_v1",
                                             "plumbline.acceptance.v1",
                                             "plumbline.baseline.v1",
                                             "plumbline.delta.v1",
                                             "plumbline.diff.v1",
                                             "plumbline.profile-diff.v1",
                                             "plumbline.result.accept.v1",
                                             "plumbline.result.diff.v1",
                                             "plumbline.result.history.v1",
                                             "plumbline.result.inspect.v1",
                                             "plumbline.result.profile-diff.v1",
                                             "plumbline.result.record.v1",
                                             "plumbline.result.search.v1",
                                             "plumbline.result.verify.v1"};
  const std::vector<std::string_view> all = names();
  const std::set<std::string_view> have(all.begin(), all.end());
  for (const std::string_view name : wanted) EXPECT_TRUE(have.contains(name)) << name;
}

TEST(Schemas, AnUnknownNameHasNoText) { EXPECT_EQ(text("nothing.of.the.kind"), ""); }

}  // namespace
}  // namespace plumbline::schemas
