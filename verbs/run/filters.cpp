#include "verbs/run/filters.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "base/characters.hpp"
#include "core/citing.hpp"
#include "core/text.hpp"
#include "verbs/run/request.hpp"

namespace plumbline::verbs {
namespace {

using Words = std::vector<std::string>;

constexpr std::size_t kMostFilterBytes = 96 << 10;  // Linux takes 128 KiB for one argument

struct Selection {
  Words cases;
  std::string pattern;             // of the harness's own kind
  std::string whole_why;           // no pattern can name these cases
  std::string from = {}, to = {};  // of sizes
};

// One harness: whose formats it prints, how its cases are named in a pattern, and where the pattern goes in a command.
struct Harness {
  std::string_view name;
  std::array<std::string_view, 3> formats;
  Selection (*select)(const Doubts&);
  bool (*place)(Words& command, const Selection&);  // false: the command is none of this harness's
  std::string_view unplaced;                        // what was looked for in vain
};

// ---- words of a command ----

std::string_view base_name(std::string_view word) { return word.substr(word.rfind('/') + 1); }

template <class Wanted>
std::optional<std::size_t> find_word(const Words& words, Wanted wanted) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (wanted(i)) return i;
  }
  return std::nullopt;
}

struct Spelling {
  std::string_view flag;
  bool joined = false;  // the value may stand right behind it: "-b8"
};

// The value of a flag in words [from, to), as "FLAG VALUE", "FLAG=VALUE" or joined, is replaced wherever it stands. False where
// the flag does not stand there.
template <class Replace>
bool replace_value(Words& words, std::size_t from, std::size_t to, std::initializer_list<Spelling> flags, Replace value) {
  bool found = false;
  for (std::size_t i = from; i < std::min(to, words.size()); ++i) {
    for (const auto& [flag, joined] : flags) {
      const std::string_view word = words[i];
      if (word == flag && i + 1 < words.size()) {
        words[i + 1] = value(words[i + 1]);
        ++i;
      } else if (word.starts_with(flag) && word.size() > flag.size() && word[flag.size()] == '=') {
        words[i] = std::string(flag) + "=" + value(std::string(word.substr(flag.size() + 1)));
      } else if (joined && word.starts_with(flag) && word.size() > flag.size()) {
        words[i] = std::string(flag) + value(std::string(word.substr(flag.size())));
      } else {
        continue;
      }
      found = true;
      break;
    }
  }
  return found;
}

// Programs that run others and hand them no words of their own accord.
bool is_launcher(std::string_view program) {
  constexpr std::string_view kLaunchers[] = {"sh",    "bash",   "dash",   "zsh",    "ksh",    "fish",    "make",  "gmake",
                                             "ninja", "cmake",  "ctest",  "meson",  "just",   "task",    "bazel", "bazelisk",
                                             "npm",   "npx",    "yarn",   "pnpm",   "tox",    "nox",     "ssh",   "git",
                                             "rake",  "gradle", "docker", "podman", "python", "python3", "perl",  "ruby"};
  return std::find(std::begin(kLaunchers), std::end(kLaunchers), program) != std::end(kLaunchers);
}

// ---- names of cases ----

std::string dim(const DoubtfulCase& one, std::string_view name) {
  const auto at = one.dims.find(name);
  return at == one.dims.end() ? std::string() : at->second;
}

// The key without its metric: what most formats call the case.
std::string without_metric(const DoubtfulCase& one) {
  const std::string tail = "." + one.metric;
  if (one.metric.empty() || !one.key.ends_with(tail)) return {};
  return one.key.substr(0, one.key.size() - tail.size());
}

std::string case_name(const DoubtfulCase& one) {
  for (const char* name : {"benchmark", "case", "test", "name"}) {
    if (std::string text = dim(one, name); !text.empty()) return text;
  }
  return without_metric(one);
}

void add_new(Words& words, const std::string& word) {
  if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
}

