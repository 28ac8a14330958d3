#include "core/evidence/row_evidence.hpp"

#include "core/evidence/row_groups.hpp"

namespace plumbline::core {
namespace {

class ListedRows final : public EvidenceRows {
 public:
  explicit ListedRows(std::span<const EvidenceRow> rows) : rows_(rows) {}
  [[nodiscard]] std::size_t size() const override { return rows_.size(); }
  [[nodiscard]] EvidenceRow operator[](std::size_t i) const override { return rows_[i]; }

 private:
  std::span<const EvidenceRow> rows_;
};

void count_points(const EvidenceRows& rows, Evidence& out) {
  enum : std::uint8_t { judged = 1, worse = 2 };
  std::vector<std::uint8_t> points;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const RowEvidence& row = out.rows[i];
    if (row.group == kNoGroup) continue;
    const std::size_t point = rows.point_of(i);
    if (point >= points.size()) points.resize(point + 1);
    points[point] |= judged;
    if (row.regressed && !row.suspect) points[point] |= worse;
  }
  for (const std::uint8_t point : points) {
    out.judged_points += (point & judged) != 0 ? 1 : 0;
    out.regressed_points += (point & worse) != 0 ? 1 : 0;
  }
}

}  // namespace

Evidence weigh_rows(std::span<const ClassName> classes, const EvidenceRows& rows, const WeighRules& rules) {
  Evidence out;
  RowGroups groups(classes, rows, out);
  weigh_runs(groups, out);
  weigh_trials(groups, rules, out);
  count_points(rows, out);
  return out;
}

Evidence weigh_rows(std::span<const ClassName> classes, std::span<const EvidenceRow> rows, const WeighRules& rules) {
  return weigh_rows(classes, ListedRows(rows), rules);
}

}  // namespace plumbline::core
