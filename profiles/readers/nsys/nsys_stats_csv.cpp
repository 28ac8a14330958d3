#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "profiles/readers/form.hpp"
#include "profiles/readers/readers.hpp"
#include "profiles/readers/tables/table_capture.hpp"

namespace plumbline::profiles {
namespace {

namespace fs = std::filesystem;

struct Candidate {
  fs::path path;
  ReportFile name;
};

// Which file of a folder is a report's: one without arguments before one with, and never a guess between two.
core::Expected<std::optional<Candidate>> choose(const std::vector<Candidate>& candidates, const std::string& folder,
                                                std::vector<core::Warning>& warnings) {
  if (candidates.empty()) return std::optional<Candidate>();
  std::vector<Candidate> plain;
  for (const Candidate& each : candidates) {
    if (each.name.arguments.empty()) plain.push_back(each);
  }
  const bool passed_over = !plain.empty() && plain.size() < candidates.size();
  const std::vector<Candidate>& left = plain.empty() ? candidates : plain;
  if (left.size() > 1) {
    std::vector<std::string> names;
    names.reserve(left.size());
    for (const Candidate& each : left) names.push_back(each.path.filename().string());
    return core::fail(core::ErrorCode::invalid_input,
                      "ambiguous CSV match for " + std::string(left.front().name.report_name) + ": " + core::cited_list(names),
                      "give one of the files, or a folder that holds the reports of one capture", folder);
  }
  if (passed_over) {
    std::vector<std::string> names;
    for (const Candidate& each : candidates) {
      if (!each.name.arguments.empty()) names.push_back(each.path.filename().string());
    }
    warnings.push_back({"csv_variant_ignored", left.front().path.filename().string() +
                                                   " is read; its variant with arguments is not: " + core::cited_list(names)});
  }
  return std::optional<Candidate>(left.front());
}

core::Expected<Profile> read_folder(const OpenFile& folder, const std::string& path, const ReadOptions& options) {
  std::vector<Candidate> all;
  std::vector<fs::path> others;
  const auto names = folder.file_names();
  if (!names) return core::fail(core::ErrorCode::environment, "the folder cannot be read", {}, path);
  for (const std::string& file_name : *names) {
    const fs::path file = fs::path(path) / file_name;
    const std::string suffix = core::to_lower(file.extension().string());
    if ((suffix != ".csv" && suffix != ".json") || !OpenFile(file.string(), options.open).is_file()) continue;
    ReportFile name = report_of(file.stem().string());
    if (name.rocprof) continue;
    if (name.report == Report::unknown) {
      if (suffix == ".csv") others.push_back(file);
    } else {
      all.push_back({file, std::move(name)});
    }
  }

  TableCapture tables(options);
  bool json = false;
  for (const Report report :
       {Report::kernels, Report::kernels_by_shape, Report::executions, Report::api, Report::nvtx, Report::nvtx_startend,
        Report::range_kernels, Report::projected_ranges, Report::memory, Report::memory_size, Report::nccl, Report::gpu_trace,
        Report::api_trace, Report::range_trace, Report::projected_trace}) {
    std::vector<Candidate> candidates;
    for (const Candidate& each : all) {
      if (each.name.report == report) candidates.push_back(each);
    }
    // A report exported both ways is one report.
    const auto is_csv = [](const Candidate& each) { return core::to_lower(each.path.extension().string()) == ".csv"; };
    if (std::any_of(candidates.begin(), candidates.end(), is_csv))
      candidates.erase(std::remove_if(candidates.begin(), candidates.end(), std::not_fn(is_csv)), candidates.end());
    const auto chosen = choose(candidates, path, tables.sums().warnings());
    if (!chosen) return core::fail(chosen.error());
    if (!*chosen) continue;
    if (options.stop && options.stop())
      return core::fail(core::ErrorCode::cancelled, "stopped while reading the capture", {}, path);
    const std::string file = (*chosen)->path.string();
    json = json || !is_csv(**chosen);
    core::Status status = is_csv(**chosen) ? tables.read_file(file, report) : read_json_tables(tables, file, options, report);
    if (!status) return core::fail(status.error());
  }
  if (all.empty() && others.size() == 1) {  // the whole output of `nsys stats` in one file of any name
    if (core::Status status = tables.read_file(others.front().string(), Report::unknown); !status)
      return core::fail(status.error());
  }
  return tables.finish(path, json);
}

}  // namespace

core::Expected<Profile> read_nsys_stats_text(std::string_view text, const std::string& name) {
  const ReadOptions options;
  TableCapture tables(options);
  if (core::Status status = tables.read_text(text, name, report_of(fs::path(name).stem().string()).report); !status)
    return core::fail(status.error());
  return tables.finish(name);
}

core::Expected<Profile> read_nsys_stats_csv(const std::string& path, const ReadOptions& options) {
  if (const OpenFile folder(path, options.open); folder.is_folder()) return read_folder(folder, path, options);
  TableCapture tables(options);
  if (core::Status status = tables.read_file(path, report_of(fs::path(path).stem().string()).report); !status)
    return core::fail(status.error());
  return tables.finish(path);
}

namespace {

bool is_nsys_stats(const OpenFile& file) {
  if (!file.is_folder()) return looks_like_report(file.head(8192).value_or(std::string()));
  for (const fs::path name : file.file_names().value_or(std::vector<std::string>())) {
    const std::string suffix = core::to_lower(name.extension().string());
    if (suffix != ".csv" && suffix != ".json") continue;
    const ReportFile report = report_of(name.stem().string());
    if (!report.rocprof && report.report != Report::unknown && report.report != Report::other) return true;
  }
  return false;
}

}  // namespace

extern const Form nsys_stats_csv_form = {
    .name = "nsys-stats-csv",
    .captures =
        {{{"nsys-stats-csv",
           "tables of `nsys stats --format csv`: a folder, or one file of one report or several; summaries give totals, traces "
           "(`cuda_gpu_trace`, `cuda_api_trace`, `nvtx_*_trace`) the timeline; old and new report names",
           "the tables' headers", "CSV, folder",
           "nsys stats --format csv --output report \\\n"
           "  --report cuda_gpu_kern_sum,cuda_api_sum,nvtx_sum report.nsys-rep"},
          {"kernel-summary-csv", "a table of kernels with name, count and total kernel time, made with other tools",
           "the columns", "CSV", "# a table of your own: name of the kernel, count, total time with its unit"}}},
    .recognises = [](const OpenFile& file, std::string_view) { return is_nsys_stats(file); },
    .read = &read_nsys_stats_csv,
};

}  // namespace plumbline::profiles
