// rocpd databases, the default output of rocprofv3 since ROCm 7 (SQLite) -> Capture: kernel dispatches, copies, HIP calls and
// ROCTX ranges. Read from the base tables, whose names carry the run's id ("rocpd_kernel_dispatch_0000…"; older ones begin with
// "_rocpd_"): the views over them drop dispatches that have no region name or thread. A file holds one process as a rule; merged
// files hold a set of tables per process, and ids are those of one set. Times are nanoseconds, grids count work-items and become
// blocks here. rocpd_info_process holds each process's whole environment: it is counted and never read.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profiles/readers/sqlite/sqlite_rows.hpp"
#include "profiles/readers/traces/trace_fill.hpp"

namespace plumbline::profiles {

struct RocpdTable {
  std::string_view part, set;  // "kernel_dispatch" and the run's id, "" where there is none
};
[[nodiscard]] std::optional<RocpdTable> rocpd_table(std::string_view name);
// The value of "message" in an event's extra data, as it stands in the JSON text.
[[nodiscard]] std::string_view rocpd_message(std::string_view json);
// Whether tables of these names make a rocpd database.
[[nodiscard]] bool is_rocpd_schema(const std::vector<std::string>& tables);
[[nodiscard]] core::Expected<Profile> read_rocpd(Database& database, const ReadOptions& options, RowSource source);

class RocpdReader {
 public:
  RocpdReader(Database& database, const ReadOptions& options, RowSource source)
      : database_(database), options_(options), source_(source), fill_(capture_, options) {}
  // nullopt: the pages were unusual, read again with RowSource::sqlite.
  core::Expected<std::optional<Capture>> read();

 private:
  using Row = RowBatch::Row;
  // The tables of one process by what they hold ("kernel_dispatch").
  using Tables = std::map<std::string, std::string, std::less<>>;
  enum class EventKind : std::uint8_t { call, range, other };
  struct Event {
    std::optional<std::int64_t> correlation;
    EventKind kind = EventKind::call;
  };

  template <class Each>
  core::Status each(std::string_view what, const std::vector<std::string_view>& columns, Each&& row);
  core::Status process();
  core::Status facts();
  core::Status strings();
  core::Status agents();
  core::Status symbols();
  core::Status events();
  core::Status dispatches();
  core::Status copies();
  core::Status regions();
  core::Status environments();
  core::Expected<std::uint64_t> filled(std::string_view part, std::string_view column);
  [[nodiscard]] std::int64_t pid(std::int64_t id) const;
  [[nodiscard]] std::optional<std::int64_t> correlation(const Row& row, std::size_t column) const;
  [[nodiscard]] std::string text_or_id(std::int64_t id);

  Database& database_;
  const ReadOptions& options_;
  const RowSource source_;
  Capture capture_;
  TraceFill fill_;
  bool unusual_ = false;
  std::uint64_t nameless_ = 0, left_out_ = 0;

  // Of the process that is being read.
  const Tables* tables_ = nullptr;
  std::unordered_map<std::int64_t, std::string> strings_;
  std::unordered_map<std::int64_t, std::int64_t> pids_, tids_, devices_;  // devices: agents that are GPUs
  std::unordered_map<std::int64_t, std::uint32_t> kernels_;
  std::unordered_map<std::int64_t, Event> events_;
  std::unordered_map<std::int64_t, std::string> messages_;  // of ROCTX ranges, by event
};

}  // namespace plumbline::profiles
