#include "profiles/diff/matching.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/text.hpp"
#include "profiles/diff/assignment.hpp"
#include "profiles/diff/rows.hpp"
#include "profiles/diff/similarity.hpp"
#include "profiles/diff/wall.hpp"
#include "profiles/names/canonical.hpp"
#include "profiles/names/family.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::size_t kMostPaired = 200;  // on each side of one assignment
constexpr std::size_t kWidestKey = 8;     // names have fewer keys than that
constexpr std::size_t kNamesListed = 16;  // in a row of several names
constexpr std::size_t kValuesListed = 4;  // of one property in a change

struct Step {
  const char* rule;
  double confidence;
  double widest;  // by what factor the counts may be apart, for the same work
};
constexpr double kAnyCount = 1e18;
constexpr double kSameCount = 0.9;   // likeness from which two kernels are called equally often
constexpr double kSameOrder = 0.2;   // and of times of a call
constexpr double kLeastAlike = 0.5;  // score from which the fuzzy step believes a pair

using Group = std::vector<Candidate*>;  // kernels of one side

bool longer(const Candidate* a, const Candidate* b) {
  const std::int64_t left = a->aggregate->aggregate.total;
  const std::int64_t right = b->aggregate->aggregate.total;
  return left != right ? left > right : a->aggregate->name < b->aggregate->name;
}

Group longest(Group group) {  // as many as one assignment takes
  std::sort(group.begin(), group.end(), longer);
  if (group.size() > kMostPaired) group.resize(kMostPaired);
  return group;
}

std::uint64_t calls(const Group& group) {
  std::uint64_t sum = 0;
  for (const Candidate* each : group) sum += each->aggregate->aggregate.count;
  return sum;
}

// "a + b + 3 more", the one with the most time first.
std::string listed_names(const Group& group, std::size_t at_most) {
  std::string text;
  for (std::size_t i = 0; i < group.size() && i < at_most; ++i)
    text.append(i == 0 ? "" : " + ").append(group[i]->aggregate->name);
  if (group.size() > at_most) text += " + " + std::to_string(group.size() - at_most) + " more";
  return text;
}

