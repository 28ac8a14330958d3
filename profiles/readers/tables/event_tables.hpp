// Tables with a row per event -> Capture: cuda_gpu_trace, cuda_api_trace and the NVTX traces of `nsys stats`, and the traces of
// rocprofv3 and rocprof. They carry timestamps, so idle time and overlap come out as from the profiler's own database.
// nsys' GPU trace names no process: correlation ids join its rows to calls only where one process called.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/capture.hpp"
#include "profiles/profile.hpp"
#include "profiles/readers/bytes/csv_reports.hpp"

namespace plumbline::profiles {

class EventTables {
 public:
  EventTables(Capture& capture, const ReadOptions& options) : capture_(capture), options_(options) {}
  // What the next rows belong to where they do not say: rocprof writes one set of files per process.
  void process(std::int64_t id) { process_ = id; }
  // Whether a record under such a header is one of its rows: headers begin with words, rows have numbers where times are.
  [[nodiscard]] static bool is_row(const EventColumns& columns, const std::vector<std::string_view>& fields);
  [[nodiscard]] core::Status add(EventColumns& columns, const std::vector<std::string_view>& fields, const std::string& where,
                                 std::uint64_t line);
  [[nodiscard]] bool seen(Report report) const { return seen_.contains(report); }
  [[nodiscard]] bool rocprof() const { return rocprof_; }
  [[nodiscard]] const std::set<std::int64_t>& other_devices() const { return other_devices_; }
  [[nodiscard]] std::uint64_t without_times() const { return reversed_ + unreadable_; }
  // Warnings about what was read, into the capture.
  void finish();

 private:
  struct Span {
    std::int64_t start = 0, length = -1;  // -1: not usable, and counted
  };
  core::Expected<Span> span(EventColumns& columns, const std::vector<std::string_view>& fields, const std::string& where,
                            std::uint64_t line);
  core::Status add_operation(const EventColumns& columns, const std::vector<std::string_view>& fields, const Span& span);
  core::Status add_call(const EventColumns& columns, const std::vector<std::string_view>& fields, const Span& span);
  core::Status add_range(const EventColumns& columns, const std::vector<std::string_view>& fields, const Span& span);
  std::int64_t device(std::string_view text);
  std::int64_t process_of(const EventColumns& columns, const std::vector<std::string_view>& fields);
  core::Expected<std::uint16_t> thread(const EventColumns& columns, const std::vector<std::string_view>& fields);

  Capture& capture_;
  const ReadOptions& options_;
  std::int64_t process_ = 0;
  std::set<Report> seen_;
  std::set<std::int64_t> other_devices_, callers_;
  std::map<std::string, std::int64_t, std::less<>> devices_, guids_;
  bool rocprof_ = false;
  std::uint64_t reversed_ = 0, unreadable_ = 0;
};

}  // namespace plumbline::profiles
