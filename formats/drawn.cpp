#include "formats/drawn.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/text.hpp"
#include "core/units.hpp"

namespace plumbline::formats {
namespace {

constexpr std::size_t kTrials = 3;

// The object that a row stands in.
std::string_view parent_of(std::string_view key) {
  const std::size_t dot = key.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : key.substr(0, dot);
}

enum class Statistic : std::uint8_t { none, mean, median };
Statistic statistic_of(std::string_view metric) {
  const std::string lower = core::to_lower(metric);
  for (const std::string_view word : {"mean", "average", "avg"}) {
    if (lower.find(word) != std::string::npos) return Statistic::mean;
  }
  return lower.find("median") != std::string::npos ? Statistic::median : Statistic::none;
}

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Without the best and the worst.
double olympic_mean_of(std::span<const double> values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return (mean_of(values) * static_cast<double>(values.size()) - *least - *most) / static_cast<double>(values.size() - 2);
}

double median_of(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

bool is_drawn(double value, Statistic statistic, std::span<const double> trials) {
  constexpr double kAsPrinted = 1e-5;
  const auto is = [&](double drawn) { return std::fabs(value - drawn) <= kAsPrinted * std::fabs(drawn); };
  if (statistic == Statistic::median) return is(median_of(trials));
  return is(mean_of(trials)) || is(olympic_mean_of(trials));
}

bool is_judged(const core::MetricClass& one) {
  return one.role == core::Role::judged && one.direction_source != core::Source::file &&
         one.direction_source != core::Source::format;
}

}  // namespace

void tell_drawn(core::Measurement& measurement) {
  auto& rows = measurement.rows();
  if (std::none_of(rows.begin(), rows.end(), [](const core::Row& row) { return row.value_count >= kTrials; })) return;
  std::unordered_map<core::Id, Statistic> statistics;  // of metrics: names come again in every point
  struct Candidate {
    std::size_t row;
    Statistic statistic;
  };
  std::vector<Candidate> candidates;
  std::unordered_map<std::string_view, std::vector<std::size_t>> trials;  // by the object that they stand in
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const core::Row& row = rows[i];
    if (row.value_count != 1 || row.state != core::ValueState::number || !is_judged(measurement.metric_class(row))) continue;
    const auto [at, fresh] = statistics.try_emplace(row.metric, Statistic::none);
    if (fresh) at->second = statistic_of(measurement.metric(row));
    if (at->second == Statistic::none) continue;
    candidates.push_back({i, at->second});
    trials.try_emplace(parent_of(measurement.key(row)));
  }
  if (candidates.empty()) return;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].value_count < kTrials || measurement.metric_class(rows[i]).role != core::Role::judged) continue;
    if (const auto at = trials.find(parent_of(measurement.key(rows[i]))); at != trials.end()) at->second.push_back(i);
  }
  std::map<std::uint32_t, std::uint32_t> context;  // classes
  for (const Candidate& one : candidates) {
    core::Row& row = rows[one.row];
    const core::MetricClass of = measurement.metric_class(row);
    const double value = measurement.values(row).front();
    const std::vector<std::size_t>& beside = trials.find(parent_of(measurement.key(row)))->second;
    const bool drawn = std::any_of(beside.begin(), beside.end(), [&](std::size_t at) {
      const std::string_view unit = measurement.unit(row), other = measurement.unit(rows[at]);
      const auto factor = unit == other ? 1.0 : core::conversion_factor(unit, other);
      return factor && rows[at].dims == row.dims && is_drawn(value * *factor, one.statistic, measurement.values(rows[at]));
    });
    if (!drawn) continue;
    auto [at, fresh] = context.try_emplace(row.metric_class, 0);
    if (fresh) {
      core::MetricClass said = of;
      said.role = core::Role::context;
      said.direction = core::Direction::unknown;
      said.direction_note = measurement.pool().intern("drawn from the trials beside it");
      at->second = measurement.intern_class(said);
    }
    row.metric_class = at->second;
  }
}

}  // namespace plumbline::formats
