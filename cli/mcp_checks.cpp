#include "cli/mcp_checks.hpp"

#include <nlohmann/json.hpp>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "verbs/verb.hpp"

namespace plumbline::cli {
namespace {

using core::ErrorCode;
using core::Expected;
using Json = nlohmann::ordered_json;

constexpr std::string_view kLegacy = "2025-11-25";
constexpr std::string_view kModern = "2026-07-28";
constexpr int kPages = 50;

// A conversation in one era: numbers its requests and takes results out of answers.
class Conversation {
 public:
  Conversation(Peer& peer, bool modern) : peer_(peer), modern_(modern) {}

  Expected<Json> ask(std::string_view method, Json params = Json::object()) {
    const std::int64_t id = ++last_id_;
    const auto answer = peer_.ask(id, message(method, std::move(params), id));
    if (!answer) return core::fail(answer.error());
    Json json = Json::parse(*answer, nullptr, false);
    if (const auto error = json.find("error"); error != json.end()) return refusal(method, *error);
    if (!json["result"].is_object()) {
      return core::fail(ErrorCode::invalid_input, std::string(method) + ": the result is not an object");
    }
    return std::move(json["result"]);
  }

  core::Status tell(std::string_view method) { return peer_.tell(message(method, nullptr, -1)); }

  void speak(std::string version) { version_ = std::move(version); }

 private:
  [[nodiscard]] Message message(std::string_view method, Json params, std::int64_t id) const {
    Json json{{"jsonrpc", "2.0"}};
    if (id >= 0) json["id"] = id;
    json["method"] = method;
    if (modern_) {
      params["_meta"] = {{"io.modelcontextprotocol/protocolVersion", kModern},
                         {"io.modelcontextprotocol/clientCapabilities", Json::object()},
                         {"io.modelcontextprotocol/clientInfo", client()}};
    }
    if (params.is_object()) json["params"] = std::move(params);
    return {json.dump(), std::string(method), modern_ ? std::string(kModern) : version_, modern_};
  }

  static tl::unexpected<core::Error> refusal(std::string_view method, const Json& error) {
    std::string text = std::string(method) + " is refused";
    const bool worded = error.is_object() && error.contains("message") && error["message"].is_string();
    if (worded) text += ": " + error["message"].get<std::string>();
    const bool unknown = error.is_object() && error.value("code", Json()) == -32601;
    return core::fail(unknown ? ErrorCode::not_found : ErrorCode::invalid_input, std::move(text));
  }

 public:
  static Json client() { return {{"name", "plumbline-doctor"}, {"version", verbs::version()}}; }

