#include "verbs/suite/runs.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/characters.hpp"
#include "core/context.hpp"
#include "core/text.hpp"

namespace plumbline::verbs {

namespace {

constexpr std::string_view kMarks[] = {"run", "trial", "repeat", "rep", "iter", "iteration", "attempt", "try", "seed"};
constexpr std::size_t kDigitsAtMost = 6;  // longer numbers are dates, times or sizes

using base::is_digit;
bool is_separator(char c) { return c == '-' || c == '_' || c == ' '; }
bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= kDigitsAtMost && std::all_of(text.begin(), text.end(), is_digit);
}
bool is_mark(std::string_view word) { return std::find(std::begin(kMarks), std::end(kMarks), word) != std::end(kMarks); }

// "run3", "run=3" -> 3; -1: none.
std::int64_t marked_number(std::string_view word) {
  for (const std::string_view mark : kMarks) {
    if (!word.starts_with(mark)) continue;
    std::string_view rest = word.substr(mark.size());
    if (rest.starts_with('=')) rest.remove_prefix(1);
    if (is_number(rest)) return core::parse_int(rest).value_or(-1);
  }
  return -1;
}

// Words of one part of a path, each with the separator that stands before it.
struct Word {
  std::string_view separator, text;
};
std::vector<Word> words_of(std::string_view part) {
  std::vector<Word> out;
  while (!part.empty()) {
    std::size_t start = 0;
    while (start < part.size() && is_separator(part[start])) ++start;
    std::size_t end = start;
    while (end < part.size() && !is_separator(part[end])) ++end;
    out.push_back({part.substr(0, start), part.substr(start, end - start)});
    part.remove_prefix(end);
  }
  return out;
}

// One part of a path without its runs' numbers; `mark` gets the last word that marked one.
std::string part_without_runs(std::string_view part, std::vector<std::int64_t>& numbers, std::string& mark) {
  const std::vector<Word> words = words_of(part);
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string lower = core::to_lower(words[i].text);
    if (const std::int64_t number = marked_number(lower); number >= 0) {
      numbers.push_back(number);
      mark = lower.substr(0, lower.find_first_of("=0123456789"));
      continue;
    }
    if (is_mark(lower) && i + 1 < words.size() && is_number(words[i + 1].text)) {
      numbers.push_back(core::parse_int(words[++i].text).value_or(0));
      mark = lower;
      continue;
    }
    if (!out.empty()) out += words[i].separator;
    out += words[i].text;
  }
  return out;
}

bool differs_fatally(const core::Context& a, const core::Context& b) {
  const auto differences = core::context_differences(a, b, {});
  return std::any_of(differences.begin(), differences.end(), [](const core::ContextDifference& difference) {
    return difference.severity == core::Severity::fatal && difference.baseline_known && difference.current_known;
  });
}

bool shares_key(const SuiteItem& a, const SuiteItem& b) {
  return std::any_of(a.keys.begin(), a.keys.end(),
                     [&](core::Id key) { return std::binary_search(b.keys.begin(), b.keys.end(), key); });
}

bool may_be_trials(const SuiteItem& a, const SuiteItem& b) {
  return a.kind == b.kind && !differs_fatally(a.context, b.context) && shares_key(a, b);
}

// A file whose name has a run's number.
struct Run {
  std::size_t index = 0;
  std::vector<std::int64_t> numbers;
};
// By the case's name, ending included: a log beside a result is no trial of it.
using Runs = std::map<std::string, std::vector<Run>>;

Runs runs_of(std::span<const SuiteItem> items) {
  Runs out;
  for (std::size_t i = 0; i < items.size(); ++i) {
    Run run;
    run.index = i;
    if (items[i].entry) continue;
    if (auto name = without_runs(items[i].name, run.numbers)) out[std::move(*name)].push_back(std::move(run));
  }
  std::set<std::string_view> taken;  // a file has the case's own name: then the numbered ones are others
  for (const SuiteItem& item : items) taken.insert(item.name);
  std::erase_if(out, [&](const auto& one) { return taken.contains(one.first); });
  for (auto& [name, runs] : out) {
    std::stable_sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.numbers < b.numbers; });
  }
  std::erase_if(out, [&](const auto& one) {
    const SuiteItem& first = items[one.second.front().index];
    return std::any_of(one.second.begin() + 1, one.second.end(),
                       [&](const Run& run) { return !may_be_trials(first, items[run.index]); });
  });
  return out;
}

