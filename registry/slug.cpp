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

}  // namespace plumbline::registry
