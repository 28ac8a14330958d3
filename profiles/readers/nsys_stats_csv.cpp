#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>

#include "core/text.hpp"
#include "profiles/names/names.hpp"
#include "profiles/readers/nsys_stats_table.hpp"
#include "profiles/readers/readers.hpp"

namespace plumbline::profiles {
namespace {

namespace fs = std::filesystem;
constexpr std::uintmax_t kLargestFile = std::uintmax_t{1} << 30;

struct NamedReport {
  std::string_view name;
  Report report;
};
// Report names of nsys, new and old (before 2022.4), longest first where one is the beginning of another.
constexpr std::array<NamedReport, 15> kReports = {{{"cuda_gpu_kern_gb_sum", Report::kernels_by_shape},
                                                   {"cuda_gpu_kern_sum", Report::kernels},
                                                   {"gpukernsum", Report::kernels},
                                                   {"cuda_api_sum", Report::api},
                                                   {"cudaapisum", Report::api},
                                                   {"nvtx_pushpop_sum", Report::nvtx},
                                                   {"nvtx_startend_sum", Report::nvtx_startend},
                                                   {"nvtxppsum", Report::nvtx},
                                                   {"nvtx_sum", Report::nvtx},
                                                   {"nvtxsum", Report::nvtx},
                                                   {"cuda_gpu_mem_time_sum", Report::memory},
                                                   {"gpumemtimesum", Report::memory},
                                                   {"nccltrace", Report::nccl},
                                                   {"osrt_sum", Report::other},
                                                   {"osrtsum", Report::other}}};

struct FileName {
  Report report = Report::unknown;
  std::string_view report_name;
  std::string arguments;  // "base" of x_cuda_gpu_kern_sum_base.csv
};

FileName parse_name(const std::string& stem) {
  for (const NamedReport& known : kReports) {
    const std::size_t at = stem.rfind(known.name);
    if (at == std::string::npos || (at > 0 && stem[at - 1] != '_')) continue;
    const std::size_t end = at + known.name.size();
    if (end < stem.size() && stem[end] != '_') continue;
    return {known.report, known.name, end < stem.size() ? stem.substr(end + 1) : std::string()};
  }
  return {};
}

core::Expected<std::string> slurp(const fs::path& path, const Opener& open) {
  const OpenFile file(path.string(), open);
  if (file.size() > kLargestFile) {
    return core::fail(core::ErrorCode::limit_exceeded, "the file is larger than 1 GiB, the most that is read of a CSV report",
                      "give the SQLite export of the capture instead", path.string());
  }
  auto text = file.head(kLargestFile);
  if (text) return std::move(*text);
  const std::string why = file.error() != 0 ? ": " + std::generic_category().message(file.error()) : std::string();
  return core::fail(core::ErrorCode::environment, "the file cannot be read" + why, {}, path.string());
}

struct Candidate {
  fs::path path;
  FileName name;
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
                      "ambiguous CSV match for " + std::string(left.front().name.report_name) + ": " + core::listed(names),
                      "give one of the files, or a folder that holds the reports of one capture", folder);
  }
  if (passed_over) {
    std::vector<std::string> names;
    for (const Candidate& each : candidates) {
      if (!each.name.arguments.empty()) names.push_back(each.path.filename().string());
    }
    warnings.push_back({"csv_variant_ignored", left.front().path.filename().string() +
                                                   " is read; its variant with arguments is not: " + core::listed(names)});
  }
  return std::optional<Candidate>(left.front());
}

constexpr std::string_view kAccepted =
    "a kernel report is a file <prefix>_cuda_gpu_kern_sum.csv or <prefix>_gpukernsum.csv (also cuda_gpu_kern_gb_sum): "
    "nsys stats --report cuda_gpu_kern_sum,cuda_api_sum,nvtx_sum,cuda_gpu_mem_time_sum --format csv -o PREFIX x.nsys-rep";

