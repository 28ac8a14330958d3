#include <sqlite3.h>

#include <algorithm>
#include <array>

#include "core/text.hpp"
#include "profiles/readers/nsys/nsys_sqlite.hpp"

namespace plumbline::profiles {
namespace {

struct Allowed {
  std::string_view name, key;
};
// The only values that leave TARGET_INFO_SYSTEM_ENV.
constexpr std::array<Allowed, 6> kSystem = {{{"NvDriverVersion", "hardware.driver"},
                                             {"CudaDriverVersion", "stack.cuda"},
                                             {"CpuDescription", "hardware.cpu"},
                                             {"OsDescription", "environment.os"},
                                             {"SoftwareReleaseVersion", "environment.kernel"},
                                             {"KernelVersion", "environment.kernel_build"}}};
constexpr std::size_t kLongestValue = 200;

// "13000" -> "13.0", "12040" -> "12.4"
std::string cuda_version(const std::string& text) {
  const auto number = core::parse_int(text);
  if (!number || *number < 1000 || *number > 1000000) return text;
  return std::to_string(*number / 1000) + "." + std::to_string(*number % 1000 / 10);
}

bool printable(std::string_view text) {
  return !text.empty() && text.size() <= kLongestValue &&
         std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

// One value by its name; the name is compared inside SQLite, so no other row's value is read.
core::Expected<std::string> value_of(Database& database, std::string_view table, std::string_view name) {
  auto statement = database.prepare("SELECT value FROM " + quoted_identifier(table) + " WHERE name = ?1 LIMIT 1");
  if (!statement) return core::fail(statement.error());
  sqlite3_bind_text(statement->get(), 1, name.data(), static_cast<int>(name.size()), SQLITE_STATIC);
  const auto row = database.step(*statement);
  if (!row) return core::fail(row.error());
  return *row ? std::string(statement->text(0)) : std::string();
}

core::Expected<bool> has_columns(Database& database, std::string_view table, std::initializer_list<std::string_view> wanted) {
  const auto columns = database.columns(table);
  if (!columns) return core::fail(columns.error());
  return std::all_of(wanted.begin(), wanted.end(), [&](std::string_view column) {
    return std::find(columns->begin(), columns->end(), column) != columns->end();
  });
}

core::Status read_versions(Database& database, NsysSchema& schema) {
  // META_DATA_EXPORT since 2023.4, EXPORT_META_DATA from 2022.4 to 2023.2, nothing before.
  for (const std::string_view table : {"META_DATA_EXPORT", "EXPORT_META_DATA"}) {
    if (!schema.tables.contains(table)) continue;
    const auto usable = has_columns(database, table, {"name", "value"});
    if (!usable) return core::fail(usable.error());
    if (!*usable) continue;
    const auto product = value_of(database, table, "EXPORT_PRODUCT_VERSION");
    if (!product) return core::fail(product.error());
    const auto version = value_of(database, table, "EXPORT_SCHEMA_VERSION");
    if (!version) return core::fail(version.error());
    if (printable(*product)) schema.context["environment.nsys"] = schema.version = *product;
    if (printable(*version))
      schema.version += (schema.version.empty() ? "schema " : " (schema ") + *version + (schema.version.empty() ? "" : ")");
    return {};
  }
  return {};
}

core::Status read_system(Database& database, NsysSchema& schema) {
  constexpr std::string_view kTable = "TARGET_INFO_SYSTEM_ENV";
  if (!schema.tables.contains(kTable)) return {};
  const auto usable = has_columns(database, kTable, {"name", "value"});
  if (!usable) return core::fail(usable.error());
  if (!*usable) return {};
  for (const Allowed& allowed : kSystem) {
    auto value = value_of(database, kTable, allowed.name);
    if (!value) return core::fail(value.error());
    if (!printable(*value) || *value == "unknown") continue;
    schema.context[std::string(allowed.key)] = allowed.name == "CudaDriverVersion" ? cuda_version(*value) : *value;
  }
  return {};
}

core::Status read_graph_mode(Database& database, NsysSchema& schema) {
  constexpr std::string_view kTable = "META_DATA_CAPTURE";
  if (!schema.tables.contains(kTable)) return {};
  const auto usable = has_columns(database, kTable, {"name", "value"});
  if (!usable) return core::fail(usable.error());
  if (!*usable) return {};
  // The option stands alone or behind "PROCESS_0:", by version.
  auto statement = database.prepare(
      "SELECT lower(value) FROM \"META_DATA_CAPTURE\" WHERE (name = 'CUDA_GRAPH_TRACE_OPTIONS:MODE' OR "
      "name GLOB 'PROCESS_[0-9]*:CUDA_GRAPH_TRACE_OPTIONS:MODE') AND lower(value) IN ('graph', 'node', 'none') LIMIT 1");
  if (!statement) return core::fail(statement.error());
  const auto row = database.step(*statement);
  if (!row) return core::fail(row.error());
  if (*row) schema.context["regime.cuda_graph_trace"] = schema.graph_mode = std::string(statement->text(0));
  return {};
}

// Whether the capture carries what is nobody's business (WANDB_API_KEY=…): counted inside SQLite, never read.
core::Status count_private(Database& database, NsysSchema& schema) {
  struct Place {
    std::string_view table;
    std::string_view needs;  // a column; "" for a name and a value
    const char* what;        // "" for environments
    const char* rows;
  };
  static constexpr std::array<Place, 6> kPlaces = {{
      {"META_DATA_CAPTURE", "", "", "name LIKE '%ENVIRONMENT%' AND length(value) > 0 AND value <> '[redacted]'"},
      {"TARGET_INFO_SYSTEM_ENV", "", "", "name = 'DeviceEnvironment' AND length(value) > 0 AND value <> '[redacted]'"},
      // The environment of every process of the host is interned among the names.
      {"StringIds", "value", "",
       "value GLOB '[A-Z_]*=*' AND instr(value, '=') > 2 AND substr(value, 1, instr(value, '=') - 1) NOT GLOB '*[^A-Z0-9_]*' AND "
       "substr(value, instr(value, '=') + 1) GLOB '*[^0-9., ]*' AND instr(value, '=[redacted]') = 0"},
      {"META_DATA_CAPTURE", "", "command line",
       "(name GLOB '*COMMAND' OR name GLOB '*ARGUMENT_[0-9]*') AND length(value) > 0 AND value <> '[redacted]'"},
      {"META_DATA_CAPTURE", "", "working directory", "name GLOB '*WORKING_DIR' AND length(value) > 0 AND value <> '[redacted]'"},
      {"ProcessStreams", "contentId", "output of a process", "1"},
  }};
  for (const Place& place : kPlaces) {
    if (!schema.tables.contains(place.table)) continue;
    const auto usable = place.needs.empty() ? has_columns(database, place.table, {"name", "value"})
                                            : has_columns(database, place.table, {place.needs});
    if (!usable) return core::fail(usable.error());
    if (!*usable) continue;
    auto statement =
        database.prepare("SELECT count(*) FROM " + quoted_identifier(place.table) + " WHERE " + std::string(place.rows));
    if (!statement) return core::fail(statement.error());
    const auto row = database.step(*statement);
    if (!row) return core::fail(row.error());
    const auto rows = static_cast<std::uint64_t>(*row ? std::max<std::int64_t>(statement->integer(0).value_or(0), 0) : 0);
    const std::string_view what = place.what;
    if (what.empty()) {
      schema.environment_rows += rows;
    } else if (rows > 0) {
      schema.private_rows[std::string(what)] += rows;
    }
  }
  return {};
}

// The table of devices and its columns: until early 2021 it was named as CUPTI's record of a device, with the clock in a unit
// that the table does not say.
struct GpuTable {
  std::string_view table;
  std::vector<std::string_view> columns;  // id, name, clock, multiprocessors, memory, major, minor
};
const GpuTable& gpu_table(const NsysSchema& schema) {
  static const GpuTable kNow = {"TARGET_INFO_GPU",
                                {"id", "name", "clockRate", "smCount", "totalMemory", "computeMajor", "computeMinor"}};
  static const GpuTable kBefore = {"TARGET_INFO_CUDA_GPU",
                                   {"deviceId", "name", "clockRate", "numMultiprocessors", "globalMemorySize",
                                    "computeCapabilityMajor", "computeCapabilityMinor"}};
  return schema.tables.contains(kNow.table) ? kNow : kBefore;
}

// Facts of a device that decide how fast it can be; columns came one after another over the versions.
core::Status read_gpus(Database& database, NsysSchema& schema) {
  const GpuTable& source = gpu_table(schema);
  if (!schema.tables.contains(source.table)) return {};
  const auto usable = has_columns(database, source.table, {source.columns.front()});
  if (!usable) return core::fail(usable.error());
  if (!*usable) return {};
  RowScan scan;
  scan.columns = source.columns;
  scan.source = RowSource::sqlite;
  scan.rows = [&schema](const RowBatch& batch) -> core::Status {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const RowBatch::Row row = batch[i];
      const auto id = row.integer(0);
      if (!id) continue;
      const auto [at, added] = schema.gpus.try_emplace(*id);
      if (!added) continue;
      NsysGpu& gpu = at->second;
      if (printable(row.text(1))) gpu.name = row.text(1);
      if (const std::int64_t hertz = row.integer_or(2, 0); hertz >= 1'000'000)
        gpu.facts["hardware.clock_max_mhz"] = std::to_string(hertz / 1'000'000);
      if (const std::int64_t count = row.integer_or(3, 0); count > 0) gpu.facts["hardware.gpu_sms"] = std::to_string(count);
      if (const std::int64_t bytes = row.integer_or(4, 0); bytes > 0)
        gpu.facts["hardware.gpu_memory_bytes"] = std::to_string(bytes);
      if (const std::int64_t major = row.integer_or(5, 0); major > 0) {
        gpu.facts["hardware.gpu_compute_capability"] = std::to_string(major) + "." + std::to_string(row.integer_or(6, 0));
      }
    }
    return {};
  };
  const auto done = scan_rows(database, source.table, scan);
  if (!done) return core::fail(done.error());
  return {};
}

// What else was captured, as far as it slows the program down: two captures with other options are not of one regime.
core::Status read_capture_options(Database& database, NsysSchema& schema) {
  constexpr std::string_view kTable = "META_DATA_CAPTURE";
  static constexpr std::array<Allowed, 7> kOptions = {{{"COLLECT_GPU_MEMORY_USAGE", "gpu memory usage"},
                                                       {"COLLECT_UVM_CPU_PAGE_FAULTS", "CPU page faults"},
                                                       {"COLLECT_UVM_GPU_PAGE_FAULTS", "GPU page faults"},
                                                       {"COLLECT_GPU_CTX_SW_TRACE", "GPU context switches"},
                                                       {"LINUX_PERF_OPTIONS:COLLECT_CPU_CTXSW_TRACE", "CPU context switches"},
                                                       {"OS_RUNTIME_OPTIONS:COLLECT_BACKTRACES", "OS runtime backtraces"},
                                                       {"CUDA_OPTIONS:COLLECT_BACKTRACES", "CUDA backtraces"}}};
  if (!schema.tables.contains(kTable)) return {};
  const auto usable = has_columns(database, kTable, {"name", "value"});
  if (!usable) return core::fail(usable.error());
  if (!*usable) return {};
  std::string on;
  for (const Allowed& option : kOptions) {
    auto statement = database.prepare(
        "SELECT 1 FROM \"META_DATA_CAPTURE\" WHERE (name = ?1 OR name GLOB 'PROCESS_[0-9]*:' || ?1) AND lower(value) = 'true' "
        "LIMIT 1");
    if (!statement) return core::fail(statement.error());
    sqlite3_bind_text(statement->get(), 1, option.name.data(), static_cast<int>(option.name.size()), SQLITE_STATIC);
    const auto row = database.step(*statement);
    if (!row) return core::fail(row.error());
    if (*row) on += (on.empty() ? "" : ", ") + std::string(option.key);
  }
  if (!on.empty()) schema.context["regime.nsys_collects"] = on;
  return {};
}

// The profiler's own word that events are missing. Its texts carry paths and are not repeated.
core::Status read_diagnostics(Database& database, NsysSchema& schema) {
  constexpr std::string_view kTable = "DIAGNOSTIC_EVENT";
  if (!schema.tables.contains(kTable)) return {};
  const auto usable = has_columns(database, kTable, {"text"});
  if (!usable) return core::fail(usable.error());
  if (!*usable) return {};
  auto statement = database.prepare(
      "SELECT count(*) FROM \"DIAGNOSTIC_EVENT\" WHERE text LIKE 'Not all CUDA events%' OR text LIKE 'Not all NVTX events%' OR "
      "text LIKE '%events were dropped%' OR text LIKE '%events dropped%'");
  if (!statement) return core::fail(statement.error());
  const auto row = database.step(*statement);
  if (!row) return core::fail(row.error());
  const std::int64_t found = *row ? statement->integer(0).value_or(0) : 0;
  if (found > 0) {
    schema.warnings.push_back(
        {"capture_incomplete", "the profiler reports that CUDA or NVTX events may be missing from the capture (" +
                                   core::counted(static_cast<std::uint64_t>(found), "diagnostic") + ")"});
  }
  return {};
}

}  // namespace

void bind(const Statement& statement, std::int64_t value) { sqlite3_bind_int64(statement.get(), 1, value); }
void reset(const Statement& statement) { sqlite3_reset(statement.get()); }

bool is_nsys_schema(const std::set<std::string, std::less<>>& tables) {
  const auto cupti = tables.lower_bound("CUPTI_ACTIVITY_KIND_");
  const bool activity = cupti != tables.end() && cupti->starts_with("CUPTI_ACTIVITY_KIND_");
  return activity ||
         (tables.contains("StringIds") && (tables.contains("META_DATA_EXPORT") || tables.contains("EXPORT_META_DATA") ||
                                           tables.contains("NVTX_EVENTS") || tables.contains("ANALYSIS_DETAILS")));
}

core::Expected<NsysSchema> read_nsys_schema(Database& database) {
  const auto tables = database.tables();
  if (!tables) return core::fail(tables.error());
  NsysSchema schema;
  schema.tables.insert(tables->begin(), tables->end());
  if (!is_nsys_schema(schema.tables)) {
    return core::fail(core::ErrorCode::invalid_input,
                      "the SQLite database is not an export of Nsight Systems: it has no CUPTI_ACTIVITY_KIND_ table",
                      "export the report with nsys export -t sqlite --lazy=true -o x.sqlite x.nsys-rep", database.name());
  }
  for (const auto step :
       {read_versions, read_system, read_graph_mode, read_capture_options, count_private, read_gpus, read_diagnostics}) {
    if (core::Status status = step(database, schema); !status) return core::fail(status.error());
  }
  if (database.has_log()) {
    schema.warnings.push_back({"unmerged_wal",
                               "a write-ahead log or a journal lies beside the capture and is not read: what was changed after "
                               "the export does not count"});
  }
  return schema;
}

}  // namespace plumbline::profiles
