// Points of somebody's history, before anything is recorded: when each was measured, of which commit, and the bytes that say
// what. One function a kind of history; each reads everything before anything is written.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "verbs/verb.hpp"

namespace plumbline::verbs {

struct Point {
  std::chrono::system_clock::time_point measured;
  std::string commit;       // "" where nothing says it
  std::string measurement;  // "": the caller's --measurement
  std::string origin;       // where it comes from, as people know it
  std::string path;         // absolute, of a file that is recorded as it is; else
  std::string name, bytes;  // a file of our making
  std::string format;       // how it is read; "": as its content says
};

// `--date-from name` (default): a date, a date and time, a slug or seconds since 1970 in the file's name, else in its folder's;
// `mtime`: the file's; else a strptime pattern that begins anywhere in the path. All without a zone are UTC.
[[nodiscard]] Expected<std::vector<Point>> points_of_files(const std::vector<std::string>& paths, const std::string& date_from,
                                                           const Context& context);
// For tests: the time that a name says.
[[nodiscard]] std::optional<std::chrono::system_clock::time_point> time_in_name(std::string_view name);

// Each version of a file in the history of the git work tree that holds it, renames followed.
[[nodiscard]] Expected<std::vector<Point>> points_of_git(const std::string& path, const std::string& since,
                                                         const Context& context);

// `window.BENCHMARK_DATA = {…}` or the same as JSON: one point a run of a suite. Where there are several suites each is a
// measurement of its own, unless `suite` names one.
[[nodiscard]] Expected<std::vector<Point>> points_of_github_action(std::string_view text, const std::string& path,
                                                                   const std::string& suite);
[[nodiscard]] bool is_github_action_data(std::string_view text);

// What Bencher's API answers to a query of metrics (`GET /v0/projects/PROJECT/perf`, `bencher perf --format json`): one point a
// report and iteration. Of one branch and one testbed.
[[nodiscard]] Expected<std::vector<Point>> points_of_bencher(std::string_view text, const std::string& path);
[[nodiscard]] bool is_bencher_data(std::string_view text);

}  // namespace plumbline::verbs
