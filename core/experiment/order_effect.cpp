#include "core/experiment/order_effect.hpp"

#include <algorithm>
#include <vector>

#include "core/statistics.hpp"

namespace plumbline::core {

std::optional<OrderEffect> order_effect(std::span<const double> differences, std::span<const std::uint8_t> current_second) {
  std::vector<double> first, second;
  for (std::size_t i = 0; i < std::min(differences.size(), current_second.size()); ++i)
    (current_second[i] != 0 ? second : first).push_back(differences[i]);
  if (first.empty() || second.empty()) return std::nullopt;
  OrderEffect out;
  out.second = hodges_lehmann(first, second, 0.05).shift / 2;
  out.p = std::min(1.0, 2 * std::min(mann_whitney_greater(first, second), mann_whitney_greater(second, first)));
  return out;
}

}  // namespace plumbline::core
