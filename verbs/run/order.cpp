#include "verbs/run/order.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "core/citing.hpp"
#include "core/experiment/order_effect.hpp"
#include "core/text.hpp"

namespace plumbline::verbs {
namespace {

constexpr double kLeastEffect = 0.01;  // what is smaller is no news

// By block, in the order of the trials that count: whether `side` came second.
std::vector<std::uint8_t> came_second(const core::RunResult& run, std::uint32_t side) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> sides;  // by block
  for (const core::RunTrial& trial : run.trials) {
    const bool meant = trial.side == 0 || trial.side == side;
    if (trial.block > 0 && !trial.file.empty() && meant) sides[trial.block].push_back(trial.side);
  }
  std::vector<std::uint8_t> out;
  out.reserve(sides.size());
  for (const auto& [block, order] : sides) out.push_back(order.back() == side ? 1 : 0);
  return out;
}

bool is_followed(const core::Delta& delta, bool headlines) {
  if (delta.gate || delta.headline != headlines || delta.statistics == core::kNoRow) return false;
  return delta.direction == core::Direction::lower || delta.direction == core::Direction::higher;
}

// Adds a row's differences to those of its blocks, as logarithms of ratios, + is worse. False where it has none in some block.
bool add_row(const core::Comparison& rows, const core::Delta& delta, std::vector<double>& sums) {
  const auto before = rows.baseline->values(rows.baseline->rows()[delta.baseline_row]);
  const auto after = rows.current->values(rows.current->rows()[delta.current_row]);
  if (before.size() != sums.size() || after.size() != sums.size()) return false;
  const auto positive = [](double value) { return value > 0; };
  if (!std::all_of(before.begin(), before.end(), positive) || !std::all_of(after.begin(), after.end(), positive)) return false;
  const double sign = delta.direction == core::Direction::higher ? -1 : 1;
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += sign * std::log(after[i] / before[i]);
  return true;
}

}  // namespace

std::optional<core::Warning> order_warning(const core::DiffResult& compared, const core::RunResult& run, std::uint32_t side) {
  const core::Comparison* rows = compared.comparison();
  if (rows == nullptr) return std::nullopt;
  const std::vector<std::uint8_t> second = came_second(run, side);
  if (second.size() < core::kLeastBlocksForOrder) return std::nullopt;
  std::vector<double> differences(second.size());
  std::uint64_t followed = 0;
  for (const bool headlines : {true, false}) {
    for (const core::Delta& delta : rows->deltas) followed += is_followed(delta, headlines) && add_row(*rows, delta, differences);
    if (followed > 0) break;
  }
  if (followed == 0) return std::nullopt;
  for (double& difference : differences) difference /= static_cast<double>(followed);
  const auto effect = core::order_effect(differences, second);
  const double alpha = core::kOrderAlpha / static_cast<double>(run.sides.size() - 1);
  if (!effect || effect->p > alpha || std::fabs(effect->second) < std::log1p(kLeastEffect)) return std::nullopt;
  const double percent = 100 * std::expm1(std::fabs(effect->second));
  return core::Warning{
      "order_effect",
      "of " + core::cited_word(run.sides.front().label) + " and " + core::cited_word(run.sides[side].label) +
          ", whichever ran second in its block was " + core::short_number(percent, 2) + " % " +
          (effect->second > 0 ? "worse" : "better") + " (" + core::counted(second.size(), "block") + ", p " +
          core::short_number(effect->p, 2) +
          "): a run leaves something behind for the next, such as heat, full caches or busy workers. The pairs stay fair, "
          "but scatter by it; clear it by --prepare"};
}

}  // namespace plumbline::verbs
