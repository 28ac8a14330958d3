// The last thing that happens to what a reader made: secrets that stood in the file are left out of every text that can be
// shown (keys, metrics, dimensions, texts of rows, context, warnings, errors). All readers pass here, so none needs rules of
// its own. What is left out is warned of with a count (secret_in_source).
#pragma once

#include "core/error.hpp"
#include "core/measurement.hpp"

namespace plumbline::formats {

void screen(core::Measurement& measurement);
[[nodiscard]] core::Error screened(core::Error error);

}  // namespace plumbline::formats
