#include "verdict/advising/culprit_words.hpp"

#include "core/citing.hpp"
#include "core/text.hpp"

namespace plumbline::verdict {

namespace {

constexpr double kLeastSaid = 1e-9;  // smaller ones tell no more

std::string others(std::uint64_t count) {
  if (count == 0) return "no others";
  return count == 1 ? "1 other" : std::to_string(count) + " others";
}

std::string coverage(const core::Culprit& one) {
  return core::cited(one.predicate) + " (" + std::to_string(one.regressed_in) + " of " +
         core::counted(one.regressed_total, "regressed row") + ", " + others(one.others_in) + ", " +
         core::signed_number(one.effect_pct, 3) + " %, p " +
         (one.p < kLeastSaid ? "< 1e-9" : "= " + core::short_number(one.p, 2)) + ")";
}

}  // namespace

std::string where_it_regressed(const CulpritFindings& parts) {
  std::string out = "the regressions cluster on " + coverage(parts.culprits.front());
  for (std::size_t i = 1; i < parts.culprits.size(); ++i) out += ", then on " + coverage(parts.culprits[i]);
  return out;
}

std::vector<std::string> predicates(const CulpritFindings& parts) {
  std::vector<std::string> out;
  for (const core::Culprit& one : parts.culprits) out.push_back(one.predicate);
  return out;
}

}  // namespace plumbline::verdict
