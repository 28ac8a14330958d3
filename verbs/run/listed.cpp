#include "verbs/run/listed.hpp"

#include <unistd.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/store.hpp"
#include "verbs/environment.hpp"
#include "verbs/resolving/reference.hpp"
#include "verbs/run/runner.hpp"

namespace plumbline::verbs {
namespace {

constexpr std::size_t kMostCommands = 32;
constexpr std::size_t kNameBytes = 64;
constexpr std::string_view kDefaultBudget = "10m";
constexpr std::array<std::string_view, 7> kWords = {"name", "command", "folder", "result", "format", "timeout", "budget"};

std::string known_words() {
  std::string out;
  for (const std::string_view word : kWords) out += (out.empty() ? "" : ", ") + std::string(word);
  return out;
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kNameBytes && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
  });
}

class ListReader {
 public:
  ListReader(const std::string& path, const Context& context) : path_(path), context_(context) {}

  Expected<std::vector<ListedCommand>> read(const YAML::Node& root) {
    if (!root.IsMap())
      return bad(root, "the file is a map with the list `commands`", "commands: [{name: …, command: [PROGRAM, …]}]");
    for (const auto& item : root) {
      if (!item.first.IsScalar() || item.first.Scalar() != "commands")
        return bad(item.first, "unknown word " + cited(item.first), "the file has the list `commands` and nothing else");
    }
    const YAML::Node list = root["commands"];
    if (root.size() != 1 || !list.IsSequence() || list.size() == 0)
      return bad(list ? list : root, "`commands` is no list of commands", "name one at least, or leave out --allow-run");
    if (list.size() > kMostCommands)
      return bad(list, "there are " + std::to_string(list.size()) + " commands",
                 "at most " + std::to_string(kMostCommands) + ": every client reads their names in every session");
    std::vector<ListedCommand> out;
    std::set<std::string> names;
    for (const auto& node : list) {
      auto one = command(node);
      if (!one) return core::fail(one.error());
      if (!names.insert(one->name).second)
        return bad(node, "the name " + core::cited(one->name) + " is there twice", "rename one");
      out.push_back(std::move(*one));
    }
    return out;
  }

 private:
  [[nodiscard]] tl::unexpected<Error> bad(const YAML::Node& node, std::string message, std::string hint = {}) const {
    const YAML::Mark mark = node.Mark();
    const std::string place = path_ + ":" + std::to_string(std::max(mark.line, 0) + 1) + ":" +
                              std::to_string(std::max(mark.column, 0) + 1);  // an empty file has no place
    return core::fail(ErrorCode::invalid_input, place + ": " + std::move(message), std::move(hint), place);
  }
  static std::string cited(const YAML::Node& node) { return node.IsScalar() ? core::cited(node.Scalar()) : "of another kind"; }

  [[nodiscard]] Expected<ListedCommand> command(const YAML::Node& node) const {
    if (!node.IsMap()) return bad(node, "a command is a map", "{name: decode, command: [./bench, --quick]}");
    if (auto ok = check_words(node); !ok) return core::fail(ok.error());
    ListedCommand out;
    for (const auto& [word, place] : {std::pair("name", &out.name), std::pair("folder", &out.folder),
                                      std::pair("result", &out.result), std::pair("format", &out.format)}) {
      if (auto ok = take_text(node, word, *place); !ok) return core::fail(ok.error());
    }
    if (!is_name(out.name))
      return bad(node, "a command without a right name",
                 "a name has letters, digits, '.', '_' and '-', at most " + std::to_string(kNameBytes));
    const std::string beside = path_.substr(0, std::max<std::size_t>(path_.rfind('/'), 1));
    if (out.folder.empty()) out.folder = beside;
    if (out.folder.front() != '/') out.folder = beside + "/" + out.folder;
    const registry::PathLimits anywhere;
    if (registry::path_kind(out.folder, anywhere) != registry::PathKind::folder)
      return bad(node["folder"] ? node["folder"] : node, "there is no folder " + core::cited_path(out.folder));
    if (auto ok = take_command(node["command"] ? node["command"] : node, out); !ok) return core::fail(ok.error());
    if (auto ok = take_time(node, "budget", kDefaultBudget, out.budget_s); !ok) return core::fail(ok.error());
    out.timeout_s = out.budget_s;  // no trial hangs for ever
    if (auto ok = take_time(node, "timeout", {}, out.timeout_s); !ok) return core::fail(ok.error());
    return out;
  }

  [[nodiscard]] Status check_words(const YAML::Node& node) const {
    std::set<std::string> seen;
    for (const auto& item : node) {
      const std::string word = item.first.IsScalar() ? item.first.Scalar() : std::string();
      if (std::ranges::find(kWords, word) == kWords.end()) {
        const std::string_view near = core::nearest(word, kWords);
        return bad(item.first, "unknown word " + cited(item.first) + " in a command",
                   near.empty() ? "known are: " + known_words() : "did you mean " + core::cited(near) + "?");
      }
      if (!seen.insert(word).second) return bad(item.first, core::cited(word) + " is twice in a command", "keep one of them");
    }
    return {};
  }

