// The tables of `nsys stats --format csv`, added up by name. Columns are found by normalised header ("Time (%)", "Time(%)",
// "Average", "Avg (us)" …), every time column in its own unit; a file may hold several reports and the lines that nsys
// prints around them. Times become whole nanoseconds, exactly where the file has them so.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profiles/profile.hpp"

namespace plumbline::profiles {

enum class Report : std::uint8_t { unknown, kernels, kernels_by_shape, api, nvtx, nvtx_startend, memory, nccl, other };

struct StatsColumns;

// Records of one table, cells of all of them in one list.
struct StatsRows {
  struct Row {
    std::size_t first = 0, count = 0;
    std::uint64_t line = 0;
  };
  std::vector<std::string_view> cells;
  std::vector<Row> rows;
};

class StatsTables {
 public:
  // `expected` is what the file's name says it holds; unknown: whatever its headers say.
  [[nodiscard]] core::Status add(std::string_view text, const std::string& where, Report expected);
  [[nodiscard]] bool seen(Report report) const { return seen_.contains(report); }
  [[nodiscard]] bool skipped() const { return skipped_ > 0; }
  [[nodiscard]] std::vector<core::Warning>& warnings() { return warnings_; }
  [[nodiscard]] core::Expected<Profile> profile();

 private:
  struct Sums {
    std::vector<NamedAggregate> rows;
    std::unordered_map<std::string, std::size_t> by_name;
  };
  core::Status take(const StatsColumns& columns, const StatsRows& rows, const std::string& where);
  Sums& sums(Report report);

  Sums kernels_, api_, nvtx_, memory_, nccl_;
  std::set<Report> seen_;
  std::uint64_t skipped_ = 0, not_available_ = 0, unusable_ = 0, duplicates_ = 0;
  std::string first_unusable_;
  bool unit_assumed_ = false;
  std::int64_t total_ = 0;
  std::vector<core::Warning> warnings_;
};

// The head of a text has a header line of a kernel, API, NVTX or memory summary.
[[nodiscard]] bool looks_like_stats(std::string_view head);

}  // namespace plumbline::profiles
