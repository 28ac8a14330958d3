#include "reports/page/case_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <unordered_map>

#include "core/text.hpp"
#include "reports/page/html.hpp"
#include "reports/page/tone.hpp"
#include "reports/suite.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {
namespace {

constexpr std::size_t kColumns = 8, kCases = 500, kCasesInSight = 14;

// Of the rows of one metric in one case the one that is furthest beyond its tolerance.
struct Cell {
  std::uint32_t worst = 0;
  double used = -1;
  std::uint64_t rows = 0, bad = 0;
};
struct Metric {
  std::string name;
  std::uint64_t cases = 0;
  double used = 0;
  std::unordered_map<std::string_view, Cell> by_case;
};

// How much a row weighs: beyond its tolerance in the worse direction most, within it least.
double weight(const core::Delta& delta) {
  if (delta.state == core::State::context) return -1;
  const double used = std::isfinite(delta.used) ? std::min(delta.used, 1e6) : 1e6;
  return delta.adverse || delta.state == core::State::missing ? 1e7 + used : used;
}

std::vector<Metric> metrics_of(const core::Comparison& all, const core::RowMarks& marks) {
  std::map<std::string, Metric, std::less<>> found;
  const core::Id by = all.baseline->pool().intern("case");
  for (std::uint32_t i = 0; i < all.deltas.size(); ++i) {
    const core::Delta& delta = all.deltas[i];
    const core::Row* row = all.row(delta);
    if (row == nullptr || delta.state == core::State::context) continue;
    const core::Measurement& side = all.side(delta);
    const auto dims = side.dims(*row);
    const auto at = std::ranges::find(dims, by, &std::pair<core::Id, core::Id>::first);
    if (at == dims.end()) continue;
    std::string name(side.metric(*row));
    if (const std::string_view unit = side.unit(*row); !unit.empty()) name.append(", ").append(unit);
    Metric& metric = found[name];
    metric.name = std::move(name);
    Cell& cell = metric.by_case[side.pool().view(at->second)];
    const double used = weight(delta);
    ++cell.rows;
    cell.bad += delta.state == core::State::regressed && !marks.waived(i) ? 1 : 0;
    if (used > cell.used) {
      cell.used = used;
      cell.worst = i;
    }
    metric.used = std::max(metric.used, used);
  }
  std::vector<Metric> out;
  out.reserve(found.size());
  for (auto& [name, metric] : found) out.push_back(std::move(metric));
  // What most cases have first; of those what is worst.
  std::ranges::stable_sort(out, [](const Metric& a, const Metric& b) {
    return std::pair(a.used >= 1e7 ? 1 : 0, a.by_case.size()) > std::pair(b.used >= 1e7 ? 1 : 0, b.by_case.size());
  });
  return out;
}

std::string cell_of(const Cell& cell, const Rows& rows) {
  const RowView row = rows.at(cell.worst);
  const std::string_view tone = tone_of(row);
  std::string words = row.delta_pct ? change_cell(row) : state_text(row);
  if (cell.rows > 1 && cell.bad > 0) words += " (" + grouped(cell.bad) + " of " + grouped(cell.rows) + ")";
  const std::string_view sign = tone == "bad" ? "✕ " : tone == "doubt" ? "? " : tone == "good" ? "✓ " : "";
  return std::string(sign) + html::plain(words, 40);
}

class CaseTable {
 public:
  CaseTable(const core::DiffResult& result, const Rows& rows) : rows_(rows) {
    if (result.shape() == core::Shape::suite && result.comparison() != nullptr)
      metrics_ = metrics_of(*result.comparison(), result.marks());
    columns_ = std::min(metrics_.size(), kColumns);
  }

  [[nodiscard]] std::string text(std::span<const core::SuiteCase> cases, bool remarks) const {
    std::vector<html::Column> heads = {{"Case"}, {"State"}};
    for (std::size_t i = 0; i < columns_; ++i) heads.push_back({metrics_[i].name, true});
    if (columns_ == 0) heads.push_back({"Headline"});
    if (remarks) heads.push_back({"Remark"});
    html::Table table(heads, "cases");
    for (const core::SuiteCase& one : cases) {
      table.row().markup(html::code(one.id)).markup(html::chip(case_state_text(one), case_tone(one)));
      for (std::size_t i = 0; i < columns_; ++i) add(table, metrics_[i], one.id);
      if (columns_ == 0) table.cell(case_headline_text(one), 200);
      if (remarks) table.cell(case_remark(one), 600);
    }
    return table.text(remarks ? "Every case" : "Cases, worst first");
  }
  [[nodiscard]] std::size_t left_out() const { return metrics_.size() - columns_; }

 private:
  void add(html::Table& table, const Metric& metric, std::string_view id) const {
    const auto cell = metric.by_case.find(id);
    if (cell == metric.by_case.end()) {
      table.markup("–", "none");
      return;
    }
    table.markup(cell_of(cell->second, rows_), "h-" + std::string(tone_of(rows_.at(cell->second.worst))));
  }

  const Rows& rows_;
  std::vector<Metric> metrics_;
  std::size_t columns_ = 0;
};

}  // namespace

std::string case_matrix(const core::SuiteReport& suite, const core::DiffResult& result, const Rows& rows) {
  const std::size_t shown = std::min(suite.cases.size(), kCasesInSight);
  const CaseTable table(result, rows);
  std::string out =
      "<p>" + html::plain(core::totals_text(suite)) + "</p>\n" + table.text(std::span(suite.cases).first(shown), false);
  if (suite.cases.size() > shown)
    out += html::note("The worst " + grouped(shown) + " of " + core::counted(suite.cases.size(), "case") + ".");
  return out;
}

std::string cases_section(const core::SuiteReport& suite, const core::DiffResult& result, const Rows& rows) {
  const std::size_t shown = std::min(suite.cases.size(), kCases);
  const CaseTable table(result, rows);
  std::string body = table.text(std::span(suite.cases).first(shown), true);
  if (table.left_out() > 0) body += html::note(grouped(table.left_out()) + " further metrics are in the rows below.");
  if (suite.cases.size() > shown) body += html::note(grouped(suite.cases.size() - shown) + " more cases are in diff.json.");
  return html::section("Cases and what is said of them", html::folded(core::counted(shown, "case"), body), {.wide = true});
}

}  // namespace plumbline::reports
