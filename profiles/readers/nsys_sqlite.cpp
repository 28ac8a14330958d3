#include "profiles/readers/nsys_sqlite.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>

#include "core/text.hpp"
#include "profiles/analysis/analyse.hpp"
#include "profiles/capture.hpp"
#include "profiles/names/names.hpp"
#include "profiles/readers/readers.hpp"

namespace plumbline::profiles {
namespace {

// Times beyond this (either sign) are damage, not time: differences of two then always fit int64.
constexpr std::int64_t kLatest = std::int64_t{4'000'000'000'000'000'000};
constexpr std::int64_t kProcessBits = 0x0000FFFFFF000000;  // of globalPid and globalTid
constexpr std::uint32_t kMostQueues = 0xFFFF;              // more of them, or of threads, share the last

// ENUM_CUDA_MEM_KIND
MemoryKind memory_kind(const std::optional<std::int64_t>& kind) {
  constexpr std::array<MemoryKind, 7> kKinds = {MemoryKind::pageable, MemoryKind::pinned, MemoryKind::device, MemoryKind::other,
                                                MemoryKind::managed,  MemoryKind::device, MemoryKind::managed};
  return kind && *kind >= 0 && static_cast<std::size_t>(*kind) < kKinds.size() ? kKinds[static_cast<std::size_t>(*kind)]
                                                                               : MemoryKind::unknown;
}

// Ids of StringIds are small and dense in practice, but nothing promises it.
class IdMap {
 public:
  std::uint32_t& at(std::int64_t id) {
    if (id < 0 || id >= kFlat) return odd_.try_emplace(id, kNone).first->second;
    const auto index = static_cast<std::size_t>(id);
    if (index >= flat_.size()) flat_.resize(std::max(index + 1, flat_.size() * 2), kNone);
    return flat_[index];
  }

 private:
  static constexpr std::int64_t kFlat = 1 << 22;
  std::vector<std::uint32_t> flat_;
  std::unordered_map<std::int64_t, std::uint32_t> odd_;
};

struct RowFaults {
  std::uint64_t reversed = 0, unreadable = 0;
};

class Reader {
 public:
  Reader(Database& database, const ReadOptions& options) : database_(database), options_(options) {}
  core::Expected<Profile> read();

 private:
  using Row = const Statement&;
  [[nodiscard]] bool has(std::string_view table) const { return schema_.tables.contains(table); }
  // SELECT of the named columns; a column that the table lacks reads as NULL.
  core::Expected<Statement> select(std::string_view table, const std::vector<std::string_view>& wanted);
  template <class Each>
  core::Status each(std::string_view table, const std::vector<std::string_view>& wanted, Each&& row);
  core::Expected<std::string> string(std::int64_t id);
  core::Expected<std::uint64_t> count(std::string_view table);
  core::Status need(std::string_view table, const std::vector<std::string_view>& wanted);

  core::Status kernels();
  core::Status graph_replays();
  core::Status copies();
  core::Status api();
  core::Status ranges();
  core::Error no_kernels();

  // start, end -> duration; faults are counted and give -1.
  std::int64_t duration(const std::optional<std::int64_t>& start, const std::optional<std::int64_t>& end, RowFaults& faults);
  bool wanted(std::int64_t device);
  std::uint16_t queue(Row row, int device, int context, int stream, int process);
  std::uint16_t thread(std::int64_t global);
  void op(OpKind kind, std::int64_t start, std::int64_t length, std::uint32_t name, std::uint16_t queue, std::uint32_t detail,
          const std::optional<std::int64_t>& correlation);
  void progress(double fraction, std::string_view what) {
    if (options_.progress) options_.progress(fraction, what);
  }

