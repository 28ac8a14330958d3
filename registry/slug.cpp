#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>

#include "base/characters.hpp"
#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/store.hpp"

namespace plumbline::registry {
namespace {

constexpr std::size_t kSegmentLimit = 128;

using base::is_alphanumeric;

std::tm utc_parts(std::chrono::system_clock::time_point time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const std::time_t plain = std::chrono::system_clock::to_time_t(seconds);
  std::tm parts{};
  ::gmtime_r(&plain, &parts);
  return parts;
}

}  // namespace

core::Status check_segment(std::string_view what, std::string_view text) {
  bool good = !text.empty() && text.size() <= kSegmentLimit && is_alphanumeric(text.front());
  for (const char c : text) good = good && (is_alphanumeric(c) || c == '.' || c == '_' || c == '-');
  if (good) return {};
  const bool cut = text.size() > kSegmentLimit;
  std::string shown = core::cited(text.substr(0, kSegmentLimit));
  if (cut) shown += "… (" + std::to_string(text.size()) + " characters)";
  return core::fail(core::ErrorCode::usage, std::string(what) + " must be one safe path segment: " + shown,
                    "letters, digits, '.', '_' and '-', starting with a letter or digit, at most 128 characters",
                    std::string(what));
}

std::string slug_of(std::chrono::system_clock::time_point time) {
  const auto parts = utc_parts(time);
  const auto microseconds =
      std::chrono::duration_cast<std::chrono::microseconds>(time - std::chrono::floor<std::chrono::seconds>(time)).count();
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d%02d%02dT%02d%02d%02d%06dZ", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                parts.tm_hour, parts.tm_min, parts.tm_sec, static_cast<int>(microseconds));
  return text.data();
}

std::string utc_text(std::chrono::system_clock::time_point time) {
  const auto parts = utc_parts(time);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02d-%02dT%02d:%02d:%02dZ", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                parts.tm_hour, parts.tm_min, parts.tm_sec);
  return text.data();
}

bool is_slug(std::string_view text) {
  if (text.size() != 22 || text[8] != 'T' || text[21] != 'Z') return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i != 8 && i != 21 && (text[i] < '0' || text[i] > '9')) return false;
  }
  return true;
}

std::optional<std::chrono::system_clock::time_point> time_of_slug(std::string_view slug) {
  if (!is_slug(slug)) return std::nullopt;
  const auto number = [&](std::size_t at, std::size_t digits) {
    int value = 0;
    for (const char c : slug.substr(at, digits)) value = value * 10 + (c - '0');
    return value;
  };
  std::tm parts{};
  parts.tm_year = number(0, 4) - 1900;
  parts.tm_mon = number(4, 2) - 1;
  parts.tm_mday = number(6, 2);
  parts.tm_hour = number(9, 2);
  parts.tm_min = number(11, 2);
  parts.tm_sec = number(13, 2);
  const auto time = std::chrono::system_clock::from_time_t(::timegm(&parts)) + std::chrono::microseconds(number(15, 6));
  return slug_of(time) == slug ? std::optional(time) : std::nullopt;  // the 31st of February is none
}

namespace {

// So many digits at the beginning of `text`, taken off it; nullopt when they are not there.
std::optional<int> take_digits(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return std::nullopt;
  int value = 0;
  for (const char c : text.substr(0, digits)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  text.remove_prefix(digits);
  return value;
}

bool take(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

// ".123" in microseconds; further digits are read and not kept.
std::optional<int> take_fraction(std::string_view& text) {
  if (!take(text, ".,")) return 0;
  int value = 0;
  std::size_t digits = 0;
  for (; !text.empty() && text.front() >= '0' && text.front() <= '9'; ++digits, text.remove_prefix(1)) {
    if (digits < 6) value = value * 10 + (text.front() - '0');
  }
  if (digits == 0) return std::nullopt;
  for (; digits < 6; ++digits) value *= 10;
  return value;
}

// "Z" or "+01:00", in minutes east of UTC.
std::optional<int> take_offset(std::string_view& text) {
  if (take(text, "Zz")) return 0;
  const bool west = text.starts_with('-');
  if (!take(text, "+-")) return std::nullopt;
  const auto hours = take_digits(text, 2);
  if (!hours || !take(text, ":")) return std::nullopt;
  const auto minutes = take_digits(text, 2);
  if (!minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  return (west ? -1 : 1) * (*hours * 60 + *minutes);
}

}  // namespace

std::optional<std::chrono::system_clock::time_point> parse_time(std::string_view text) {
  const auto year = take_digits(text, 4);
  if (!year || *year < 1900 || *year > 2200) return std::nullopt;  // beyond 2262 the clock's nanoseconds overflow
  if (!take(text, "-")) return std::nullopt;
  const auto month = take_digits(text, 2);
  if (!month || !take(text, "-")) return std::nullopt;
  const auto day = take_digits(text, 2);
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(day.value_or(0)))};
  if (!day || !date.ok()) return std::nullopt;
  const std::chrono::sys_days midnight(date);
  if (text.empty()) return midnight;
  if (!take(text, "Tt ")) return std::nullopt;
  const auto hours = take_digits(text, 2);
  if (!hours || !take(text, ":")) return std::nullopt;
  const auto minutes = take_digits(text, 2);
  if (!minutes || !take(text, ":")) return std::nullopt;
  const auto seconds = take_digits(text, 2);
  if (!seconds || *hours > 23 || *minutes > 59 || *seconds > 60) return std::nullopt;
  const auto micros = take_fraction(text);
  const auto offset = micros ? take_offset(text) : std::nullopt;
  if (!offset || !text.empty()) return std::nullopt;
  return midnight + std::chrono::hours(*hours) + std::chrono::minutes(*minutes - *offset) + std::chrono::seconds(*seconds) +
         std::chrono::microseconds(*micros);
}

std::string measured_slug(const core::BaselineRecord& record, std::string_view slug) {
  const auto measured = record.measured_at_utc.empty() ? std::nullopt : parse_time(record.measured_at_utc);
  std::string out(slug);
  if (measured) out = std::min(out, slug_of(*measured));
  return out;
}

}  // namespace plumbline::registry