core::Expected<Profile> finish(StatsTables tables, const std::string& path) {
  if (!tables.seen(Report::kernels) && !tables.seen(Report::kernels_by_shape)) {
    if (tables.skipped()) {
      return core::fail(core::ErrorCode::invalid_input,
                        "nsys skipped the kernel report: the capture holds no GPU kernels, a capture bug until proven otherwise",
                        "capture with nsys profile --trace=cuda,nvtx and check that the range captured reaches the GPU work",
                        path);
    }
    return core::fail(core::ErrorCode::invalid_input, "no kernel report found", std::string(kAccepted), path);
  }
  auto profile = tables.profile();
  if (!profile) return profile;
  if (profile->info.kernels == 0) {
    return core::fail(core::ErrorCode::invalid_input, "the kernel report has no rows: a capture bug until proven otherwise",
                      "capture with nsys profile --trace=cuda,nvtx and check that the range captured reaches the GPU work", path);
  }
  profile->info.path = path;
  profile->info.format = "nsys-stats-csv";
  return profile;
}

core::Expected<Profile> read_folder(const OpenFile& folder, const std::string& path, const ReadOptions& options) {
  std::vector<Candidate> all;
  std::vector<fs::path> others;
  const auto names = folder.file_names();
  if (!names) return core::fail(core::ErrorCode::environment, "the folder cannot be read", {}, path);
  for (const std::string& file_name : *names) {
    const fs::path file = fs::path(path) / file_name;
    if (core::to_lower(file.extension().string()) != ".csv" || !OpenFile(file.string(), options.open).is_file()) continue;
    FileName name = parse_name(file.stem().string());
    if (name.report == Report::unknown) {
      others.push_back(file);
    } else {
      all.push_back({file, std::move(name)});
    }
  }

  StatsTables tables;
  for (const Report report : {Report::kernels, Report::kernels_by_shape, Report::api, Report::nvtx, Report::nvtx_startend,
                              Report::memory, Report::nccl}) {
    if (report == Report::kernels_by_shape && tables.seen(Report::kernels)) continue;  // the same kernels once more
    if (options.stop && options.stop())
      return core::fail(core::ErrorCode::cancelled, "stopped while reading the capture", {}, path);
    std::vector<Candidate> candidates;
    for (const Candidate& each : all) {
      if (each.name.report == report) candidates.push_back(each);
    }
    const auto chosen = choose(candidates, path, tables.warnings());
    if (!chosen) return core::fail(chosen.error());
    if (!*chosen) continue;
    const auto text = slurp((*chosen)->path, options.open);
    if (!text) return core::fail(text.error());
    if (core::Status status = tables.add(*text, (*chosen)->path.string(), report); !status) return core::fail(status.error());
  }
  if (all.empty() && others.size() == 1) {  // the whole output of `nsys stats` in one file of any name
    const auto text = slurp(others.front(), options.open);
    if (!text) return core::fail(text.error());
    if (core::Status status = tables.add(*text, others.front().string(), Report::unknown); !status)
      return core::fail(status.error());
  }
  return finish(std::move(tables), path);
}

}  // namespace

core::Expected<Profile> read_nsys_stats_text(std::string_view text, const std::string& name) {
  StatsTables tables;
  if (core::Status status = tables.add(text, name, parse_name(fs::path(name).stem().string()).report); !status)
    return core::fail(status.error());
  return finish(std::move(tables), name);
}

core::Expected<Profile> read_nsys_stats_csv(const std::string& path, const ReadOptions& options) {
  if (const OpenFile folder(path, options.open); folder.is_folder()) return read_folder(folder, path, options);
  const auto text = slurp(path, options.open);
  if (!text) return core::fail(text.error());
  return read_nsys_stats_text(*text, path);
}

bool is_nsys_stats(const OpenFile& file) {
  if (!file.is_folder()) return looks_like_stats(file.head(8192).value_or(std::string()));
  for (const fs::path name : file.file_names().value_or(std::vector<std::string>())) {
    if (core::to_lower(name.extension().string()) != ".csv") continue;
    const Report report = parse_name(name.stem().string()).report;
    if (report != Report::unknown && report != Report::other) return true;
  }
  return false;
}

}  // namespace plumbline::profiles
