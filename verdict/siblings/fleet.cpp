#include "verdict/siblings/fleet.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>

#include "core/evidence/scatter.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"
#include "verdict/evidence_of_rows.hpp"

namespace plumbline::verdict::siblings {

namespace {

using core::Comparison;
using core::Delta;
using core::Direction;
using core::Measurement;
using core::State;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kFewestOfLine = 3;  // siblings that have the number
constexpr double kNearlyZero = 1e-6;      // of the median: what a value that fell to zero or below counts as

// Half a unit of the last digit that any of these was printed with: numbers closer than that are not told apart.
double half_last_digit(const std::vector<double>& values) {
  int decimals = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    const std::string text = core::number_text(value);
    const std::size_t e = text.find('e');
    const std::size_t dot = text.find('.');
    int here = dot == std::string::npos ? 0 : static_cast<int>(std::min(e, text.size()) - dot) - 1;
    if (e != std::string::npos) here -= static_cast<int>(core::parse_int(text.substr(e + 1)).value_or(0));
    decimals = std::max(decimals, here);
  }
  return 0.5 * std::pow(10.0, -decimals);
}

double middle_of(const Line& line) { return median_of(line.value); }

double cost_of(double value, double middle, bool higher) {
  const double x = std::log(std::max(value, kNearlyZero * middle));
  return higher ? -x : x;
}

// Every key of any sibling once, each with the number of the first that has one.
std::shared_ptr<Measurement> all_rows(const std::vector<Member>& members) {
  const Measurement* first = nullptr;
  for (const Member& member : members) {
    if (first == nullptr) first = member.measurement;
  }
  if (first == nullptr) return std::make_shared<Measurement>(std::make_shared<core::StringPool>());
  auto out = std::make_shared<Measurement>(first->shared_pool());
  out->shape = first->shape;
  out->format = first->format;
  std::unordered_map<core::Id, std::uint32_t> places;
  std::vector<std::pair<core::Id, core::Id>> dims;
  for (const Member& member : members) {
    if (member.measurement == nullptr) continue;
    const Measurement& m = *member.measurement;
    for (const core::Row& row : m.rows()) {
      const auto at = places.find(row.key);
      if (at != places.end() && (out->rows()[at->second].value_count > 0 || row.value_count == 0)) continue;
      core::Row copy = row;
      copy.metric_class = out->intern_class(m.metric_class(row));
      dims.assign(m.dims(row).begin(), m.dims(row).end());
      copy.dims = out->add_dims(dims);
      if (at == places.end()) {
        places.emplace(row.key, out->add_row(copy, m.values(row)));
      } else {
        // The first that named the key had no number: this one's stands in its place.
        const std::uint32_t added = out->add_row(copy, m.values(row));
        out->rows()[at->second] = out->rows()[added];
        out->rows().pop_back();
      }
    }
  }
  return out;
}

class Aligner {
 public:
  Aligner(const std::vector<Member>& members, const core::CompareRules& rules, const std::function<bool()>& stop)
      : members_(members), rules_(rules), stop_(stop) {}

  Fleet run() {
    out_.all = all_rows(members_);
    out_.gates_failed.resize(members_.size());
    out_.missing.resize(members_.size());
    out_.against_others.resize(members_.size());
    out_.others.resize(members_.size());
    values_.assign(out_.all->rows().size(), std::vector<double>(members_.size(), kNaN));
    rows_.assign(out_.all->rows().size(), std::vector<std::uint32_t>(members_.size(), core::kNoRow));
    for (std::size_t s = 0; s < members_.size(); ++s) {
      if (members_[s].measurement != nullptr) take(s);
    }
    add_lines();
    group();
    for (const std::vector<double>& values : values_) medians_.push_back(medians_of_others(values));
    for (std::size_t s = 0; s < members_.size(); ++s) {
      if (members_[s].measurement != nullptr && !(stop_ && stop_())) compare_with_others(s);
    }
    return std::move(out_);
  }

 private:
  void take(std::size_t s) {
    Comparison with_all = core::compare(*out_.all, *members_[s].measurement, rules_, stop_);
    for (const Delta& delta : with_all.deltas) {
      if (delta.baseline_row == core::kNoRow || delta.current_row == core::kNoRow) continue;
      const core::Row& row = members_[s].measurement->rows()[delta.current_row];
      if (row.value_count == 0 || delta.state == State::invalid || !std::isfinite(delta.current)) continue;
      values_[delta.baseline_row][s] = delta.current;
      rows_[delta.baseline_row][s] = delta.current_row;
    }
    if (rules_said_.deltas.empty()) {
      rules_said_ = std::move(with_all);
      out_.warnings = rules_said_.warnings;
    }
  }