// Each row's case once. A row that no case can be named for needs the whole command.
Selection cases_of(const Doubts& doubts) {
  Selection out;
  for (const DoubtfulCase& one : doubts.cases) {
    const std::string name = case_name(one);
    if (name.empty()) {
      out.whole_why = "the row " + core::cited(one.key) + " names no case";
      return out;
    }
    if (name.find_first_of(std::string_view("\0\n", 2)) != std::string::npos) {
      out.whole_why = "the name of the case " + core::cited(name) + " fits in no argument";
      return out;
    }
    add_new(out.cases, name);
  }
  return out;
}

std::string any_of_these(const Words& escaped) {
  std::string out = "^(";
  for (const std::string& one : escaped) out += (out.size() > 2 ? "|" : "") + one;
  return out + ")$";
}

Selection by_regex(const Doubts& doubts) {
  Selection out = cases_of(doubts);
  Words escaped;
  for (const std::string& name : out.cases) escaped.push_back(escaped_for_regex(name));
  out.pattern = any_of_these(escaped);
  return out;
}

// ---- go test: a name is matched level by level, and a pattern of fewer levels takes all that is below ----

Selection select_go(const Doubts& doubts) {
  Selection out = cases_of(doubts);
  if (!out.whole_why.empty()) return out;
  std::size_t depth = SIZE_MAX;
  std::vector<Words> levels;
  for (const DoubtfulCase& one : doubts.cases) {
    Words parts;
    const std::string name = "Benchmark" + case_name(one);
    for (const std::string_view part : core::split(name, '/')) parts.push_back(escaped_for_regex(part));
    // "-8" at the end of a name is GOMAXPROCS, which is no part of it; on one processor it may be one all the same.
    if (const std::string procs = dim(one, "gomaxprocs"); !procs.empty()) parts.back() += "(-" + escaped_for_regex(procs) + ")?";
    depth = std::min(depth, parts.size());
    levels.push_back(std::move(parts));
  }
  for (std::size_t level = 0; level < depth; ++level) {
    Words here;
    for (const Words& parts : levels) add_new(here, parts[level]);
    out.pattern += (level > 0 ? "/" : "") + any_of_these(here);
  }
  return out;
}

bool place_go(Words& command, const Selection& selection) {
  const auto is_go = [&](std::size_t i) {
    return base_name(command[i]) == "go" && i + 1 < command.size() && command[i + 1] == "test";
  };
  const auto is_binary = [&](std::size_t i) { return base_name(command[i]).ends_with(".test"); };
  const auto tool = find_word(command, is_go);
  const auto binary = find_word(command, is_binary);
  if (!tool && !binary) return false;
  const std::size_t behind = tool ? *tool + 2 : *binary + 1;
  const auto args =
      find_word(command, [&](std::size_t i) { return i >= behind && (command[i] == "-args" || command[i] == "--args"); });
  const auto ours = [&](const std::string&) { return selection.pattern; };
  if (replace_value(command, behind, args.value_or(command.size()), {{"-bench"}, {"--bench"}, {"-test.bench"}, {"--test.bench"}},
                    ours))
    return true;
  command.insert(command.begin() + static_cast<std::ptrdiff_t>(behind), (tool ? "-bench=" : "-test.bench=") + selection.pattern);
  return true;
}

// ---- Google Benchmark: a POSIX extended expression that is searched for in the full name ----

bool place_google_benchmark(Words& command, const Selection& selection) {
  const auto own = [&](std::size_t i) { return command[i].starts_with("--benchmark_"); };
  if (!find_word(command, own) && is_launcher(base_name(command.front()))) return false;
  const auto ours = [&](const std::string&) { return selection.pattern; };
  if (!replace_value(command, 0, command.size(), {{"--benchmark_filter"}}, ours))
    command.push_back("--benchmark_filter=" + selection.pattern);
  return true;
}

// ---- pytest: -k is an expression over names, which are looked for in a test's own ----

bool fits_keyword(std::string_view text) {
  const auto fits = [](char c) {
    return base::is_alphanumeric(c) || std::string_view("_:+-.[]/").find(c) != std::string_view::npos;
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), fits) && text != "and" && text != "or" && text != "not";
}

