#include "profiles/readers/rocm/rocpd.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "profiles/analysis/analyse.hpp"
#include "profiles/readers/bytes/json_values.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::string_view kHint =
    "record with rocprofv3 --kernel-trace --memory-copy-trace --hip-trace, and check that the program reaches the GPU";
// What a table may hold. Longer names stand before those that they begin with.
constexpr auto kParts =
    std::to_array<std::string_view>({"info_kernel_symbol", "info_process", "info_thread", "info_agent", "info_node",
                                     "kernel_dispatch", "memory_copy", "metadata", "region", "string", "event"});

std::optional<std::int64_t> length(const std::optional<std::int64_t>& start, const std::optional<std::int64_t>& end) {
  if (!start || !end || *start < 0 || *end < 0) return std::nullopt;
  return *end - *start;
}

std::uint32_t blocks(std::int64_t items, std::int64_t group) {
  group = std::max<std::int64_t>(group, 1);
  if (items <= 0) return 0;
  return static_cast<std::uint32_t>(std::min<std::int64_t>((items - 1) / group + 1, kNone));
}

}  // namespace

std::optional<RocpdTable> rocpd_table(std::string_view name) {
  if (name.starts_with('_')) name.remove_prefix(1);
  if (!name.starts_with("rocpd_")) return std::nullopt;
  name.remove_prefix(6);
  for (const std::string_view part : kParts) {
    if (!name.starts_with(part)) continue;
    const std::string_view set = name.substr(part.size());
    if (set.empty() || set.front() == '_' || set.front() == '-') return RocpdTable{part, set};
  }
  return std::nullopt;
}

std::string_view rocpd_message(std::string_view json) {
  constexpr std::string_view kKey = "\"message\"";
  std::size_t at = json.find(kKey);
  if (at == std::string_view::npos) return {};
  at = json.find_first_not_of(" \t\n:", at + kKey.size());
  if (at == std::string_view::npos || json[at] != '"') return {};
  const std::size_t begin = ++at;
  while (at < json.size() && json[at] != '"') at += json[at] == '\\' ? 2 : 1;
  return at < json.size() ? json.substr(begin, at - begin) : std::string_view();
}

bool is_rocpd_schema(const std::vector<std::string>& tables) {
  return std::any_of(tables.begin(), tables.end(), [](const std::string& name) {
    const auto table = rocpd_table(name);
    return table && (table->part == "kernel_dispatch" || table->part == "metadata");
  });
}

template <class Each>
core::Status RocpdReader::each(std::string_view what, const std::vector<std::string_view>& columns, Each&& row) {
  const auto table = tables_->find(what);
  if (table == tables_->end()) return {};
  RowScan scan;
  scan.columns = columns;
  scan.source = source_;
  scan.rows = [&](const RowBatch& batch) -> core::Status {
    for (std::size_t i = 0; i < batch.size(); ++i) row(batch[i]);
    if (fill_.full()) return core::fail(fill_.too_many("capture"));
    return {};
  };
  const auto whole = scan_rows(database_, table->second, scan);
  if (!whole) return core::fail(whole.error());
  if (*whole) return {};
  unusual_ = true;
  return core::fail(core::ErrorCode::internal, "the pages of table " + table->second + " are unusual", {}, database_.name());
}

std::int64_t RocpdReader::pid(std::int64_t id) const {
  const auto found = pids_.find(id);
  return found == pids_.end() ? id : found->second;
}

std::optional<std::int64_t> RocpdReader::correlation(const Row& row, std::size_t column) const {
  const auto id = row.integer(column);
  const auto event = id ? events_.find(*id) : events_.end();
  return event == events_.end() ? std::nullopt : event->second.correlation;
}

std::string RocpdReader::text_or_id(std::int64_t id) {
  const auto found = strings_.find(id);
  if (found != strings_.end()) return found->second;
  ++nameless_;
  return "[id " + std::to_string(id) + "]";
}