  // What the rules say of a row is the same for every sibling; the first one's comparison has it.
  void add_lines() {
    const Measurement& all = *out_.all;
    for (const Delta& delta : rules_said_.deltas) {
      if (delta.baseline_row == core::kNoRow || delta.gate) continue;
      const core::Row& row = all.rows()[delta.baseline_row];
      if (delta.state == State::context || row.value_count == 0) continue;
      add_line(delta, row);
    }
  }

  void add_line(const Delta& delta, const core::Row& row) {
    const std::vector<double>& values = values_[delta.baseline_row];
    if (delta.direction == Direction::unknown) {
      if (out_.unclassified++ == 0) out_.first_unclassified = row.key;
      return;
    }
    const auto have =
        static_cast<std::size_t>(std::count_if(values.begin(), values.end(), [](double v) { return std::isfinite(v); }));
    note_missing(row, values, have);
    if (have < std::min(kFewestOfLine, members_.size())) {
      if (out_.few++ == 0) out_.first_few = row.key;
      return;
    }
    const double middle = median_of(values);
    if (!(middle > 0)) return;
    Line line;
    line.key = row.key;
    line.unit = out_.all->unit(row);
    line.headline = delta.headline;
    line.two_sided = delta.direction == Direction::two_sided;
    line.higher = delta.direction == Direction::higher;
    line.row = delta.baseline_row;
    line.limit = limit_of(delta, line, middle);
    line.resolution = half_last_digit(values) / middle;
    line.value = values;
    line.rows = rows_[delta.baseline_row];
    for (const double value : values) line.cost.push_back(std::isfinite(value) ? cost_of(value, middle, line.higher) : kNaN);
    out_.lines.push_back(std::move(line));
  }

  void note_missing(const core::Row& row, const std::vector<double>& values, std::size_t have) {
    if (2 * have <= members_.size()) return;
    for (std::size_t s = 0; s < values.size(); ++s) {
      if (!std::isfinite(values[s]) && members_[s].measurement != nullptr) out_.missing[s].push_back(row.key);
    }
  }

  [[nodiscard]] double limit_of(const Delta& delta, const Line& line, double middle) const {
    const core::Tolerance& tolerance = rules_said_.tolerances[delta.tolerance];
    double share = tolerance.value / 100;
    if (tolerance.kind == core::ToleranceKind::absolute) share = tolerance.value / middle;
    if (tolerance.kind == core::ToleranceKind::points) {
      share = tolerance.value / core::points_per_unit(line.unit, middle, middle).value_or(1) / middle;
    }
    return line.higher ? -std::log1p(-std::min(share, 1 - kNearlyZero)) : std::log1p(share);
  }

  void group() {
    std::vector<core::ClassName> names;
    std::vector<std::uint32_t> rows, of_line;
    std::map<std::tuple<core::Id, core::Id, Direction>, std::uint32_t> known;
    for (const Line& line : out_.lines) {
      const core::Row& row = out_.all->rows()[line.row];
      const core::ClassName name{row.metric, out_.all->metric_class(row).unit,
                                 line.two_sided ? Direction::two_sided
                                 : line.higher  ? Direction::higher
                                                : Direction::lower};
      const auto [at, fresh] =
          known.try_emplace({name.metric, name.unit, name.direction}, static_cast<std::uint32_t>(names.size()));
      if (fresh) {
        names.push_back(name);
        rows.push_back(0);
      }
      of_line.push_back(at->second);
      ++rows[at->second];
    }
    const core::ClassGroups groups = core::group_classes(names, rows);
    out_.groups.resize(groups.count);
    for (std::uint32_t i = 0; i < out_.lines.size(); ++i) {
      Line& line = out_.lines[i];
      line.group = groups.of_class[of_line[i]];
      Group& group = out_.groups[line.group];
      group.lines.push_back(i);
      group.limit += line.limit;
      group.resolution += line.resolution;
      group.two_sided = line.two_sided;
      group.higher = line.higher;
    }
    for (Group& group : out_.groups) {
      group.limit /= static_cast<double>(group.lines.size());
      group.resolution /= static_cast<double>(group.lines.size());
      group.name = name_of(group);
    }
  }