Selection select_pytest(const Doubts& doubts) {
  Selection out = cases_of(doubts);
  Words keywords;
  for (const std::string& name : out.cases) {
    const std::size_t bracket = name.find('[');
    const std::size_t scope = std::string_view(name).substr(0, bracket).rfind("::");
    std::string test = scope == std::string::npos ? name : name.substr(scope + 2);
    if (!fits_keyword(test)) test = test.substr(0, test.find('['));  // all its parameters
    if (!fits_keyword(test)) {
      out.whole_why = "-k has no word for the test " + core::cited(name);
      return out;
    }
    add_new(keywords, test);
  }
  for (const std::string& word : keywords) out.pattern += (out.pattern.empty() ? "" : " or ") + word;
  return out;
}

bool place_pytest(Words& command, const Selection& selection) {
  const auto at = find_word(command, [&](std::size_t i) {
    const std::string_view word = base_name(command[i]);
    return word == "pytest" || word == "py.test" || word.starts_with("pytest-3");
  });
  if (!at) return false;
  const auto both = [&](const std::string& old) { return "(" + old + ") and (" + selection.pattern + ")"; };
  if (replace_value(command, *at + 1, command.size(), {{"-k", true}}, both)) return true;
  command.insert(command.begin() + static_cast<std::ptrdiff_t>(*at) + 1, {"-k", selection.pattern});
  return true;
}

// ---- criterion.rs: one expression behind its own `--`; libtest, which prints alike, takes no expressions ----

Selection select_criterion(const Doubts& doubts) {
  Selection out = by_regex(doubts);
  if (doubts.libtest && out.whole_why.empty())
    out.whole_why = "Rust's own harness, whose rows are among these, takes no list of names";
  return out;
}

bool takes_value(std::string_view flag) {
  constexpr std::string_view kFlags[] = {
      "-s", "--save-baseline", "-b", "--baseline", "--baseline-lenient", "--load-baseline", "-c", "--color", "--sample-size",
      "--warm-up-time", "--measurement-time", "--nresamples", "--noise-threshold", "--confidence-level", "--significance-level",
      "--plotting-backend", "--output-format", "--profile-time", "--format", "--logfile", "--test-threads", "--skip",
      // cargo's
      "-p", "--package", "--exclude", "--bench", "--bin", "--example", "--test", "-F", "--features", "--target", "--target-dir",
      "--manifest-path", "--profile", "-j", "--jobs", "--config", "-Z", "--message-format"};
  return std::find(std::begin(kFlags), std::end(kFlags), flag) != std::end(kFlags);
}