// The items of a side with the runs of each case as one; `members` are the files of each.
struct Side {
  std::vector<SuiteItem> items;
  std::vector<std::vector<std::size_t>> members;
};

Side gathered(std::span<const SuiteItem> items, const Runs& runs, const std::set<std::string>& cases) {
  Side out;
  std::vector<bool> gone(items.size());
  for (const auto& [name, group] : runs) {
    if (!cases.contains(without_ending(name))) continue;
    SuiteItem item = items[group.front().index];
    item.name = name;
    if (group.size() > 1) item.ids.clear();  // of a run, not of the case
    std::vector<std::size_t> members;
    for (const Run& run : group) {
      members.push_back(run.index);
      gone[run.index] = true;
    }
    out.items.push_back(std::move(item));
    out.members.push_back(std::move(members));
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (gone[i]) continue;
    out.items.push_back(items[i]);
    out.members.push_back({i});
  }
  return out;
}

std::vector<std::size_t> files_of(const std::vector<std::size_t>& items, const Side& side) {
  std::vector<std::size_t> out;
  for (const std::size_t i : items) out.insert(out.end(), side.members[i].begin(), side.members[i].end());
  return out;
}

}  // namespace

std::optional<std::string> without_runs(std::string_view name, std::vector<std::int64_t>& numbers) {
  const std::string stem = without_ending(name);
  const std::string_view ending = name.substr(stem.size());
  std::string out, mark;
  for (std::string_view rest = stem;;) {
    const std::size_t slash = rest.find('/');
    const std::string part = part_without_runs(rest.substr(0, slash), numbers, mark);
    if (!part.empty()) out += (out.empty() ? "" : "/") + part;
    if (slash == std::string_view::npos) {
      if (part.empty()) out += (out.empty() ? "" : "/") + mark;  // run1.json: the folder's one case
      break;
    }
    rest.remove_prefix(slash + 1);
  }
  if (numbers.empty()) return std::nullopt;
  return out + std::string(ending);
}

SuitePairs pair_cases(std::span<const SuiteItem> baselines, std::span<const SuiteItem> results) {
  const Runs left = runs_of(baselines);
  Runs right = runs_of(results);
  std::set<std::string> entries;
  for (const SuiteItem& item : baselines) {
    if (item.entry) entries.insert(item.name);
  }
  std::erase_if(right, [&](const auto& one) {
    return std::any_of(one.second.begin(), one.second.end(),
                       [&](const Run& run) { return entries.contains(case_segment(without_ending(results[run.index].name))); });
  });
  std::set<std::string> cases;
  for (const Runs* runs : {&left, &std::as_const(right)}) {
    for (const auto& [name, group] : *runs) {
      if (group.size() > 1) cases.insert(without_ending(name));
    }
  }
  if (cases.empty()) return pair_suite(baselines, results);
  const Side before = gathered(baselines, left, cases), now = gathered(results, right, cases);
  SuitePairs out = pair_suite(before.items, now.items);
  for (SuitePair& pair : out.pairs) {
    pair.baselines = files_of(pair.baselines, before);
    pair.results = files_of(pair.results, now);
    const std::size_t runs = std::max(pair.baselines.size(), pair.results.size());
    if (runs < 2 || pair.baselines.empty() || pair.results.empty() || !pair.note.empty()) continue;
    pair.note = core::counted(pair.results.size(), "file") + " as trials";
    if (pair.baselines.size() > 1) pair.note += " against " + std::to_string(pair.baselines.size());
  }
  out.passed_over = files_of(out.passed_over, before);
  out.results_passed_over = files_of(out.results_passed_over, now);
  return out;
}

}  // namespace plumbline::verbs
