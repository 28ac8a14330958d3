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
  std::unordered_map<std::string_view, std::vector<std::size_t>> trials;  // by what they stand in, and by their own key
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].value_count < kTrials || measurement.metric_class(rows[i]).role != core::Role::judged) continue;
    trials[parent_of(measurement.key(rows[i]))].push_back(i);
  }
  if (trials.empty()) return;
  std::map<std::uint32_t, std::uint32_t> context;  // classes
  for (core::Row& row : rows) {
    const core::MetricClass of = measurement.metric_class(row);
    if (row.value_count != 1 || row.state != core::ValueState::number || !is_judged(of)) continue;
    const Statistic statistic = statistic_of(measurement.metric(row));
    const auto beside = statistic == Statistic::none ? trials.end() : trials.find(parent_of(measurement.key(row)));
    if (beside == trials.end()) continue;
    const double value = measurement.values(row).front();
    const bool drawn = std::any_of(beside->second.begin(), beside->second.end(), [&](std::size_t at) {
      const std::string_view unit = measurement.unit(row), other = measurement.unit(rows[at]);
      const auto factor = unit == other ? 1.0 : core::conversion_factor(unit, other);
      return factor && rows[at].dims == row.dims && is_drawn(value * *factor, statistic, measurement.values(rows[at]));
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
