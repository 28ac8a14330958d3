// The error of a second look. Rows are looked at again because a first look found them suspicious. With trials on both sides
// that the first look has not seen, the second one is an experiment of its own: given whatever the first one chose, its p are
// valid, and by Holm (1979) over the k rows that were chosen the chance to confirm any row that is within tolerance is at most
// alpha. Whatever the first look did to choose them costs nothing (Cox 1975 splits data for the same reason).
//
// With fresh trials of one side only, against the baseline that raised the suspicion, that is not so: a baseline that came out
// fast by chance makes its rows suspicious at both looks. Then the correction is for all m rows that the first look judged: each
// of their p would be valid if all were measured again, the largest of them are left out, and Bonferroni's inequality asks
// nothing of how p depend on each other or on the choice. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/experiment/looks.hpp"

namespace plumbline::core {

// What all rows of a second look may err together: the bound of the first law (docs/methodology.md).
inline constexpr double kConfirmAlpha = 0.02;

// Which of these p survive Holm's procedure over `family` hypotheses, those that are not given having p = 1.
[[nodiscard]] std::vector<bool> holm_survivors(std::span<const double> p, double alpha, std::uint64_t family);

// The fewest trials a side with which a row can be confirmed at all, its trials lying as far apart as they can; nullopt where
// no number up to 1000 suffices, or where `anytime` none up to `last`, if somebody said one (core/experiment/looks.hpp).
// `baseline` trials are there already where the design is ranks.
[[nodiscard]] std::optional<std::uint32_t> fewest_to_confirm(Design design, bool anytime, double alpha, std::uint64_t family,
                                                             std::uint32_t baseline = 0, std::uint32_t last = 0);

}  // namespace plumbline::core
