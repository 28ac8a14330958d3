// Names and times of captures in sentences.
#pragma once

#include <string>

namespace plumbline::profiles {

// The function's own name, without return type, template arguments and parameters: for sentences, not for matching.
[[nodiscard]] std::string short_name(std::string name);
// "26.0 ms", "-13.9 us", for messages.
[[nodiscard]] std::string time_text(double nanoseconds);

}  // namespace plumbline::profiles
