#include "reports/page/rows_table.hpp"

#include "core/text.hpp"
#include "reports/page/html.hpp"
#include "reports/page/tone.hpp"
#include "reports/text.hpp"
#include "reports/waivers.hpp"

namespace plumbline::reports {
namespace {

constexpr std::size_t kRows = 1000, kInSight = 25;

std::string better(const RowView& row) {
  switch (row.direction) {
    case core::Direction::higher:
      return "higher";
    case core::Direction::lower:
      return "lower";
    case core::Direction::two_sided:
      return "either side";
    case core::Direction::unknown:
      return "not known";
  }
  return {};
}

std::string key_of(const RowView& row) {
  std::string out = html::plain(row.key, 120);
  if (row.headline) out += " " + html::chip("headline");
  if (row.gate) out += " " + html::chip("gate");
  if (row.waiver != nullptr) out += "<small>" + html::plain(row_waiver_text(*row.waiver), 300) + "</small>";
  if (!row.note.empty()) out += "<small>" + html::plain(row.note, 300) + "</small>";
  return out;
}

std::string state_of(const RowView& row) {
  const std::string_view tone = tone_of(row);
  const std::string_view sign = tone == "bad" ? "✕ " : tone == "doubt" ? "? " : tone == "good" ? "✓ " : "";
  return std::string(sign) + state_text(row);
}

html::Table judged_rows(const Rows& rows, const std::vector<std::uint32_t>& shown) {
  html::Table table({{"Row"},
                     {"Baseline", true},
                     {"Current", true},
                     {"Change", true},
                     {"Tolerance", true},
                     {"Trials", true},
                     {"p", true},
                     {"Better"},
                     {"State"}},
                    "rows");
  for (const std::uint32_t index : shown) {
    const RowView row = rows.at(index);
    const std::string_view tone = tone_of(row);
    table.row(tone == "flat" ? std::string_view() : tone)
        .markup(key_of(row))
        .cell(baseline_cell(row), 40)
        .cell(current_cell(row), 40);
    table.cell(change_cell(row), 40).cell(row.tolerance != nullptr ? core::tolerance_text(*row.tolerance) : "–");
    table.markup(std::to_string(row.n_baseline) + "/" + std::to_string(row.n_current));
    table.markup(row.statistics != nullptr && row.statistics->p ? core::short_number(*row.statistics->p, 2) : "–");
    table.markup(better(row)).markup(state_of(row));
  }
  return table;
}

html::Table capture_rows(const Rows& rows, const std::vector<std::uint32_t>& shown) {
  html::Table table({{"Name"}, {"Baseline", true}, {"Candidate", true}, {"Change", true}, {"Calls", true}, {"State"}}, "rows");
  for (const std::uint32_t index : shown) {
    const RowView row = rows.at(index);
    const std::string_view tone = tone_of(row);
    table.row(tone == "flat" ? std::string_view() : tone)
        .markup(key_of(row))
        .cell(baseline_cell(row), 40)
        .cell(current_cell(row), 40);
    table.cell(change_cell(row), 60)
        .markup(std::to_string(row.n_baseline) + "/" + std::to_string(row.n_current))
        .cell(state_text(row));
  }
  return table;
}

}  // namespace

std::string rows_section(const core::DiffResult& result, const Rows& rows) {
  const bool captures = rows.comparison() == nullptr;
  const std::vector<std::uint32_t> shown = rows.top(captures ? kRows / 5 : kRows);
  if (shown.empty()) return {};
  const html::Table table = captures ? capture_rows(rows, shown) : judged_rows(rows, shown);
  std::string body = table.text("Rows");
  if (rows.size() > shown.size()) {
    std::string more = grouped(shown.size()) + " of " + grouped(rows.size()) + " rows, worst first. Every row is in " +
                       (captures ? "profile-diff.json" : "deltas.jsonl");
    if (const std::uint64_t left_out = std::max(result.rows_omitted, rows.omitted_count()); left_out > 0)
      more += " but " + grouped(left_out) + " unchanged ones";
    body += html::note(more + ".");
  }
  const std::string title = captures ? "Kernels, collectives, copies, calls and ranges" : "Rows";
  if (!captures && shown.size() <= kInSight) return html::section(title, body, {.wide = true});
  const std::string count =
      rows.size() > shown.size() ? grouped(shown.size()) + " of " + grouped(rows.size()) : grouped(shown.size());
  return html::section(title, html::folded(count + (shown.size() == 1 ? " row" : " rows"), body), {.wide = true});
}

}  // namespace plumbline::reports
