// What may stand next on a command line. Flags and choices are the table's; families, measurements, references and keys are those
// of the registry that the line would use.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "cli/guide/guide.hpp"
#include "cli/program.hpp"
#include "registry/store.hpp"
#include "verbs/calling/parameters.hpp"
#include "verbs/environment.hpp"

namespace plumbline::cli {
namespace {

using verbs::Param;
using verbs::ParamKind;
using verbs::Verb;

constexpr std::size_t kSlugsAtMost = 20;  // of one measurement: whoever wants an older one knows it

const Verb* command_of(std::string_view word) {
  if (const Verb* verb = verbs::find(word)) return verb;
  const OwnCommand* own = find_own_command(word);
  return own == nullptr ? nullptr : own->verb;
}

// The words so far, understood as far as they go: which command, which flags have which values, and what the last word is to be.
struct Situation {
  const Verb* command = nullptr;
  bool before_command = true;
  const Param* wanted = nullptr;     // whose value the last word is; null: a flag, a command or nothing that is known
  const ProgramFlag* own = nullptr;  // likewise, of the program's own flags
  bool may_be_flag = true;
  std::string typed;   // the last word, or what stands behind its '='
  std::string prefix;  // "--flag=" in front of it
  std::string repo_root, family, measurement, reference;
};

const Param* param_of_flag(const Verb& command, std::string_view word) {
  for (const Param& param : command.params) {
    if (param.mcp_only) continue;
    if (word == verbs::flag_of(param.name)) return &param;
    for (const auto alias : param.aliases) {
      if (word == verbs::flag_of(alias)) return &param;
    }
  }
  return nullptr;
}

void note_value(const Param& param, const std::string& value, Situation& now) {
  if (param.name == "repo_root") now.repo_root = value;
  if (param.name == "family") now.family = value;
  if (param.name == "measurement") now.measurement = value;
  if ((param.name == "baseline" || param.name == "name" || param.name == "path" || param.name == "source") &&
      now.reference.empty())
    now.reference = value;
}

// The words between the command and the last one.
void walk(std::span<const std::string> words, Situation& now) {
  const auto places = verbs::positional_params(*now.command);
  std::size_t place = 0;
  const Param* open = nullptr;  // the flag that waits for its value
  const ProgramFlag* own = nullptr;
  const auto take_place = [&]() -> const Param* {
    if (place >= places.size()) return nullptr;
    const Param* param = places[place];
    if (!verbs::is_list(param->kind)) ++place;
    return param;
  };
  for (const std::string& word : words) {
    if (std::exchange(own, nullptr) != nullptr) continue;
    if (word.starts_with("--")) {
      const auto equals = word.find('=');
      const Param* param = param_of_flag(*now.command, std::string_view(word).substr(0, equals));
      open = param != nullptr && equals == std::string::npos && param->kind != ParamKind::boolean ? param : nullptr;
      if (param != nullptr && equals != std::string::npos) note_value(*param, word.substr(equals + 1), now);
      if (param == nullptr) own = find_program_flag(word);
      if (own != nullptr && !own->anywhere) own = nullptr;
      continue;
    }
    const Param* param = open != nullptr ? open : take_place();
    if (param != nullptr) note_value(*param, word, now);
    if (open != nullptr && open->kind != ParamKind::path_list) open = nullptr;
  }
  now.own = own;
  now.may_be_flag = open == nullptr || open->kind == ParamKind::path_list;
  now.wanted = open != nullptr ? open : (place < places.size() ? places[place] : nullptr);
}

Situation understand_words(std::span<const std::string> words) {
  Situation now;
  now.typed = words.empty() ? std::string() : words.back();
  if (words.empty()) return now;
  const auto split_typed = [&now](std::size_t equals) {
    now.prefix = now.typed.substr(0, equals + 1);
    now.typed.erase(0, equals + 1);
  };
  std::size_t at = 0;
  for (; at + 1 < words.size() && words[at].starts_with("-"); ++at) {
    const auto equals = words[at].find('=');
    const ProgramFlag* flag = find_program_flag(std::string_view(words[at]).substr(0, equals));
    if (flag == nullptr) continue;
    if (equals == std::string::npos && at + 2 == words.size()) {
      now.own = flag;
      return now;
    }
    const std::string value = equals == std::string::npos ? words[++at] : words[at].substr(equals + 1);
    if (flag->name == "--repo-root") now.repo_root = value;
  }
  if (const auto equals = now.typed.find('='); at + 1 == words.size() && equals != std::string::npos) {
    now.own = find_program_flag(std::string_view(now.typed).substr(0, equals));
    if (now.own != nullptr) split_typed(equals);
  }
  if (at + 1 >= words.size()) return now;
  now.before_command = false;
  now.command = command_of(words[at]);
  if (now.command == nullptr) return now;
  walk(words.subspan(at + 1, words.size() - at - 2), now);
  const auto equals = now.typed.find('=');
  if (now.typed.starts_with("--") && equals != std::string::npos) {
    now.wanted = param_of_flag(*now.command, std::string_view(now.typed).substr(0, equals));
    if (now.wanted == nullptr) now.own = find_program_flag(std::string_view(now.typed).substr(0, equals));
    now.may_be_flag = false;
    split_typed(equals);
  }
  return now;
}

// What the registry holds, asked when it is needed. Nothing where there is none: a completion is no place for errors.
class Registry {
 public:
  Registry(const Situation& now, const verbs::Context& context) : now_(now), context_(context) {
    verbs::Arguments arguments;
    if (!now.repo_root.empty()) arguments.set("repo_root", now.repo_root);
    const auto root = verbs::root_of(arguments, context);
    if (!root) return;
    root_ = *root;
    store_ = verbs::open_store(root_, context);
  }

