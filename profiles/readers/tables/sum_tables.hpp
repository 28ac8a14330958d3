// Tables of totals by name, added up: `nsys stats` summaries of every kind, rocprof's statistics, and summaries of kernels
// that people make with pandas. Times become whole nanoseconds, exactly where the file has them so. What a summary cannot
// say (a timeline, medians of rows that were added up) stays absent.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profiles/profile.hpp"
#include "profiles/readers/bytes/csv_reports.hpp"

namespace plumbline::profiles {

class SumTables {
 public:
  [[nodiscard]] core::Status take(SumColumns columns, const TableRows& rows, const std::string& where);
  void note_skipped() { ++skipped_; }
  [[nodiscard]] bool seen(Report report) const { return seen_.contains(report); }
  [[nodiscard]] bool skipped() const { return skipped_ > 0; }
  [[nodiscard]] SumColumns::Dialect dialect() const { return dialect_; }
  [[nodiscard]] std::vector<core::Warning>& warnings() { return warnings_; }
  // Everything that was taken; leaves this empty.
  [[nodiscard]] Profile profile();

 private:
  struct Sums {
    std::vector<NamedAggregate> rows;
    std::unordered_map<std::string, std::size_t> by_name;
    NamedAggregate& at(std::string_view name, bool& added);
  };
  struct RangeSums {  // of one range name
    std::uint64_t count = 0, operations = 0;
    std::int64_t host = 0, gpu = 0;
  };
  core::Status take_sums(const SumColumns& columns, const TableRows& rows, const std::string& where);
  core::Status take_ranges(const SumColumns& columns, const TableRows& rows, const std::string& where);
  core::Status take_executions(const SumColumns& columns, const TableRows& rows, const std::string& where);
  core::Status take_sizes(const SumColumns& columns, const TableRows& rows, const std::string& where);
  // A number that the row must have; nullopt: the row cannot be used and was counted.
  core::Expected<std::optional<std::int64_t>> need(const NumberColumn& column, const TableRows& rows, const TableRows::Row& row,
                                                   const std::string& where);
  core::Status add_time(std::int64_t time, const NumberColumn& column, const std::string& where, std::uint64_t line);
  void unusable(std::string_view name);
  Sums& sums(Report report);

  Sums kernels_, shaped_, executed_, api_, nvtx_, memory_, nccl_;
  std::map<std::string, RangeSums> projected_, range_kernels_;
  std::optional<core::ProfileLaunches> launches_;
  std::vector<KernelMetric> sizes_;
  std::set<Report> seen_;
  SumColumns::Dialect dialect_ = SumColumns::Dialect::nsys;
  std::uint64_t skipped_ = 0, not_available_ = 0, unusable_ = 0, duplicates_ = 0;
  std::string first_unusable_;
  bool unit_assumed_ = false;
  std::int64_t total_ = 0;
  std::vector<core::Warning> warnings_;
};

// "1 1 1" and "32 1 1" -> "(1,1,1)x(32,1,1)"; "" where either has no three numbers.
[[nodiscard]] std::string shape_text(std::string_view grid, std::string_view block);
// The house's name for a copy as rocprof calls it ("HOST_TO_DEVICE", "CopyHostToDevice"); anything else as it is.
[[nodiscard]] std::string rocm_copy_name(std::string_view name);

}  // namespace plumbline::profiles