  Database& database_;
  const ReadOptions& options_;
  NsysSchema schema_;
  std::optional<Statement> lookup_;
  bool lookup_tried_ = false;
  Capture capture_;
  std::set<std::int64_t> other_devices_;
  RowFaults gpu_faults_, api_faults_, range_faults_;
  std::uint64_t missing_names_ = 0, open_ranges_ = 0;
};

core::Expected<Statement> Reader::select(std::string_view table, const std::vector<std::string_view>& wanted) {
  const auto columns = database_.columns(table);
  if (!columns) return core::fail(columns.error());
  std::string sql = "SELECT ";
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (i > 0) sql += ", ";
    const bool there = std::find(columns->begin(), columns->end(), wanted[i]) != columns->end();
    sql += there ? quoted_identifier(wanted[i]) : std::string("NULL");
  }
  return database_.prepare(sql + " FROM " + quoted_identifier(table));
}

core::Status Reader::need(std::string_view table, const std::vector<std::string_view>& wanted) {
  const auto columns = database_.columns(table);
  if (!columns) return core::fail(columns.error());
  for (const std::string_view column : wanted) {
    if (std::find(columns->begin(), columns->end(), column) == columns->end()) {
      return core::fail(core::ErrorCode::invalid_input, "table " + std::string(table) + " has no column " + std::string(column),
                        "this does not look like an export of Nsight Systems; export the report again", database_.name());
    }
  }
  return {};
}

template <class Each>
core::Status Reader::each(std::string_view table, const std::vector<std::string_view>& wanted, Each&& row) {
  auto statement = select(table, wanted);
  if (!statement) return core::fail(statement.error());
  for (;;) {
    const auto more = database_.step(*statement);
    if (!more) return core::fail(more.error());
    if (!*more) return {};
    core::Status status = row(*statement);
    if (!status) return status;
  }
}

core::Expected<std::string> Reader::string(std::int64_t id) {
  if (!lookup_tried_) {
    lookup_tried_ = true;
    if (has("StringIds")) {
      auto statement = database_.prepare("SELECT value FROM \"StringIds\" WHERE id = ?1 LIMIT 1");
      if (!statement) return core::fail(statement.error());
      lookup_.emplace(std::move(*statement));
    }
  }
  if (lookup_) {
    bind(*lookup_, id);
    const auto found = database_.step(*lookup_);
    if (!found) return core::fail(found.error());
    if (*found) {
      std::string text(lookup_->text(0));
      reset(*lookup_);
      return text;
    }
    reset(*lookup_);
  }
  ++missing_names_;
  return "[id " + std::to_string(id) + "]";
}

core::Expected<std::uint64_t> Reader::count(std::string_view table) {
  if (!has(table)) return 0;
  auto statement = database_.prepare("SELECT count(*) FROM " + quoted_identifier(table));
  if (!statement) return core::fail(statement.error());
  const auto row = database_.step(*statement);
  if (!row) return core::fail(row.error());
  return static_cast<std::uint64_t>(statement->integer(0).value_or(0));
}

std::int64_t Reader::duration(const std::optional<std::int64_t>& start, const std::optional<std::int64_t>& end,
                              RowFaults& faults) {
  if (!start || !end || *start > kLatest || *start < -kLatest || *end > kLatest || *end < -kLatest) {
    ++faults.unreadable;
    return -1;
  }
  if (*end < *start) {
    ++faults.reversed;
    return -1;
  }
  return *end - *start;
}

bool Reader::wanted(std::int64_t id) {
  if (options_.devices.empty() || std::find(options_.devices.begin(), options_.devices.end(), id) != options_.devices.end())
    return true;
  other_devices_.insert(id);
  return false;
}

std::uint16_t Reader::queue(Row row, int device, int context, int stream, int process) {
  const std::uint32_t id = capture_.queues.id({row.integer(process).value_or(0) & kProcessBits, row.integer(device).value_or(0),
                                               row.integer(context).value_or(0), row.integer(stream).value_or(0)});
  return static_cast<std::uint16_t>(std::min(id, kMostQueues));
}

std::uint16_t Reader::thread(std::int64_t global) {
  return static_cast<std::uint16_t>(std::min(capture_.threads.id({global & kProcessBits, global}), kMostQueues));
}

void Reader::op(OpKind kind, std::int64_t start, std::int64_t length, std::uint32_t name, std::uint16_t queue,
                std::uint32_t detail, const std::optional<std::int64_t>& correlation) {
  GpuOps& ops = capture_.ops;
  ops.times.add(start, length);
  ops.name.push_back(name);
  ops.queue.push_back(queue);
  ops.kind.push_back(kind);
  ops.detail.push_back(detail);
  ops.launch.push_back(correlation && *correlation >= 0 && *correlation < kNone ? static_cast<std::uint32_t>(*correlation)
                                                                                : kNone);
}

core::Status Reader::kernels() {
  constexpr std::string_view kTable = "CUPTI_ACTIVITY_KIND_KERNEL";
  if (!has(kTable)) return {};
  if (core::Status status = need(kTable, {"start", "end"}); !status) return status;
  const auto columns = database_.columns(kTable);
  if (!columns) return core::fail(columns.error());
  std::string_view name_column = "demangledName";
  for (const std::string_view candidate : {"demangledName", "shortName", "mangledName"}) {
    if (std::find(columns->begin(), columns->end(), candidate) != columns->end()) {
      name_column = candidate;
      break;
    }
  }
  IdMap slots;
  std::uint32_t nameless = kNone;
  return each(kTable,
              {"start", "end", "deviceId", "contextId", "streamId", "globalPid", "correlationId", name_column, "gridX", "gridY",
               "gridZ", "blockX", "blockY", "blockZ"},
              [&](Row row) -> core::Status {
                if (!wanted(row.integer(2).value_or(0))) return {};
                const auto start = row.integer(0);
                const std::int64_t length = duration(start, row.integer(1), gpu_faults_);
                if (length < 0) return {};
                const auto name = row.integer(7);
                std::uint32_t& slot = name ? slots.at(*name) : nameless;
                if (slot == kNone) {
                  if (name) {
                    auto text = string(*name);
                    if (!text) return core::fail(text.error());
                    slot = capture_.names.id(*text);
                  } else {
                    slot = capture_.names.id("[no name]");
                  }
                }
                std::uint32_t shape = kNone;
                if (row.integer(8)) {
                  LaunchShape launch;
                  for (int i = 0; i < 3; ++i) {
                    launch.grid[i] = static_cast<std::uint32_t>(row.integer(8 + i).value_or(0));
                    launch.block[i] = static_cast<std::uint32_t>(row.integer(11 + i).value_or(0));
                  }
                  shape = capture_.launch_shapes.id(launch);
                }
                op(OpKind::kernel, *start, length, slot, queue(row, 2, 3, 4, 5), shape, row.integer(6));
                return {};
              });
}

// A capture with --cuda-graph-trace=graph has one row per replay of a graph and none for the kernels in it.
core::Status Reader::graph_replays() {
  constexpr std::string_view kTable = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
  if (!has(kTable)) return {};
  if (core::Status status = need(kTable, {"start", "end"}); !status) return status;
  const std::uint32_t slot = capture_.names.id("[CUDA graph replay]");
  return each(kTable, {"start", "end", "deviceId", "contextId", "streamId", "globalPid", "correlationId"},
              [&](Row row) -> core::Status {
                if (!wanted(row.integer(2).value_or(0))) return {};
                const auto start = row.integer(0);
                const std::int64_t length = duration(start, row.integer(1), gpu_faults_);
                if (length < 0) return {};
                op(OpKind::graph, *start, length, slot, queue(row, 2, 3, 4, 5), kNone, row.integer(6));
                ++capture_.graph_replays;
                return {};
              });
}

core::Status Reader::copies() {
  const auto read_table = [&](std::string_view table, bool has_kind) -> core::Status {
    if (!has(table)) return {};
    if (core::Status status = need(table, {"start", "end"}); !status) return status;
    IdMap kinds;
    return each(table,
                {"start", "end", "deviceId", "contextId", "streamId", "globalPid", "correlationId", "bytes",
                 has_kind ? "copyKind" : "start", has_kind ? "srcKind" : "memKind", has_kind ? "dstKind" : "memKind"},
                [&](Row row) -> core::Status {
                  if (!wanted(row.integer(2).value_or(0))) return {};
                  const auto start = row.integer(0);
                  const std::int64_t length = duration(start, row.integer(1), gpu_faults_);
                  if (length < 0) return {};
                  const std::int64_t kind = has_kind ? row.integer(8).value_or(0) : 0;
                  std::uint32_t& slot = kinds.at(kind);
                  if (slot == kNone) slot = capture_.names.id(has_kind ? copy_label(kind) : std::string(kMemsetLabel));
                  CopyShape shape;
                  shape.bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(0, row.integer(7).value_or(0)));
                  shape.from = memory_kind(row.integer(9));
                  shape.to = memory_kind(row.integer(10));
                  op(has_kind ? OpKind::copy : OpKind::set, *start, length, slot, queue(row, 2, 3, 4, 5),
                     capture_.copy_shapes.id(shape), row.integer(6));
                  return {};
                });
  };
  if (core::Status status = read_table("CUPTI_ACTIVITY_KIND_MEMCPY", true); !status) return status;
  return read_table("CUPTI_ACTIVITY_KIND_MEMSET", false);
}

