#include "verdict/siblings/words.hpp"

#include <algorithm>
#include <cmath>

#include "core/citing.hpp"
#include "core/text.hpp"

namespace plumbline::verdict::siblings {

std::string deviation_words(const core::SiblingDeviation& deviation) {
  const double size = std::fabs(deviation.change_pct);
  std::string out = core::short_number(size, 3) + "% " + (deviation.change_pct < 0 ? "below" : "above") + " the others in " +
                    core::cited(deviation.what);
  out += " (p ";
  out += deviation.p < 1e-6 ? "under 1e-6" : core::short_number(deviation.p, 2);
  if (deviation.sol_pct && deviation.others_sol_pct) {
    out += ", " + core::short_number(*deviation.sol_pct, 3) + "% of its ceiling where the others reach " +
           core::short_number(*deviation.others_sol_pct, 3) + "%";
  }
  return out + ")";
}

std::string counted_siblings(std::size_t n, const std::string& kind) { return core::counted(n, core::one_line(kind, 60)); }

std::string listed_with_why(const std::vector<const core::Sibling*>& siblings) {
  constexpr std::size_t kListed = 5;
  std::vector<std::string> said;
  said.reserve(siblings.size());
  for (const core::Sibling* one : siblings) said.push_back(core::cited(one->name) + ", " + one->why);
  std::string out;
  for (std::size_t i = 0; i < std::min(said.size(), kListed); ++i) out += (i == 0 ? "" : "; ") + said[i];
  if (said.size() > kListed) out += "; and " + std::to_string(said.size() - kListed) + " more";
  return out;
}

core::Recommendation recommendation_of(const core::OutliersResult& result) {
  core::Recommendation out;
  const auto has = [&](core::ReasonCode code) {
    return std::any_of(result.reasons.begin(), result.reasons.end(), [&](const core::Reason& one) { return one.code == code; });
  };
  out.suspects = result.drain;
  if (!result.drain.empty()) {
    out.action = "investigate";
    out.message = "take " + core::cited_list(result.drain) + " out of use and run the test there again by itself";
    if (!result.groups.empty()) out.message += "; look first at what " + result.groups.front().predicate + " share";
    return out;
  }
  if (has("two_groups")) {
    out.action = "investigate";
    out.message = "find what the two groups differ in, or compare each with a baseline of its own";
  } else if (has("too_few_siblings")) {
    out.action = "rerun";
    out.message = "run the same test on a third " + core::one_line(result.sibling_kind, 60) + ", or compare with a baseline";
  } else if (has("outlier_doubtful")) {
    out.action = "rerun";
    out.message = "run the test three times or more on each " + core::one_line(result.sibling_kind, 60);
  } else if (has("outlier_fast") || has("context_differs")) {
    out.action = "investigate";
    out.message = "see that all of them ran the same test with the same set-up";
  } else {
    out.action = "none";
    out.message = "nothing to do; that all of them are slow alike only a baseline shows";
  }
  return out;
}

}  // namespace plumbline::verdict::siblings
