#include "verbs/suite/pairing.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "base/characters.hpp"
#include "core/citing.hpp"
#include "core/context.hpp"
#include "core/text.hpp"
#include "registry/files.hpp"

namespace plumbline::verbs {

namespace {

constexpr std::size_t kSegmentBytes = 128;  // of the registry's names

using base::is_digit;
using base::is_letter;
bool all_digits(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_digit); }

std::string_view base_of(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

// Words of a name: what dashes, underscores and blanks separate. A sign of another kind belongs to its word: 1.5 is not 1-5.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> out(1);
  for (const char c : core::to_lower(name)) {
    if (c != '-' && c != '_' && c != ' ' && c != ':') {
      out.back().push_back(c);
    } else if (!out.back().empty()) {
      out.emplace_back();
    }
  }
  if (out.back().empty()) out.pop_back();
  return out;
}

std::int64_t number_of(std::string_view text) { return core::parse_int(text).value_or(-1); }
// 20260722. Years in which somebody measures: 20001024 is a size.
bool is_date(std::string_view text) {
  if (text.size() != 8 || !all_digits(text)) return false;
  const auto year = number_of(text.substr(0, 4)), month = number_of(text.substr(4, 2)), day = number_of(text.substr(6, 2));
  return year >= 2015 && year < 2050 && month >= 1 && month <= 12 && day >= 1 && day <= 31;
}
bool is_time(std::string_view text) {  // 060114
  return text.size() == 6 && all_digits(text) && number_of(text.substr(0, 2)) < 24 && number_of(text.substr(2, 2)) < 60 &&
         number_of(text.substr(4, 2)) < 61;
}
// 20260722t060114z, with or without a fraction; 20260722060114. Its digits, "" when it is none.
std::string stamp_digits(std::string_view text) {
  if (is_date(text)) return std::string(text);
  if (text.size() >= 14 && all_digits(text) && is_date(text.substr(0, 8)) && is_time(text.substr(8, 6))) return std::string(text);
  if (text.size() < 15 || !is_date(text.substr(0, 8)) || text[8] != 't' || !is_time(text.substr(9, 6))) return {};
  std::string out = std::string(text.substr(0, 8)) + std::string(text.substr(9, 6));
  std::string_view rest = text.substr(15);
  if (!rest.empty() && rest.front() == '.') rest.remove_prefix(1);
  while (!rest.empty() && is_digit(rest.front())) {
    out.push_back(rest.front());
    rest.remove_prefix(1);
  }
  return rest.empty() || rest == "z" || rest == "fz" ? out : std::string();
}
// Seconds or milliseconds since 1970, of the years in which somebody measures. Powers of two times something and round decimal
// numbers are sizes: 1610612736 is one and a half gibibytes.
bool is_epoch(std::string_view text) {
  if (!all_digits(text) || (text.size() != 10 && text.size() != 13)) return false;
  const std::int64_t number = number_of(text);
  const std::int64_t seconds = text.size() == 13 ? number / 1000 : number;
  return seconds >= 1420070400 && seconds < 2524608000 && number % 1024 != 0 && number % 100000 != 0;
}

// A name without what changes from run to run. What was left out is said, for it decides whether two of one name are runs of
// one case.
struct Plain {
  std::string name;  // "" when nothing is left
  std::string date;  // digits of its dates and times, in their order
  bool epoch = false;
};

// Dates, times and seconds since 1970 are left out of one part of a path.
std::vector<std::string> without_dates(const std::vector<std::string>& words, Plain& plain) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (const std::string digits = stamp_digits(word); !digits.empty()) {
      plain.date += digits;
      if (i + 1 < words.size() && is_time(words[i + 1])) plain.date += words[++i];  // 20260722-060114
      continue;
    }
    if (is_epoch(word)) {
      plain.epoch = true;
      continue;
    }
    // 2026-07-22, 2026-07-22T06-01-14
    if (word.size() == 4 && i + 2 < words.size() && words[i + 1].size() == 2 && words[i + 2].size() >= 2 &&
        is_date(word + words[i + 1] + words[i + 2].substr(0, 2)) && (words[i + 2].size() == 2 || words[i + 2][2] == 't')) {
      const bool with_time = words[i + 2].size() > 2;
      plain.date += word + words[i + 1] + words[i + 2].substr(0, 2) + (with_time ? words[i + 2].substr(3) : std::string());
      i += 2;
      while (with_time && i + 1 < words.size() && words[i + 1].size() >= 2 && words[i + 1].size() <= 3 &&
             is_digit(words[i + 1][0]))
        plain.date += words[++i].substr(0, 2);
      continue;
    }
    out.push_back(word);
  }
  return out;
}

