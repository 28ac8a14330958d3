#include "verdict/known_noise.hpp"

#include <cmath>
#include <numbers>

namespace plumbline::verdict {

namespace {

using core::Direction;

constexpr double kFloorSpreads = 3;  // of a step between neighbours (core/series.hpp)

}  // namespace

std::optional<double> history_floor_pct(const DecideInput& in, const core::Delta& delta) {
  if (in.key_floors_pct != nullptr) {
    if (const auto it = in.key_floors_pct->find(delta.key); it != in.key_floors_pct->end()) return it->second;
  }
  return delta.headline ? in.registry_floor_pct : std::nullopt;
}

bool is_outside_history(const JudgeInput& in, const core::Delta& delta) {
  if (in.key_ranges == nullptr) return false;
  const auto it = in.key_ranges->find(delta.key);
  if (it == in.key_ranges->end()) return false;
  const core::Comparison& c = *in.comparison;
  const core::Tolerance& tolerance = c.tolerances[delta.tolerance];
  const std::string_view unit = c.baseline->unit(c.baseline->rows()[delta.baseline_row]);
  const auto [low, high] = it->second;
  const auto beyond = [&](double seen) {
    return core::exceeds(tolerance, core::change_on_scale(tolerance, seen, delta.current, unit));
  };
  const bool below = delta.current < low && beyond(low);
  const bool above = delta.current > high && beyond(high);
  if (delta.direction == Direction::higher) return below;
  if (delta.direction == Direction::lower) return above;
  return below || above;
}

double prior_spread(const JudgeInput& in, const core::Delta& delta) {
  if (!in.class_noise_pct) return 0;
  return in.class_noise_pct(in.comparison->baseline->pool().view(delta.key)).value_or(0) / 100;
}

double history_spread(const JudgeInput& in, const core::Delta& delta) {
  const std::optional<double> floor = history_floor_pct(in, delta);
  if (!floor || is_outside_history(in, delta)) return 0;
  return std::log1p(*floor / 100) / kFloorSpreads / std::numbers::sqrt2;
}

}  // namespace plumbline::verdict
