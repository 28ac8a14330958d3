#include "profiles/readers/bytes/csv_reports.hpp"

#include <algorithm>
#include <array>

#include "core/text.hpp"

namespace plumbline::profiles {
namespace {

struct NamedReport {
  std::string_view name;
  Report report;
  bool rocprof = false;
};
// Names of nsys, new and old (before 2022.4), and of rocprof; longest first where one is the beginning of another.
constexpr std::array<NamedReport, 54> kReports = {{{"cuda_gpu_kern_gb_sum", Report::kernels_by_shape},
                                                   {"cuda_gpu_kern_sum", Report::kernels},
                                                   {"gpukernsum", Report::kernels},
                                                   {"cuda_api_sum", Report::api},
                                                   {"cudaapisum", Report::api},
                                                   {"nvtx_pushpop_sum", Report::nvtx},
                                                   {"nvtx_startend_sum", Report::nvtx_startend},
                                                   {"nvtxppsum", Report::nvtx},
                                                   {"nvtxsesum", Report::nvtx_startend},
                                                   {"nvtx_sum", Report::nvtx},
                                                   {"nvtxsum", Report::nvtx},
                                                   {"cuda_gpu_mem_time_sum", Report::memory},
                                                   {"gpumemtimesum", Report::memory},
                                                   {"cuda_gpu_mem_size_sum", Report::memory_size},
                                                   {"gpumemsizesum", Report::memory_size},
                                                   {"nvtx_gpu_proj_sum", Report::projected_ranges},
                                                   {"nvtxgpuprojsum", Report::projected_ranges},
                                                   {"nvtx_kern_sum", Report::range_kernels},
                                                   {"nvtxkernsum", Report::range_kernels},
                                                   {"cuda_kern_exec_sum", Report::executions},
                                                   {"kernexecsum", Report::executions},
                                                   {"cuda_gpu_trace", Report::gpu_trace},
                                                   {"gputrace", Report::gpu_trace},
                                                   {"cuda_api_trace", Report::api_trace},
                                                   {"cudaapitrace", Report::api_trace},
                                                   {"nvtx_pushpop_trace", Report::range_trace},
                                                   {"nvtxpptrace", Report::range_trace},
                                                   {"nvtx_gpu_proj_trace", Report::projected_trace},
                                                   {"nvtxgpuproj", Report::projected_trace},
                                                   {"nccltrace", Report::nccl},
                                                   {"osrt_sum", Report::other},
                                                   {"osrtsum", Report::other},
                                                   {"cuda_api_gpu_sum", Report::other},  // calls and kernels once more
                                                   {"apigpusum", Report::other},
                                                   {"cuda_gpu_sum", Report::other},
                                                   {"gpusum", Report::other},
                                                   {"kernel_trace", Report::gpu_trace, true},
                                                   {"memory_copy_trace", Report::copy_trace, true},
                                                   {"hip_api_trace", Report::api_trace, true},
                                                   {"hip_runtime_api_trace", Report::api_trace, true},
                                                   {"hip_runtime_trace", Report::api_trace, true},
                                                   {"marker_api_trace", Report::range_trace, true},
                                                   {"marker_trace", Report::range_trace, true},
                                                   {"kernel_stats", Report::kernels, true},
                                                   {"memory_copy_stats", Report::memory, true},
                                                   {"hip_api_stats", Report::api, true},
                                                   {"hip_runtime_api_stats", Report::api, true},
                                                   {"hip_stats", Report::api, true},
                                                   {"marker_api_stats", Report::nvtx, true},
                                                   {"agent_info", Report::agents, true},
                                                   {"hsa_api_stats", Report::other, true},
                                                   {"hsa_stats", Report::other, true},
                                                   {"hsa_api_trace", Report::other, true},
                                                   {"domain_stats", Report::other, true}}};
// rocprof before version 3 puts a dot before the report: results.stats.csv.
constexpr std::array<NamedReport, 5> kDotted = {{{".hip_stats", Report::api, true},
                                                 {".copy_stats", Report::memory, true},
                                                 {".hsa_stats", Report::other, true},
                                                 {".roctx_stats", Report::nvtx, true},
                                                 {".stats", Report::kernels, true}}};

bool any_starts(const std::vector<std::string_view>& fields, std::initializer_list<std::string_view> beginnings) {
  return std::any_of(fields.begin(), fields.end(), [&](std::string_view field) {
    field = core::trim(field);
    return std::any_of(beginnings.begin(), beginnings.end(),
                       [&](std::string_view beginning) { return core::starts_with_no_case(field, beginning); });
  });
}

// A total that a row of the table counts towards, its kind by the columns that only one report has.
Report by_columns(const HeaderLine& header, Report expected) {
  if (header.has("nvtxrange")) return Report::range_kernels;
  if (header.has("qcount")) return Report::executions;
  if (header.has("totalprojtime")) return Report::projected_ranges;
  if (!header.has("totaltime")) return header.has("total") && header.has("operation") ? Report::memory_size : Report::unknown;
  if (header.has("range")) return expected == Report::nvtx_startend || expected == Report::other ? expected : Report::nvtx;
  if (header.has("category") && header.has("operation")) return Report::other;  // kernels, copies and calls in one table
  if (header.has("operation")) return expected == Report::nccl ? expected : Report::memory;
  if (header.has("numcalls")) return expected == Report::other ? expected : Report::api;
  if (!header.has("instances") && !header.has("calls") && !header.has("count")) return Report::unknown;
  for (const Report same_header : {Report::kernels, Report::api, Report::nvtx, Report::memory, Report::other}) {
    if (expected == same_header) return expected;
  }
  return header.has("gridxyz") || header.has("blockxyz") ? Report::kernels_by_shape : Report::kernels;
}

void find_sums(HeaderLine& header, SumColumns& columns) {
  columns.total = header.time({"totaltime"});
  columns.count = header.number({"instances", "numcalls", "calls", "count"});
  columns.median = header.time({"med"});
  columns.low = header.time({"min"});
  columns.high = header.time({"max"});
  const bool spread_without_unit = header.unit_missing();
  columns.stddev = header.time({"stddev"});
  columns.median.whole = columns.stddev.whole = false;
  columns.grid = header.index({"gridxyz"});
  columns.block = header.index({"blockxyz"});
  columns.unit_missing = spread_without_unit;
}

}  // namespace

ReportFile report_of(const std::string& stem) {
  for (const NamedReport& known : kReports) {
    const std::size_t at = stem.rfind(known.name);
    if (at == std::string::npos || (at > 0 && stem[at - 1] != '_')) continue;
    const std::size_t end = at + known.name.size();
    if (end < stem.size() && stem[end] != '_') continue;
    return {known.report, known.name, at > 0 ? stem.substr(0, at - 1) : std::string(),
            end < stem.size() ? stem.substr(end + 1) : std::string(), known.rocprof};
  }
  for (const NamedReport& known : kDotted) {
    if (stem.ends_with(known.name))
      return {known.report, known.name.substr(1), stem.substr(0, stem.size() - known.name.size()), {}, true};
  }
  return {};
}

std::optional<SumColumns> sum_columns(const std::vector<std::string_view>& fields, Report expected) {
  // Every record is asked; only one with such a column is worth a closer look.
  if (fields.size() < 3 || !any_starts(fields, {"total", "duration", "tavg", "kavg"})) return std::nullopt;
  HeaderLine header(fields);
  SumColumns columns;
  columns.width = fields.size();
  if (expected == Report::nccl && header.has("duration") && (header.has("function") || header.has("operation"))) {
    columns.report = Report::nccl;
    columns.name = header.index({"function", "name", "operation"});
    columns.total = header.time({"duration"});
    columns.problem = header.problem();
    columns.unit_missing = header.unit_missing();
    return columns;
  }
  columns.report = by_columns(header, expected);
  switch (columns.report) {
    case Report::unknown:
      return std::nullopt;
    case Report::memory_size:
      columns.total = header.bytes({"total"});
      columns.count = header.number({"count"});
      columns.name = header.index({"operation"});
      break;
    case Report::projected_ranges:
      columns.total = header.time({"totalprojtime"});
      columns.host_total = header.time({"totalrangetime"});
      columns.range_count = header.number({"rangeinstances"});
      columns.operations = header.number({"totalgpuops"});
      columns.name = header.index({"range"});
      break;
    case Report::range_kernels:
      columns.total = header.time({"totaltime"});
      columns.range_count = header.number({"nvtxinst"});
      columns.count = header.number({"kerninst"});
      columns.name = header.index({"nvtxrange"});
      columns.second_name = header.index({"name"});
      columns.process = header.index({"pid"});
      columns.thread = header.index({"tid"});
      break;
    case Report::executions:
      columns.count = header.number({"count"});
      columns.total = header.time({"kavg"});
      columns.host_total = header.time({"aavg"});
      columns.name = header.index({"apiname"});
      columns.second_name = header.index({"name"});
      columns.total.whole = columns.host_total.whole = false;
      break;
    default:
      find_sums(header, columns);
      columns.name = columns.report == Report::nvtx || columns.report == Report::nvtx_startend ? header.index({"range", "name"})
                     : columns.report == Report::memory || columns.report == Report::nccl ? header.index({"operation", "name"})
                                                                                          : header.index({"name", "apiname"});
      break;
  }
  for (const std::string_view field : fields) {
    if (field.find("Kernel Time") != std::string_view::npos) columns.dialect = SumColumns::Dialect::kernel_summary;
    if (core::trim(field) == "TotalDurationNs") columns.dialect = SumColumns::Dialect::rocprof;
  }
  columns.problem = header.problem();
  if (columns.name == kNoColumn || !columns.total.there()) return std::nullopt;
  return columns;
}

std::optional<EventColumns> event_columns(const std::vector<std::string_view>& fields) {
  if (fields.size() < 3 || !any_starts(fields, {"start", "duration", "projected", "begin"})) return std::nullopt;
  HeaderLine header(fields);
  EventColumns columns;
  columns.width = fields.size();
  columns.name = header.index({"name", "function"});
  columns.correlation = header.index({"corrid", "correlationid"});
  columns.process = header.index({"pid", "processid"});
  columns.thread = header.index({"tid", "threadid"});
  columns.stream = header.index({"strm", "stream", "streamid", "queueid", "queue-id"});
  columns.guid = header.index({"guid"});
  if (header.has("starttimestamp") && header.has("endtimestamp")) {
    columns.rocprof = true;
    columns.start = header.time({"starttimestamp"});
    columns.end = header.time({"endtimestamp"});
    columns.device = header.index({"agentid"});
    columns.domain = header.index({"domain", "kind"});
    if (header.has("direction")) {
      columns.report = Report::copy_trace;
      columns.name = header.index({"direction"});
      columns.from = header.index({"sourceagentid"});
      columns.to = header.index({"destinationagentid"});
      columns.bytes = header.bytes({"bytes", "size"});
    } else if (header.has("agentid")) {
      columns.report = Report::gpu_trace;
      constexpr std::string_view kGrid[3] = {"gridsizex", "gridsizey", "gridsizez"};
      constexpr std::string_view kBlock[3] = {"workgroupsizex", "workgroupsizey", "workgroupsizez"};
      for (int i = 0; i < 3; ++i) {
        columns.grid[i] = header.index({kGrid[i]});
        columns.block[i] = header.index({kBlock[i]});
      }
    } else {
      columns.report = Report::api_trace;  // or of ranges: the domain of each row says
    }
  } else if (header.has("begin") && header.has("end") && header.has("gpu-id")) {  // rocprof before version 3
    columns.rocprof = true;
    columns.report = Report::gpu_trace;
    columns.start = header.time({"begin"});
    columns.end = header.time({"end"});
    columns.device = header.index({"gpu-id"});
    columns.grid[0] = header.index({"grd"});
    columns.block[0] = header.index({"wgr"});
  } else if (header.has("projectedstart") && header.has("origstart")) {
    columns.report = Report::projected_trace;
    columns.start = header.time({"origstart"});
    columns.length = header.time({"origduration"});
  } else if (header.has("start") && header.has("duration") && header.has("strm") && header.has("corrid")) {
    columns.report = Report::gpu_trace;
    columns.start = header.time({"start"});
    columns.length = header.time({"duration"});
    columns.bytes = header.bytes({"bytes", "size"});
    columns.device = header.index({"device"});
    columns.context = header.index({"ctx", "context"});
    columns.from = header.index({"srcmemkd"});
    columns.to = header.index({"dstmemkd"});
    constexpr std::string_view kGrid[3] = {"grdx", "grdy", "grdz"};
    constexpr std::string_view kBlock[3] = {"blkx", "blky", "blkz"};
    for (int i = 0; i < 3; ++i) {
      columns.grid[i] = header.index({kGrid[i]});
      columns.block[i] = header.index({kBlock[i]});
    }
  } else if (header.has("start") && header.has("duration") && header.has("durchild")) {
    columns.report = Report::range_trace;
    columns.start = header.time({"start"});
    columns.length = header.time({"duration"});
  } else if (header.has("start") && header.has("duration") && header.has("corrid") && header.has("tid")) {
    columns.report = Report::api_trace;
    columns.start = header.time({"start"});
    columns.length = header.time({"duration"});
  } else {
    return std::nullopt;
  }
  columns.problem = header.problem();
  if (columns.name == kNoColumn || !columns.start.there() || (!columns.length.there() && !columns.end.there()))
    return std::nullopt;
  return columns;
}

}  // namespace plumbline::profiles