core::Status RocpdReader::facts() {
  core::Status status = each("metadata", {"tag", "value"}, [this](const Row& row) {
    if (row.text(0) == "schema_version" && row.text(1).size() < 20) capture_.info.version = "schema " + std::string(row.text(1));
  });
  if (status) {
    status = each("info_node", {"release"}, [this](const Row& row) {
      const std::string_view release = row.text(0);
      if (!release.empty() && release.size() <= 200) capture_.info.context["environment.kernel"] = json_name(release);
    });
  }
  if (status) {
    status = each("info_process", {"id", "pid"},
                  [this](const Row& row) { pids_[row.integer_or(0, 0)] = row.integer_or(1, row.integer_or(0, 0)); });
  }
  if (status) {
    status = each("info_thread", {"id", "tid"},
                  [this](const Row& row) { tids_[row.integer_or(0, 0)] = row.integer_or(1, row.integer_or(0, 0)); });
  }
  return status;
}

core::Status RocpdReader::strings() {
  return each("string", {"id", "string"}, [this](const Row& row) {
    if (const auto id = row.integer(0)) strings_.try_emplace(*id, row.text(1));
  });
}

// GPUs are numbered as HIP does, by their place among the GPUs. Sets of tables in one file may be processes that share GPUs: the
// same number and name is the same device.
core::Status RocpdReader::agents() {
  std::int64_t next = 0;
  return each("info_agent", {"id", "type", "type_index", "product_name", "model_name", "name"}, [&](const Row& row) {
    const auto id = row.integer(0);
    if (!id || row.text(1) == "CPU") return;
    const std::int64_t number = row.integer_or(2, next++);
    devices_[*id] = number;
    std::string& name = capture_.gpus[number].name;
    for (const std::size_t column : {3, 4, 5}) {
      if (name.empty() && row.text(column).size() <= 200) name = json_name(row.text(column));
    }
  });
}

core::Status RocpdReader::symbols() {
  return each("info_kernel_symbol", {"id", "display_name", "kernel_name"}, [this](const Row& row) {
    const auto id = row.integer(0);
    const std::string_view name = row.text(1).empty() ? row.text(2) : row.text(1);
    if (id && !name.empty()) kernels_.try_emplace(*id, capture_.names.id(name));
  });
}

// What a record refers to for its kind and for the call that caused it. The stack's id is the profiler's own correlation id; the
// other one is the program's.
core::Status RocpdReader::events() {
  std::unordered_map<std::int64_t, EventKind> kinds;
  for (const auto& [id, text] : strings_) {
    const bool marker = text.starts_with("MARKER");
    const bool other = text.starts_with("HSA_") || text.starts_with("ROCDECODE") || text.starts_with("ROCJPEG");
    if (marker || other) kinds.emplace(id, marker ? EventKind::range : EventKind::other);
  }
  return each("event", {"id", "category_id", "stack_id", "correlation_id", "extdata"}, [&](const Row& row) {
    const auto id = row.integer(0);
    if (!id) return;
    Event event;
    event.correlation = row.integer_or(2, 0) != 0 ? row.integer(2) : row.integer(3);
    const auto kind = kinds.find(row.integer_or(1, -1));
    if (kind != kinds.end()) event.kind = kind->second;
    if (event.kind == EventKind::range) {
      if (const std::string_view said = rocpd_message(row.text(4)); !said.empty()) messages_.try_emplace(*id, json_name(said));
    }
    events_.try_emplace(*id, event);
  });
}

