#include "verdict/row_text.hpp"

#include <cmath>

#include "core/citing.hpp"
#include "core/text.hpp"

namespace plumbline::verdict {

std::string row_text(const core::Comparison& comparison, const core::Delta& delta) {
  std::string text = core::cited(comparison.baseline->pool().view(delta.key));
  const core::Row* row = comparison.row(delta);
  std::string_view unit = row == nullptr ? std::string_view() : comparison.side(delta).unit(*row);
  if (delta.baseline_row != core::kNoRow) unit = comparison.baseline->unit(comparison.baseline->rows()[delta.baseline_row]);
  if (delta.baseline_row == core::kNoRow) {
    text += " " + core::short_number(delta.current);
    if (!unit.empty()) text += " " + core::cited_word(unit);
    return text + " (not in the baseline)";
  }
  text += " " + core::short_number(delta.baseline) + " -> " + core::short_number(delta.current);
  if (!unit.empty()) text += " " + core::cited_word(unit);
  text += " (";
  if (std::isfinite(delta.delta_pct)) {
    text += core::signed_number(delta.delta_pct, 3) + " %";
  } else {
    text += core::signed_number(delta.delta);
  }
  text += ", tolerance " + core::tolerance_text(comparison.tolerances[delta.tolerance]) + ")";
  return text;
}

}  // namespace plumbline::verdict
