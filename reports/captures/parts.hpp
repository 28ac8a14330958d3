// Pieces of the page and of the short report of two captures. Figures are SVG whose places are in percent of the width and whose
// texts are in pixels: they fit any screen, and widening one is zooming it. Every text is escaped where it is put in. Internal to
// reports/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/results/diff.hpp"
#include "core/results/profile_diff.hpp"

namespace plumbline::reports {

// A kernel's name without "void", template arguments and parameters, but for the work that a general one is
// given: "at::native::elementwise_kernel direct_copy_kernel_cuda".
[[nodiscard]] std::string brief_name(std::string_view name);
// The file's or folder's name of a side, or its label; both sides' are told apart by as much of their paths as it takes.
[[nodiscard]] std::pair<std::string, std::string> side_names(const core::ProfileDiff& diff);

// ---- what made one step longer than the other -----------------------------------------------------------------------------

struct FallPart {
  std::string kind;  // "kernel" "collective" "copy" "idle" …, "rest"
  std::string name;  // of idle time the cause and what says so: "data_loading: enumerate(DataLoader)…"
  std::int64_t delta_ns = 0;
  std::uint64_t together = 1;  // parts that it holds
};
inline constexpr std::string_view kTypicalStep = "the typical step";
// From one wall to the other: baseline_ns + the parts = candidate_ns, exactly.
struct Fall {
  std::string of;  // "the typical step", "the mean step", "the wall for the same work"
  std::int64_t baseline_ns = 0, candidate_ns = 0;
  std::vector<FallPart> parts;  // what moved most first, then what is put together
  [[nodiscard]] std::int64_t delta_ns() const { return candidate_ns - baseline_ns; }
  [[nodiscard]] bool medians() const { return of == kTypicalStep; }
};
// Of the typical steps where the verdict is about them, else of the wall, for one step where it is known how long one is. At most
// `most` parts by name; the others are put together by kind. Nothing where the captures carry no wall.
[[nodiscard]] std::optional<Fall> fall_of(const core::ProfileDiff& diff, std::size_t most);
// "idle: waits for data loading (enumerate(DataLoader)…)".
[[nodiscard]] std::string part_label(const FallPart& part);

// ---- the answer -----------------------------------------------------------------------------------------------------------

struct Answer {
  std::string headline;  // one sentence: how much, from what to what, because of what
  std::string interval;  // "95 % interval of the change: +7 % to +21.5 %", "" where there is none
  std::string why;       // of YELLOW: its first reason
  std::string next;      // what to do
};
[[nodiscard]] Answer answer_of(const core::ProfileDiff& diff);

// ---- figures --------------------------------------------------------------------------------------------------------------

[[nodiscard]] std::string fall_chart(const Fall& fall);  // the waterfall
[[nodiscard]] std::string timeline_section(const core::ProfileDiff& diff);
[[nodiscard]] std::string icicle_section(const core::ProfileDiff& diff);
[[nodiscard]] std::string captures_markdown(
    const core::DiffResult& result);  // diff.md: at most 60 lines of at most 200 characters

}  // namespace plumbline::reports
