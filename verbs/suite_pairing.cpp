#include "verbs/suite_pairing.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "core/context.hpp"
#include "core/text.hpp"

namespace plumbline::verbs {

namespace {

constexpr std::size_t kSegmentBytes = 128;  // of the registry's names

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool all_digits(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_digit); }

std::string_view base_of(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

// Words of a name: runs of letters and digits.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> out(1);
  for (const char c : core::to_lower(name)) {
    if (is_letter(c) || is_digit(c) || c == '+' || c == '=') {
      out.back().push_back(c);
    } else if (!out.back().empty()) {
      out.emplace_back();
    }
  }
  if (out.back().empty()) out.pop_back();
  return out;
}

int number_of(std::string_view text) { return static_cast<int>(core::parse_int(text).value_or(-1)); }
bool is_date(std::string_view text) {  // 20260722
  if (text.size() != 8 || !all_digits(text)) return false;
  const int year = number_of(text.substr(0, 4)), month = number_of(text.substr(4, 2)), day = number_of(text.substr(6, 2));
  return year >= 1990 && year < 2100 && month >= 1 && month <= 12 && day >= 1 && day <= 31;
}
bool is_time(std::string_view text) {  // 060114
  return text.size() == 6 && all_digits(text) && number_of(text.substr(0, 2)) < 24 && number_of(text.substr(2, 2)) < 60 &&
         number_of(text.substr(4, 2)) < 61;
}
// 20260722t060114z, with or without a fraction; 20260722060114; seconds or milliseconds since 1970.
bool is_stamp(std::string_view text) {
  if (is_date(text)) return true;
  if (text.size() >= 14 && all_digits(text) && is_date(text.substr(0, 8)) && is_time(text.substr(8, 6))) return true;
  if (text.size() >= 15 && is_date(text.substr(0, 8)) && text[8] == 't' && is_time(text.substr(9, 6))) {
    std::string_view rest = text.substr(15);
    while (!rest.empty() && is_digit(rest.front())) rest.remove_prefix(1);
    return rest.empty() || rest == "z" || rest == "fz";
  }
  return all_digits(text) && text.front() == '1' && (text.size() == 10 || text.size() == 13);
}

constexpr std::string_view kSideWords[] = {"baseline", "baselines", "result", "results", "current", "candidate"};

// The words that tell cases apart: dates, times, hosts and the names of the two sides are left out.
std::string normal_form(std::string_view name, const std::set<std::string, std::less<>>& labels) {
  const std::vector<std::string> words = words_of(base_of(without_ending(name)));
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (is_stamp(word)) {
      if (i + 1 < words.size() && is_time(words[i + 1])) ++i;  // 20260722-060114
      continue;
    }
    // 2026-07-22, 2026-07-22T06-01-14
    if (word.size() == 4 && i + 2 < words.size() && words[i + 1].size() == 2 && words[i + 2].size() >= 2 &&
        is_date(word + words[i + 1] + words[i + 2].substr(0, 2)) && (words[i + 2].size() == 2 || words[i + 2][2] == 't')) {
      const bool with_time = words[i + 2].size() > 2;
      i += 2;
      while (with_time && i + 1 < words.size() && words[i + 1].size() >= 2 && words[i + 1].size() <= 3 &&
             is_digit(words[i + 1][0]))
        ++i;
      continue;
    }
    if (labels.contains(word)) continue;
    if (std::find(std::begin(kSideWords), std::end(kSideWords), word) != std::end(kSideWords)) continue;
    out += (out.empty() ? "" : " ") + word;
  }
  return out;
}

// What the files' contexts say of hosts and boards, as words of a name.
std::set<std::string, std::less<>> host_labels(std::span<const SuiteItem> items) {
  std::set<std::string, std::less<>> out;
  for (const SuiteItem& item : items) {
    for (const std::string_view key : {"environment.hostname", "hardware.gpu", "hardware.gpu_name", "environment.host_label"}) {
      const auto it = item.context.find(std::string(key));
      if (it == item.context.end()) continue;
      for (std::string& word : words_of(it->second)) out.insert(std::move(word));
    }
  }
  return out;
}

bool differs_fatally(const core::Context& baseline, const core::Context& current, core::ContextDifference* first = nullptr) {
  for (core::ContextDifference& difference : core::context_differences(baseline, current, {})) {
    if (difference.severity != core::Severity::fatal || !difference.baseline_known || !difference.current_known) continue;
    if (first != nullptr) *first = std::move(difference);
    return true;
  }
  return false;
}

// How much two contexts are known to agree in; identity and hardware weigh most.
int agreement(const core::Context& baseline, const core::Context& current) {
  int out = 0;
  for (const auto& [key, value] : baseline) {
    const auto it = current.find(key);
    if (it == current.end() || it->second != value) continue;
    out += core::context_severity(key) == core::Severity::fatal ? 10 : key == "environment.hostname" ? 5 : 1;
  }
  return out;
}

