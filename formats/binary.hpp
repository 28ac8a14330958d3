// Formats whose files are no text: they say so in the first word of About::file. Nothing is taken off such a file before it is
// read, no reader of texts is asked about it, and `plumbline formats` has no example to print. Private to formats/.
#pragma once

#include "formats/format.hpp"

namespace plumbline::formats {

[[nodiscard]] inline bool is_binary(const Format& format) { return format.about.file.starts_with("binary"); }

}  // namespace plumbline::formats
