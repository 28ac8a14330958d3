#include <sys/stat.h>

#include <ctime>

#include "core/citing.hpp"
#include "registry/store.hpp"
#include "verbs/environment.hpp"
#include "verbs/import/points.hpp"
#include "verbs/resolving/session.hpp"

namespace plumbline::verbs {
namespace {

using Time = std::chrono::system_clock::time_point;

constexpr std::size_t kFilesAtMost = 100'000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Reads so many digits from `at` on, where a separator may stand before them.
std::optional<std::string> digits_at(std::string_view name, std::size_t& at, std::size_t count, std::string_view separators) {
  std::size_t here = at;
  if (here < name.size() && separators.find(name[here]) != std::string_view::npos) ++here;
  if (here + count > name.size()) return std::nullopt;
  const auto digits = name.substr(here, count);
  for (const char c : digits) {
    if (!is_digit(c)) return std::nullopt;
  }
  at = here + count;
  return std::string(digits);
}

// "2026-11-20", "20261120T150359", "2026_11_20-15.03" … from `at` on.
std::optional<Time> date_at(std::string_view name, std::size_t at) {
  const auto year = digits_at(name, at, 4, "");
  const auto month = year ? digits_at(name, at, 2, "-_.") : std::nullopt;
  const auto day = month ? digits_at(name, at, 2, "-_.") : std::nullopt;
  if (!day || *year < "1990" || *year > "2199") return std::nullopt;
  std::string text = *year + "-" + *month + "-" + *day;
  std::size_t after = at;
  const auto hours = digits_at(name, after, 2, "T_-. ");
  const auto minutes = hours ? digits_at(name, after, 2, ":-_.h") : std::nullopt;
  if (minutes) {
    const std::string seconds = digits_at(name, after, 2, ":-_.m").value_or("00");
    if (const auto full = registry::parse_time(text + "T" + *hours + ":" + *minutes + ":" + seconds + "Z")) return full;
  }
  // More digits on either side, and it is a number of something else.
  if (at < name.size() && is_digit(name[at])) return std::nullopt;
  return registry::parse_time(text);
}

// 1600000000, or that in milliseconds.
std::optional<Time> seconds_at(std::string_view name, std::size_t at) {
  std::size_t end = at;
  while (end < name.size() && is_digit(name[end])) ++end;
  if ((end - at != 10 && end - at != 13) || name[at] != '1') return std::nullopt;
  const auto number = std::stoll(std::string(name.substr(at, end - at)));
  return end - at == 10 ? Time(std::chrono::seconds(number)) : Time(std::chrono::milliseconds(number));
}

std::optional<Time> time_by_pattern(const std::string& path, const std::string& pattern) {
  for (std::size_t at = 0; at < path.size(); ++at) {
    std::tm parts{};
    parts.tm_mday = 1;
    if (::strptime(path.c_str() + at, pattern.c_str(), &parts) == nullptr) continue;
    return std::chrono::system_clock::from_time_t(::timegm(&parts));
  }
  return std::nullopt;
}

std::string base_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::optional<Time> time_of(const std::string& path, const std::string& date_from) {
  if (date_from == "mtime") {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) return std::nullopt;
    return Time(std::chrono::seconds(info.st_mtim.tv_sec) + std::chrono::microseconds(info.st_mtim.tv_nsec / 1000));
  }
  if (date_from != "name") return time_by_pattern(path, date_from);
  if (const auto own = time_in_name(base_of(path))) return own;
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? std::nullopt : time_in_name(base_of(path.substr(0, slash)));
}

}  // namespace

std::optional<Time> time_in_name(std::string_view name) {
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (!is_digit(name[at]) || (at > 0 && is_digit(name[at - 1]))) continue;
    if (name.size() >= at + 22 && registry::is_slug(name.substr(at, 22))) return registry::time_of_slug(name.substr(at, 22));
    if (const auto date = date_at(name, at)) return date;
    if (const auto seconds = seconds_at(name, at)) return seconds;
  }
  return std::nullopt;
}

Expected<std::vector<Point>> points_of_files(const std::vector<std::string>& paths, const std::string& date_from,
                                             const Context& context) {
  if (date_from != "name" && date_from != "mtime" && date_from.find('%') == std::string::npos) {
    return core::fail(ErrorCode::usage, "--date-from is neither name, mtime nor a pattern: " + core::cited(date_from),
                      "a pattern is as strptime(3) takes it, for instance 'run-%Y%m%d-%H%M%S'");
  }
  std::vector<Point> points;
  for (const std::string& given : paths) {
    const std::string path = absolute(context, given);
    const auto source = registry::open_source(path, path_limits(context));
    if (!source) return core::fail(source.error());
    const auto measured = time_of(source->path, date_from);
    if (!measured) {
      const bool named = date_from == "name";
      return core::fail(
          ErrorCode::usage,
          (named ? "no date in the name of " : core::cited(date_from) + " is not in ") + core::cited_path(given),
          named ? "name the pattern, `--date-from 'run-%j-%Y.json'`, or take the files' own times, `--date-from mtime`"
                : "a pattern is as strptime(3) takes it, and begins anywhere in the path",
          given);
    }
    Point point;
    point.measured = *measured;
    point.path = source->path;
    point.origin = given;
    points.push_back(std::move(point));
    if (points.size() > kFilesAtMost)
      return core::fail(ErrorCode::limit_exceeded, "more than " + std::to_string(kFilesAtMost) + " files at once");
  }
  return points;
}

}  // namespace plumbline::verbs
