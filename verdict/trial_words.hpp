// What the trials of a comparison show beside their verdict: spreads too small to promise by, and single trials far from the
// others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "verdict/policy.hpp"

namespace plumbline::verdict {

// Rows whose spread was drawn towards that of others (`variance_shrunk`): see verdict/among_rows.cpp.
void say_moderated(const core::ModeratedRows& moderated, std::vector<core::Warning>& warnings);

// Trials far from the others of their side (`outlier_trial`), and the run that most of them point to.
void say_outliers(const core::Comparison& comparison, std::span<const std::uint32_t> tested,
                  std::vector<core::Warning>& warnings);

}  // namespace plumbline::verdict
