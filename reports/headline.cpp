#include "reports/headline.hpp"

#include "core/citing.hpp"
#include "reports/captures/parts.hpp"
#include "reports/outliers/parts.hpp"
#include "reports/rows.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {

Headline headline_of(const core::DiffResult& result) {
  Headline out{result.verdict, result.tier, title_of(result), {}};
  if (const core::ProfileDiff* profile = result.profile(); profile != nullptr) {
    const auto [baseline, candidate] = side_names(*profile);
    if (out.of.empty()) out.of = core::cited_path(baseline) + " → " + core::cited_path(candidate);
    out.sentence = answer_of(*profile).headline;
  } else {
    out.sentence = result.reasons.empty() ? summary_sentence(result) : result.reasons.front().message;
  }
  return out;
}

Headline headline_of(const core::OutliersResult& result) {
  return {result.verdict, result.tier, "outliers of " + result.format.name,
          result.reasons.empty() ? outliers_summary(result) : result.reasons.front().message};
}

std::string short_sentence(const Headline& headline, std::size_t bytes) {
  return core::shorten_sentence(one_line(headline.sentence), bytes);
}

}  // namespace plumbline::reports
