#include <algorithm>
#include <utility>

#include "cli/guide/guide.hpp"
#include "cli/program.hpp"
#include "core/citing.hpp"
#include "core/text.hpp"

namespace plumbline::cli {
namespace {

using verbs::ErrorCode;
using verbs::Expected;
using verbs::Verb;

// The reference tool's two-word commands: its library, then its verb.
struct Library {
  std::string_view name;
  std::vector<std::string_view> verbs;
};
const std::vector<Library>& libraries() {
  static const std::vector<Library> kLibraries = {{"perf-baseline", {"record", "diff", "accept", "history"}},
                                                  {"profile", {"profile-diff"}}};
  return kLibraries;
}

std::string with_dashes(std::string_view text) {
  std::string name(text);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

const Library* find_library(std::string_view word) {
  for (const Library& library : libraries()) {
    if (library.name == with_dashes(word)) return &library;
  }
  return nullptr;
}

bool looks_like_file(std::string_view word) {
  return !word.starts_with('-') && word.find_first_of("./") != std::string_view::npos;
}

// Words of other tools for what a command here does.
std::string_view command_for(std::string_view word) {
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"compare", "diff"}, {"cmp", "diff"}, {"show", "inspect"}, {"cat", "inspect"}, {"save", "record"}, {"check", "verify"}};
  for (const auto& [theirs, ours] : kWords) {
    if (word == theirs) return ours;
  }
  return {};
}

tl::unexpected<verbs::Error> unknown_command(const std::vector<std::string>& words) {
  const std::string_view word = words.front();
  if (looks_like_file(word)) {
    const bool two = words.size() > 1 && looks_like_file(words[1]);
    const std::string rest = two ? " " + core::cited(words[1]) : "";
    return core::fail(ErrorCode::usage, core::cited(word) + " is a file, and a command comes first",
                      two ? "plumbline diff " + core::cited(word) + rest + " compares them"
                          : "plumbline inspect " + core::cited(word) + " shows what is in it");
  }
  if (const auto ours = command_for(word); !ours.empty())
    return core::fail(ErrorCode::usage, "unknown command " + core::cited(word), "here it is plumbline " + std::string(ours));
  std::vector<std::string_view> names = {"help"};
  for (const OwnCommand& own : own_commands()) names.push_back(own.verb->name);
  for (const Verb& verb : verbs::table()) {
    names.push_back(verb.name);
    if (!verb.tool.empty()) names.push_back(verb.tool);
  }
  const auto near = core::nearest(word, names);
  std::string hint = near.empty() ? "plumbline help lists the commands" : "did you mean " + core::cited(near) + "?";
  return core::fail(ErrorCode::usage, "unknown command " + core::cited(word), std::move(hint));
}

const Verb* find_verb(std::string_view word) {
  if (const Verb* verb = verbs::find(word)) return verb;
  if (word == "profile_diff") return verbs::find("profile-diff");
  return nullptr;
}

// The verb that `words` begin with; takes one or two of them.
Expected<const Verb*> take_verb(std::vector<std::string>& words) {
  const std::string first = words.front();
  if (const Library* library = find_library(first); library != nullptr && verbs::find(first) == nullptr) {
    if (words.size() == 1) {
      std::vector<std::string> names(library->verbs.begin(), library->verbs.end());
      return core::fail(ErrorCode::usage, core::cited(first) + " needs a command",
                        "plumbline " + first + " " + core::listed(names));
    }
    const std::string second = with_dashes(words[1]);
    if (std::find(library->verbs.begin(), library->verbs.end(), second) == library->verbs.end()) {
      const auto near = core::nearest(second, library->verbs);
      std::vector<std::string> names(library->verbs.begin(), library->verbs.end());
      return core::fail(ErrorCode::usage, "unknown command " + core::cited(first + " " + words[1]),
                        near.empty() ? first + " has " + core::listed(names)
                                     : "did you mean " + core::cited(first + " " + std::string(near)) + "?");
    }
    words.erase(words.begin(), words.begin() + 2);
    return verbs::find(second);
  }
  const Verb* verb = find_verb(first);
  if (verb == nullptr) return unknown_command(words);
  words.erase(words.begin());
  return verb;
}

// Flags that may stand before the command: --json, --repo-root DIR and --color WHEN. They are moved behind it.
std::vector<std::string> take_leading_flags(std::vector<std::string>& words) {
  std::vector<std::string> flags;
  while (!words.empty()) {
    const std::string word = words.front();
    const std::string name = with_dashes(word.substr(0, word.find('=')));
    if (name != "--repo-root" && name != "--json" && name != "--color") break;
    const std::size_t count = name != "--json" && word.find('=') == std::string::npos && words.size() > 1 ? 2 : 1;
    flags.insert(flags.end(), words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count));
    words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return flags;
}

tl::unexpected<verbs::Error> unknown_topic(std::string_view word) {
  const std::vector<std::string> pages = topics();
  std::vector<std::string_view> names(pages.begin(), pages.end());
  for (const Verb* command : all_commands()) names.push_back(command->name);
  const auto near = core::nearest(word, names);
  return core::fail(ErrorCode::usage, "there is no command and no page " + core::cited(word),
                    near.empty() ? "plumbline help lists the commands, plumbline help topics the pages"
                                 : "did you mean " + core::cited(near) + "?");
}

Expected<Invocation> understand_help(std::vector<std::string> words) {
  Invocation invocation;
  invocation.kind = Invocation::Kind::help;
  if (words.empty()) return invocation;
  if (const OwnCommand* own = find_own_command(words.front())) {
    invocation.verb = own->verb;
    return invocation;
  }
  if (words.front() == "help" || words.front() == "--help" || words.front() == "-h") return invocation;
  const bool known = find_verb(words.front()) != nullptr || find_library(words.front()) != nullptr;
  if (words.front() == "topics" || (!known && !topic_text(words.front()).empty())) {
    invocation.kind = Invocation::Kind::topic;
    invocation.topic = words.front();
    return invocation;
  }
  const auto verb = take_verb(words);
  if (!verb && !known) return unknown_topic(words.front());
  if (!verb) return core::fail(verb.error());
  invocation.verb = *verb;
  return invocation;
}

}  // namespace

