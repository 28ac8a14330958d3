// JSON as Python's json.dumps writes it: other systems hash and print such text, so that it has to be the same byte for byte.
// Not RFC 8785: a float keeps its point ("1.0", "1e+22", "1e-05"), NaN and Infinity are bare words.
#pragma once

#include <string>
#include <string_view>

namespace plumbline::systems {

// float.__repr__, with JSON's words for what is not finite: "NaN" "Infinity" "-Infinity".
void append_python_number(std::string& out, double value);

// A string with its quotes. ensure_ascii: everything beyond printable ASCII as \uXXXX, in surrogate pairs; else as it stands.
// Bytes that are not UTF-8 become U+FFFD; a lone surrogate (as three bytes) is kept where it can be written.
void append_python_string(std::string& out, std::string_view text, bool ensure_ascii);

}  // namespace plumbline::systems
