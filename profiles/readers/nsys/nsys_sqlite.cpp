// The flow of reading an export: what it says of itself, its events, what was odd about them.
#include "profiles/readers/nsys/nsys_sqlite.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "profiles/analysis/analyse.hpp"
#include "profiles/readers/nsys/nsys_reader.hpp"
#include "profiles/readers/readers.hpp"

namespace plumbline::profiles {

core::Status NsysReader::scan(std::string_view table, const RowScan& wanted) {
  RowScan scan = wanted;
  scan.source = source_;
  if (options_.progress) {
    scan.progress = [this](double part) { options_.progress(from_ + (to_ - from_) * part, doing_); };
  }
  const auto whole = scan_rows(database_, table, scan);
  if (!whole) return core::fail(whole.error());
  if (*whole) return {};
  unusual_ = true;
  return core::fail(core::ErrorCode::internal, "the pages of table " + std::string(table) + " are unusual", {}, database_.name());
}

core::Status NsysReader::need(std::string_view table, const Columns& wanted) {
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

// Exports have StringIds keyed by id. A copy made by CREATE TABLE … AS has no key left: asking for one id would read all rows.
core::Status NsysReader::prepare_strings() {
  if (!has("StringIds")) return {};
  const auto keyed = database_.has_key("StringIds", "id");
  if (!keyed) return core::fail(keyed.error());
  if (!*keyed) {
    return each("StringIds", {"id", "value"}, [this](const Row& row) -> core::Status {
      if (const auto id = row.integer(0)) strings_.try_emplace(*id, row.text(1));
      return {};
    });
  }
  auto statement = database_.prepare("SELECT value FROM \"StringIds\" WHERE id = ?1 LIMIT 1");
  if (!statement) return core::fail(statement.error());
  lookup_.emplace(std::move(*statement));
  return {};
}

core::Expected<std::string> NsysReader::string(std::int64_t id) {
  if (lookup_) {
    bind(*lookup_, id);
    const auto found = database_.step(*lookup_);
    if (!found) return core::fail(found.error());
    std::optional<std::string> text;
    if (*found) text = lookup_->text(0);
    reset(*lookup_);
    if (text) return *std::move(text);
  }
  if (const auto found = strings_.find(id); found != strings_.end()) return found->second;
  ++missing_names_;
  return "[id " + std::to_string(id) + "]";
}

core::Expected<std::uint64_t> NsysReader::count(std::string_view table) {
  if (!has(table)) return 0;
  auto statement = database_.prepare("SELECT count(*) FROM " + quoted_identifier(table));
  if (!statement) return core::fail(statement.error());
  const auto row = database_.step(*statement);
  if (!row) return core::fail(row.error());
  return static_cast<std::uint64_t>(statement->integer(0).value_or(0));
}

std::int64_t NsysReader::duration(const std::optional<std::int64_t>& start, const std::optional<std::int64_t>& end,
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

core::Error NsysReader::no_kernels() {
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

core::Status NsysReader::within_bounds() const {
  if (capture_.ops.size() < kMostEvents && capture_.calls.size() < kMostEvents && capture_.ranges.size() < kMostEvents) return {};
  return core::fail(core::ErrorCode::limit_exceeded,
                    "the capture holds more than a thousand million events, the most that is read",
                    "export a part of it: nsys export --times START/END", database_.name());
}

core::Status NsysReader::events() {
  progress(0.0, 0.5, "kernels");
  if (core::Status status = kernels(); !status) return status;
  if (core::Status status = graph_replays(); !status) return status;
  if (capture_.ops.size() == 0) return core::fail(no_kernels());
  progress(0.5, 0.6, "copies");
  if (core::Status status = copies(); !status) return status;
  progress(0.6, 0.8, "CUDA API calls");
  if (core::Status status = api(); !status) return status;
  if (core::Status status = os_calls(); !status) return status;
  progress(0.8, 0.95, "NVTX ranges");
  return ranges();
}

void NsysReader::progress(double from, double to, std::string_view what) {
  from_ = from;
  to_ = to;
  doing_ = what;
  if (options_.progress) options_.progress(from, what);
}

void NsysReader::describe() {
  capture_.info.path = database_.name();
  capture_.info.format = "nsys-sqlite";
  capture_.info.version = schema_.version;
  capture_.info.context = schema_.context;
  capture_.graph_mode = schema_.graph_mode;
  capture_.environment_rows = schema_.environment_rows;
  capture_.private_rows = schema_.private_rows;
  std::set<std::int64_t> used;
  for (std::uint32_t i = 0; i < capture_.queues.size(); ++i) used.insert(capture_.queues[i].device);
  std::map<std::string, std::set<std::string>> facts;
  for (const auto& [device, gpu] : schema_.gpus) {
    capture_.gpus[device].name = gpu.name;
    if (!used.contains(device)) continue;
    for (const auto& [key, value] : gpu.facts) facts[key].insert(value);
  }
  for (const auto& [key, values] : facts) {
    for (const std::string& value : values) {
      std::string& text = capture_.info.context[key];
      text += (text.empty() ? "" : ", ") + value;
    }
  }
  for (core::Warning& warning : schema_.warnings) capture_.warnings.push_back(std::move(warning));
}

void NsysReader::warn_of_rows() {
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
}

core::Expected<std::optional<Capture>> NsysReader::read() {
  auto schema = read_nsys_schema(database_);
  if (!schema) return core::fail(schema.error());
  schema_ = std::move(*schema);
  core::Status status = prepare_strings();
  if (status) status = events();
  if (unusual_) return std::optional<Capture>();
  if (!status) return core::fail(status.error());
  nccl_.attach(capture_);
  describe();
  warn_of_rows();
  return std::optional<Capture>(std::move(capture_));
}

core::Expected<Profile> read_nsys(Database& database, const ReadOptions& options, RowSource source) {
  for (const RowSource each : {source, RowSource::sqlite}) {
    auto capture = NsysReader(database, options, each).read();
    if (!capture) return core::fail(capture.error());
    if (!*capture) continue;
    if (options.progress) options.progress(0.95, "statistics");
    return analyse(std::move(**capture), options);
  }
  return core::fail(core::ErrorCode::internal, "the capture was read neither over its pages nor through SQLite", {},
                    database.name());
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
