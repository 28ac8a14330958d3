// Which report of a profiler a CSV file is: by its name, and by its header line where the name says nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "profiles/readers/bytes/csv_columns.hpp"

namespace plumbline::profiles {

enum class Report : std::uint8_t {
  unknown,
  kernels,
  kernels_by_shape,
  api,
  nvtx,
  nvtx_startend,
  memory,
  memory_size,
  nccl,
  projected_ranges,  // nvtx_gpu_proj_sum
  range_kernels,     // nvtx_kern_sum
  executions,        // cuda_kern_exec_sum
  gpu_trace,
  api_trace,
  range_trace,
  projected_trace,  // nvtx_gpu_proj_trace
  copy_trace,       // rocprofv3 keeps copies apart from kernels
  agents,           // rocprofv3: what is called Agent 4
  other
};

struct ReportFile {
  Report report = Report::unknown;
  std::string_view report_name;  // "cuda_gpu_kern_sum"
  std::string prefix;            // "x" of x_cuda_gpu_kern_sum_base.csv
  std::string arguments;         // "base"
  bool rocprof = false;
};
// By the file's name without its extension.
[[nodiscard]] ReportFile report_of(const std::string& stem);

// A table of totals by name.
struct SumColumns {
  Report report = Report::unknown;
  enum class Dialect : std::uint8_t { nsys, rocprof, kernel_summary } dialect = Dialect::nsys;
  std::size_t name = kNoColumn, second_name = kNoColumn;  // second: the kernel of a (range, kernel) or (call, kernel) row
  std::size_t grid = kNoColumn, block = kNoColumn, process = kNoColumn, thread = kNoColumn;
  NumberColumn total, count, median, low, high, stddev;
  NumberColumn operations, host_total, range_count;  // of tables of ranges
  std::size_t width = 0;
  bool unit_missing = false;
  std::string problem;  // why a line that is a header cannot be used
};
// nullopt: the line is no header of such a table. `expected` is what the file's name or the title above says.
[[nodiscard]] std::optional<SumColumns> sum_columns(const std::vector<std::string_view>& fields, Report expected);

// A table with a row per event.
struct EventColumns {
  Report report = Report::unknown;  // gpu_trace api_trace range_trace projected_trace copy_trace
  bool rocprof = false;
  NumberColumn start, length, end;  // length or end
  NumberColumn bytes;
  std::size_t name = kNoColumn, domain = kNoColumn, process = kNoColumn, thread = kNoColumn, device = kNoColumn;
  std::size_t context = kNoColumn, stream = kNoColumn, correlation = kNoColumn, guid = kNoColumn;
  std::size_t from = kNoColumn, to = kNoColumn;  // kinds of memory, or agents
  std::size_t grid[3] = {kNoColumn, kNoColumn, kNoColumn}, block[3] = {kNoColumn, kNoColumn, kNoColumn};
  std::size_t width = 0;
  Comma comma = Comma::none;  // of all times together
  std::string problem;
};
[[nodiscard]] std::optional<EventColumns> event_columns(const std::vector<std::string_view>& fields);

}  // namespace plumbline::profiles