// The context's values that stand in a name: "eagle3-l4" names the GPU L4.
int named_in(std::string_view name, const core::Context& context) {
  const std::vector<std::string> words = words_of(name);
  int out = 0;
  for (const auto& [key, value] : context) {
    for (const std::string& word : words_of(value)) {
      if (word.size() > 1 && std::find(words.begin(), words.end(), word) != words.end()) ++out;
    }
  }
  return out;
}

class Pairing {
 public:
  Pairing(std::span<const SuiteItem> baselines, std::span<const SuiteItem> results)
      : baselines_(baselines), results_(results), baseline_taken_(baselines.size()), result_taken_(results.size()) {}

  SuitePairs run() {
    const bool entries = std::any_of(baselines_.begin(), baselines_.end(), [](const SuiteItem& item) { return item.entry; });
    if (entries) {
      // A measurement is called after its case, as a safe segment.
      by_key("name", [](const SuiteItem& item) { return item.entry ? item.name : case_segment(without_ending(item.name)); });
      by_key("file name",
             [](const SuiteItem& item) { return item.entry ? item.name : case_segment(base_of(without_ending(item.name))); });
      by_ids();
      by_key("name without dates and hosts", normal());
      rest();
      return std::move(out_);
    }
    by_key("path", [](const SuiteItem& item) { return item.name; });
    by_key("path", [](const SuiteItem& item) { return without_ending(item.name); });
    by_key("file name", [](const SuiteItem& item) { return std::string(base_of(item.name)); });
    by_key("file name", [](const SuiteItem& item) { return std::string(base_of(without_ending(item.name))); });
    by_ids();
    by_key("name without dates and hosts", normal());
    by_context();
    rest();
    return std::move(out_);
  }

 private:
  using Key = std::function<std::string(const SuiteItem&)>;
  struct Group {
    std::vector<std::size_t> baselines, results;
  };

  Key normal() const {
    std::set<std::string, std::less<>> labels = host_labels(baselines_);
    labels.merge(host_labels(results_));
    return [labels = std::move(labels)](const SuiteItem& item) { return normal_form(item.name, labels); };
  }

  void by_key(std::string_view rule, const Key& key) {
    std::map<std::string, Group> groups;
    for (std::size_t i = 0; i < baselines_.size(); ++i) {
      if (!baseline_taken_[i]) groups[key(baselines_[i])].baselines.push_back(i);
    }
    for (std::size_t i = 0; i < results_.size(); ++i) {
      if (!result_taken_[i]) groups[key(results_[i])].results.push_back(i);
    }
    for (auto& [name, group] : groups) {
      if (!name.empty() && !group.baselines.empty() && !group.results.empty()) settle(rule, group);
    }
  }

  // A case id counts where it names one file a side.
  void by_ids() {
    const auto index = [](std::span<const SuiteItem> items) {
      std::map<std::string, std::set<std::size_t>> out;
      for (std::size_t i = 0; i < items.size(); ++i) {
        for (const std::string& id : items[i].ids) out[id].insert(i);
        if (items[i].entry) {
          out[items[i].name].insert(i);
        } else {
          out[std::string(base_of(without_ending(items[i].name)))].insert(i);
        }
      }
      return out;
    };
    const auto left = index(baselines_), right = index(results_);
    const auto pair = [&](const std::string& id, const std::set<std::size_t>& results) {
      const auto it = left.find(id);
      if (it == left.end() || it->second.size() != 1 || results.size() != 1) return;
      if (baseline_taken_[*it->second.begin()] || result_taken_[*results.begin()]) return;
      settle("case id", {{*it->second.begin()}, {*results.begin()}});
    };
    for (const auto& [id, results] : right) {
      pair(id, results);
      pair(case_segment(id), results);
    }
  }

  // One baseline, or the one that fits; several results are trials of one.
  void settle(std::string_view rule, const Group& group) {
    SuitePair pair;
    pair.by = rule;
    pair.results = group.results;
    for (const std::size_t i : group.results) result_taken_[i] = true;
    for (const std::size_t i : group.baselines) baseline_taken_[i] = true;
    if (group.baselines.size() == 1) {
      pair.baselines = group.baselines;
    } else {
      std::vector<const SuiteItem*> candidates;
      for (const std::size_t i : group.baselines) candidates.push_back(&baselines_[i]);
      const BestFit best = best_fitting(candidates, results_[group.results.front()].context);
      if (best.index) {
        pair.baselines = {group.baselines[*best.index]};
        pair.note = best.note;
      } else {
        pair.problem = best.note;
      }
      for (std::size_t i = 0; i < group.baselines.size(); ++i) {
        if (best.index != i) out_.passed_over.push_back(group.baselines[i]);
      }
    }
    if (pair.results.size() > 1) {
      pair.note += (pair.note.empty() ? "" : "; ") + core::counted(pair.results.size(), "file") + " as trials";
    }
    name(pair);
    out_.pairs.push_back(std::move(pair));
  }

