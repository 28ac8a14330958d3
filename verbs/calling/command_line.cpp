// argv -> Arguments, from the parameter table alone. The grammar is the one that users of Python's argparse have in their
// fingers: `--flag value`, `--flag=value`, unambiguous prefixes, `--` before what only looks like a flag.
#include <algorithm>
#include <utility>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "verbs/calling/parameters.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {
namespace {

// What every verb takes besides its own parameters.
enum class Common : std::uint8_t { none, json, color, help };

// One spelling of one flag. `param` is null for those that are common to all verbs.
struct Flag {
  std::string name;  // "--tolerance-percent"
  const Param* param = nullptr;
  Common common = Common::none;
};

// Read as any parameter is; how it is called in help and messages.
const Param& color_param() {
  static const Param kColor{.name = "color", .kind = ParamKind::choice, .choices = {"auto", "always", "never"}};
  return kColor;
}

std::vector<Flag> flags_of(const Verb& verb) {
  std::vector<Flag> flags;
  for (const Param& param : verb.params) {
    if (param.mcp_only) continue;
    flags.push_back({flag_of(param.name), &param});
    for (const auto alias : param.aliases)
      flags.push_back({alias.size() == 1 ? "-" + std::string(alias) : flag_of(alias), &param});
  }
  flags.push_back({"--json", nullptr, Common::json});
  flags.push_back({"--color", nullptr, Common::color});
  flags.push_back({"--help", nullptr, Common::help});
  return flags;
}

// "--name" or "--name=…" with a plausible name; "-- text" and "--a b" are words, as in argparse.
bool looks_like_flag(std::string_view word) {
  if (word.size() < 3 || !word.starts_with("--")) return false;
  const auto name = word.substr(0, word.find('='));
  return name.find(' ') == std::string_view::npos;
}

bool asks_for_help(std::string_view word) { return word == "-h"; }

class Parser {
 public:
  Parser(const Verb& verb, std::span<const std::string> argv) : verb_(verb), argv_(argv), flags_(flags_of(verb)) {}

  Expected<CommandLine> run() {
    while (at_ < argv_.size()) {
      const std::string& word = argv_[at_++];
      if (!only_positionals_ && word == "--") {
        only_positionals_ = true;
      } else if (!only_positionals_ && asks_for_help(word)) {
        line_.help = true;
      } else if (!only_positionals_ && looks_like_flag(word)) {
        if (auto done = flag(word); !done) return core::fail(std::move(done.error()));
      } else if (!only_positionals_ && is_short_flag(word)) {
        if (auto done = flag(word); !done) return core::fail(std::move(done.error()));
      } else if (!only_positionals_ && word.size() > 1 && word[0] == '-' && word.find(' ') == std::string::npos &&
                 !core::parse_double(word)) {
        return unknown(word);
      } else {
        positionals_.push_back(word);
      }
    }
    if (line_.help) return std::move(line_);  // whoever asks for help gets it, whatever else stands there
    if (auto placed = place_positionals(); !placed) return core::fail(std::move(placed.error()));
    return std::move(line_);
  }

 private:
  // "-n": an alias of one letter.
  [[nodiscard]] bool is_short_flag(std::string_view word) const {
    return word.size() == 2 && std::any_of(flags_.begin(), flags_.end(), [&](const Flag& flag) { return flag.name == word; });
  }

  [[nodiscard]] tl::unexpected<Error> unknown(std::string_view word) const {
    const std::string name(word.substr(0, word.find('=')));
    std::vector<std::string> candidates;
    for (const Flag& flag : flags_) candidates.push_back(flag.name);
    std::string hint = did_you_mean(name, candidates);
    if (hint.empty()) hint = "plumbline " + std::string(verb_.name) + " --help lists the flags";
    return core::fail(ErrorCode::usage, "unknown flag " + core::cited(name), std::move(hint));
  }

  // Exact name, else the only flag it is a prefix of. Two spellings of one parameter are not ambiguous.
  [[nodiscard]] Expected<const Flag*> resolve(std::string_view written) const {
    std::string name(written);
    std::replace(name.begin(), name.end(), '_', '-');
    const Flag* found = nullptr;
    bool ambiguous = false;
    std::vector<std::string> fitting;
    for (const Flag& flag : flags_) {
      if (flag.name == name) return &flag;
      if (!flag.name.starts_with(name)) continue;
      fitting.push_back(flag.name);
      if (found == nullptr) {
        found = &flag;
      } else if (found->param != flag.param || found->common != flag.common) {
        ambiguous = true;
      }
    }
    if (found == nullptr) return unknown(written);
    if (ambiguous) {
      return core::fail(ErrorCode::usage, "flag " + core::cited(written) + " is ambiguous",
                        "it could be " + core::listed(fitting, 8));
    }
    return found;
  }