  [[nodiscard]] std::set<std::string> families() const {
    std::set<std::string> names;
    for (const auto& [family, measurement] : all()) names.insert(family);
    return names;
  }
  [[nodiscard]] std::set<std::string> measurements() const {
    std::set<std::string> names;
    for (const auto& [family, measurement] : all()) {
      if (now_.family.empty() || family == now_.family) names.insert(measurement);
    }
    return names;
  }
  [[nodiscard]] std::set<std::string> references() const {
    std::set<std::string> names;
    for (const auto& [family, measurement] : all()) names.insert(family + "/" + measurement);
    return names;
  }
  // FAMILY/MEASUREMENT@SLUG, newest first, of the measurement that `typed` names.
  [[nodiscard]] std::vector<std::string> entries(std::string_view typed) const {
    const auto slash = typed.find('/');
    const auto at = slash == std::string_view::npos ? slash : typed.find('@', slash + 1);
    if (at == std::string_view::npos || store_ == nullptr) return {};
    const auto slugs = store_->newest_slugs(registry::Kind::entry, typed.substr(0, slash),
                                            typed.substr(slash + 1, at - slash - 1), kSlugsAtMost);
    if (!slugs || slugs->empty()) return {};
    const std::string name(typed.substr(0, at + 1));
    std::vector<std::string> names = {name + "newest", name + "accepted"};
    for (const std::string& slug : *slugs) names.push_back(name + slug);
    return names;
  }
  // Of the entry or file that the line names: as `inspect` reads it.
  [[nodiscard]] std::vector<std::string> keys() const {
    std::string from = now_.reference;
    if (from.empty() && !now_.family.empty() && !now_.measurement.empty()) from = now_.family + "/" + now_.measurement;
    const Verb* inspect = verbs::find("inspect");
    if (from.empty() || inspect == nullptr) return {};
    std::vector<std::string> words = {from, "--json"};
    if (!root_.empty()) words.insert(words.end(), {"--repo-root", root_});
    const auto read = verbs::run_command(*inspect, words, context_);
    const auto result = nlohmann::json::parse(read.out, nullptr, false);
    const auto rows = result.is_object() ? result.find("rows") : result.end();
    std::vector<std::string> names;
    if (!result.is_object() || rows == result.end()) return names;
    for (const auto& row : *rows) names.push_back(row.value("key", std::string()));
    return names;
  }

 private:
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> all() const {
    if (store_ == nullptr) return {};
    return store_->measurements(registry::Kind::entry).value_or(std::vector<std::pair<std::string, std::string>>());
  }
  const Situation& now_;
  const verbs::Context& context_;
  std::string root_;
  std::unique_ptr<registry::Store> store_;
};

class Offering {
 public:
  explicit Offering(const Situation& now) : now_(now) {}
  void add(std::string_view word, std::string_view about = {}) {
    if (!word.starts_with(now_.typed)) return;
    out_.words.push_back({now_.prefix + std::string(word), std::string(about.substr(0, about.find('\n')))});
  }
  template <class Words>
  void add_all(const Words& words, std::string_view about = {}) {
    for (const auto& word : words) add(word, about);
  }
  [[nodiscard]] Candidates& out() { return out_; }

