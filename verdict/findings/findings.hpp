// What rows say beside the verdict, each a warning: a spread that grew though no median moved, rows that seem to have been
// renamed, a tolerance that hides a halving. Pure like the rest of the room.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/comparison.hpp"

namespace plumbline::verdict {

// `spread_grew`: rows whose trials scatter at least twice as much as before. Brown & Forsythe 1974: Welch's t on the distances
// from each side's median, of logarithms, one-sided; five or more trials a side, Benjamini & Hochberg at 1 % over all such rows.
// Ranks and medians bear such a change without a word, and a service that has become unsteady is news.
[[nodiscard]] std::optional<core::Warning> grown_spread(const core::Comparison& comparison,
                                                        std::span<const std::uint32_t> tested);

// `renamed_rows`: a row that vanished and a new one of the same unit and direction, with equal values, or with names that are
// nearly alike and values of one size. At most 50 of each are looked at.
[[nodiscard]] std::optional<core::Warning> renamed_rows(const core::Comparison& comparison);

// `tolerance_hides_halving`: judged rows may lose half, or take twice as long, within their tolerance.
[[nodiscard]] std::optional<core::Warning> wide_tolerance(const core::Comparison& comparison);

// `warm_up`, of each side: in half of the rows with five or more trials, or more of them, the first trial is worse than all
// others, by 5 % and by more than twice the range of the others. Of rows where nothing is cold .7 % (normal) to 3 % (bimodal)
// with five trials look like that, .04 to .4 % with eight.
[[nodiscard]] std::vector<core::Warning> cold_starts(const core::Comparison& comparison);

}  // namespace plumbline::verdict