bool has_letter(std::string_view text) { return std::any_of(text.begin(), text.end(), is_letter); }
bool has_digit(std::string_view text) { return std::any_of(text.begin(), text.end(), is_digit); }

// What a file says of its own host and board, as the words that would stand together in its name. A bare number is never one,
// nor a host that is called like anything else ("llama"): what is left out by mistake makes one case of two.
std::vector<std::vector<std::string>> host_labels(const core::Context& context) {
  std::vector<std::vector<std::string>> out;
  for (const std::string_view key : {"environment.hostname", "environment.host_label", "hardware.gpu", "hardware.gpu_name"}) {
    const auto it = context.find(std::string(key));
    if (it == context.end()) continue;
    std::vector<std::string> words = words_of(it->second);
    const bool board = key.starts_with("hardware.");
    const bool label = has_letter(it->second) && (has_digit(it->second) || key == "environment.host_label");
    // NVIDIA H100 80GB HBM3: the H100.
    if (board) {
      for (const std::string& word : words) {
        if (is_letter(word.front()) && has_digit(word) && !word.starts_with("hbm") && !word.starts_with("sxm"))
          out.push_back({word});
      }
    }
    if (board && words.size() > 1 && words.front() == "nvidia") out.emplace_back(words.begin() + 1, words.end());
    if (label && !words.empty()) out.push_back(std::move(words));
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
  std::erase_if(out, [](const auto& words) { return std::none_of(words.begin(), words.end(), has_letter); });
  return out;
}

void take_out(std::vector<std::string>& words, const std::vector<std::vector<std::string>>& labels) {
  for (const auto& label : labels) {
    const auto at = std::search(words.begin(), words.end(), label.begin(), label.end());
    if (at != words.end()) words.erase(at, at + static_cast<std::ptrdiff_t>(label.size()));
  }
}

// "decode-baseline" on the side of the baselines, "decode-results" on the other: only at the end, and only of the own side.
bool names_side(std::string_view word, bool baseline) {
  return baseline ? word == "baseline" || word == "baselines"
                  : word == "result" || word == "results" || word == "current" || word == "candidate";
}

// How lenient a name is read: each step leaves out what the one before it does, too.
enum class Leniency : std::uint8_t { dates, hosts, sides };

Plain plain_name(const SuiteItem& item, std::string_view name, bool baseline, Leniency leniency) {
  Plain out;
  const auto labels = leniency >= Leniency::hosts ? host_labels(item.context) : std::vector<std::vector<std::string>>();
  while (true) {
    const std::size_t slash = name.find('/');
    std::vector<std::string> words = without_dates(words_of(name.substr(0, slash)), out);
    take_out(words, labels);
    if (leniency >= Leniency::sides && slash == std::string_view::npos && words.size() > 1 && names_side(words.back(), baseline))
      words.pop_back();
    std::string part;
    for (const std::string& word : words) part += (part.empty() ? "" : " ") + word;
    if (!part.empty()) out.name += (out.name.empty() ? "" : "/") + part;
    if (slash == std::string_view::npos) return out;
    name.remove_prefix(slash + 1);
  }
}

// The number of a repeated run at the end of a name: "decode-run3", "decode-trial-2", "decode-run=0", "decode-2"; -1: none.
struct Repeat {
  std::string name;
  std::int64_t number = -1;
};
Repeat repeat_of(const std::string& plain) {
  Repeat out;
  const std::size_t blank = plain.rfind(' ');
  if (blank == std::string::npos) return out;
  std::string_view last = std::string_view(plain).substr(blank + 1);
  out.name = plain.substr(0, blank);
  constexpr std::string_view kMarks[] = {"run", "trial", "repeat", "rep", "iter", "iteration", "attempt", "try"};
  for (const std::string_view mark : kMarks) {
    if (!last.starts_with(mark)) continue;
    std::string_view rest = last.substr(mark.size());
    if (rest.starts_with('=')) rest.remove_prefix(1);
    if (all_digits(rest) && rest.size() <= 6) last = rest;
  }
  if (!all_digits(last) || last.size() > 6) return out;
  for (const std::string_view mark : kMarks) {
    if (out.name.ends_with(" " + std::string(mark))) {
      out.name.resize(out.name.size() - mark.size() - 1);
      break;
    }
  }
  out.number = number_of(last);
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

// The context's values that stand in a name: "eagle3-l4" names the GPU L4. A bare number names nothing.
int named_in(std::string_view name, const core::Context& context) {
  const std::vector<std::string> words = words_of(base_of(without_ending(name)));
  int out = 0;
  for (const auto& [key, value] : context) {
    for (const std::string& word : words_of(value)) {
      if (word.size() > 1 && has_letter(word) && std::find(words.begin(), words.end(), word) != words.end()) ++out;
    }
  }
  return out;
}

// How much two contexts are known to agree in. What makes two measurements comparable at all, the host and what the name says
// decide; the rest only between baselines that are of one identity.
struct Agreement {
  int strong = 0, weak = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): the comparison with 0 is the compiler's own
  friend auto operator<=>(const Agreement&, const Agreement&) = default;
};
Agreement agreement(const SuiteItem& baseline, const core::Context& current) {
  Agreement out;
  for (const auto& [key, value] : baseline.context) {
    const auto it = current.find(key);
    if (it == current.end() || it->second != value) continue;
    if (core::context_severity(key) == core::Severity::fatal) {
      out.strong += 10;
    } else if (key == "environment.hostname" || key == "environment.host_label") {
      out.strong += 5;
    } else {
      ++out.weak;
    }
  }
  out.strong += named_in(baseline.name, current);
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
    } else {
      by_key("path", [](const SuiteItem& item) { return item.name; });
      by_key("path", [](const SuiteItem& item) { return without_ending(item.name); });
      by_file_name();
    }
    by_ids();
    for (const Leniency leniency : {Leniency::dates, Leniency::hosts, Leniency::sides}) by_plain_name(leniency);
    by_repeats();
    rest();
    return std::move(out_);
  }

 private:
  using Key = std::function<std::string(const SuiteItem&)>;
  struct Group {
    std::vector<std::size_t> baselines, results;
  };
  using Groups = std::map<std::string, Group>;

  template <class Name>
  Groups grouped(Name&& name) const {
    Groups groups;
    for (std::size_t i = 0; i < baselines_.size(); ++i) {
      if (!baseline_taken_[i]) groups[name(baselines_[i], true)].baselines.push_back(i);
    }
    for (std::size_t i = 0; i < results_.size(); ++i) {
      if (!result_taken_[i]) groups[name(results_[i], false)].results.push_back(i);
    }
    std::erase_if(
        groups, [](const auto& one) { return one.first.empty() || one.second.baselines.empty() || one.second.results.empty(); });
    return groups;
  }

  void by_key(std::string_view rule, const Key& key) {
    for (const auto& [name, group] : grouped([&](const SuiteItem&item, bool) { return key(item); })) settle(rule, group);
  }

  // The folder that all files of a side are in says nothing of them; else a folder is part of the case, and a name alone counts
  // only where a side has no folders, and once on either side.
  void by_file_name() {
    const auto prefix_of = [](std::span<const SuiteItem> items) {
      std::string prefix = items.empty() ? std::string() : items.front().name;
      for (const SuiteItem& item : items) {
        const auto end = std::mismatch(prefix.begin(), prefix.end(), item.name.begin(), item.name.end()).first;
        prefix.erase(end, prefix.end());
      }
      return prefix.rfind('/') == std::string::npos ? std::string() : prefix.substr(0, prefix.rfind('/') + 1);
    };
    const std::string left = prefix_of(baselines_), right = prefix_of(results_);
    if (left.empty() != right.empty()) {
      for (const auto& [name, group] : grouped([&](const SuiteItem&item, bool baseline) {
             return without_ending(item.name.substr((baseline ? left : right).size()));
           }))
        settle("file name", group);
    }
    const auto flat = [](const SuiteItem& item) { return item.name.find('/') == std::string::npos; };
    if (!std::all_of(baselines_.begin(), baselines_.end(), flat) && !std::all_of(results_.begin(), results_.end(), flat)) return;
    std::map<std::string, std::size_t> left_names, right_names;
    const auto base = [](const SuiteItem& item) { return std::string(base_of(without_ending(item.name))); };
    for (const SuiteItem& item : baselines_) ++left_names[base(item)];
    for (const SuiteItem& item : results_) ++right_names[base(item)];
    for (const auto& [name, group] : grouped([&](const SuiteItem&item, bool) { return base(item); })) {
      if (left_names[name] == 1 && right_names[name] == 1) settle("file name", group);
    }
  }

  // A case id counts where it names one file a side. What a file calls itself in passing ("name") is only held against the name
  // of a file: two runs of one tool may carry the same.
  void by_ids() {
    enum Kind : std::uint8_t { id, stem, passing };
    using Index = std::map<std::string, std::map<std::size_t, Kind>>;
    const auto index = [](std::span<const SuiteItem> items) {
      Index out;
      for (std::size_t i = 0; i < items.size(); ++i) {
        for (const std::string& text : items[i].ids) out[text].emplace(i, id);
        out[items[i].entry ? items[i].name : std::string(base_of(without_ending(items[i].name)))].emplace(i, stem);
        for (const std::string& text : items[i].names) out[text].emplace(i, passing);
      }
      return out;
    };
    const Index left = index(baselines_), right = index(results_);
    const auto pair = [&](const std::string& text, const std::map<std::size_t, Kind>& results) {
      const auto it = left.find(text);
      if (it == left.end() || it->second.size() != 1 || results.size() != 1) return;
      const auto [baseline, ours] = *it->second.begin();
      const auto [result, theirs] = *results.begin();
      if (baseline_taken_[baseline] || result_taken_[result]) return;
      if (ours != id && theirs != id && ours == theirs) return;
      settle("case id", {{baseline}, {result}});
    };
    for (const auto& [text, results] : right) {
      pair(text, results);
      pair(case_segment(text), results);
    }
  }

  static std::string read_name(const SuiteItem& item, bool entries) {
    if (item.entry) return item.name;
    return entries ? case_segment(without_ending(item.name)) : without_ending(item.name);
  }
  [[nodiscard]] bool entries() const { return !baselines_.empty() && baselines_.front().entry; }

  void by_plain_name(Leniency leniency) {
    for (const auto& [name, group] : grouped([&](const SuiteItem&item, bool baseline) {
           return plain_name(item, read_name(item, entries()), baseline, leniency).name;
         })) {
      settle("name without dates and hosts", group);
    }
  }

  // decode-1, decode-2, decode-3 answer to decode: all of them, from the first on, in one folder and of one context.
  void by_repeats() {
    const auto plain = [&](const SuiteItem& item, bool baseline) {
      return plain_name(item, read_name(item, entries()), baseline, Leniency::sides).name;
    };
    for (const auto& [name, group] : grouped([&](const SuiteItem&item, bool baseline) {
           if (baseline) return plain(item, true);
           const Repeat repeat = repeat_of(plain(item, false));
           return repeat.number < 0 ? std::string() : repeat.name;
         })) {
      std::vector<std::int64_t> numbers;
      for (const std::size_t i : group.results) numbers.push_back(repeat_of(plain(results_[i], false)).number);
      std::sort(numbers.begin(), numbers.end());
      bool row = group.baselines.size() == 1 && numbers.size() > 1 && numbers.front() <= 1;
      for (std::size_t i = 1; i < numbers.size(); ++i) row = row && numbers[i] == numbers[i - 1] + 1;
      for (const std::size_t i : group.results) {
        const SuiteItem& first = results_[group.results.front()];
        row = row && !differs_fatally(first.context, results_[i].context) && first.kind == results_[i].kind &&
              folder_of(first.name) == folder_of(results_[i].name);
      }
      if (!row) continue;
      pair_up("name without dates and hosts", group.baselines.front(), group.results,
              core::counted(group.results.size(), "file") + " as trials");
    }
  }
  static std::string_view folder_of(std::string_view name) { return name.substr(0, name.size() - base_of(name).size()); }

  // One baseline and one result, or no pair: of several of a name the one that its context or its date says, else none.
  void settle(std::string_view rule, const Group& group) {
    std::string why;
    std::vector<std::string> notes;
    std::size_t result = group.results.front();
    if (group.results.size() > 1) {
      const auto newest = newest_of(results_, group.results);
      if (!newest) return refuse(group, several_results(group));
      result = *newest;
      notes.push_back("of " + core::counted(group.results.size(), "result") + " " + results_[result].name +
                      " was taken, the newest by its date; not " + others(results_, group.results, result));
    }
    std::size_t baseline = group.baselines.front();
    std::vector<const SuiteItem*> candidates;
    for (const std::size_t i : group.baselines) candidates.push_back(&baselines_[i]);
    core::ContextDifference difference;
    const bool by_name = rule == "path" || rule == "name" || rule == "case id" || rule == "file name";
    if (group.baselines.size() > 1) {
      const BestFit best = best_fitting(candidates, results_[result].context);
      if (!best.index) return no_fit(group, best.note);
      baseline = group.baselines[*best.index];
      std::string note = best.note;
      if (best.tied) {
        const auto newest = newest_of(baselines_, group.baselines);
        if (!newest) {
          return refuse(group, core::counted(group.baselines.size(), "baseline") + " would do (" +
                                   core::cited_list(names_of(baselines_, group.baselines), 3) +
                                   ") and nothing in this context decides");
        }
        baseline = *newest;
        note = "of " + core::counted(group.baselines.size(), "baseline") + " " + baselines_[baseline].name +
               " was taken, the newest by its date; not " + others(baselines_, group.baselines, baseline);
      }
      notes.push_back(std::move(note));
    } else if (!by_name && differs_fatally(baselines_[baseline].context, results_[result].context, &difference)) {
      // A host left out of both names is no reason to compare two hosts.
      return no_fit(group, best_fitting(candidates, results_[result].context).note);
    }
    for (const std::size_t i : group.baselines) {
      if (i != baseline) out_.passed_over.push_back(i);
    }
    for (const std::size_t i : group.results) {
      if (i != result) out_.results_passed_over.push_back(i);
    }
    take(group);
    std::string note;
    for (const std::string& one : notes) note += (note.empty() ? "" : "; ") + one;
    pair_up(rule, baseline, {result}, std::move(note));
  }

  void take(const Group& group) {
    for (const std::size_t i : group.results) result_taken_[i] = true;
    for (const std::size_t i : group.baselines) baseline_taken_[i] = true;
  }

  void pair_up(std::string_view rule, std::size_t baseline, std::vector<std::size_t> results, std::string note) {
    SuitePair pair;
    pair.by = rule;
    pair.note = std::move(note);
    pair.baselines = {baseline};
    pair.results = std::move(results);
    take({pair.baselines, pair.results});
    name(pair);
    out_.pairs.push_back(std::move(pair));
  }

  // Nobody of the group is paired; each says why.
  void refuse(const Group& group, const std::string& why) {
    take(group);
    const auto alone = [&](std::size_t i, bool baseline) {
      SuitePair pair;
      (baseline ? pair.baselines : pair.results) = {i};
      pair.problem = why;
      name(pair);
      out_.pairs.push_back(std::move(pair));
    };
    for (const std::size_t i : group.results) alone(i, false);
    for (const std::size_t i : group.baselines) alone(i, true);
  }

  // The baselines are of other hosts: they are no part of this suite, and the results have none.
  void no_fit(const Group& group, const std::string& why) {
    out_.passed_over.insert(out_.passed_over.end(), group.baselines.begin(), group.baselines.end());
    take(group);
    refuse({{}, group.results}, why);
  }

  // Runs of one case on different days, each with a date that none of the others has.
  [[nodiscard]] std::optional<std::size_t> newest_of(std::span<const SuiteItem> items,
                                                     const std::vector<std::size_t>& group) const {
    std::map<std::string, std::size_t> dates;
    for (const std::size_t i : group) {
      const Plain plain = plain_name(items[i], read_name(items[i], entries()), true, Leniency::dates);
      if (plain.date.empty() || plain.epoch || !dates.emplace(plain.date, i).second) return std::nullopt;
      if (differs_fatally(items[group.front()].context, items[i].context)) return std::nullopt;
    }
    return dates.rbegin()->second;
  }

  static std::vector<std::string> names_of(std::span<const SuiteItem> items, const std::vector<std::size_t>& group) {
    std::vector<std::string> out;
    out.reserve(group.size());
    for (const std::size_t i : group) out.push_back(items[i].name);
    return out;
  }
  static std::string others(std::span<const SuiteItem> items, std::vector<std::size_t> group, std::size_t but) {
    std::erase(group, but);
    return core::cited_list(names_of(items, group), 3);
  }
  [[nodiscard]] std::string several_results(const Group& group) const {
    return core::counted(group.results.size(), "result") + " answer to " +
           core::cited_list(names_of(baselines_, group.baselines), 3) +
           " and nothing tells which: " + core::cited_list(names_of(results_, group.results), 3);
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

// Of what data is written in; "decode.table.txt" is a table in a text.
bool is_ending(std::string_view ending) {
  constexpr std::string_view kEndings[] = {"json", "jsonl", "ndjson", "csv", "tsv",  "txt", "log",  "md",
                                           "out",  "yaml",  "yml",    "xml", "html", "gz",  "zst",  "zstd",
                                           "bz2",  "xz",    "tar",    "tgz", "zip",  "dat", "data", "prom"};
  const std::string lower = core::to_lower(ending);
  return std::find(std::begin(kEndings), std::end(kEndings), lower) != std::end(kEndings);
}

}  // namespace