Expected<Invocation> understand(std::span<const std::string> given) {
  std::vector<std::string> words(given.begin(), given.end());
  auto flags = take_leading_flags(words);
  Invocation invocation;
  if (words.empty()) {
    if (!flags.empty()) return core::fail(ErrorCode::usage, "a command is missing", "plumbline help lists the commands");
    return invocation;
  }
  if (words.front() == "--version") words.front() = "version";
  const std::string first = words.front();
  if (first == "--help" || first == "-h") return understand_help({});
  if (first == "help") return understand_help({words.begin() + 1, words.end()});
  if (first.starts_with("-")) {
    const std::vector<std::string_view> known = {"--version", "--help",       "--repo-root", "--json", "--color",
                                                 "--server",  "--bearer-env", "--ca",        "--store"};
    const auto near = core::nearest(first, known);
    return core::fail(
        ErrorCode::usage, "unknown flag " + core::cited(first),
        near.empty() ? "flags of a command follow it: plumbline COMMAND " + first : "did you mean " + core::cited(near) + "?");
  }
  if (const OwnCommand* own = find_own_command(first)) {
    invocation.kind = own->run == nullptr ? Invocation::Kind::serve : Invocation::Kind::own;
    invocation.verb = own->verb;
    words.erase(words.begin());
  } else {
    const auto verb = take_verb(words);
    if (!verb) return core::fail(verb.error());
    invocation.kind = Invocation::Kind::verb;
    invocation.verb = *verb;
  }
  invocation.words = std::move(flags);
  invocation.words.insert(invocation.words.end(), words.begin(), words.end());
  return invocation;
}

std::string overview_text() {
  std::string text =
      "Usage: plumbline COMMAND [arguments]\n\n"
      "Keeps performance baselines, and says whether a new measurement regressed, whether that is real,\n"
      "and which part is to blame.\n\n"
      "COMMANDS\n";
  const auto line = [&text](std::string_view name, std::string_view summary) {
    text += "  " + std::string(name);
    text.append(name.size() < 14 ? 14 - name.size() : 1, ' ');
    text += std::string(summary) + "\n";
  };
  for (const Verb& verb : verbs::table()) line(verb.name, verb.title);
  for (const OwnCommand& own : own_commands()) line(own.verb->name, own.verb->title);
  line("help COMMAND", "Flags, examples and exit status of a command");
  line("help PAGE", "A page of the documentation; help topics lists them");
  text +=
      "\nEvery command takes --json, --color WHEN and --help; --repo-root DIR says where the registry is.\n"
      "plumbline --version prints the version.\n"
      "plumbline --server URL COMMAND runs it on a server, and sends the files that it names along.\n"
      "plumbline --store s3://BUCKET/PREFIX COMMAND keeps the registry in a bucket that many machines share.\n";
  return text;
}

}  // namespace plumbline::cli
