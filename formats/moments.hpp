// Points in time as tools write them: they say when a line was written, so no point of two runs ever has the same one.
// Private to formats/.
#pragma once

#include <string_view>

namespace plumbline::formats {

// Whether a time of day stands in the text: "2024-05-01 12:30:00", "12:30:00.5", "Fri Jun 24 14:16:49 2022".
[[nodiscard]] bool holds_time_of_day(std::string_view text);
// Whether the text is a date with a time of day, or begins with one, and says nothing that lasts.
[[nodiscard]] bool is_moment(std::string_view text);

}  // namespace plumbline::formats