core::Status Reader::api() {
  constexpr std::string_view kTable = "CUPTI_ACTIVITY_KIND_RUNTIME";
  if (!has(kTable)) return {};
  if (core::Status status = need(kTable, {"start", "end", "nameId"}); !status) return status;
  IdMap slots;
  return each(kTable, {"start", "end", "nameId", "globalTid", "correlationId"}, [&](Row row) -> core::Status {
    const std::int64_t length = duration(row.integer(0), row.integer(1), api_faults_);
    if (length < 0) return {};
    const std::int64_t name = row.integer(2).value_or(-1);
    std::uint32_t& slot = slots.at(name);
    if (slot == kNone) {
      auto text = string(name);
      if (!text) return core::fail(text.error());
      slot = capture_.names.id(api_name(*text));
    }
    Calls& calls = capture_.calls;
    calls.times.add(*row.integer(0), length);
    calls.name.push_back(slot);
    calls.thread.push_back(thread(row.integer(3).value_or(0)));
    const auto correlation = row.integer(4);
    calls.correlation.push_back(
        correlation && *correlation >= 0 && *correlation < kNone ? static_cast<std::uint32_t>(*correlation) : kNone);
    return {};
  });
}

// Ranges are named "domain:text" as nsys prints them; the default domain is empty. A domain's name stands in an event of
// type 75 of the same process. Ranges still open at the end of the capture end at its last timestamp.
core::Status Reader::ranges() {
  constexpr std::string_view kTable = "NVTX_EVENTS";
  if (!has(kTable)) return {};
  if (core::Status status = need(kTable, {"start", "end", "eventType"}); !status) return status;

  std::vector<std::string> domains = {""};
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> domain_of;  // (process, domainId)
  std::int64_t last = -kLatest;
  core::Status status =
      each(kTable, {"eventType", "start", "end", "domainId", "globalTid", "textId", "text"}, [&](Row row) -> core::Status {
        for (const int column : {1, 2}) {
          const std::int64_t time = row.integer(column).value_or(-kLatest);
          if (time <= kLatest) last = std::max(last, time);
        }
        if (row.integer(0).value_or(0) != 75) return {};
        std::string name(row.text(6));
        if (const auto id = row.integer(5)) {
          auto text = string(*id);
          if (!text) return core::fail(text.error());
          name = std::move(*text);
        }
        domain_of.try_emplace({row.integer(4).value_or(0) & kProcessBits, row.integer(3).value_or(0)},
                              static_cast<std::uint32_t>(domains.size()));
        domains.push_back(std::move(name));
        return {};
      });
  if (!status) return status;

  std::vector<IdMap> slots(domains.size());
  std::string name;
  const auto range = [&](std::int64_t start, std::int64_t length, std::uint32_t slot, std::int64_t global) {
    Ranges& ranges = capture_.ranges;
    ranges.times.add(start, length);
    ranges.name.push_back(slot);
    ranges.thread.push_back(thread(global));
    ranges.kind.push_back(RangeKind::nvtx);
  };
  return each(kTable, {"eventType", "start", "end", "domainId", "globalTid", "textId", "text"}, [&](Row row) -> core::Status {
    const std::int64_t type = row.integer(0).value_or(0);
    if (type != 59 && type != 60 && type != 70 && type != 71) return {};
    auto end = row.integer(2);
    if (!end) {
      ++open_ranges_;
      end = last;
    }
    const std::int64_t length = duration(row.integer(1), end, range_faults_);
    if (length < 0) return {};
    std::uint32_t domain = 0;
    if (!domain_of.empty()) {
      const auto found = domain_of.find({row.integer(4).value_or(0) & kProcessBits, row.integer(3).value_or(0)});
      if (found != domain_of.end()) domain = found->second;
    }
    if (const auto id = row.integer(5)) {
      std::uint32_t& slot = slots[domain].at(*id);
      if (slot == kNone) {
        auto text = string(*id);
        if (!text) return core::fail(text.error());
        slot = capture_.names.id(domains[domain] + ":" + *text);
      }
      range(*row.integer(1), length, slot, row.integer(4).value_or(0));
      return {};
    }
    name.assign(domains[domain]).append(":").append(row.text(6));
    range(*row.integer(1), length, capture_.names.id(name), row.integer(4).value_or(0));
    return {};
  });
}