  Status take_text(const YAML::Node& node, const char* word, std::string& out) const {
    const YAML::Node text = node[word];
    if (!text) return {};
    if (!text.IsScalar() || text.Scalar().empty() || text.Scalar().find('\0') != std::string::npos)
      return bad(text, std::string(word) + " is a text");
    out = text.Scalar();
    return {};
  }

  Status take_command(const YAML::Node& words, ListedCommand& out) const {
    if (!words.IsSequence() || words.size() == 0)
      return bad(words, "command is the program and its arguments, as a list",
                 "command: [./bench, --quick]; a line of shell is [sh, -c, '…']");
    for (const auto& word : words) {
      if (!word.IsScalar() || word.Scalar().find('\0') != std::string::npos) return bad(word, "a word of a command is a text");
      out.argv.push_back(word.Scalar());
    }
    std::string& program = out.argv.front();
    if (program.find('/') == std::string::npos) {
      program = find_program(program, context_).value_or(program);
    } else if (program.front() != '/') {
      program = out.folder + "/" + program;
    }
    if (program.find('/') != std::string::npos && ::access(program.c_str(), X_OK) == 0) return {};
    return bad(words, core::cited(program) + " is no program that can be run",
               "name one on PATH, or by its path; a relative one is taken from `folder`");
  }

  Status take_time(const YAML::Node& node, const char* word, std::string_view otherwise, double& out) const {
    std::string text(otherwise);
    if (auto ok = take_text(node, word, text); !ok) return ok;
    if (text.empty()) return {};
    const auto seconds = parse_duration(text);
    if (!seconds) return bad(node[word], std::string(word) + " " + core::cited(text) + " is no time", "write 90s, 10m or 1h");
    out = *seconds;
    return {};
  }

  const std::string& path_;
  const Context& context_;
};

// A name of the registry that is known there: what looks like one and is a path would be read from the server's folder.
Status check_baseline(const std::string& text, const Context& context) {
  if (text.empty()) return {};
  const auto name = parse_named_reference(text);
  if (!name)
    return core::fail(ErrorCode::usage, "baseline " + core::cited(text) + " is no name of a measurement",
                      "write FAMILY/MEASUREMENT, perhaps with @SLUG, @accepted or @newest; a path is not taken here");
  const auto root = root_of({}, context);
  if (!root) return core::fail(root.error());
  const auto store = open_store(*root, context);
  if (!is_known(*store, *name)) return core::fail(unknown_baseline(*store, *name));
  return {};
}

Arguments arguments_of(const ListedCommand& command, const ListedRun& asked) {
  Arguments out;
  out.set("command", command.argv);
  for (const auto& [name, value] :
       {std::pair("result", &command.result), std::pair("format", &command.format), std::pair("runs", &asked.runs),
        std::pair("against", &asked.baseline), std::pair("record", &asked.record)}) {
    if (!value->empty()) out.set(name, *value);
  }
  return out;
}

}  // namespace

Expected<std::vector<ListedCommand>> parse_listed_commands(const std::string& text, const std::string& path,
                                                           const Context& context) {
  try {
    return ListReader(path, context).read(YAML::Load(text));
  } catch (const YAML::Exception& e) {
    const std::string place = path + ":" + std::to_string(e.mark.line + 1) + ":" + std::to_string(e.mark.column + 1);
    return core::fail(ErrorCode::invalid_input, place + ": " + e.msg, {}, place);
  }
}

Expected<Outcome> run_listed(const ListedCommand& command, const ListedRun& asked, const Context& context) {
  if (auto ok = check_baseline(asked.baseline, context); !ok) return core::fail(ok.error());
  const Arguments arguments = arguments_of(command, asked);
  auto request = parse_run(arguments, context);
  if (!request) return core::fail(request.error());
  auto scratch = ScratchFolder::make(context);
  if (!scratch) return core::fail(scratch.error());
  request->sides.front().start.folder = command.folder;
  request->sides.front().start.timeout_s = command.timeout_s;
  request->budget_s = command.budget_s;
  request->folder = scratch->path();
  request->judge_when_stopped = false;
  // Its result is read where the operator's list says, the trials where they are kept meanwhile; the caller names neither.
  Context wider = context;
  if (!wider.allowed_roots.empty()) {
    wider.allowed_roots.push_back(registry::absolute_path(scratch->path(), "/"));
    wider.allowed_roots.push_back(registry::absolute_path(command.folder, "/"));
  }
  return Runner(std::move(*request), arguments, wider).run();
}

}  // namespace plumbline::verbs
