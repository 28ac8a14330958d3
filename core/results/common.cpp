#include "core/results/common.hpp"

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

std::string_view to_string(Tier tier) { return tier == Tier::verdict ? "VERDICT" : "DRAFT"; }

}  // namespace plumbline::core