core::Error Reader::no_kernels() {
  if (!other_devices_.empty()) {
    std::vector<std::string> ids;
    for (const std::int64_t id : other_devices_) ids.push_back(std::to_string(id));
    return {core::ErrorCode::invalid_input, "no GPU kernels on the devices asked for",
            "the capture has device " + core::listed(ids), database_.name()};
  }
  std::vector<std::pair<std::string_view, std::uint64_t>> held;
  for (const auto& [table, what] :
       std::initializer_list<std::pair<std::string_view, std::string_view>>{{"CUPTI_ACTIVITY_KIND_RUNTIME", "CUDA API call"},
                                                                            {"CUPTI_ACTIVITY_KIND_MEMCPY", "copy"},
                                                                            {"NVTX_EVENTS", "NVTX event"},
                                                                            {"OSRT_API", "OS runtime call"}}) {
    const auto rows = count(table);
    if (!rows) return rows.error();
    held.emplace_back(what, *rows);
  }
  std::string message = "the capture holds no GPU kernels: a capture bug until proven otherwise; it holds " + contents_text(held);
  if (gpu_faults_.reversed + gpu_faults_.unreadable > 0) {
    message += ", and " + core::counted(gpu_faults_.reversed + gpu_faults_.unreadable, "GPU row") + " whose times make no sense";
  }
  return {core::ErrorCode::invalid_input, std::move(message),
          "capture with nsys profile --trace=cuda,nvtx --cuda-graph-trace=node, check that the range captured reaches the GPU "
          "work, and that "
          "the driver is not newer than this nsys supports",
          database_.name()};
}

