#include "core/evidence/row_evidence.hpp"

#include <algorithm>

#include "core/evidence/row_groups.hpp"

namespace plumbline::core {
namespace {

void count_points(std::span<const EvidenceRow> rows, Evidence& out) {
  enum : std::uint8_t { judged = 1, worse = 2 };
  std::uint32_t last = 0;
  for (const EvidenceRow& row : rows) last = std::max(last, row.point);
  std::vector<std::uint8_t> points(rows.empty() ? 0 : last + std::size_t{1});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const RowEvidence& row = out.rows[i];
    if (row.group == kNoGroup) continue;
    points[rows[i].point] |= judged;
    if (row.regressed && !row.suspect) points[rows[i].point] |= worse;
  }
  for (const std::uint8_t point : points) {
    out.judged_points += (point & judged) != 0 ? 1 : 0;
    out.regressed_points += (point & worse) != 0 ? 1 : 0;
  }
}

}  // namespace

Evidence weigh_rows(std::span<const ClassName> classes, std::span<const EvidenceRow> rows, double alpha) {
  Evidence out;
  RowGroups groups(classes, rows, out);
  weigh_runs(groups, out);
  weigh_trials(groups, alpha, out);
  count_points(rows, out);
  return out;
}

}  // namespace plumbline::core
