#include "core/gates/attempts.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "core/text.hpp"

namespace plumbline::core {
namespace {

constexpr double kMostAttempts = 1e15;  // beyond that a double has no room for a failure more or less

bool is_number(const Row& row) {
  return row.value_count > 0 && (row.state == ValueState::number || row.state == ValueState::numeric_string);
}

// A count is a whole number; what is within a rounding of one is it.
std::optional<std::uint64_t> whole(double value) {
  if (!(value >= 0) || value > kMostAttempts) return std::nullopt;
  const double rounded = std::round(value);
  if (std::fabs(value - rounded) > 1e-6 * std::max(1.0, value)) return std::nullopt;
  return static_cast<std::uint64_t>(rounded);
}

std::optional<Failures> failures(std::optional<double> failed, std::optional<double> attempts) {
  if (!failed || !attempts) return std::nullopt;
  const auto part = whole(*failed), all = whole(*attempts);
  if (!part || !all || *all == 0 || *part > *all)
    return std::nullopt;  // more failures than attempts are failures of another thing
  return Failures{*part, *all};
}

}  // namespace

std::string_view point_of(const Measurement& measurement, const Row& row) {
  const std::string_view key = measurement.key(row);
  const std::string_view metric = measurement.metric(row);
  return key.ends_with(metric) ? key.substr(0, key.size() - metric.size()) : key;
}

Attempts::Attempts(const Measurement& side, const std::vector<std::uint32_t>& gates, const TallyOf& tally_of)
    : side_(side), tally_of_(tally_of) {
  if (!tally_of) return;
  for (const std::uint32_t gate : gates) points_.try_emplace(point_of(side, side.rows()[gate]));
  if (points_.empty()) return;
  for (const Row& row : side.rows()) {
    if (!is_number(row)) continue;
    const auto at = points_.find(point_of(side, row));
    if (at == points_.end()) continue;
    const Tally tally = tally_of(side.metric(row));
    if (tally.kind == TallyKind::none) continue;
    Counted& known = tally.kind == TallyKind::attempts    ? at->second.attempts
                     : tally.kind == TallyKind::successes ? at->second.successes
                                                          : at->second.failures;
    if (known.row == nullptr || tally.rank < known.rank) known = {&row, tally.rank};
  }
}

const Attempts::Point* Attempts::point(const Row& gate) const {
  const auto at = points_.find(point_of(side_, gate));
  return at == points_.end() ? nullptr : &at->second;
}

// A number of requests that tells points apart is that of each run.
std::optional<double> Attempts::from_dims(const Row& gate) const {
  if (!tally_of_) return std::nullopt;
  std::optional<double> found;
  std::uint8_t rank = 0;
  for (const auto& [name, value] : side_.dims(gate)) {
    const Tally tally = tally_of_(side_.pool().view(name));
    if (tally.kind != TallyKind::attempts || (found && tally.rank >= rank)) continue;
    const auto number = parse_double(side_.pool().view(value));
    if (!number || *number < 1) continue;
    found = *number * gate.value_count;
    rank = tally.rank;
  }
  return found;
}

// One number beside several trials is taken as that of all together: the careful reading.
std::optional<double> Attempts::sum(const Row* row, const Row& gate) const {
  if (row == nullptr || (row->value_count != gate.value_count && row->value_count != 1)) return std::nullopt;
  double all = 0;
  for (const double value : side_.values(*row)) all += value;
  return all;
}

std::optional<double> Attempts::total(const Row& gate, const Row* without_total, const Row* and_this) const {
  const Point* at = point(gate);
  if (at != nullptr && at->attempts.row != nullptr) return sum(at->attempts.row, gate);
  if (const auto dims = from_dims(gate)) return dims;
  const auto part = sum(without_total, gate), rest = sum(and_this, gate);
  if (!part || !rest) return std::nullopt;
  return *part + *rest;
}

std::optional<Failures> Attempts::of_share(const Row& gate, const std::vector<double>& failed_share) const {
  const Point* at = point(gate);
  if (at == nullptr || failed_share.empty()) return std::nullopt;
  const auto attempts = total(gate, at->successes.row, at->failures.row);
  if (!attempts) return std::nullopt;
  // Trials of unequal size weigh by it, where each has its own.
  const Row* each = at->attempts.row;
  double failed = 0;
  for (std::size_t i = 0; i < failed_share.size(); ++i) {
    const bool own = each != nullptr && each->value_count == failed_share.size();
    const double tried = own ? side_.values(*each)[i] : *attempts / static_cast<double>(failed_share.size());
    failed += std::clamp(failed_share[i], 0.0, 1.0) * tried;
  }
  return failures(std::min(std::round(failed), *attempts), attempts);
}

std::optional<Failures> Attempts::of_failures(const Row& gate) const {
  const Point* at = point(gate);
  if (at == nullptr) return std::nullopt;
  return failures(sum(&gate, gate), total(gate, at->successes.row, &gate));
}

std::optional<Failures> Attempts::of_successes(const Row& gate) const {
  const Point* at = point(gate);
  if (at == nullptr) return std::nullopt;
  const auto attempts = total(gate, &gate, at->failures.row);
  const auto succeeded = sum(&gate, gate);
  if (!attempts || !succeeded) return std::nullopt;
  return failures(*attempts - *succeeded, attempts);
}

}  // namespace plumbline::core