  // Files whose names say nothing: the same kind, something of their identity known to agree, nothing fatal apart, and nobody
  // else on either side that would do as well.
  void by_context() {
    const auto fits = [](const SuiteItem& baseline, const SuiteItem& result) {
      if (baseline.kind.empty() || baseline.kind != result.kind || differs_fatally(baseline.context, result.context))
        return false;
      return std::any_of(baseline.context.begin(), baseline.context.end(), [&](const auto& entry) {
        const auto it = result.context.find(entry.first);
        return entry.first.starts_with("identity.") && it != result.context.end() && it->second == entry.second;
      });
    };
    std::vector<std::vector<std::size_t>> of_result(results_.size()), of_baseline(baselines_.size());
    for (std::size_t r = 0; r < results_.size(); ++r) {
      for (std::size_t b = 0; b < baselines_.size() && !result_taken_[r]; ++b) {
        if (baseline_taken_[b] || !fits(baselines_[b], results_[r])) continue;
        of_result[r].push_back(b);
        of_baseline[b].push_back(r);
      }
    }
    for (std::size_t r = 0; r < results_.size(); ++r) {
      if (of_result[r].size() == 1 && of_baseline[of_result[r].front()].size() == 1) settle("context", {of_result[r], {r}});
    }
  }

  void rest() {
    for (std::size_t i = 0; i < results_.size(); ++i) {
      if (result_taken_[i]) continue;
      SuitePair pair;
      pair.results = {i};
      name(pair);
      out_.pairs.push_back(std::move(pair));
    }
    for (std::size_t i = 0; i < baselines_.size(); ++i) {
      if (baseline_taken_[i]) continue;
      SuitePair pair;
      pair.baselines = {i};
      name(pair);
      out_.pairs.push_back(std::move(pair));
    }
  }

  // The case is called after its baseline, without what only names a side; no two are called alike.
  void name(SuitePair& pair) {
    const SuiteItem& item = pair.baselines.empty() ? results_[pair.results.front()] : baselines_[pair.baselines.front()];
    std::string id = pair.by == "case id" && !item.ids.empty() ? item.ids.front()
                     : item.entry                              ? item.name
                                                               : without_ending(item.name);
    if (!names_.insert(id).second) {
      id = item.name;
      for (std::size_t n = 2; !names_.insert(id).second; ++n) id = item.name + " (" + std::to_string(n) + ")";
    }
    pair.id = std::move(id);
  }

  std::span<const SuiteItem> baselines_, results_;
  std::vector<bool> baseline_taken_, result_taken_;
  std::set<std::string, std::less<>> names_;
  SuitePairs out_;
};

}  // namespace

std::string without_ending(std::string_view name) {
  const std::size_t start = name.size() - base_of(name).size();
  while (true) {
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos || dot <= start) break;
    const std::string_view ending = name.substr(dot + 1);
    if (ending.empty() || ending.size() > 8 || !std::all_of(ending.begin(), ending.end(), is_letter)) break;
    name = name.substr(0, dot);
  }
  return std::string(name);
}

std::string case_segment(std::string_view id) {
  std::string out;
  for (const char c : id) {
    const bool safe = is_letter(c) || is_digit(c) || c == '.' || c == '_' || c == '-';
    if (safe && (!out.empty() || is_letter(c) || is_digit(c))) {
      out.push_back(c);
    } else if (!safe && !out.empty() && out.back() != '-') {
      out.push_back('-');
    }
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  if (out.size() > kSegmentBytes) out.resize(kSegmentBytes);
  return out;
}

SuitePairs pair_suite(std::span<const SuiteItem> baselines, std::span<const SuiteItem> results) {
  return Pairing(baselines, results).run();
}

BestFit best_fitting(std::span<const SuiteItem* const> candidates, const core::Context& context) {
  BestFit out;
  int best = -1;
  core::ContextDifference difference;
  std::vector<std::string> others;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (differs_fatally(candidates[i]->context, context, &difference)) continue;
    const int score = agreement(candidates[i]->context, context) * 100 + named_in(candidates[i]->name, context);
    // Of equals the last name: the newest, where names carry dates.
    out.tied = score == best;
    if (score >= best) {
      best = score;
      out.index = i;
    }
  }
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (out.index != i) others.push_back(candidates[i]->name);
  }
  if (!out.index) {
    out.note = "none of " + core::counted(candidates.size(), "baseline") + " fits this context: " + difference.key + " is " +
               core::quoted(difference.baseline) + " in " + candidates.back()->name + ", " + core::quoted(difference.current) +
               " here";
    return out;
  }
  std::string why;
  for (const auto& [key, value] : candidates[*out.index]->context) {
    const auto it = context.find(key);
    if (it == context.end() || it->second != value) continue;
    // What sets it apart from one of the others.
    const bool apart = std::any_of(candidates.begin(), candidates.end(), [&](const SuiteItem* other) {
      const auto there = other->context.find(key);
      return there == other->context.end() || there->second != value;
    });
    if (!apart) continue;
    why = key + " is " + value;
    break;
  }
  out.note = "of " + core::counted(candidates.size(), "baseline") + " " + candidates[*out.index]->name + " was taken, ";
  out.note += out.tied      ? std::string("the last by name: nothing in their contexts decides")
              : why.empty() ? std::string("which fits the context best")
                            : "whose " + why;
  out.note += "; not " + core::listed(others, 3);
  return out;
}

}  // namespace plumbline::verbs