  Status flag(std::string_view word) {
    const auto equals = word.find('=');
    auto resolved = resolve(word.substr(0, equals));
    if (!resolved) return core::fail(std::move(resolved.error()));
    const Flag& flag = **resolved;
    if (flag.common == Common::color)
      return color(equals == std::string_view::npos ? std::nullopt : std::optional(word.substr(equals + 1)));
    if (flag.param == nullptr) {
      if (equals != std::string_view::npos) return core::fail(ErrorCode::usage, flag.name + " takes no value");
      (flag.common == Common::help ? line_.help : line_.json) = true;
      return {};
    }
    const Param& param = *flag.param;
    if (param.kind == ParamKind::boolean && equals == std::string_view::npos) {
      line_.arguments.set(std::string(param.name), true);
      return {};
    }
    if (equals != std::string_view::npos) return store(param, flag.name, word.substr(equals + 1));
    if (!value_follows()) {
      std::string message = flag.name + " needs a value";
      if (!param.value_name.empty()) message += ": " + flag.name + " " + std::string(param.value_name);
      // A value that looks like a flag can be meant.
      std::string hint = at_ < argv_.size() ? "a value that starts with -- is written " + flag.name + "=VALUE" : "";
      return core::fail(ErrorCode::usage, std::move(message), std::move(hint));
    }
    do {
      if (auto stored = store(param, flag.name, argv_[at_++]); !stored) return stored;
    } while (param.kind == ParamKind::path_list && value_follows());
    return {};
  }

  Status color(std::optional<std::string_view> given) {
    if (!given && !value_follows()) return core::fail(ErrorCode::usage, "--color needs a value: --color auto|always|never");
    const auto word = value_from_text(color_param(), "--color", given ? *given : std::string_view(argv_[at_++]));
    if (!word) return core::fail(word.error());
    const std::string& chosen = std::get<std::string>(*word);
    line_.color = chosen == "always" ? Color::always : chosen == "never" ? Color::never : Color::automatic;
    return {};
  }

  // "-5", "-1e-3", "-inf" and "-" are values; so is any other text that is not a flag.
  [[nodiscard]] bool value_follows() const {
    if (at_ >= argv_.size()) return false;
    const std::string& next = argv_[at_];
    return next != "--" && !looks_like_flag(next) && !is_short_flag(next) && !asks_for_help(next);
  }

  Status store(const Param& param, std::string_view shown, std::string_view text) {
    auto value = value_from_text(param, shown, text);
    if (!value) return core::fail(std::move(value.error()));
    if (is_list(param.kind)) {
      auto items = line_.arguments.list(param.name);
      items.push_back(std::get<std::vector<std::string>>(*value).front());
      *value = std::move(items);
    }
    line_.arguments.set(std::string(param.name), std::move(*value));
    return {};
  }

  Status place_positionals() {
    auto places = positional_params(verb_);
    const int last = places.empty() ? 0 : places.back()->positional;
    std::erase_if(places, [&](const Param* param) { return line_.arguments.has(param->name); });
    const auto lists = std::count_if(places.begin(), places.end(), [](const Param* param) { return is_list(param->kind); });
    if (lists > 1 && positionals_.size() > places.size()) line_.arguments.set(std::string(kWordsWithoutFlag), positionals_);
    std::size_t place = 0;
    for (const std::string& word : positionals_) {
      if (place == places.size()) return unexpected_word(word);
      const Param& param = *places[place];
      if (auto stored = store(param, flag_of(param.name), word); !stored) return stored;
      if (!is_list(param.kind) || param.positional < last) ++place;  // the last place, if a list, takes the rest
    }
    return {};
  }

  [[nodiscard]] tl::unexpected<Error> unexpected_word(const std::string& word) const {
    std::string usage;
    for (const Param* param : positional_params(verb_)) usage += " " + std::string(param->value_name);
    std::string hint = usage.empty()
                           ? std::string(verb_.name) + " takes flags only: plumbline " + std::string(verb_.name) + " --help"
                           : "usage: plumbline " + std::string(verb_.name) + usage;
    return core::fail(ErrorCode::usage, "unexpected argument " + core::cited(word), std::move(hint));
  }

  const Verb& verb_;
  std::span<const std::string> argv_;
  std::vector<Flag> flags_;
  std::size_t at_ = 0;
  bool only_positionals_ = false;
  std::vector<std::string> positionals_;
  CommandLine line_;
};

}  // namespace

Expected<CommandLine> parse_command_line(const Verb& verb, std::span<const std::string> argv) { return Parser(verb, argv).run(); }

}  // namespace plumbline::verbs
