// What a format's rows need once several of its files were merged as the trials of one measurement (core::merge_trials): figures
// that are no row of a single file. Nothing for most formats. Called by whoever merged; pure.
#pragma once

#include "core/measurement.hpp"

namespace plumbline::formats {

void finish_merged(core::Measurement& merged);

}  // namespace plumbline::formats
