#include "server/mcp/verbs/run_tool.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/files.hpp"
#include "server/access/small_file.hpp"
#include "server/mcp/errors.hpp"
#include "server/mcp/verbs/tools.hpp"
#include "verbs/run/listed.hpp"

namespace plumbline::server::mcp {
namespace {

using core::ErrorCode;
using nlohmann::json;

constexpr const char* kName = "perf_run";
constexpr std::chrono::milliseconds kTaskAfter{2000};
constexpr std::array<std::string_view, 4> kParameters = {"command", "runs", "baseline", "record"};

// One run at a time: two would measure each other, and orphans of a command come to the main thread, which starts no process of
// its own: those that are there then are this command's.
class Turn {
 public:
  // False where somebody has it; then `taken_by` names the command.
  bool take(const std::string& command, std::string& taken_by) {
    const std::lock_guard lock(mutex_);
    if (!running_.empty()) {
      taken_by = running_;
      return false;
    }
    running_ = command;
    return true;
  }
  void give_back() {
    const std::lock_guard lock(mutex_);
    running_.clear();
  }

 private:
  std::mutex mutex_;
  std::string running_;
};

class Listed {
 public:
  explicit Listed(std::vector<verbs::ListedCommand> commands) : commands_(std::move(commands)) {}

  [[nodiscard]] const verbs::ListedCommand* find(std::string_view name) const {
    const auto at = std::ranges::find(commands_, name, &verbs::ListedCommand::name);
    return at == commands_.end() ? nullptr : &*at;
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const verbs::ListedCommand& one : commands_) out.push_back(one.name);
    return out;
  }
  [[nodiscard]] std::string schema() const {
    const json text = {{"type", "string"}};
    const auto described = [&](const char* words) {
      json out = text;
      out["description"] = words;
      return out;
    };
    json command = text;
    command["enum"] = names();
    json out = {{"type", "object"}, {"required", {"command"}}, {"additionalProperties", false}};
    out["properties"] = {{"command", command},
                         {"runs", described("number of trials, or auto: until the verdict is decided")},
                         {"baseline", described("family/measurement[@slug] to compare with")},
                         {"record", described("family/measurement to record the trials as")}};
    return out.dump();
  }
  Turn& turn() { return turn_; }

 private:
  std::vector<verbs::ListedCommand> commands_;
  Turn turn_;
};

tl::unexpected<core::Error> wrong(std::string message, std::string hint) {
  return core::fail(ErrorCode::usage, std::move(message), std::move(hint));
}

struct Asked {
  std::string command;
  verbs::ListedRun run;
};

core::Expected<Asked> parse(std::string_view arguments) {
  const json given = json::parse(arguments, nullptr, false);
  if (!given.is_object()) return wrong("the arguments are not a JSON object", "");
  for (const auto& [key, value] : given.items()) {
    if (std::ranges::find(kParameters, key) == kParameters.end())
      return wrong("unknown parameter " + core::cited(key),
                   "command, runs, baseline and record: everything else of a command is what the operator listed");
    if (!value.is_string() && !(key == "runs" && value.is_number()))
      return wrong(key + " must be a text" + (key == "runs" ? " or a number" : ""), "");
  }
  const auto text = [&](const char* key) {
    const auto at = given.find(key);
    if (at == given.end()) return std::string();
    return at->is_string() ? at->get<std::string>() : at->dump();
  };
  return Asked{text("command"), {text("runs"), text("baseline"), text("record")}};
}

core::Error unknown_command(const Listed& listed, const std::string& name) {
  const std::vector<std::string> names = listed.names();
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string_view near = core::nearest(name, views);
  return {ErrorCode::not_found, name.empty() ? "command is missing" : "no command " + core::cited(name) + " is listed",
          near.empty() ? "listed are: " + core::listed(names, names.size()) : "did you mean " + core::cited(near) + "?", ""};
}

ToolResult call(Listed& listed, const ServeOptions& options, std::string_view arguments, const CallContext& context) {
  const auto asked = parse(arguments);
  if (!asked) return failure(asked.error());
  const verbs::ListedCommand* command = listed.find(asked->command);
  if (command == nullptr) return failure(unknown_command(listed, asked->command));
  std::string taken_by;
  if (!listed.turn().take(command->name, taken_by)) {
    return failure({ErrorCode::limit_exceeded, core::cited(taken_by) + " is running: commands run one at a time",
                    "wait until it has ended, and call again", ""});
  }
  const auto give_back = [&listed](void*) { listed.turn().give_back(); };
  const std::unique_ptr<void, decltype(give_back)> guard(&listed, give_back);
  return typed_result(verbs::run_listed(*command, asked->run, context_of(options, kName, arguments, context)), options, {},
                      context);
}

}  // namespace

core::Expected<Tool> run_tool(const ServeOptions& options) {
  if (options.read_only) return wrong("--allow-run runs and writes, and --read-only does neither", "give one of them");
  const CallContext nobody;
  const verbs::Context context = context_of(options, "serve", {}, nobody);
  const std::string path = registry::absolute_path(options.allow_run, context.cwd);
  auto text = access::read_small_file(path, access::Privacy::own);
  if (!text) return core::fail(text.error());
  auto commands = verbs::parse_listed_commands(*text, path, context);
  if (!commands) return core::fail(commands.error());
  const auto listed = std::make_shared<Listed>(std::move(*commands));
  Tool tool;
  tool.name = kName;
  tool.title = "Run a listed benchmark";
  tool.description =
      "Run one of the benchmarks that the operator listed, several times, and compare the trials with a baseline or record them. "
      "Use it when a result is a DRAFT or YELLOW for want of trials. One runs at a time; cancelling ends it.";
  tool.annotations = {false, false, false, false};
  tool.writes = true;
  tool.task.after = kTaskAfter;
  tool.input_schema = [listed] { return listed->schema(); };
  tool.output_schema = [] { return verbs::listed_output_schema(*verbs::find("run")); };
  tool.call = [listed, options](std::string_view arguments, const CallContext& call_context) {
    return call(*listed, options, arguments, call_context);
  };
  return tool;
}

}  // namespace plumbline::server::mcp