 private:
  Peer& peer_;
  bool modern_;
  std::int64_t last_id_ = 0;
  std::string version_;
};

std::string text_of(const Json& object, const char* name) {
  const auto member = object.is_object() ? object.find(name) : object.end();
  return object.is_object() && member != object.end() && member->is_string() ? member->get<std::string>() : std::string();
}

// Names of all tools; an error when the list does not come to an end.
Expected<std::vector<std::string>> list_tools(Conversation& talk) {
  std::vector<std::string> names;
  std::string cursor;
  for (int page = 0; page < kPages; ++page) {
    const auto result = talk.ask("tools/list", cursor.empty() ? Json::object() : Json{{"cursor", cursor}});
    if (!result) return core::fail(result.error());
    const auto tools = result->find("tools");
    if (tools == result->end() || !tools->is_array()) {
      return core::fail(ErrorCode::invalid_input, "tools/list: the result has no list \"tools\"");
    }
    for (const auto& tool : *tools) names.push_back(text_of(tool, "name"));
    cursor = text_of(*result, "nextCursor");
    if (cursor.empty()) return names;
  }
  return core::fail(ErrorCode::limit_exceeded, "tools/list: more than " + std::to_string(kPages) + " pages");
}

void check_tools(Conversation& talk, std::string_view name, Checks& checks) {
  const auto tools = list_tools(talk);
  if (!tools) return checks.fault(name, tools.error());
  const std::string text = core::counted(tools->size(), "tool") + ": " + core::listed(*tools, 12);
  if (!tools->empty()) return checks.ok(name, text);
  checks.fault(name, {ErrorCode::invalid_input, "no tools", "is this the right server?", {}});
}

void check_identity(const Json& info, Checks& checks) {
  const std::string name = text_of(info, "name");
  const std::string version = text_of(info, "version");
  if (name != "plumbline") {
    return checks.warning("version", "the server calls itself " + core::cited(name) + " " + version,
                          "the configuration starts another server under this name");
  }
  if (version == verbs::version()) return checks.ok("version", "plumbline " + version + ", as this program");
  checks.warning("version", "the server is plumbline " + version + ", this program is " + std::string(verbs::version()),
                 "plumbline install with the program that is to be used");
}

}  // namespace

void Checks::ok(std::string_view name, std::string detail, std::string figures) {
  all_.push_back({Check::Level::ok, std::string(name), std::move(detail), {}, {}, std::move(figures)});
}
void Checks::warning(std::string_view name, std::string detail, std::string advice, std::string figures) {
  all_.push_back({Check::Level::warning, std::string(name), std::move(detail), std::move(advice), {}, std::move(figures)});
}
void Checks::fault(std::string_view name, const core::Error& error) {
  all_.push_back({Check::Level::fault, std::string(name), error.message, error.hint, error.code, {}});
}

void check_legacy(Peer& peer, std::chrono::steady_clock::time_point started, Checks& checks) {
  Conversation talk(peer, false);
  const auto result = talk.ask(
      "initialize", {{"protocolVersion", kLegacy}, {"capabilities", Json::object()}, {"clientInfo", Conversation::client()}});
  if (!result) return checks.fault("start", result.error());
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - started;
  checks.ok("start", "first answer after " + core::short_number(took.count(), 3) + " ms");
  const std::string version = text_of(*result, "protocolVersion");
  if (version == kLegacy) {
    checks.ok("initialize", "protocol " + version);
  } else {
    checks.warning("initialize", "the server answers " + core::cited(version) + " to " + std::string(kLegacy),
                   "newer clients and this server settle on an older protocol");
  }
  check_identity(result->value("serverInfo", Json()), checks);
  talk.speak(version);
  if (auto told = talk.tell("notifications/initialized"); !told) return checks.fault("initialize", told.error());
  check_tools(talk, "tools", checks);
}

void check_modern(Peer& peer, Checks& checks) {
  Conversation talk(peer, true);
  const auto result = talk.ask("server/discover");
  if (!result && (result.error().code == ErrorCode::not_found || result.error().code == ErrorCode::invalid_input)) {
    return checks.warning("discover", result.error().message,
                          "clients that speak " + std::string(kModern) + " fall back to initialize; an update brings it");
  }
  if (!result) return checks.fault("discover", result.error());
  std::vector<std::string> versions;
  for (const auto& version : result->value("supportedVersions", Json::array())) {
    if (version.is_string()) versions.push_back(version.get<std::string>());
  }
  checks.ok("discover", "protocol " + core::listed(versions));
  check_tools(talk, "modern tools", checks);
}

void check_remains(const Remains& remains, Checks& checks) {
  if (!remains.is_process) return;
  if (remains.foreign_lines == 0) {
    checks.ok("output", "nothing but protocol on standard output");
  } else {
    checks.fault("output",
                 {ErrorCode::invalid_input,
                  core::counted(remains.foreign_lines, "line") + " on standard output that " +
                      (remains.foreign_lines == 1 ? "is" : "are") + " not JSON-RPC, first: " + core::cited(remains.first_foreign),
                  "a wrapper script must write to standard error: echo … >&2",
                  {}});
  }
  if (remains.log_lines == 0) {
    checks.ok("log", "nothing on standard error");
  } else {
    checks.warning("log",
                   core::counted(remains.log_lines, "line") + " on standard error, first: " + core::cited(remains.first_log),
                   "some clients show these as errors");
  }
  if (remains.ended_itself) {
    checks.ok("end", "ended when its input did, " + remains.how);
  } else {
    checks.fault("end", {ErrorCode::invalid_input,
                         "went on when its input had ended, and was killed",
                         "a wrapper script must exec the server, or pass the end on",
                         {}});
  }
}

}  // namespace plumbline::cli
