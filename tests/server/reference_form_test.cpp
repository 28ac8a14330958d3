// The reference tool's two forms and its envelope (facts measured from that tool; the key set is compared with its samples).
#include "server/mcp/reference_form.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace plumbline::server::mcp {
namespace {

using nlohmann::json;

std::string shown(std::string_view arguments) {
  const CallForm form = form_of("t", arguments);
  if (std::holds_alternative<TypedCall>(form)) return "typed";
  if (const auto* result = std::get_if<ToolResult>(&form)) return (result->is_error ? "error " : "") + result->text;
  const auto& call = std::get<ReferenceCall>(form);
  return json(call.args).dump() + (call.allow_nonzero ? " allow" : "");
}

TEST(ReferenceForm, TellsTheFormsApart) {
  const std::string type_error = "error Error executing tool t: params['args'] must be a string or list of strings";
  const struct {
    const char *arguments, *form;
  } cases[] = {
      {"{}", "typed"},
      {R"({"baseline":"a","current":["b"]})", "typed"},
      {R"({"args":["--help"]})", R"(["--help","--json"])"},
      {R"({"args":["--json","x"],"allow_nonzero":true})", R"(["--json","x"] allow)"},
      {R"({"args":["x"],"params":null})", R"(["x","--json"])"},
      {R"({"params":{"args":["a","b"]}})", R"(["a","b","--json"])"},
      {R"({"params":{"args":"--help"}})", R"(["--help","--json"])"},
      {R"({"params":{"args":null}})", R"(["--json"])"},
      {R"({"params":{}})", R"(["--json"])"},
      {R"({"params":null})", R"(["--json"])"},
      {R"({"params":{"args":[],"timeout":3,"allow_nonzero":true}})", R"(["--json"] allow)"},
      {R"({"params":{"args":[],"allow_nonzero":"true"}})", R"(["--json"])"},
      {R"({"params":{"args":[],"allow_nonzero":1}})", R"(["--json"])"},
      {R"({"params":"{\"args\":[\"a\"]}"})", R"(["a","--json"])"},
      {R"({"params":{"args":7}})", type_error.c_str()},
      {R"({"params":{"args":{"a":1}}})", type_error.c_str()},
      {R"({"params":{"args":["a",7]}})", type_error.c_str()},
      {R"({"args":false})", type_error.c_str()},
      {R"({"params":7})",
       R"(error {"code":"usage","message":"params must be an object","hint":"for instance {\"params\": {\"args\": [\"--help\"]}}","where":"params"})"},
      {R"({"params":"x"})",
       R"(error {"code":"usage","message":"params must be an object","hint":"for instance {\"params\": {\"args\": [\"--help\"]}}","where":"params"})"},
      {R"({"args":[],"params":{}})",
       R"(error {"code":"usage","message":"the arguments hold both \"args\" and \"params\"","hint":"give one of them","where":"params"})"},
      {R"({"args":[],"baseline":"a"})",
       R"(error {"code":"usage","message":"the arguments mix \"baseline\" with \"args\"","hint":"give either the typed properties or a command line in args, not both","where":"baseline"})"},
  };
  for (const auto& each : cases) EXPECT_EQ(shown(each.arguments), each.form) << each.arguments;
}

const std::vector<std::string> kArgs = {"--source", "a \"b\"", "--json"};

Envelope envelope(int returncode, std::string_view json_text) {
  return {"perf_baseline_diff", "perf_baseline", "diff", "writes_artifacts", &kArgs, returncode, "out\n", "err\n", json_text};
}

TEST(ReferenceForm, WritesTheEnvelope) {
  EXPECT_EQ(
      envelope_text(envelope(0, "{\"verdict\":\n  \"GREEN\"\n}\n")),
      R"({"ack_field": null, "ack_required": false, "args": ["--source", "a \"b\"", "--json"], "json": {"verdict":"GREEN"}, )"
      R"("library": "perf_baseline", "returncode": 0, "safety": "writes_artifacts", "stderr": "err\n", "stdout": "out\n", )"
      R"("tool": "perf_baseline_diff", "verb": "diff"})");
}

TEST(ReferenceForm, IsAnErrorWithoutLeaveToFail) {
  const ToolResult refused = envelope_result(envelope(2, ""), false);
  EXPECT_TRUE(refused.is_error);
  EXPECT_EQ(refused.json, "");
  EXPECT_EQ(refused.text, "Error executing tool perf_baseline_diff: " + envelope_text(envelope(2, "")));
  const ToolResult allowed = envelope_result(envelope(2, ""), true);
  EXPECT_FALSE(allowed.is_error);
  EXPECT_EQ(json::parse(allowed.json)["json"], nullptr);
  EXPECT_FALSE(envelope_result(envelope(0, "{}"), false).is_error);
}

TEST(ReferenceForm, HasTheKeysOfTheReferenceToolsEnvelope) {
  const char* given = std::getenv("PLUMBLINE_SAMPLES");
  const std::filesystem::path samples = given != nullptr ? given : PLUMBLINE_SOURCE "/../shared/samples";
  std::ifstream file(samples / "reference-tool/mcp/record_missing_args_allow.json");
  if (!file) GTEST_SKIP() << "no samples of the reference tool (PLUMBLINE_SAMPLES)";
  const json theirs = json::parse(file)["ok"];
  const json ours = json::parse(envelope_text(envelope(2, "")));
  std::vector<std::string> their_keys, our_keys;
  for (const auto& item : theirs.items()) their_keys.push_back(item.key());
  for (const auto& item : ours.items()) our_keys.push_back(item.key());
  EXPECT_EQ(our_keys, their_keys);
}

}  // namespace
}  // namespace plumbline::server::mcp
