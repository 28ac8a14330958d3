// The rows of a diff as every renderer sees them: one flat view a row, whether it comes from a Comparison (values) or from a
// ProfileDiff (nanoseconds a name). Views borrow from the DiffResult and from the Rows; neither copies a row. Internal to
// reports/.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/results/diff.hpp"
#include "core/results/profile_diff.hpp"

namespace plumbline::reports {

struct RowView {
  std::string_view key, metric, unit;
  core::State state = core::State::unchanged;
  core::Direction direction = core::Direction::unknown;
  std::optional<double> baseline, current, delta, delta_pct;  // absent: no number there, or undefined
  std::string_view baseline_text, current_text;               // what the file said where it was not a plain number
  const core::Tolerance* tolerance = nullptr;                 // null for rows of captures
  const core::RowStatistics* statistics = nullptr;
  const core::SolLine* sol = nullptr;
  const core::RowWaiver* waiver = nullptr;  // of a row that is worse and that a waiver speaks of
  std::string_view note;
  std::uint64_t n_baseline = 0, n_current = 0;
  double used = 0;
  bool suspect = false, exceeds = false, adverse = false, headline = false, gate = false, proven = false;
  bool culprit = false;  // lies in the part that regressed
  [[nodiscard]] bool waived() const { return waiver != nullptr && waiver->state == core::WaiverState::holds; }
};

class Rows {
 public:
  explicit Rows(const core::DiffResult& result);
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] RowView at(std::size_t index) const;
  // Not written to lists of every row: `unchanged` rows of a large diff, unless all rows were asked for.
  [[nodiscard]] bool omitted(std::size_t index) const;
  [[nodiscard]] std::uint64_t omitted_count() const;
  // Indices in the order of deltas_top20, at most `count`.
  [[nodiscard]] std::vector<std::uint32_t> top(std::size_t count) const;
  [[nodiscard]] const core::Comparison* comparison() const { return comparison_; }
  [[nodiscard]] const core::SolLine* sol_of(core::Id key) const;

 private:
  struct ProfileEntry {
    std::string key;
    const core::ProfileRow* row;
  };
  const core::DiffResult& result_;
  const core::Comparison* comparison_ = nullptr;
  std::unordered_map<core::Id, const core::SolLine*> sol_;
  std::vector<ProfileEntry> profile_rows_;
  std::vector<std::uint32_t> profile_order_;
  bool leaves_out_ = false;
};

inline constexpr std::size_t kRowsBeforeOmission = 20000;

// "regressed", "regressed (suspect)", "gate failed", "regressed (waived)": the state as a reader says it.
[[nodiscard]] std::string state_text(const RowView& row);
// Value cells: the number with its unit, else the file's own text, else "-".
[[nodiscard]] std::string baseline_cell(const RowView& row);
[[nodiscard]] std::string current_cell(const RowView& row);
// The same for a table that is read at a glance: three digits.
[[nodiscard]] std::string short_cell(const std::optional<double>& value, std::string_view text, const RowView& row);
[[nodiscard]] std::string change_cell(const RowView& row);  // "+4.8%", or the difference where percent is undefined or not meant

// The lines of rows with a ceiling, those that lost most points first.
[[nodiscard]] std::vector<const core::SolLine*> worst_first(const std::vector<core::SolLine>& lines);

// "higher-is-better", …, and "auto" where each row has its own.
[[nodiscard]] std::string_view direction_word(const core::DiffResult& result);
[[nodiscard]] std::string tolerance_word(const core::DiffResult& result);  // "5%" or "absolute 5"
// "RED: 2 of 14 rows regressed" …: one sentence under the verdict.
[[nodiscard]] std::string summary_sentence(const core::DiffResult& result);
[[nodiscard]] std::string title_of(const core::DiffResult& result);  // "family / measurement"

}  // namespace plumbline::reports
