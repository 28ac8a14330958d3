// A folder of CSV files of rocprofv3 (or rocprof): one set of files per process, told apart by what stands before the report's
// name (`1234_kernel_trace.csv`). Traces where there are any, else statistics.
#include <filesystem>
#include <map>

#include "core/text.hpp"
#include "profiles/readers/form.hpp"
#include "profiles/readers/readers.hpp"
#include "profiles/readers/tables/table_capture.hpp"

namespace plumbline::profiles {
namespace {

namespace fs = std::filesystem;

// Names of GPUs by the number that the traces call them by.
core::Status read_agents(const std::string& path, const ReadOptions& options, Capture& capture) {
  const OpenFile file(path, options.open);
  if (!file.is_file()) return core::fail(core::ErrorCode::environment, "the file cannot be read", {}, path);
  CsvStream records(file);
  std::vector<std::string_view> fields;
  if (!records.next(fields)) return {};
  const HeaderLine header(fields);
  const std::size_t node = header.index({"nodeid"});
  const std::size_t type = header.index({"agenttype"});
  const std::size_t product = header.index({"productname"});
  const std::size_t name = header.index({"name"});
  const std::size_t width = fields.size();
  while (records.next(fields)) {
    if (fields.size() != width || node == kNoColumn || type == kNoColumn || core::trim(fields[type]) != "GPU") continue;
    const auto id = core::parse_int(core::trim(fields[node]));
    std::string_view text = product != kNoColumn ? core::trim(fields[product]) : std::string_view();
    if (text.empty() && name != kNoColumn) text = core::trim(fields[name]);
    if (id && !text.empty()) capture.gpus[*id].name = text;
  }
  return {};
}

struct FileSet {  // of one process
  std::multimap<Report, std::string> files;
};

bool is_rocprof_folder(const OpenFile& folder) {
  if (!folder.is_folder()) return false;
  for (const fs::path name : folder.file_names().value_or(std::vector<std::string>())) {
    if (core::to_lower(name.extension().string()) != ".csv") continue;
    const ReportFile report = report_of(name.stem().string());
    if (report.rocprof && (report.report == Report::kernels || report.report == Report::gpu_trace)) return true;
  }
  return false;
}

core::Expected<Profile> read_rocprof_csv(const std::string& path, const ReadOptions& options) {
  const OpenFile folder(path, options.open);
  const auto names = folder.file_names();
  if (!names) return core::fail(core::ErrorCode::environment, "the folder cannot be read", {}, path);
  std::map<std::string, FileSet> sets;  // by prefix: the order of processes is that of the names
  bool kernel_traces = false;
  for (const std::string& file_name : *names) {
    const fs::path file = fs::path(path) / file_name;
    if (core::to_lower(file.extension().string()) != ".csv" || !OpenFile(file.string(), options.open).is_file()) continue;
    const ReportFile report = report_of(file.stem().string());
    if (!report.rocprof || report.report == Report::other) continue;
    kernel_traces = kernel_traces || report.report == Report::gpu_trace;
    sets[report.prefix].files.emplace(report.report, file.string());
  }

  TableCapture tables(options);
  std::int64_t process = 0;
  for (const auto& [prefix, set] : sets) {
    tables.events().process(process++);
    for (const auto& [report, file] : set.files) {
      if (options.stop && options.stop())
        return core::fail(core::ErrorCode::cancelled, "stopped while reading the capture", {}, path);
      if (report == Report::agents) {
        if (core::Status status = read_agents(file, options, tables.capture()); !status) return core::fail(status.error());
        continue;
      }
      // Statistics are sums over the same events as the traces beside them.
      if (kernel_traces && report == Report::kernels) continue;
      if (core::Status status = tables.read_file(file, report); !status) return core::fail(status.error());
    }
  }
  return tables.finish(path);
}

}  // namespace

extern const Form rocprof_csv_form = {
    .name = "rocprof-csv",
    .captures = {{{"rocprof-csv",
                   "tables of rocprofv3 and rocprof: traces or statistics, one file or a folder with a set of files per process",
                   "the tables' headers, the names of the files", "CSV, folder",
                   "rocprofv3 --kernel-trace --memory-copy-trace --stats \\\n"
                   "  --output-format csv -d DIR -- COMMAND"}}},
    .recognises = [](const OpenFile& file, std::string_view) { return is_rocprof_folder(file); },
    .read = &read_rocprof_csv,
};

}  // namespace plumbline::profiles
