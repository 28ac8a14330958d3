// The end of a text that has no final line feed. Its writer may have been stopped, or a copy cut, in the middle of the last
// number: "12345" would be read as "12", and nobody would see it. Nor may every such file be refused: many are written without
// that line feed. The rule: a number that touches the end of the text is not believed, unless the text itself shows that it is
// whole: a bracket, a bar, a percent sign or a unit stands behind it, or the lines above it end in numbers of as many decimals.
// What depends on it is found by reading the text once more as it might have gone on, with one more digit: whatever differs is
// invalid. So no reader has rules of its own, trials and derived rows are found as well as single values, and a text whose end
// is no value is left alone. A table of separated fields is milder: see formats/generic/delimited.cpp. One number, or one line of
// a name and a number, is written at once and not asked. Private to formats/.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/measurement.hpp"
#include "formats/format.hpp"

namespace plumbline::formats {

struct OpenTail {
  std::string_view token;  // what may be cut: "12", "7µ"
  std::string_view more;   // how it might have gone on: a digit, or what completes the unit
};
// Nothing where the text ends with a line feed or shows that its last value is whole.
[[nodiscard]] std::optional<OpenTail> open_tail(std::string_view text);

// What is said of a value that touches the end; the row's text.
[[nodiscard]] std::string cut_value(std::string_view token);
// The warning `truncated_tail`. `what` names the rows or settings that depend on the token: "1 row …".
[[nodiscard]] core::Warning truncated_tail(std::string_view token, const std::string& what);

// Makes invalid what depends on the open tail of `input`, which `format` has read as `measurement`.
void doubt_tail(core::Measurement& measurement, const Format& format, const Input& input, const ReadOptions& options);

}  // namespace plumbline::formats
