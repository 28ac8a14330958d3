// --schema and --redact against documents that were written to hurt: what is checked, what is passed over with a warning, and
// what is refused before any work is done.
#include "verbs/record/schema_check.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/verbs/registry_folder.hpp"
#include "verbs/record/bounded_json.hpp"

namespace plumbline::verbs {
namespace {

using Json = nlohmann::json;
using core::ErrorCode;

auto held(const Json& document, const Json& schema) { return validate_json(document.dump(), schema.dump(), "s.json"); }

// d0 -> d1 -> … -> d<length>, each made of references to the next; the last one takes everything.
template <typename Make>
Json chain(std::size_t length, const Make& make) {
  Json definitions;
  for (std::size_t i = 0; i < length; ++i)
    definitions["d" + std::to_string(i)] = make(Json{{"$ref", "#/definitions/d" + std::to_string(i + 1)}});
  definitions["d" + std::to_string(length)] = Json::object();
  return {{"definitions", definitions}, {"allOf", {{{"$ref", "#/definitions/d0"}}}}};
}

const std::string kTooMany = "--schema: the schema expands to too many checks (more than 10000)";
const std::string kTooDeep = "--schema: the schema nests too deep (more than 500 checks inside one another)";

TEST(SchemaCheck, RegularExpressionsAreNotRunAndThatIsSaid) {
  const Json schema = {{"properties", {{"a", {{"type", "string"}, {"pattern", "^(x+x+)+y$"}}}, {"at", {{"format", "date"}}}}},
                       {"patternProperties", {{"^(x+x+)+$", {{"type", "number"}}}}},
                       {"additionalProperties", false}};
  const std::string endless(1U << 20U, 'x');
  const auto warnings = held({{"a", endless}, {"at", std::string(1U << 20U, '1')}, {endless, "text"}}, schema);
  ASSERT_TRUE(warnings) << warnings.error().message;
  const auto ignored = [](const std::string& message) { return core::Warning{"schema_keyword_ignored", message}; };
  EXPECT_EQ(*warnings, (std::vector<core::Warning>{
                           ignored("\"patternProperties\" at # asks for a regular expression and was not checked"),
                           ignored("\"additionalProperties\" at # depends on patternProperties and was not checked"),
                           ignored("\"pattern\" at #/properties/a asks for a regular expression and was not checked"),
                           ignored("\"format\" at #/properties/at asks for a regular expression and was not checked"),
                       }));
  EXPECT_EQ(held({{"a", 1}}, schema).error().message,
            "--source fails JSON Schema at a: Value type not permitted by 'type' constraint.");
}

TEST(SchemaCheck, APropertyMayBeNamedLikeAKeyword) {
  Json schema;
  for (const char* name : {"pattern", "format", "patternProperties", "multipleOf", "enum", "default", "$ref", "id", "not"})
    schema["properties"][name] = {{"type", "number"}};
  const auto warnings = held({{"pattern", 1}, {"enum", 2}}, schema);
  ASSERT_TRUE(warnings) << warnings.error().message;
  EXPECT_TRUE(warnings->empty());
  EXPECT_FALSE(held({{"pattern", "text"}}, schema));
  EXPECT_FALSE(held({{"enum", "text"}}, schema));
  EXPECT_TRUE(held({{"a", {{"pattern", "x"}}}}, {{"properties", {{"a", {{"enum", {{{"pattern", "x"}}}}}}}}})) << "data stays";
}

TEST(SchemaCheck, NoReferenceLeadsToWhatWasNotLookedAt) {
  const Json hidden = {{"enum", {{{"pattern", "(x+x+)+y"}}}}, {"%65num", {Json::object()}}, {"", {{"enum", {Json::object()}}}}};
  for (const char* reference : {"#/enum/0", "#/%65num/0", "#//enum/0", "#/properties", "#/absent", "#/enum/0/", "#/default"}) {
    Json schema = hidden;
    schema["properties"] = {{"a", {{"$ref", reference}}}};
    EXPECT_EQ(held({{"a", "xxxx"}}, schema).error().message,
              "--schema is not a valid JSON Schema: $ref \"" + std::string(reference) + "\" points at nothing");
  }
}

TEST(SchemaCheck, AReferenceThatEndsNowhereIsRefused) {
  const std::string message = "--schema is not a valid JSON Schema: a $ref leads back to itself";
  EXPECT_EQ(held(1, {{"$ref", "#"}}).error().message, message);
  EXPECT_EQ(held(1, {{"allOf", {{{"not", {{"$ref", "#"}}}}}}}).error().message, message);
  EXPECT_EQ(held({{"a", 1}}, {{"dependencies", {{"a", {{"$ref", "#"}}}}}}).error().message, message);
  const Json tree = {{"type", "object"}, {"properties", {{"child", {{"$ref", "#"}}}}}};
  EXPECT_TRUE(held({{"child", {{"child", Json::object()}}}}, tree));
  EXPECT_EQ(held({{"child", {{"child", 1}}}}, tree).error().message.substr(0, 41), "--source fails JSON Schema at child.child");
}

TEST(SchemaCheck, ExpansionIsCountedBeforeItIsDone) {
  for (const char* word : {"allOf", "anyOf", "oneOf"}) {
    const auto twice = [&](const Json& next) { return Json{{word, {next, next}}}; };
    EXPECT_EQ(held(1, chain(40, twice)).error().message, kTooMany) << word;
    EXPECT_EQ(held(1, chain(40, twice)).error().code, ErrorCode::invalid_input);
  }
  EXPECT_TRUE(held(1, chain(10, [](const Json& next) { return Json{{"allOf", {next, next}}}; })));
  // Once per level of the document: what is harmless for a flat one is not for a deep one.
  const Json member = {{"properties", {{"x", {{"$ref", "#"}}}}}};
  const Json schema = {{"allOf", {member, member}}};
  Json document = 1;
  for (int i = 0; i < 5; ++i) document = {{"x", document}};
  EXPECT_TRUE(held(document, schema));
  for (int i = 0; i < 40; ++i) document = {{"x", document}};
  EXPECT_EQ(held(document, schema).error().message, kTooMany);
}

TEST(SchemaCheck, MembersOfOneObjectDoNotMultiply) {
  // A tree in which every node has two children: each value is checked once, however deep it lies.
  const Json tree = {{"type", "object"}, {"properties", {{"left", {{"$ref", "#"}}}, {"right", {{"$ref", "#"}}}}}};
  Json document = Json::object();
  for (int i = 0; i < 200; ++i) document = {{"left", document}, {"right", Json::object()}};
  EXPECT_TRUE(held(document, tree));
}

TEST(SchemaCheck, LongChainsAreRefusedBeforeTheStackEnds) {
  const auto inner = [](const Json& next) { return Json{{"properties", {{"x", next}}}}; };
  const auto same = [](const Json& next) { return Json{{"allOf", {next}}}; };
  for (const std::size_t length : {100U, 240U}) {
    EXPECT_TRUE(held(1, chain(length, inner))) << length;
    EXPECT_TRUE(held(1, chain(length, same))) << length;
  }
  for (const std::size_t length : {500U, 100'000U / 4}) {
    EXPECT_EQ(held(1, chain(length, inner)).error().message, kTooDeep) << length;
    EXPECT_FALSE(held(1, chain(length, same))) << length;
  }
  EXPECT_EQ(held(1, chain(60'000, same)).error().message, "--schema: the schema has too many parts (more than 100000)");
}

class GivenFiles : public RegistryFolder {
 protected:
  CommandOutcome record(std::vector<std::string> more, const Context& context) const {
    more.insert(more.begin(), {"--family", "f", "--measurement", "m", "--source", root_ + "/inside/m.json"});
    return run_command(*find("record"), more, context);
  }
};

TEST_F(GivenFiles, ASchemaOutsideTheRootsIsSaidToBeOutside) {
  write("inside/m.json", R"({"ttft_ms": 1})");
  write("outside/s.json", "{}");
  Context confined = context();
  confined.allowed_roots = {root_ + "/inside"};
  confined.repo_root = root_ + "/inside";
  const auto outcome = record({"--schema", root_ + "/outside/s.json"}, confined);
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_NE(outcome.err.find("error: " + root_ + "/outside/s.json is outside the allowed roots\n"), std::string::npos)
      << outcome.err;
  const auto absent = record({"--schema", root_ + "/inside/absent.json"}, confined);
  EXPECT_NE(absent.err.find("error: --schema must be a file: " + root_ + "/inside/absent.json\n"), std::string::npos)
      << absent.err;
}

TEST_F(GivenFiles, RedactionIsBoundedToo) {
  std::string wide = R"({"ttft_ms": 1, "all": [{})";
  for (int i = 0; i < 200'000; ++i) wide += ",{}";
  write("inside/m.json", wide + "]}");
  EXPECT_EQ(record({"--redact"}, context()).exit_status, 0);
  write("inside/m.json", std::string(257, '[') + "1" + std::string(257, ']'));
  const auto deep = record({"--redact"}, context());
  EXPECT_NE(deep.err.find("m.json cannot be redacted: nested deeper than 256\n"), std::string::npos) << deep.err;
}

TEST(BoundedJson, MeasuresDepthAndRefusesWhatIsDeeper) {
  EXPECT_EQ(json_depth("1").value(), 0);
  EXPECT_EQ(json_depth(R"([{"a": []}, []])").value(), 3);
  EXPECT_EQ(json_depth(std::string(256, '[') + std::string(256, ']')).value(), 256);
  EXPECT_EQ(json_depth(std::string(257, '[') + std::string(257, ']')).error().message, "nested deeper than 256");
  EXPECT_EQ(json_depth(std::string(1U << 20U, '[')).error().message, "nested deeper than 256");
  EXPECT_NE(json_depth("{").error().message.find("parse error"), std::string::npos);
  EXPECT_EQ(validate_json(std::string(257, '[') + std::string(257, ']'), "{}", "s").error().message,
            "--source is not valid JSON: nested deeper than 256");
}

TEST(BoundedJson, WideArraysOfObjectsTakeTimeInTheirLength) {
  // Half a million objects: minutes where the work grows with the square of their number, which the test's limit ends.
  std::string wide = "[{}";
  for (int i = 0; i < 500'000; ++i) wide += ",{}";
  wide += "]";
  const auto warnings = validate_json(wide, R"({"type": "array"})", "s");
  EXPECT_TRUE(warnings) << warnings.error().message;
}

}  // namespace
}  // namespace plumbline::verbs
