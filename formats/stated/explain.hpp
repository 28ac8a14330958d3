// What `inspect --explain` shows of a file: by which line of its statement each line was taken, and which were left. A file whose
// format is not stated is shown by a draft of a statement, which is given as well.
#pragma once

#include <string_view>

#include "configs/configs.hpp"
#include "core/error.hpp"
#include "core/results/small.hpp"
#include "formats/format.hpp"

namespace plumbline::formats::stated {

// `format`: the one that reads the file, null where none does. Error (invalid_input) where neither it nor a draft can be shown:
// packed data, a folder, a text without a number.
[[nodiscard]] core::Expected<core::Explained> explain(const Input& input, const Format* format,
                                                      const configs::MetricNames& names);

}  // namespace plumbline::formats::stated
