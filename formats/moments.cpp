#include "formats/moments.hpp"

#include <algorithm>

#include "base/characters.hpp"
#include "core/text.hpp"

namespace plumbline::formats {
namespace {

using base::is_digit;

// Where "hh:mm:ss" or, behind a date, "hh:mm" begins at `at`.
bool begins_time(std::string_view text, std::size_t at, bool with_seconds) {
  const auto two = [&](std::size_t i) { return i + 1 < text.size() && is_digit(text[i]) && is_digit(text[i + 1]); };
  const auto colon = [&](std::size_t i) { return i < text.size() && text[i] == ':'; };
  if (at > 0 && is_digit(text[at - 1])) return false;
  if (!two(at) || !colon(at + 2) || !two(at + 3)) return false;
  return !with_seconds || (colon(at + 5) && two(at + 6));
}

// The length of "2024-05-01", "2024/05/01" at the beginning; 0 where there is none.
std::size_t date_length(std::string_view text) {
  constexpr std::size_t kLength = 10;
  if (text.size() < kLength || (text[4] != '-' && text[4] != '/') || text[7] != text[4]) return 0;
  for (const std::size_t i : {0, 1, 2, 3, 5, 6, 8, 9}) {
    if (!is_digit(text[i])) return 0;
  }
  return kLength;
}

}  // namespace

bool holds_time_of_day(std::string_view text) {
  for (std::size_t at = text.find(':'); at != std::string_view::npos; at = text.find(':', at + 1)) {
    if (at >= 2 && begins_time(text, at - 2, true)) return true;
  }
  return false;
}

bool is_moment(std::string_view text) {
  text = core::trim(text);
  constexpr std::size_t kLongest = 40;
  if (text.size() > kLongest || text.size() < 8) return false;
  if (const std::size_t date = date_length(text); date > 0) return text.size() > date + 1 && begins_time(text, date + 1, false);
  // "Fri Jun 24 14:16:49 2022", "24/Jun/2022:14:16:49 +0000", "14:16:49.25"
  if (!holds_time_of_day(text)) return false;
  constexpr std::string_view kNames[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "Jan", "Feb", "Mar",
                                         "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  return begins_time(text, 0, true) || std::any_of(std::begin(kNames), std::end(kNames), [&](std::string_view name) {
           return text.find(name) != std::string_view::npos;
         });
}

}  // namespace plumbline::formats
