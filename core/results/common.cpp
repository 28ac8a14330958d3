#include "core/results/common.hpp"

#include <array>

#include "core/results/outliers.hpp"

namespace plumbline::core {

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::green:
      return "GREEN";
    case Verdict::yellow:
      return "YELLOW";
    case Verdict::red:
      return "RED";
  }
  return "RED";
}

std::string_view to_string(SiblingState state) {
  static constexpr std::array<std::string_view, 5> kNames = {"within", "doubtful", "fast", "out", "failed"};
  return kNames[static_cast<std::size_t>(state)];
}

std::string_view to_string(Tier tier) { return tier == Tier::verdict ? "VERDICT" : "DRAFT"; }

}  // namespace plumbline::core
