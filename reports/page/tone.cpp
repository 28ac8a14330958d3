#include "reports/page/tone.hpp"

#include <cmath>

namespace plumbline::reports {

std::string_view tone_of(const RowView& row) {
  if (row.tolerance == nullptr && row.unit == "ns") {  // a name of a capture: time won or lost
    return !row.delta || *row.delta == 0 ? "flat" : *row.delta > 0 ? "bad" : "good";
  }
  switch (row.state) {
    case core::State::regressed:
      return row.suspect || row.waived() ? "doubt" : "bad";
    case core::State::missing:
    case core::State::invalid:
      return "bad";
    case core::State::inconclusive:
    case core::State::unclassified:
      return "doubt";
    case core::State::improved:
      return "good";
    default:
      return "flat";
  }
}

double band_pct(const RowView& row) {
  if (row.tolerance == nullptr || row.state == core::State::context) return 0;
  if (row.tolerance->kind == core::ToleranceKind::percent) return row.tolerance->value;
  // Absolute and points: on the percent axis by way of the row's own scale.
  if (!row.delta || !row.delta_pct || *row.delta == 0) return 0;
  double absolute = row.tolerance->value;
  if (row.tolerance->kind == core::ToleranceKind::points && row.unit != "%") absolute /= 100;
  return absolute * std::fabs(*row.delta_pct / *row.delta);
}

std::pair<double, double> band_ends(const RowView& row, double band) {
  return {row.direction == core::Direction::lower ? 0 : -band, row.direction == core::Direction::higher ? 0 : band};
}

}  // namespace plumbline::reports