  [[nodiscard]] std::string name_of(const Group& group) const {
    const Measurement& all = *out_.all;
    const core::Row& first = all.rows()[out_.lines[group.lines.front()].row];
    const bool one_metric = std::all_of(group.lines.begin(), group.lines.end(),
                                        [&](std::uint32_t i) { return all.rows()[out_.lines[i].row].metric == first.metric; });
    std::string name = one_metric ? std::string(all.metric(first)) : core::counted(group.lines.size(), "row");
    if (group.lines.size() == 1) name = all.key(first);
    if (const std::string_view unit = all.unit(first); !unit.empty()) name.append(one_metric ? ", " : " in ").append(unit);
    return name;
  }

  // The median of the others as a measurement, of every row that they have, gates and counts too.
  void compare_with_others(std::size_t s) {
    const Measurement& all = *out_.all;
    auto others = std::make_shared<Measurement>(all.shared_pool());
    others->shape = all.shape;
    others->format = all.format;
    std::vector<std::pair<core::Id, core::Id>> dims;
    for (std::uint32_t i = 0; i < all.rows().size(); ++i) {
      const double value = medians_[i][s];
      if (!std::isfinite(value)) continue;
      core::Row row = all.rows()[i];
      row.state = core::ValueState::number;
      row.text = 0;
      row.metric_class = others->intern_class(all.metric_class(all.rows()[i]));
      dims.assign(all.dims(all.rows()[i]).begin(), all.dims(all.rows()[i]).end());
      row.dims = others->add_dims(dims);
      others->add_row(row, {&value, 1});
    }
    auto compared = std::make_shared<Comparison>(core::compare(*others, *members_[s].measurement, rules_, stop_));
    for (const Delta& delta : compared->deltas) {
      if (delta.gate && (delta.state == State::regressed || delta.state == State::missing || delta.state == State::invalid))
        out_.gates_failed[s].push_back(delta.key);
    }
    out_.against_others[s] = std::move(compared);
    out_.others[s] = std::move(others);
  }

  const std::vector<Member>& members_;
  const core::CompareRules& rules_;
  const std::function<bool()>& stop_;
  Comparison rules_said_;
  std::vector<std::vector<double>> values_;   // by row of `all` and sibling
  std::vector<std::vector<double>> medians_;  // of the others, likewise
  std::vector<std::vector<std::uint32_t>> rows_;
  Fleet out_;
};

}  // namespace

Fleet fleet_of(const std::vector<Member>& members, const core::CompareRules& rules, const std::function<bool()>& stop) {
  return Aligner(members, rules, stop).run();
}

std::vector<double> trial_costs(const Line& line, const std::vector<Member>& members, std::size_t member) {
  if (line.rows[member] == core::kNoRow) return {};
  const Measurement& m = *members[member].measurement;
  const std::span<const double> values = m.values(m.rows()[line.rows[member]]);
  const double middle = core::median(values);
  const double factor = middle != 0 ? line.value[member] / middle : 1;  // to the unit that all have
  std::vector<double> out;
  for (const double value : values) out.push_back(cost_of(value * factor, middle_of(line), line.higher));
  return out;
}

double median_of(const std::vector<double>& values) {
  std::vector<double> finite;
  for (const double value : values) {
    if (std::isfinite(value)) finite.push_back(value);
  }
  return finite.empty() ? kNaN : core::median(finite);
}

namespace {

// The median of a sorted list without the one at `left_out`.
double median_without(const std::vector<double>& sorted, std::size_t left_out) {
  const auto at = [&](std::size_t i) { return sorted[i < left_out ? i : i + 1]; };
  const std::size_t n = sorted.size() - 1;
  return n % 2 == 1 ? at(n / 2) : (at(n / 2 - 1) + at(n / 2)) / 2;
}

}  // namespace

std::vector<double> medians_of_others(const std::vector<double>& values) {
  std::vector<double> sorted;
  for (const double value : values) {
    if (std::isfinite(value)) sorted.push_back(value);
  }
  std::sort(sorted.begin(), sorted.end());
  const double all = sorted.empty() ? kNaN : core::median(sorted);
  std::vector<double> out;
  for (const double value : values) {
    if (!std::isfinite(value)) {
      out.push_back(all);
      continue;
    }
    const auto place = std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin();
    out.push_back(sorted.size() > 1 ? median_without(sorted, static_cast<std::size_t>(place)) : kNaN);
  }
  return out;
}

}  // namespace plumbline::verdict::siblings