 private:
  const Situation& now_;
  Candidates out_;
};

void offer_commands(Offering& offer) {
  for (const Verb* command : all_commands()) offer.add(command->name, command->title);
  offer.add("help", "Flags, examples and exit status of a command, or a page");
  if (!offer.out().words.empty()) return;  // flags where nothing else fits what is typed
  offer.add("--json", "print the result as one JSON document");
  for (const ProgramFlag& flag : program_flags()) offer.add(flag.name, flag.about);
  offer.add("--version", "print the version");
  offer.add("--help", "list the commands");
}

void offer_flags(const Verb& command, Offering& offer) {
  for (const Param& param : command.params) {
    if (!param.mcp_only) offer.add(verbs::flag_of(param.name), param.doc);
  }
  offer.add("--json", "print the result as one JSON document");
  for (const ProgramFlag& flag : program_flags()) {
    if (flag.anywhere) offer.add(flag.name, flag.about);
  }
  offer.add("--help", "flags, examples and exit status");
}

bool names_references(const Param& param) {
  return param.value_name.find("REF") != std::string_view::npos ||
         param.value_name.find("FAMILY/MEASUREMENT") != std::string_view::npos ||
         param.value_name.find("F/M") != std::string_view::npos;
}
bool names_keys(const Param& param) {
  return param.name == "key" || param.name == "headline" || param.value_name == "KEY" || param.value_name == "GLOB" ||
         param.value_name == "KEY=SPEC";
}
bool is_folder(const Param& param) { return param.value_name == "DIR"; }
bool names_files(const Param& param) {
  const bool is_path = param.kind == ParamKind::path || param.kind == ParamKind::path_list;
  return is_path || is_folder(param) || param.value_name.starts_with("FILE") || param.value_name == "PATH" ||
         param.value_name == "REF";
}

void offer_references(const Situation& now, const Registry& registry, Offering& offer) {
  const auto entries = registry.entries(now.typed);
  offer.add_all(entries);
  if (entries.empty()) offer.add_all(registry.references());
}

void offer_formats(const verbs::Context& context, Offering& offer) {
  const std::vector<std::string> words = {"--json"};
  const auto result = nlohmann::json::parse(verbs::run_command(*verbs::find("formats"), words, context).out, nullptr, false);
  const auto all = result.is_object() ? result.find("formats") : result.end();
  if (!result.is_object() || all == result.end()) return;
  for (const auto& format : *all) offer.add(format.value("name", std::string()), format.value("what", std::string()));
}

void offer_value(const Param& param, const Situation& now, const verbs::Context& context, Offering& offer) {
  offer.add_all(param.choices);
  if (!param.choices.empty()) return;
  if (param.name == "format") {
    offer_formats(context, offer);
    return;
  }
  if (names_files(param)) offer.out().paths = is_folder(param) ? Candidates::Paths::folders : Candidates::Paths::files;
  if (param.name == "direction") {
    for (const std::string_view way : {"lower-is-better", "higher-is-better", "two-sided"}) offer.add(way);
    return;
  }
  const Registry registry(now, context);
  if (param.name == "family") {
    offer.add_all(registry.families());
  } else if (names_references(param)) {
    offer_references(now, registry, offer);
  } else if (param.name == "measurement") {
    offer.add_all(registry.measurements());
  } else if (names_keys(param)) {
    offer.add_all(registry.keys());
    offer.out().more = param.value_name == "KEY=SPEC";
  }
}

}  // namespace

Candidates candidates(std::span<const std::string> words, const verbs::Context& context) {
  const Situation now = understand_words(words);
  Offering offer(now);
  if (now.own != nullptr) {
    offer.out().paths = now.own->paths;
    if (now.own->name == "--color") offer.add_all(std::array<std::string_view, 3>{"auto", "always", "never"});
    return offer.out();
  }
  if (now.before_command) {
    offer_commands(offer);
    return offer.out();
  }
  if (now.command == nullptr) {
    const bool help = std::find(words.begin(), words.end() - 1, "help") != words.end() - 1;
    if (help) {
      for (const Verb* command : all_commands()) offer.add(command->name, command->title);
      offer.add("topics", "the pages that are built in");
      offer.add_all(topics());
    }
    return offer.out();
  }
  if (now.may_be_flag && now.typed.starts_with("-")) {
    offer_flags(*now.command, offer);
    return offer.out();
  }
  if (now.command == &man_command()) {
    for (const Verb* command : all_commands()) offer.add(command->name, command->title);
  } else if (now.wanted != nullptr) {
    offer_value(*now.wanted, now, context, offer);
  }
  return offer.out();
}

}  // namespace plumbline::cli