core::Status RocpdReader::dispatches() {
  enum Column : std::size_t { kStart, kEnd, kPid, kAgent, kKernel, kStream, kQueue, kEvent, kGrid, kGroup = kGrid + 3 };
  return each("kernel_dispatch",
              {"start", "end", "pid", "agent_id", "kernel_id", "stream_id", "queue_id", "event_id", "grid_size_x", "grid_size_y",
               "grid_size_z", "workgroup_size_x", "workgroup_size_y", "workgroup_size_z"},
              [this](const Row& row) {
                GpuEvent gpu;
                const auto kernel = row.integer(kKernel);
                const auto known = kernel ? kernels_.find(*kernel) : kernels_.end();
                if (known != kernels_.end()) {
                  gpu.name = known->second;
                } else {
                  ++nameless_;
                  gpu.name = capture_.names.id(kernel ? "[id " + std::to_string(*kernel) + "]" : "[no name]");
                }
                gpu.process = pid(row.integer_or(kPid, 0));
                const auto device = devices_.find(row.integer_or(kAgent, 0));
                gpu.device = device == devices_.end() ? row.integer_or(kAgent, 0) : device->second;
                gpu.context = row.integer_or(kQueue, 0);
                gpu.stream = row.integer_or(kStream, row.integer_or(kQueue, 0));
                gpu.correlation = correlation(row, kEvent);
                if (row.has(kGrid) && row.has(kGroup)) {
                  LaunchShape shape;
                  for (std::size_t i = 0; i < 3; ++i) {
                    const std::int64_t group = row.integer_or(kGroup + i, 1);
                    shape.grid[i] = blocks(row.integer_or(kGrid + i, 0), group);
                    shape.block[i] = static_cast<std::uint32_t>(std::clamp<std::int64_t>(group, 0, kNone));
                  }
                  gpu.shape = shape;
                }
                fill_.gpu(gpu, row.integer(kStart), length(row.integer(kStart), row.integer(kEnd)));
              });
}

core::Status RocpdReader::copies() {
  enum Column : std::size_t { kStart, kEnd, kPid, kName, kFrom, kTo, kSize, kStream, kQueue, kEvent };
  return each("memory_copy",
              {"start", "end", "pid", "name_id", "src_agent_id", "dst_agent_id", "size", "stream_id", "queue_id", "event_id"},
              [this](const Row& row) {
                GpuEvent gpu;
                gpu.process = pid(row.integer_or(kPid, 0));
                gpu.context = row.integer_or(kQueue, 0);
                gpu.stream = row.integer_or(kStream, row.integer_or(kQueue, 0));
                gpu.correlation = correlation(row, kEvent);
                CopyShape shape;
                shape.bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(0, row.integer_or(kSize, 0)));
                // The GPU of the two ends; of two GPUs the one that receives. Whether host memory is pinned nothing says.
                for (const std::size_t end : {kFrom, kTo}) {
                  const auto device = devices_.find(row.integer_or(end, -1));
                  if (device == devices_.end()) continue;
                  gpu.device = device->second;
                  (end == kFrom ? shape.from : shape.to) = MemoryKind::device;
                }
                gpu.copy = shape;
                fill_.name_copy(text_or_id(row.integer_or(kName, -1)), gpu);
                fill_.gpu(gpu, row.integer(kStart), length(row.integer(kStart), row.integer(kEnd)));
              });
}

core::Status RocpdReader::regions() {
  enum Column : std::size_t { kStart, kEnd, kPid, kTid, kName, kEvent };
  return each("region", {"start", "end", "pid", "tid", "name_id", "event_id"}, [this](const Row& row) {
    const auto id = row.integer(kEvent);
    const auto event = id ? events_.find(*id) : events_.end();
    const EventKind kind = event == events_.end() ? EventKind::call : event->second.kind;
    if (kind == EventKind::other) {
      ++left_out_;
      return;
    }
    const auto tid = tids_.find(row.integer_or(kTid, 0));
    const Thread thread{pid(row.integer_or(kPid, 0)), tid == tids_.end() ? row.integer_or(kTid, 0) : tid->second};
    const auto start = row.integer(kStart);
    const auto took = length(start, row.integer(kEnd));
    const auto said = id ? messages_.find(*id) : messages_.end();
    const std::uint32_t name = capture_.names.id(said != messages_.end() ? said->second : text_or_id(row.integer_or(kName, -1)));
    if (kind == EventKind::range) {
      fill_.range(name, thread, RangeKind::nvtx, start, took);
    } else {
      fill_.call(name, thread, start, took, event == events_.end() ? std::nullopt : event->second.correlation);
    }
  });
}