// A filter that stands there already would be a second one.
void drop_positionals(Words& words, std::size_t from, std::size_t to) {
  for (std::size_t i = to; i-- > from;) {
    if (words[i].starts_with('-') || (i > from && takes_value(words[i - 1]))) continue;
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

bool place_criterion(Words& command, const Selection& selection) {
  const auto cargo = find_word(command, [&](std::size_t i) {
    return base_name(command[i]) == "cargo" && i + 1 < command.size() &&
           std::any_of(command.begin() + static_cast<std::ptrdiff_t>(i) + 1, command.end(),
                       [](const std::string& word) { return word == "bench"; });
  });
  if (cargo) {
    const auto bench = find_word(command, [&](std::size_t i) { return i > *cargo && command[i] == "bench"; });
    auto dashes = find_word(command, [&](std::size_t i) { return i > *bench && command[i] == "--"; });
    drop_positionals(command, dashes ? *dashes + 1 : command.size(), command.size());
    drop_positionals(command, *bench + 1, dashes.value_or(command.size()));
    if (!dashes) command.emplace_back("--");
    command.push_back(selection.pattern);
    return true;
  }
  const auto flag = find_word(command, [&](std::size_t i) { return i > 0 && command[i] == "--bench"; });
  if (!flag || is_launcher(base_name(command.front()))) return false;
  command.push_back(selection.pattern);
  return true;
}

// ---- nccl-tests: sizes from one to another ----

Selection select_nccl(const Doubts& doubts) {
  Selection out;
  std::uint64_t least = UINT64_MAX;
  std::uint64_t most = 0;
  for (const DoubtfulCase& one : doubts.cases) {
    const std::string size = dim(one, "size");
    const auto bytes = core::parse_int(size);
    if (!bytes || *bytes < 0) {
      out.whole_why = "the row " + core::cited(one.key) + " is of no one size";
      return out;
    }
    least = std::min(least, static_cast<std::uint64_t>(*bytes));
    most = std::max(most, static_cast<std::uint64_t>(*bytes));
    add_new(out.cases, size);
  }
  out.from = std::to_string(least);
  out.to = std::to_string(most);
  out.pattern = out.from + ".." + out.to;
  return out;
}

bool place_nccl(Words& command, const Selection& selection) {
  const auto at = find_word(command, [&](std::size_t i) {
    const std::string_view word = base_name(command[i]);
    return word.ends_with("_perf") || word.find("_perf_") != std::string_view::npos;
  });
  if (!at) return false;
  const auto set = [&](std::initializer_list<Spelling> flags, std::string_view flag, const std::string& value) {
    if (replace_value(command, *at + 1, command.size(), flags, [&](const std::string&) { return value; })) return;
    command.emplace_back(flag);
    command.push_back(value);
  };
  set({{"--minbytes"}, {"-b", true}}, "-b", selection.from);
  set({{"--maxbytes"}, {"-e", true}}, "-e", selection.to);
  return true;
}

// ---- the table ----

Selection no_filter(const Doubts&) {
  Selection out;
  out.whole_why = "hyperfine runs every command that it is given";
  return out;
}
bool place_nothing(Words&, const Selection&) { return false; }

constexpr std::array<Harness, 6> kHarnesses = {{
    {"go test", {"go-bench"}, &select_go, &place_go, "`go test` or a binary NAME.test"},
    {"Google Benchmark",
     {"google-benchmark", "google-benchmark-text"},
     &by_regex,
     &place_google_benchmark,
     "the benchmark's own program"},
    {"pytest-benchmark", {"pytest-benchmark", "pytest-benchmark-table"}, &select_pytest, &place_pytest, "`pytest`"},
    {"criterion.rs", {"criterion", "criterion-folder", "rust-bench"}, &select_criterion, &place_criterion, "`cargo bench`"},
    {"hyperfine", {"hyperfine", "hyperfine-table"}, &no_filter, &place_nothing, ""},
    {"nccl-tests", {"nccl-tests", "nccl-tests-json", "rccl-tests-csv"}, &select_nccl, &place_nccl, "a program NAME_perf"},
}};

const Harness* harness_of(std::string_view format) {
  const auto* at = std::find_if(kHarnesses.begin(), kHarnesses.end(), [&](const Harness& one) {
    return !format.empty() && std::find(one.formats.begin(), one.formats.end(), format) != one.formats.end();
  });
  return at == kHarnesses.end() ? nullptr : at;
}

// The words of a command that were not in it before, as one would type them: values with the flag that they are of.
std::string added(const Words& before, const Words& after) {
  constexpr std::string_view kFlags[] = {"-k",     "-b",      "-e",          "--minbytes",   "--maxbytes",
                                         "-bench", "--bench", "-test.bench", "--test.bench", "--benchmark_filter"};
  Words fresh;
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (std::find(before.begin(), before.end(), after[i]) != before.end()) continue;
    const bool value = i > 0 && std::find(std::begin(kFlags), std::end(kFlags), after[i - 1]) != std::end(kFlags);
    if (value && (fresh.empty() || fresh.back() != after[i - 1])) fresh.push_back(after[i - 1]);
    fresh.push_back(after[i]);
  }
  return shown_command(fresh);
}

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
  return text;
}

