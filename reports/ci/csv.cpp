// The rows of a diff for a spreadsheet.
#include <cmath>

#include "core/text.hpp"
#include "reports/reports.hpp"
#include "reports/rows.hpp"
#include "reports/text.hpp"
#include "reports/waivers.hpp"

namespace plumbline::reports {
namespace {

void csv_number(std::string& out, const std::optional<double>& value) {
  if (value && std::isfinite(*value)) core::append_number(out, *value);
}

}  // namespace

std::string diff_csv(const core::DiffResult& result) {
  const Rows rows(result);
  std::string out =
      "key,metric,unit,direction,state,suspect,baseline,current,delta,delta_pct,tolerance_kind,tolerance_value,tolerance_source,"
      "exceeds,headline,gate,n_baseline,n_current,p,note,waiver\r\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows.omitted(i)) continue;
    const RowView row = rows.at(i);
    out += csv_field(row.key) + "," + csv_field(row.metric) + "," + csv_field(row.unit) + ",";
    out += to_string(row.direction);
    out += ',';
    out += to_string(row.state);
    out += row.suspect ? ",true," : ",false,";
    for (const std::optional<double>& value : {row.baseline, row.current, row.delta, row.delta_pct}) {
      csv_number(out, value);
      out += ',';
    }
    if (row.tolerance != nullptr) {
      out += to_string(row.tolerance->kind);
      out += ',';
      csv_number(out, row.tolerance->value);
      out += ',';
      out += to_string(row.tolerance->source);
      out += ',';
    } else {
      out += ",,,";
    }
    out += row.exceeds ? "true," : "false,";
    out += row.headline ? "true," : "false,";
    out += row.gate ? "true," : "false,";
    core::append_number(out, row.n_baseline);
    out += ',';
    core::append_number(out, row.n_current);
    out += ',';
    if (row.statistics != nullptr) csv_number(out, row.statistics->p);
    out += ',';
    out += csv_field(row.note);
    out += ',';
    if (row.waiver != nullptr) out += csv_field(row_waiver_text(*row.waiver));
    out += "\r\n";
  }
  return out;
}

}  // namespace plumbline::reports