// Compared inside SQLite: no environment is read out of the database.
core::Status RocpdReader::environments() {
  const auto environments = filled("info_process", "environment");
  const auto commands = filled("info_process", "command");
  for (const auto* each : {&environments, &commands}) {
    if (!*each) return core::fail(each->error());
  }
  capture_.environment_rows += *environments;
  if (*commands > 0) capture_.private_rows["command line"] += *commands;
  return {};
}

// Rows of a table that have more in a column than "{}".
core::Expected<std::uint64_t> RocpdReader::filled(std::string_view part, std::string_view column) {
  const auto table = tables_->find(part);
  if (table == tables_->end()) return 0;
  const auto columns = database_.columns(table->second);
  if (!columns) return core::fail(columns.error());
  if (std::find(columns->begin(), columns->end(), column) == columns->end()) return 0;
  const std::string name = quoted_identifier(column);
  auto statement = database_.prepare("SELECT count(*) FROM " + quoted_identifier(table->second) + " WHERE length(" + name +
                                     ") > 2 AND " + name + " <> '[redacted]'");
  if (!statement) return core::fail(statement.error());
  const auto row = database_.step(*statement);
  if (!row) return core::fail(row.error());
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, statement->integer(0).value_or(0)));
}

core::Status RocpdReader::process() {
  strings_.clear();
  pids_.clear();
  tids_.clear();
  devices_.clear();
  kernels_.clear();
  events_.clear();
  messages_.clear();
  for (const auto step :
       {&RocpdReader::environments, &RocpdReader::facts, &RocpdReader::strings, &RocpdReader::agents, &RocpdReader::symbols,
        &RocpdReader::events, &RocpdReader::dispatches, &RocpdReader::copies, &RocpdReader::regions}) {
    if (core::Status status = (this->*step)(); !status) return status;
  }
  return {};
}

core::Expected<std::optional<Capture>> RocpdReader::read() {
  const auto tables = database_.tables();
  if (!tables) return core::fail(tables.error());
  std::map<std::string, Tables, std::less<>> sets;
  for (const std::string& name : *tables) {
    if (const auto table = rocpd_table(name)) sets[std::string(table->set)].try_emplace(std::string(table->part), name);
  }
  capture_.info.path = database_.name();
  capture_.info.format = "rocpd";
  double done = 0;
  for (const auto& [set, names] : sets) {
    if (options_.progress) options_.progress(0.95 * done++ / static_cast<double>(sets.size()), "records");
    tables_ = &names;
    core::Status status = process();
    if (unusual_) return std::optional<Capture>();
    if (!status) return core::fail(status.error());
  }
  if (fill_.kernels() == 0) return core::fail(fill_.no_kernels(kHint));
  if (nameless_ > 0) {
    fill_.warn("missing_names",
               core::counted(nameless_, "record is", "records are") + " of a name that no table has, and shown as [id N]");
  }
  if (left_out_ > 0) {
    fill_.warn("regions_left_out", core::counted(left_out_, "call of HSA or of a decoder is", "calls of HSA or of decoders are") +
                                       " inside those of HIP; left out");
  }
  fill_.finish({}, 0);
  return std::optional<Capture>(std::move(capture_));
}

core::Expected<Profile> read_rocpd(Database& database, const ReadOptions& options, RowSource source) {
  for (const RowSource each : {source, RowSource::sqlite}) {
    RocpdReader reader(database, options, each);
    auto capture = reader.read();
    if (!capture) return core::fail(capture.error());
    if (!*capture) continue;
    if (options.progress) options.progress(0.95, "statistics");
    return analyse(std::move(**capture), options);
  }
  return core::fail(core::ErrorCode::internal, "the capture was read neither over its pages nor through SQLite", {},
                    database.name());
}

}  // namespace plumbline::profiles