// What the kernels of a group are, where they agree, and every value they have where they do not: "128x64, 64x64".
KernelFamily summed_up(const Group& group) {
  KernelFamily all = group.front()->family;
  if (group.size() == 1) return all;
  const auto together = [&](auto value_of) {
    std::vector<std::string> values;
    for (const Candidate* each : group) {
      const std::string value = value_of(each->family);
      if (values.size() > kValuesListed) break;
      if (!value.empty() && std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
    }
    std::string text;
    for (std::size_t i = 0; i < values.size() && i < kValuesListed; ++i) text.append(i == 0 ? "" : ", ").append(values[i]);
    if (values.size() > kValuesListed) text += ", …";
    return text;
  };
  all.operation = together([](const KernelFamily& family) { return family.operation; });
  all.library = together([](const KernelFamily& family) { return family.library; });
  all.precision = together([](const KernelFamily& family) { return family.precision; });
  for (auto& [what, value] : all.variant) {
    value = together([&what = what](const KernelFamily& family) {
      const auto found =
          std::find_if(family.variant.begin(), family.variant.end(), [&](const auto& each) { return each.first == what; });
      return found == family.variant.end() ? std::string() : found->second;
    });
  }
  return all;
}

std::string change_of(const Group& baseline, const Group& candidate) {
  std::string text = change_between(summed_up(baseline), summed_up(candidate));
  if (baseline.size() != candidate.size()) {
    text += (text.empty() ? "" : ", ") + core::counted(baseline.size(), "kernel") + " -> " + std::to_string(candidate.size());
  }
  return text;
}

class Matcher {
 public:
  Matcher(std::span<const NamedAggregate> baseline, std::span<const NamedAggregate> candidate,
          const configs::KernelCategories& categories)
      : categories_(categories), lists_{without_repeats(baseline), without_repeats(candidate)} {
    for (const int side : {0, 1}) {
      kernels_[side].resize(lists_[side].size());
      for (std::size_t i = 0; i < lists_[side].size(); ++i) kernels_[side][i].aggregate = &lists_[side][i];
    }
  }

  std::vector<core::ProfileRow> run() {
    exact();
    if (both_left()) {
      measure_work();
      canonical();
    }
    if (both_left()) {
      measure_work();
      for (const int side : {0, 1}) {
        for (Candidate* each : left(side)) describe(*each, categories_);
      }
      families(0, {"family", 0.9, 2});
      families(1, {"family", 0.8, 2});
      parents({"parent", 0.65, 2});
      families(2, {"family", 0.7, 2});
      for (std::size_t width = 3; width < kWidestKey; ++width) families(width, {"family", 0.6, 4});
      families(0, {"family", 0.5, kAnyCount});
      fuzzy();
    }
    for (const Candidate* each : left(0)) rows_.push_back(make_row(each->aggregate, nullptr));
    for (const Candidate* each : left(1)) rows_.push_back(make_row(nullptr, each->aggregate));
    for (core::ProfileRow& row : rows_) {
      if (row.category.empty())
        row.category = categories_.of(row.candidate_name.empty() ? row.baseline_name : row.candidate_name).name;
    }
    sort_rows(rows_);
    return std::move(rows_);
  }

 private:
  [[nodiscard]] Group left(int side) {
    Group group;
    for (Candidate& each : kernels_[side]) {
      if (!each.used) group.push_back(&each);
    }
    return group;
  }
  [[nodiscard]] bool both_left() { return !left(0).empty() && !left(1).empty(); }

  // How much work the candidate's window holds: by the kernels that are the same; where none is, by all there are.
  void measure_work() {
    std::uint64_t sums[2] = {0, 0};
    for (const int side : {0, 1}) {
      for (const NamedAggregate& each : lists_[side]) sums[side] += each.aggregate.count;
    }
    const double all = sums[0] == 0 || sums[1] == 0 ? 1 : static_cast<double>(sums[1]) / static_cast<double>(sums[0]);
    ratio_ = call_ratio(rows_).value_or(all);
  }

  void exact() {
    std::unordered_map<std::string_view, Candidate*> by_name;
    by_name.reserve(kernels_[1].size());
    for (Candidate& each : kernels_[1]) by_name.emplace(each.aggregate->name, &each);
    for (Candidate& each : kernels_[0]) {
      const auto found = by_name.find(each.aggregate->name);
      if (found != by_name.end()) add({&each}, {found->second}, {"exact", 1, 0});
    }
  }

  // Leftovers of both sides under every key they have, and what to do with those that share one.
  template <class Keys>
  void by_key(Keys keys_of, const Step& step) {
    std::map<std::string, std::pair<Group, Group>> groups;
    for (const int side : {0, 1}) {
      for (Candidate* each : left(side)) {
        for (const std::string& key : keys_of(*each)) {
          auto& group = groups[key];
          (side == 0 ? group.first : group.second).push_back(each);
        }
      }
    }
    for (auto& [key, group] : groups) settle(std::move(group.first), std::move(group.second), step);
  }

  void canonical() {
    for (const int side : {0, 1}) {
      for (Candidate* each : left(side)) each->canonical = canonical_kernel(each->aggregate->name);
    }
    by_key([](const Candidate& each) { return std::array{each.canonical}; }, {"canonical", 0.98, kAnyCount});
  }

  // A key of this width on one side meets the same key of any width on the other: names do not all say as much.
  void families(std::size_t width, const Step& step) {
    std::set<std::string> wanted;
    for (const int side : {0, 1}) {
      for (const Candidate* each : left(side)) {
        if (width < each->family.keys.size()) wanted.insert(each->family.keys[width]);
      }
    }
    by_key(
        [&](const Candidate& each) {
          std::set<std::string> keys;  // a name's keys may be the same text twice
          for (const std::string& key : each.family.keys) {
            if (wanted.contains(key)) keys.insert(key);
          }
          return keys;
        },
        step);
  }

  void parents(const Step& step) {
    by_key(
        [](const Candidate& each) {
          std::vector<std::string> keys;
          if (!each.parent.empty()) keys.push_back(each.kind + "|" + each.parent);
          return keys;
        },
        step);
  }

  [[nodiscard]] bool balanced(const Group& baseline, const Group& candidate, double widest) const {
    return widest >= kAnyCount || count_likeness(calls(baseline), calls(candidate), ratio_) >= 1 / widest;
  }

  // Two kernels of one family may be each other's counterpart: called equally often, times of one order.
  [[nodiscard]] bool fit(const Candidate& a, const Candidate& b) const {
    return count_likeness(a.aggregate->aggregate.count, b.aggregate->aggregate.count, ratio_) >= kSameCount &&
           time_likeness(a.aggregate->aggregate, b.aggregate->aggregate) >= kSameOrder;
  }

  // Equally many on both sides are told apart by how often and how long they run; of unequally many only those pairs that nobody
  // else fits into.
  void pair_within(const Group& baseline, const Group& candidate, const Step& step) {
    const bool equally_many = baseline.size() == candidate.size();
    const Group tops[2] = {longest(baseline), longest(candidate)};
    std::unordered_map<const Candidate*, std::size_t> fits;
    for (const Candidate* a : tops[0]) {
      for (const Candidate* b : tops[1]) {
        if (equally_many || !fit(*a, *b)) continue;
        ++fits[a];
        ++fits[b];
      }
    }
    pair_up(tops[0], tops[1], step, [&](const Candidate& a, const Candidate& b) {
      if (!fit(a, b) || (!equally_many && (fits[&a] > 1 || fits[&b] > 1))) return 0.0;
      const double often = count_likeness(a.aggregate->aggregate.count, b.aggregate->aggregate.count, ratio_);
      return 0.5 * often + 0.4 * time_likeness(a.aggregate->aggregate, b.aggregate->aggregate) + 0.1 * word_likeness(a, b);
    });
  }

  // Kernels that do the same work: one to one where they are called equally often, the rest as one row.
  void settle(Group baseline, Group candidate, const Step& step) {
    const auto taken = [](const Candidate* each) { return each->used; };
    const auto drop = [&](Group& group) { group.erase(std::remove_if(group.begin(), group.end(), taken), group.end()); };
    drop(baseline);
    drop(candidate);
    if (baseline.empty() || candidate.empty() || !balanced(baseline, candidate, step.widest)) return;
    if (baseline.size() > 1 || candidate.size() > 1) {
      pair_within(baseline, candidate, step);
      drop(baseline);
      drop(candidate);
    }
    if (baseline.empty() || candidate.empty() || !balanced(baseline, candidate, step.widest)) return;
    add(std::move(baseline), std::move(candidate), step);
  }

  // The pairs that are worth most together.
  template <class Score>
  void pair_up(const Group& baseline, const Group& candidate, const Step& step, Score score) {
    std::vector<std::int64_t> worth;
    std::vector<double> scores;
    for (const Candidate* a : baseline) {
      for (const Candidate* b : candidate) {
        scores.push_back(score(*a, *b));
        worth.push_back(worth_of(scores.back(), *a, *b));
      }
    }
    const auto partner = best_assignment(worth, baseline.size(), candidate.size());
    for (std::size_t i = 0; i < partner.size(); ++i) {
      if (partner[i] == kNobody) continue;
      Step certain = step;
      if (step.confidence == 0) certain.confidence = 0.6 * scores[i * candidate.size() + partner[i]];
      add({baseline[i]}, {candidate[partner[i]]}, certain);
    }
  }

  void fuzzy() {
    pair_up(longest(left(0)), longest(left(1)), {"fuzzy", 0, 2}, [&](const Candidate& a, const Candidate& b) {
      if (a.kind != b.kind) return 0.0;
      const double words = word_likeness(a, b);
      const double often = count_likeness(a.aggregate->aggregate.count, b.aggregate->aggregate.count, ratio_);
      if (often < 0.5 || words < (a.kind == "Other" ? 0.5 : 0.25)) return 0.0;
      double sum = 0.45 * words + 0.25 * often;
      double weight = 0.7;
      if (const double shapes = shape_likeness(*a.aggregate, *b.aggregate); shapes >= 0) {
        sum += 0.15 * shapes;
        weight += 0.15;
      }
      if (!a.parent.empty() && !b.parent.empty()) {
        sum += a.parent == b.parent ? 0.15 : 0;
        weight += 0.15;
      }
      const double alike = sum / weight;
      return alike >= kLeastAlike ? alike : 0.0;
    });
  }

  void add(Group baseline, Group candidate, const Step& step) {
    std::sort(baseline.begin(), baseline.end(), longer);
    std::sort(candidate.begin(), candidate.end(), longer);
    for (Group* group : {&baseline, &candidate}) {
      for (Candidate* each : *group) each->used = true;
    }
    std::optional<NamedAggregate> merged[2];
    const auto whole = [&](const Group& group, int side) -> const NamedAggregate* {
      if (group.size() == 1) return group.front()->aggregate;
      std::vector<const NamedAggregate*> members;
      for (const Candidate* each : group) members.push_back(each->aggregate);
      merged[side] = merge_aggregates(members, listed_names(group, kNamesListed));
      return &*merged[side];
    };
    core::ProfileRow row = make_row(whole(baseline, 0), whole(candidate, 1));
    row.name = listed_names(baseline, 1);
    row.match_rule = step.rule;
    row.match_confidence = step.confidence;
    row.category = categories_.of(candidate.front()->aggregate->name).name;
    const bool same_name = row.match_rule == "exact" || row.match_rule == "canonical";
    if (!same_name) {
      row.change = change_of(baseline, candidate);
      // Only the compiler's number is another: triton_poi_fused_add_0 and _3.
      const bool renumbered = row.change.empty() && row.match_rule == "family" &&
                              baseline.front()->family.keys.front() == candidate.front()->family.keys.front();
      if (!renumbered) row.state = "switched";
    }
    rows_.push_back(std::move(row));
  }

  const configs::KernelCategories& categories_;
  std::vector<NamedAggregate> lists_[2];
  std::vector<Candidate> kernels_[2];
  std::vector<core::ProfileRow> rows_;
  double ratio_ = 1;  // the candidate's work over the baseline's
};

}  // namespace

std::vector<core::ProfileRow> match_kernels(std::span<const NamedAggregate> baseline, std::span<const NamedAggregate> candidate,
                                            const configs::KernelCategories& categories) {
  return Matcher(baseline, candidate, categories).run();
}

std::optional<double> matched_share(std::span<const core::ProfileRow> rows) {
  double paired = 0;
  double all = 0;
  for (const core::ProfileRow& row : rows) {
    const double time = static_cast<double>(row.baseline_ns) + static_cast<double>(row.candidate_ns);
    all += time;
    if (row.state == "matched" || row.state == "switched") paired += time;
  }
  if (!(all > 0)) return std::nullopt;
  return 100 * paired / all;
}

}  // namespace plumbline::profiles