std::string without_ending(std::string_view name) {
  const std::size_t start = name.size() - base_of(name).size();
  const std::size_t whole = name.size();
  while (true) {
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos || dot <= start) break;
    const std::string_view ending = name.substr(dot + 1);
    if (!is_ending(ending) && (ending != "table" || name.size() == whole)) break;
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
  if (out.size() > kSegmentBytes) {
    // Two long names that begin alike stay two.
    out.resize(kSegmentBytes - 13);
    out += "-" + registry::sha256_hex(id).substr(0, 12);
  }
  return out;
}

SuitePairs pair_suite(std::span<const SuiteItem> baselines, std::span<const SuiteItem> results) {
  return Pairing(baselines, results).run();
}

BestFit best_fitting(std::span<const SuiteItem* const> candidates, const core::Context& context) {
  BestFit out;
  std::optional<Agreement> best;
  core::ContextDifference difference;
  std::vector<std::string> others;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (differs_fatally(candidates[i]->context, context, &difference)) continue;
    const Agreement score = agreement(*candidates[i], context);
    if (!best || score > *best) {
      best = score;
      out.index = i;
    }
  }
  for (std::size_t i = 0; out.index && i < candidates.size(); ++i) {
    const SuiteItem& chosen = *candidates[*out.index];
    if (i == *out.index || differs_fatally(candidates[i]->context, context)) continue;
    const Agreement score = agreement(*candidates[i], context);
    // What sets two baselines apart by their identity has to be answered by the result itself.
    out.tied =
        out.tied || score == *best || (score.strong == best->strong && differs_fatally(candidates[i]->context, chosen.context));
  }
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (out.index != i) others.push_back(candidates[i]->name);
  }
  if (!out.index) {
    out.note = "none of " + core::counted(candidates.size(), "baseline") + " fits this context: " + difference.key + " is " +
               core::cited(difference.baseline) + " in " + candidates.back()->name + ", " + core::cited(difference.current) +
               " here";
    return out;
  }
  std::string why;
  for (const auto& [key, value] : candidates[*out.index]->context) {
    const auto it = context.find(key);
    if (it == context.end() || it->second != value) continue;
    // What sets it apart from one of the others.
    const bool apart = std::any_of(candidates.begin(), candidates.end(), [&, key = key, value = value](const SuiteItem* other) {
      const auto there = other->context.find(key);
      return there == other->context.end() || there->second != value;
    });
    if (!apart) continue;
    why = key + " is " + value;
    break;
  }
  out.note = "of " + core::counted(candidates.size(), "baseline") + " " + candidates[*out.index]->name + " was taken, ";
  out.note += why.empty() ? std::string("which fits the context best") : "whose " + why;
  out.note += "; not " + core::cited_list(others, 3);
  return out;
}

}  // namespace plumbline::verbs