Expected<Words> words_of_template(const std::string& flag, const Selection& selection) {
  const auto words = plain_words(flag, true);
  const bool each = flag.find("{case}") != std::string::npos;
  if (!words || (!each && flag.find("{}") == std::string::npos))
    return core::fail(ErrorCode::usage, "--filter-flag " + core::cited(flag) + " says nowhere which cases",
                      "write --filter-flag='--only={}' for one regular expression, --filter-flag='--case={case}' for a flag a "
                      "case, or --filter-flag none for the whole command");
  Words out;
  const std::size_t times = each ? selection.cases.size() : 1;
  for (std::size_t i = 0; i < times; ++i) {
    for (const std::string& word : *words) {
      out.push_back(each ? replaced(word, "{case}", selection.cases[i]) : replaced(word, "{}", selection.pattern));
    }
  }
  return out;
}

std::size_t bytes_of(const Words& words) {
  std::size_t bytes = 0;
  for (const std::string& word : words) bytes += word.size() + 1;
  return bytes;
}

Filtered whole(Filtered out, std::string why) {
  out.why_whole = std::move(why);
  out.cases.clear();
  return out;
}

}  // namespace

std::optional<Words> plain_words(std::string_view line, bool braces) {
  const std::string_view acts = braces ? "|&;<>()`*?[]~!\n\\" : "|&;<>()`*?[]~!\n\\{}";
  Words words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const char next = i + 1 < line.size() ? line[i + 1] : ' ';
    const bool expands = c == '$' && next != ' ' && next != '\t' && next != '"' && quote != '\'';
    const bool is_act = quote == 0 && (acts.find(c) != std::string_view::npos || (c == '#' && !in_word));
    if (quote != 0 && c == quote) {
      quote = 0;
    } else if (expands || is_act || (quote == '"' && (c == '`' || c == '\\'))) {
      return std::nullopt;
    } else if (quote != 0) {
      word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (c == ' ' || c == '\t') {
      if (in_word) words.push_back(std::exchange(word, {}));
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (in_word) words.push_back(std::move(word));
  // VAR=value before the program is the shell's.
  const bool whole = quote == 0 && !words.empty() && (braces || words.front().find('=') == std::string::npos);
  return whole ? std::optional(std::move(words)) : std::nullopt;
}

std::string escaped_for_regex(std::string_view text) {
  std::string out;
  for (const char c : text) {
    // Not "]" and "}": outside of a class they are themselves, and POSIX knows no escape of them.
    if (std::string_view(".[\\()*+?{|^$").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

Expected<Filtered> filtered(const Doubts& doubts, std::vector<Words> commands, const std::string& flag) {
  Filtered out;
  out.commands = std::move(commands);
  if (flag == "none") return whole(std::move(out), "--filter-flag none");
  const Harness* harness = flag.empty() ? harness_of(doubts.format) : nullptr;
  if (flag.empty() && harness == nullptr) {
    return whole(std::move(out), doubts.format.empty() ? "nothing says which harness printed these rows"
                                                       : "no filter is known for what prints " + core::cited_word(doubts.format));
  }
  if (harness != nullptr) out.harness = harness->name;
  const Selection selection = harness != nullptr ? harness->select(doubts) : by_regex(doubts);
  if (!selection.whole_why.empty()) return whole(std::move(out), selection.whole_why);

  std::vector<Words> told = out.commands;
  for (Words& command : told) {
    const std::size_t before = bytes_of(command);
    if (harness != nullptr) {
      if (!harness->place(command, selection)) {
        return whole(std::move(out),
                     std::string(harness->unplaced) + " does not stand in " + core::cited_word(shown_command(command)));
      }
    } else {
      auto words = words_of_template(flag, selection);
      if (!words) return core::fail(words.error());
      command.insert(command.end(), words->begin(), words->end());
    }
    if (const std::size_t now = bytes_of(command); now > before + kMostFilterBytes)
      return whole(std::move(out), "the filter would take " + core::counted(now - before, "byte") + " of the command line");
  }
  out.filter = added(out.commands.front(), told.front());
  out.cases = selection.cases;
  out.commands = std::move(told);
  return out;
}

}  // namespace plumbline::verbs
