#include "reports/ci/findings.hpp"

#include "core/tolerance.hpp"
#include "reports/waivers.hpp"

namespace plumbline::reports {

using core::State;

const char* adverse_type(const RowView& row) {
  if (row.tolerance == nullptr || row.waived()) return nullptr;
  switch (row.state) {
    case State::regressed:
      return row.gate ? "gate_failed" : row.suspect ? "suspect" : "regressed";
    case State::missing:
      return row.gate ? "gate_failed" : "missing";
    case State::invalid:
      return row.gate ? "gate_failed" : "invalid";
    default:
      return nullptr;
  }
}

std::string row_sentence(const RowView& row) {
  std::string text = state_text(row) + ": " + baseline_cell(row) + " -> " + current_cell(row);
  if (row.delta) text += " (" + change_cell(row) + ")";
  if (row.tolerance != nullptr) text += ", tolerance " + core::tolerance_text(*row.tolerance);
  if (row.direction != core::Direction::unknown) text += ", " + std::string(to_string(row.direction));
  if (!row.note.empty()) text += "; " + std::string(row.note);
  if (row.waiver != nullptr) text += "; " + row_waiver_text(*row.waiver);
  return text;
}

std::string suite_name(const core::DiffResult& result) {
  if (result.family.empty() && result.measurement.empty()) return "captures";
  return result.family.empty() ? result.measurement : result.family + "/" + result.measurement;
}

}  // namespace plumbline::reports
