// Verbs as tools: a verb of the test's own, called the typed way and the reference tool's two ways, and what is listed.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "server/mcp/verbs/tools.hpp"

namespace plumbline::server::mcp {
namespace {

using nlohmann::json;

verbs::Expected<verbs::Outcome> weigh(const verbs::Arguments& arguments, const verbs::Context& context) {
  if (arguments.text("path") == "missing.json") {
    return core::fail(core::ErrorCode::not_found, "there is no missing.json", "give a file that exists", "path");
  }
  context.progress(0.5, "half of it");
  verbs::Outcome outcome;
  outcome.json = R"({"path":")" + arguments.text("path") + R"(","cwd":")" + context.cwd + R"(","command":)" +
                 json(context.command).dump() + R"(,"read_only":)" + (context.read_only ? "true" : "false") + R"(,"roots":)" +
                 std::to_string(context.allowed_roots.size()) + R"(,"root":")" + context.repo_root.value_or("none") + "\"}";
  outcome.text = "weighed\n";
  outcome.links.push_back({"file:///a.md", "a.md", "text/markdown", "a report", 3});
  return outcome;
}

const verbs::Verb& verb() {
  static const verbs::Verb made = [] {
    verbs::Verb v;
    v.name = "weigh";
    v.tool = "scale_weigh";
    v.tool_aliases = {"scale_scale_weigh"};
    v.library = "scale";
    v.title = "Weigh a file";
    v.summary = "Weighs a file.";
    v.safety = "writes_artifacts";
    v.params = {{.name = "path", .kind = verbs::ParamKind::path, .value_name = "PATH", .doc = "what to weigh", .positional = 1}};
    v.output_schema = R"({"type":"object"})";
    v.run = weigh;
    return v;
  }();
  return made;
}

struct Steps {
  std::vector<std::string> seen;
  std::atomic<bool> cancelled = false;
  ToolResult call(const Tool& tool, std::string_view arguments, const access::Principal* who = nullptr) {
    CallContext context;
    context.who = who;
    context.cancelled = &cancelled;
    context.progress = [this](double progress, double total, std::string_view message) {
      seen.push_back(json(progress).dump() + "/" + json(total).dump() + " " + std::string(message));
    };
    return tool.call(arguments, context);
  }
};

ServeOptions options() {
  ServeOptions made;
  made.cwd = "/somewhere";
  made.repo_root = "/root";
  made.allowed_roots = {"/somewhere", "/root"};
  return made;
}

TEST(VerbTools, RunsATypedCall) {
  Steps steps;
  const Tool tool = verb_tool(verb(), "scale_weigh", options());
  const ToolResult result = steps.call(tool, R"({"path":"a.json"})");
  EXPECT_FALSE(result.is_error) << result.text;
  EXPECT_EQ(json::parse(result.json),
            json::parse(R"({"path":"a.json","cwd":"/somewhere","command":"scale_weigh {\"path\":\"a.json\"}",
                                                     "read_only":false,"roots":2,"root":"/root"})"));
  ASSERT_EQ(result.links.size(), 1U);
  EXPECT_EQ(result.links[0].uri, "file:///a.md");
  EXPECT_EQ(steps.seen, std::vector<std::string>{"0.5/1.0 half of it"});
}

TEST(VerbTools, GivesDomainErrorsAndBadArgumentsToTheModel) {
  Steps steps;
  const Tool tool = verb_tool(verb(), "scale_weigh", options());
  const ToolResult missing = steps.call(tool, R"({"path":"missing.json"})");
  EXPECT_TRUE(missing.is_error);
  EXPECT_EQ(missing.text,
            R"({"code":"not_found","message":"there is no missing.json","hint":"give a file that exists","where":"path"})");
  const ToolResult wrong = steps.call(tool, R"({"path":7})");
  EXPECT_TRUE(wrong.is_error);
  EXPECT_EQ(json::parse(wrong.text)["code"], "usage");
}

TEST(VerbTools, AnswersTheReferenceFormsWithTheEnvelope) {
  Steps steps;
  const Tool tool = verb_tool(verb(), "scale_scale_weigh", options());
  for (const char* form : {R"({"args":["a.json"]})", R"({"params":{"args":["a.json"]}})", R"({"params":{"args":"a.json"}})"}) {
    const ToolResult result = steps.call(tool, form);
    ASSERT_FALSE(result.is_error) << result.text;
    const json envelope = json::parse(result.json);
    EXPECT_EQ(envelope["tool"], "scale_scale_weigh") << "the name it was called by";
    EXPECT_EQ(envelope["verb"], "weigh");
    EXPECT_EQ(envelope["library"], "scale");
    EXPECT_EQ(envelope["safety"], "writes_artifacts");
    EXPECT_EQ(envelope["args"], json::parse(R"(["a.json","--json"])"));
    EXPECT_EQ(envelope["returncode"], 0);
    EXPECT_EQ(envelope["json"]["path"], "a.json");
    EXPECT_EQ(json::parse(envelope["stdout"].get<std::string>()), envelope["json"]);
    EXPECT_EQ(envelope["stderr"], "");
  }
}

TEST(VerbTools, FailsTheReferenceFormUnlessItMayFail) {
  Steps steps;
  const Tool tool = verb_tool(verb(), "scale_weigh", options());
  const ToolResult refused = steps.call(tool, R"({"params":{"args":["missing.json"]}})");
  EXPECT_TRUE(refused.is_error);
  const std::string prefix = "Error executing tool scale_weigh: ";
  ASSERT_EQ(refused.text.substr(0, prefix.size()), prefix);
  EXPECT_EQ(json::parse(refused.text.substr(prefix.size()))["returncode"], 2);
  const ToolResult allowed = steps.call(tool, R"({"params":{"args":["missing.json"],"allow_nonzero":true}})");
  EXPECT_FALSE(allowed.is_error);
  const json envelope = json::parse(allowed.json);
  EXPECT_EQ(envelope["returncode"], 2);
  EXPECT_EQ(envelope["json"], nullptr);
  EXPECT_EQ(envelope["stderr"],
            verbs::error_text({core::ErrorCode::not_found, "there is no missing.json", "give a file that exists", "path"}));
}

TEST(VerbTools, HelpsThroughTheReferenceForm) {
  Steps steps;
  const ToolResult help =
      steps.call(verb_tool(verb(), "scale_weigh", options()), R"({"params":{"args":["--help"],"allow_nonzero":true}})");
  const json envelope = json::parse(help.json);
  EXPECT_EQ(envelope["returncode"], 0);
  EXPECT_EQ(envelope["json"], nullptr);
  EXPECT_NE(envelope["stdout"].get<std::string>().find("weigh"), std::string::npos);
}

TEST(VerbTools, HidesAndRefusesWritersWhenItOnlyReads) {
  ServeOptions reading = options();
  reading.read_only = true;
  const Tool tool = verb_tool(verb(), "scale_weigh", reading);
  EXPECT_FALSE(tool.listed);
  Steps steps;
  for (const char* form : {R"({"path":"a.json"})", R"({"args":["a.json"]})"}) {
    const ToolResult refused = steps.call(tool, form);
    EXPECT_TRUE(refused.is_error);
    EXPECT_EQ(refused.text, R"({"code":"usage","message":"scale_weigh writes, and this server only reads",)"
                            R"("hint":"what could write is a server started without --read-only"})");
  }
}

// A verb whose writing is evidence beside its answer: as one of them is called.
const verbs::Verb& judging() {
  static const verbs::Verb made = [] {
    verbs::Verb v = verb();
    v.name = "diff";
    return v;
  }();
  return made;
}

TEST(VerbTools, LetsReadersJudge) {
  ServeOptions reading = options();
  reading.read_only = true;
  const Tool tool = verb_tool(judging(), "scale_weigh", reading);
  EXPECT_TRUE(tool.listed);
  EXPECT_FALSE(tool.writes);
  EXPECT_TRUE(tool.annotations.read_only);
  Steps steps;
  for (const char* form : {R"({"path":"a.json"})", R"({"args":["a.json"]})"}) {
    const ToolResult result = steps.call(tool, form);
    ASSERT_FALSE(result.is_error) << result.text;
    const json found = json::parse(result.json);
    EXPECT_EQ(found.contains("json") ? found["json"]["read_only"] : found["read_only"], true);
  }
}

TEST(VerbTools, TellsAReaderWhoCouldWrite) {
  const access::Principal reader{"ci \"x\"", access::How::token, true, false};
  Steps steps;
  const Tool judge = verb_tool(judging(), "scale_weigh", options());
  EXPECT_TRUE(judge.writes) << "for those who may";
  EXPECT_TRUE(judge.answers_readers);
  EXPECT_FALSE(judge.annotations.read_only);
  EXPECT_EQ(json::parse(steps.call(judge, R"({"path":"a.json"})", &reader).json)["read_only"], true);
  EXPECT_EQ(json::parse(steps.call(judge, R"({"path":"a.json"})").json)["read_only"], false);
  const ToolResult refused = steps.call(verb_tool(verb(), "scale_weigh", options()), R"({"path":"a.json"})", &reader);
  EXPECT_EQ(json::parse(refused.text)["message"], R"(scale_weigh writes, and the token "ci \"x\"" only reads)");
  EXPECT_EQ(json::parse(refused.text)["hint"], "what could write is a token with the permission write");
}

std::vector<std::string> listed(const ServeOptions& with) {
  std::vector<std::string> names;
  const Catalogue tools = verb_catalogue(with);
  for (const Tool& tool : tools.tools()) {
    if (tool.listed) names.push_back(tool.name);
  }
  return names;
}

TEST(VerbTools, ListsTheToolsOfTheContract) {
  using ::std::vector;
  const vector<std::string> all = listed(options());
  for (const char* name : {"perf_baseline_record", "perf_baseline_diff", "profile_diff", "perf_baseline_accept",
                           "perf_baseline_history", "measurement_inspect", "bundle_verify", "search_evidence"}) {
    EXPECT_NE(std::find(all.begin(), all.end(), name), all.end()) << name;
  }
  const auto has = [](const vector<std::string>& names, const char* name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  EXPECT_FALSE(has(all, "profile_profile_diff"));
  EXPECT_NE(verb_catalogue(options()).find("profile_profile_diff"), nullptr) << "callable though not listed";
  ServeOptions drop_in = options();
  drop_in.drop_in = true;
  EXPECT_TRUE(has(listed(drop_in), "profile_profile_diff"));
  ServeOptions reading = options();
  reading.read_only = true;
  for (const char* name : {"perf_baseline_record", "perf_baseline_accept"}) EXPECT_FALSE(has(listed(reading), name)) << name;
  for (const char* name :
       {"perf_baseline_diff", "profile_diff", "measurement_outliers", "perf_baseline_history", "measurement_inspect"})
    EXPECT_TRUE(has(listed(reading), name)) << name;
}

// What clients drop silently: a schema whose root is no plain object, or a reference (facts on clients).
TEST(VerbTools, HasSchemasThatEveryClientTakes) {
  const Server server(verb_identity(), verb_catalogue(options()));
  const json tools = json::parse(server.tools_result(Era::legacy))["tools"];
  ASSERT_FALSE(tools.empty());
  for (const json& tool : tools) {
    SCOPED_TRACE(tool["name"].get<std::string>());
    for (const char* key : {"inputSchema", "outputSchema"}) {
      ASSERT_TRUE(tool.contains(key)) << key;
      const json& schema = tool[key];
      EXPECT_EQ(schema["type"], "object") << key;
      for (const char* combinator : {"anyOf", "oneOf", "allOf", "not", "if"})
        EXPECT_FALSE(schema.contains(combinator)) << key << combinator;
      EXPECT_EQ(schema.dump().find("\"$ref\""), std::string::npos) << key;
      EXPECT_TRUE(!schema.contains("required") || schema["required"].empty()) << key << " requires what one of the forms lacks";
    }
    for (const char* form : {"args", "params"}) EXPECT_TRUE(tool["inputSchema"]["properties"].contains(form)) << form;
    EXPECT_EQ(tool["annotations"].size(), 4U);
    EXPECT_FALSE(tool["title"].get<std::string>().empty());
    for (const auto& [name, property] : tool["inputSchema"]["properties"].items()) {
      EXPECT_TRUE(property.contains("type")) << name;
      EXPECT_GE(property.value("description", "").size(), 8U) << name << " is not described";
    }
    EXPECT_EQ(tool["annotations"]["openWorldHint"], false);
    EXPECT_FALSE(tool["description"].get<std::string>().empty());
  }
}

TEST(VerbTools, TeachesTheWorkflowInItsInstructions) {
  const Identity identity = verb_identity();
  EXPECT_EQ(identity.name, "plumbline");
  EXPECT_EQ(identity.version, verbs::version());
  EXPECT_EQ(std::count(identity.instructions.begin(), identity.instructions.end(), '\n') + 1, 14);
  const Catalogue tools = verb_catalogue(options());
  for (const Tool& tool : tools.tools()) {
    if (!tool.listed) continue;
    EXPECT_NE(identity.instructions.find(tool.name), std::string::npos) << tool.name << " is not taught";
  }
}

TEST(VerbTools, ServesThoseThatWereChosen) {
  const auto chosen = [](std::vector<std::string> given) {
    auto tools = chosen_tools(given);
    return tools ? *tools : std::vector<std::string>{tools.error().message, tools.error().hint};
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(chosen({}), Names());
  EXPECT_EQ(chosen({"all"}), Names());
  EXPECT_EQ(chosen({"diff, measurement_inspect", "profile_profile_diff"}),
            (Names{"perf_baseline_diff", "measurement_inspect", "profile_diff"}));
  EXPECT_EQ(chosen({"perf_baseline_dif"}),
            (Names{R"(--tools: there is no tool "perf_baseline_dif")", R"(did you mean "perf_baseline_diff"?)"}));
  EXPECT_EQ(chosen({"keygen"}).front(), R"(--tools: there is no tool "keygen")") << "it is none of the server's";
  EXPECT_TRUE(chosen({"zzzzzzzz"}).back().starts_with("the tools are common, all, perf_baseline_record, "));

  ServeOptions some = options();
  some.tools = *chosen_tools({"common"});
  EXPECT_EQ(listed(some), (Names{"perf_baseline_record", "perf_baseline_diff", "perf_baseline_accept", "perf_baseline_history",
                                 "measurement_inspect"}));
  EXPECT_EQ(verb_catalogue(some).find("profile_diff"), nullptr) << "neither listed nor served";
  const Identity identity = verb_identity(some);
  EXPECT_EQ(identity.instructions.find("profile_diff"), std::string::npos) << "and not taught";
  EXPECT_NE(identity.instructions.find("\n6. perf_baseline_accept"), std::string::npos) << identity.instructions;
}

// What every session pays: 4,000 tokens for all of it, 2,500 for the common ones, at four bytes a token.
TEST(VerbTools, CostLittle) {
  const auto bytes = [](const ServeOptions& with) {
    return Server(verb_identity(with), verb_catalogue(with)).tools_result(Era::legacy).size();
  };
  EXPECT_LE(bytes(options()), 16'000U);
  ServeOptions some = options();
  some.tools = *chosen_tools({"common"});
  EXPECT_LE(bytes(some), 10'000U);
}

TEST(VerbTools, ShowAPageToWhoShowsPages) {
  const Server server(verb_identity(), verb_catalogue(options()));
  const json to_all = json::parse(server.tools_result(Era::legacy));
  for (const json& tool : to_all["tools"]) EXPECT_FALSE(tool.contains("_meta"));
  std::vector<std::string> with;
  const json to_hosts = json::parse(server.tools_result(Era::legacy, true));
  for (const json& tool : to_hosts["tools"]) {
    if (!tool.contains("_meta")) continue;
    EXPECT_EQ(tool["_meta"], json::parse(R"({"ui":{"resourceUri":"ui://plumbline/comparison"}})"));
    with.push_back(tool["name"]);
  }
  EXPECT_EQ(with, (std::vector<std::string>{"perf_baseline_diff", "profile_diff", "measurement_outliers"}));
  EXPECT_NE(server.tools_result(Era::modern, true).find(R"("cacheScope":"private")"), std::string::npos);
  EXPECT_NE(server.tools_result(Era::modern).find(R"("cacheScope":"public")"), std::string::npos);
}

TEST(VerbTools, TellWhoTheyAre) {
  const Server server(verb_identity(), verb_catalogue(options()));
  const json initialized = json::parse(server.initialize_result("2025-11-25")), found = json::parse(server.discover_result());
  const json icon = initialized["serverInfo"]["icons"][0];
  EXPECT_EQ(icon["mimeType"], "image/svg+xml");
  EXPECT_TRUE(icon["src"].get<std::string>().starts_with("data:image/svg+xml;base64,PHN2Zy"));
  EXPECT_EQ(found["_meta"]["io.modelcontextprotocol/serverInfo"]["icons"][0], icon);
  EXPECT_EQ(server.tools_result(Era::modern).find("icons"), std::string::npos) << "not with every result";
}

}  // namespace
}  // namespace plumbline::server::mcp
