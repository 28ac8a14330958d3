// Text for readers: every escape and every way a number is shown, once. What comes from a measured file (keys, texts, context)
// is hostile until it went through one of these: terminals get no control characters, Markdown no table or link syntax, HTML and
// XML no markup, workflow commands no line ends, and nobody what looks like a secret (CSV has rows only, which readers have
// screened). Invalid UTF-8 becomes U+FFFD everywhere. Pure; internal to reports/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/citing.hpp"
#include "core/columns.hpp"
#include "core/unicode.hpp"

namespace plumbline::reports {

using core::append_utf8;
using core::next_code_point;
using core::shorten_bytes;  // cut in the middle, between code points

// Valid UTF-8 on one line, deceptive characters taken away (core/citing.hpp), without secrets.
[[nodiscard]] std::string one_line(std::string_view text);

[[nodiscard]] std::string markdown_text(std::string_view text);                         // inside a paragraph, list or table cell
[[nodiscard]] std::string markdown_code(std::string_view text, bool in_table = false);  // `text`, with a fence long enough
[[nodiscard]] std::string markup(std::string_view text);           // HTML and XML, content and attribute values
[[nodiscard]] std::string csv_field(std::string_view text);        // RFC 4180
[[nodiscard]] std::string github_data(std::string_view text);      // a workflow command's message
[[nodiscard]] std::string github_property(std::string_view text);  // and its properties (title=…)

using core::display_width;
using core::pad_left;
using core::pad_right;
using core::shorten_middle;

[[nodiscard]] std::string figure(double value);                         // whole numbers exactly, else six digits
[[nodiscard]] std::string figure(double value, std::string_view unit);  // "310 GB/s"
[[nodiscard]] std::string figure(const std::optional<double>& value, std::string_view unit);  // "n/a" when absent
// Three digits, but never fewer than there are before the point: "20,571 us", "1.68 ms". As it is: whoever writes it escapes it.
[[nodiscard]] std::string short_figure(double value, std::string_view unit);
[[nodiscard]] std::string signed_figure(double value, std::string_view unit);  // "-15 GB/s"
[[nodiscard]] std::string percent(const std::optional<double>& value);         // "6%", "n/a": the reference tool's column
[[nodiscard]] std::string signed_percent(double value);                        // "+4.8%", for terminal and page
[[nodiscard]] std::string byte_count(std::uint64_t bytes);                     // "12.3 KiB"
[[nodiscard]] std::string grouped(std::uint64_t number);                       // "12,345"

// "16.71 ms", "356 us", "0.73 us": four digits, never bare nanoseconds.
[[nodiscard]] std::string time_text(std::int64_t ns);
[[nodiscard]] std::string signed_time_text(std::int64_t ns);
// The reference tool's, for the tables that are its: "0", "100ns", "1.500us", "300.000ms", "1.000s"; "+50.0%", "n/a".
[[nodiscard]] std::string fmt_ns(std::int64_t ns);
[[nodiscard]] std::string fmt_pct(const std::optional<double>& pct);

}  // namespace plumbline::reports