core::Expected<Profile> Reader::read() {
  auto schema = read_nsys_schema(database_);
  if (!schema) return core::fail(schema.error());
  schema_ = std::move(*schema);

  progress(0.0, "kernels");
  if (core::Status status = kernels(); !status) return core::fail(status.error());
  if (core::Status status = graph_replays(); !status) return core::fail(status.error());
  if (capture_.ops.size() == 0) return core::fail(no_kernels());
  progress(0.5, "copies");
  if (core::Status status = copies(); !status) return core::fail(status.error());
  progress(0.6, "CUDA API calls");
  if (core::Status status = api(); !status) return core::fail(status.error());
  progress(0.8, "NVTX ranges");
  if (core::Status status = ranges(); !status) return core::fail(status.error());
  progress(0.95, "statistics");

  capture_.info.path = database_.name();
  capture_.info.format = "nsys-sqlite";
  capture_.info.version = schema_.version;
  capture_.info.context = schema_.context;
  capture_.graph_mode = schema_.graph_mode;
  capture_.environment_rows = schema_.environment_rows;
  for (const auto& [device, name] : schema_.gpu_names) capture_.gpus[device].name = name;
  const auto warn = [&](std::string code, std::string message) {
    capture_.warnings.push_back({std::move(code), std::move(message)});
  };
  for (core::Warning& warning : schema_.warnings) capture_.warnings.push_back(std::move(warning));
  const std::uint64_t reversed = gpu_faults_.reversed + api_faults_.reversed + range_faults_.reversed;
  const std::uint64_t unreadable = gpu_faults_.unreadable + api_faults_.unreadable + range_faults_.unreadable;
  if (reversed > 0) warn("reversed_times", core::counted(reversed, "event ends", "events end") + " before the start; not summed");
  if (unreadable > 0)
    warn("unreadable_times", core::counted(unreadable, "event has", "events have") + " no usable start or end; not summed");
  if (missing_names_ > 0) {
    warn("missing_names", core::counted(missing_names_, "name is", "names are") + " not in StringIds and shown as [id N]");
  }
  if (open_ranges_ > 0) {
    warn("open_ranges", core::counted(open_ranges_, "NVTX range was", "NVTX ranges were") +
                            " still open; taken to end with the last NVTX event");
  }
  if (capture_.graph_replays > 0) {
    warn("graph_replays",
         core::counted(capture_.graph_replays, "CUDA graph replay is", "CUDA graph replays are") +
             " in the capture as a whole, without the kernels inside; capture with --cuda-graph-trace=node to see them");
  }
  if (!options_.devices.empty() && (capture_.calls.size() > 0 || capture_.ranges.size() > 0)) {
    warn("device_filter", "CUDA API calls and NVTX ranges belong to no device: they are those of the whole capture");
  }
  return analyse(std::move(capture_), options_);
}

}  // namespace

core::Expected<Profile> read_nsys_sqlite(const std::string& path, const ReadOptions& options) {
  auto database = Database::open(path, options.open, options.stop);
  if (!database) return core::fail(database.error());
  return Reader(*database, options).read();
}

core::Expected<Profile> read_nsys_sqlite(sqlite3* db, const std::string& name, const ReadOptions& options) {
  Database database(db, name, options.stop);
  return Reader(database, options).read();
}

bool is_nsys_sqlite(const std::string& path, const Opener& open) {
  auto database = Database::open(path, open, {});
  if (!database) return true;  // damaged: for this room to say so
  const auto tables = database->tables();
  if (!tables) return true;
  return is_nsys_schema({tables->begin(), tables->end()});
}

std::string contents_text(const std::vector<std::pair<std::string_view, std::uint64_t>>& counts) {
  std::vector<std::string> parts;
  for (const auto& [what, number] : counts) {
    if (number == 0) continue;
    parts.push_back(core::counted(number, what, what == "copy" ? std::string_view("copies") : std::string_view()));
  }
  return parts.empty() ? "nothing that can be compared" : core::listed(parts);
}

}  // namespace plumbline::profiles
