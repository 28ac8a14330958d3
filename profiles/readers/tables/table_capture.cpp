#include "profiles/readers/tables/table_capture.hpp"

#include <system_error>

#include "core/text.hpp"
#include "profiles/analysis/analyse.hpp"
#include "profiles/readers/readers.hpp"

namespace plumbline::profiles {
namespace {

using core::ErrorCode;

constexpr std::string_view kAccepted =
    "a kernel report is a file <prefix>_cuda_gpu_kern_sum.csv or <prefix>_gpukernsum.csv (also cuda_gpu_kern_gb_sum): "
    "nsys stats --report cuda_gpu_kern_sum,cuda_api_sum,nvtx_sum,cuda_gpu_mem_time_sum --format csv -o PREFIX x.nsys-rep";
constexpr std::string_view kCaptureAgain =
    "capture with nsys profile --trace=cuda,nvtx and check that the range captured reaches the GPU work";
constexpr std::string_view kRocprofAgain =
    "capture with rocprofv3 --kernel-trace --hip-trace --stats --output-format csv -- PROGRAM";

}  // namespace

core::Status TableCapture::read_file(const std::string& path, Report expected) {
  const OpenFile file(path, options_.open);
  if (!file.is_file()) {
    const std::string why = file.error() != 0 ? ": " + std::generic_category().message(file.error()) : std::string();
    return core::fail(ErrorCode::environment, "the file cannot be read" + why, {}, path);
  }
  CsvStream records(file);
  return reader_.read(records, path, expected);
}

core::Status TableCapture::read_text(std::string_view text, const std::string& where, Report expected) {
  CsvStream records(text);
  return reader_.read(records, where, expected);
}

std::string TableCapture::format(bool json) const {
  if (json) return "nsys-stats-json";
  if (events_.rocprof() || sums_.dialect() == SumColumns::Dialect::rocprof) return "rocprof-csv";
  return sums_.dialect() == SumColumns::Dialect::kernel_summary ? "kernel-summary-csv" : "nsys-stats-csv";
}

core::Error TableCapture::no_kernels(const std::string& path) const {
  const std::string hint(events_.rocprof() || sums_.dialect() == SumColumns::Dialect::rocprof ? kRocprofAgain : kCaptureAgain);
  if (!events_.other_devices().empty()) {
    std::vector<std::string> ids;
    for (const std::int64_t id : events_.other_devices()) ids.push_back(std::to_string(id));
    return {ErrorCode::invalid_input, "no GPU kernels on the devices asked for", "the capture has device " + core::listed(ids),
            path};
  }
  for (const Report report : {Report::kernels, Report::kernels_by_shape, Report::executions, Report::gpu_trace}) {
    if (!sums_.seen(report) && !events_.seen(report)) continue;
    std::string message = "the kernel report has no rows: a capture bug until proven otherwise";
    if (events_.without_times() > 0)
      message += "; it has " + core::counted(events_.without_times(), "row") + " whose times make no sense";
    return {ErrorCode::invalid_input, message, hint, path};
  }
  if (sums_.skipped()) {
    return {ErrorCode::invalid_input,
            "nsys skipped the kernel report: the capture holds no GPU kernels, a capture bug until proven otherwise", hint, path};
  }
  return {ErrorCode::invalid_input, "no kernel report found", std::string(kAccepted), path};
}

// The profile of the traces, and what only the summaries hold.
core::Expected<Profile> TableCapture::from_events(Profile totals) {
  capture_.info = totals.info;
  auto analysed = analyse(std::move(capture_), options_);
  if (!analysed) return analysed;
  Profile& profile = *analysed;
  if (profile.api.empty()) profile.api = std::move(totals.api);
  if (profile.nvtx.empty()) profile.nvtx = std::move(totals.nvtx);
  if (profile.memory.empty()) profile.memory = std::move(totals.memory);
  if (profile.ranges.empty()) profile.ranges = std::move(totals.ranges);
  if (profile.metrics.empty()) profile.metrics = std::move(totals.metrics);
  if (!profile.launches) profile.launches = totals.launches;
  for (core::Warning& warning : totals.warnings) profile.warnings.push_back(std::move(warning));
  return analysed;
}

core::Expected<Profile> TableCapture::finish(const std::string& path, bool json) {
  events_.finish();
  std::uint64_t kernels = 0;
  for (const OpKind kind : capture_.ops.kind) kernels += kind == OpKind::kernel ? 1 : 0;
  if (kernels == 0 && events_.seen(Report::gpu_trace)) return core::fail(no_kernels(path));
  core::Error none = no_kernels(path);
  std::string form = format(json);
  Profile totals = sums_.profile();
  totals.info.path = path;
  totals.info.format = std::move(form);
  if (kernels > 0) {
    totals.info.kernels = 0;
    totals.info.kernel_ns = 0;
    return from_events(std::move(totals));
  }
  if (totals.info.kernels == 0) return core::fail(std::move(none));
  if (!options_.devices.empty()) {
    return core::fail(ErrorCode::invalid_input, "the tables hold totals over all devices: one device cannot be told from another",
                      "give a trace of events (cuda_gpu_trace, kernel_trace) or the profiler's database", path);
  }
  for (core::Warning& warning : capture_.warnings) totals.warnings.push_back(std::move(warning));
  return totals;
}

}  // namespace plumbline::profiles
