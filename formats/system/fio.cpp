// fio's JSON (normal and json+), behind whatever it wrote before. A job has a block per direction; one without any I/O says
// nothing. Bandwidth and IOPS are one figure for one block size: IOPS are judged below 64 KiB, bandwidth from there on, both
// where the block size varies; neither where the job's rate was limited. Latency is in ns (us in fio 2).
#include <algorithm>
#include <array>

#include "core/text.hpp"
#include "formats/hardware/headlines.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {
namespace {

using core::Direction;
using core::Role;
using json::Value;

constexpr ToolMetric kBandwidth[] = {{"bw", "B/s", Direction::higher, Role::judged},
                                     {"bw", "B/s", Direction::higher, Role::context}};
constexpr ToolMetric kOldBandwidth[] = {{"bw", "KiB/s", Direction::higher, Role::judged},
                                        {"bw", "KiB/s", Direction::higher, Role::context}};
constexpr ToolMetric kIops[] = {{"iops", "1/s", Direction::higher, Role::judged},
                                {"iops", "1/s", Direction::higher, Role::context}};
constexpr ToolMetric kError{"error", "", Direction::lower, Role::gate};
constexpr ToolMetric kTotal{"total_ios", "", Direction::unknown, Role::context, true};
constexpr ToolMetric kCpu[] = {{"usr_cpu", "%", Direction::lower, Role::context},
                               {"sys_cpu", "%", Direction::lower, Role::context}};
constexpr ToolMetric kNoise[] = {{"bw_dev", "KiB/s", Direction::lower, Role::noise},
                                 {"iops_stddev", "1/s", Direction::lower, Role::noise}};

// What the application waits is lat; clat is judged where fio gives no percentiles of lat.
struct LatencyRows {
  ToolMetric mean, stddev, min, max, p50, p99, p999;
};
constexpr LatencyRows latency_rows(std::string_view unit, std::string_view mean, std::string_view stddev, std::string_view min,
                                   std::string_view max, std::string_view p50, std::string_view p99, std::string_view p999,
                                   Role judged) {
  return {{mean, unit, Direction::lower, judged},       {stddev, unit, Direction::lower, Role::noise},
          {min, unit, Direction::lower, Role::context}, {max, unit, Direction::lower, Role::context},
          {p50, unit, Direction::lower, Role::context}, {p99, unit, Direction::lower, Role::judged},
          {p999, unit, Direction::lower, Role::context}};
}
struct Kind {
  std::string_view block;
  LatencyRows rows;
};
#define PLUMBLINE_FIO_LATENCY(block, name, unit, judged)                                                                       \
  {                                                                                                                            \
    block, latency_rows(unit, name ".mean", name ".stddev", name ".min", name ".max", name ".p50", name ".p99", name ".p99.9", \
                        judged)                                                                                                \
  }
constexpr Kind kKinds[] = {
    PLUMBLINE_FIO_LATENCY("lat_ns", "lat", "ns", Role::judged),    PLUMBLINE_FIO_LATENCY("clat_ns", "clat", "ns", Role::context),
    PLUMBLINE_FIO_LATENCY("slat_ns", "slat", "ns", Role::context), PLUMBLINE_FIO_LATENCY("lat", "lat", "us", Role::judged),
    PLUMBLINE_FIO_LATENCY("clat", "clat", "us", Role::context),    PLUMBLINE_FIO_LATENCY("slat", "slat", "us", Role::context),
};
#undef PLUMBLINE_FIO_LATENCY

// "4k" -> 4096; 0 where it is a range or unreadable.
double block_size(std::string_view text) {
  if (text.empty() || text.find_first_of(",-:/") != std::string_view::npos) return 0;
  const std::string lower = core::to_lower(text);
  const std::size_t digits = std::min(lower.find_first_not_of("0123456789"), lower.size());
  const auto value = core::parse_double(std::string_view(lower).substr(0, digits));
  if (!value) return 0;
  const char suffix = digits < lower.size() ? lower[digits] : ' ';
  return *value * (suffix == 'k' ? 1024.0 : suffix == 'm' ? 1048576.0 : suffix == 'g' ? 1073741824.0 : 1.0);
}

// An option of the job, else of all.
std::string_view option(const Value& root, const Value& job, std::string_view name) {
  const std::string_view own = job.find("job options").find_string(name);
  return own.empty() ? root.find("global options").find_string(name) : own;
}

void direction(ToolRows& rows, const Value& block, bool failed, const std::array<bool, 2>& judged) {
  const auto add = [&](const ToolMetric& metric, const Value& value) {
    if (value && !value.is_container()) rows.add(metric, failed ? failed_value(value.text()) : leaf_of(value));
  };
  if (const Value bytes = block.find("bw_bytes")) {
    add(kBandwidth[judged[0] ? 0 : 1], bytes);
  } else {
    add(kOldBandwidth[judged[0] ? 0 : 1], block.find("bw"));
  }
  add(kIops[judged[1] ? 0 : 1], block.find("iops"));
  if (rows.writer.out.declared.headlines.size() < kMostHeadlines && (judged[0] || judged[1])) {
    rows.headline(rows.key(judged[1] ? kIops[0].name : kBandwidth[0].name));
  }
  add(kTotal, block.find("total_ios"));
  for (const ToolMetric& noise : kNoise) add(noise, block.find(noise.name));
  for (const Kind& kind : kKinds) {
    const Value latency = block.find(kind.block);
    if (!latency.is_object() || latency.find_number("max").value_or(1) == 0) continue;
    add(kind.rows.mean, latency.find("mean"));
    add(kind.rows.stddev, latency.find("stddev"));
    add(kind.rows.min, latency.find("min"));
    add(kind.rows.max, latency.find("max"));
    const Value percentiles = latency.find("percentile");
    add(kind.rows.p50, percentiles.find("50.000000"));
    add(kind.rows.p99, percentiles.find("99.000000"));
    add(kind.rows.p999, percentiles.find("99.900000"));
  }
}

// Whether the job's rate was limited.
bool add_job(ToolRows& rows, const Value& root, const Value& job) {
  const std::string_view name = job.find_string("jobname"), bs = option(root, job, "bs");
  const double error = job.find_number("error").value_or(0);
  const double size = block_size(bs);
  const bool capped = !option(root, job, "rate").empty() || !option(root, job, "rate_iops").empty();
  rows.note("workload.ioengine", option(root, job, "ioengine"));
  rows.note("workload.runtime", option(root, job, "runtime"));
  std::size_t active = 0;
  for (const std::string_view way : {"read", "write", "trim"}) {
    const Value block = job.find(way);
    const bool idle = block.find_number("total_ios").value_or(block.find_number("io_bytes").value_or(0)) == 0;
    if (!block.is_object() || idle) continue;
    ++active;
    rows.point(name.empty() ? "job" : name, {{"rw", option(root, job, "rw")},
                                             {"bs", bs},
                                             {"iodepth", option(root, job, "iodepth")},
                                             {"numjobs", option(root, job, "numjobs")},
                                             {"way", way}});
    direction(rows, block, error != 0, {!capped && (size == 0 || size >= 65536), !capped && (size == 0 || size < 65536)});
  }
  rows.point(name.empty() ? "job" : name);
  rows.add(kError, error);
  for (const ToolMetric& cpu : kCpu) {
    if (const Value value = job.find(cpu.name); value && !value.is_container()) rows.add(cpu, leaf_of(value));
  }
  if (active == 0) rows.incomplete("the job " + core::quoted(name) + " did no I/O at all");
  return capped;
}

}  // namespace

Detection detect_fio(const Input& input) {
  Detection detection;
  if (body_has_keys(input, {"fio version"}, detection)) detection.score = 0.97;
  return detection;
}

core::Expected<core::Measurement> read_fio(const Input& input, const ReadOptions& options) {
  const JsonBody body(input);
  const auto document = body.parse(options);
  if (!document) return core::fail(document.error());
  ToolRows rows(input, options, "fio");
  if (document->root().is_object()) take_notes(*document, rows.writer);
  std::size_t limited = 0, with_jobs = 0;
  for (const Value& root : documents_of(*document)) {  // a later run may have been appended
    rows.section();
    if (root.find("jobs").size() == 0) continue;
    ++with_jobs;
    rows.writer.out.format.version = std::string(root.find_string("fio version"));
    rows.note("stack.fio", root.find_string("fio version"));
    for (const Value job : root.find("jobs").elements()) {
      if (rows.halted()) break;
      limited += add_job(rows, root, job) ? 1 : 0;
    }
  }
  if (with_jobs == 0) {
    return core::fail(rows.error(
        "no \"jobs\"", "fio writes them when the run is over: it was stopped before; run it again and look at what it says"));
  }
  if (limited > 0) {
    rows.writer.out.warn("offered_load", core::counted(limited, "job was", "jobs were") +
                                             " limited in rate: what they reached is what was asked for, and is not judged");
  }
  rows.writer.out.replication = core::Replication::in_process;
  return rows.finish();
}

extern const Format fio_format = {
    .name = "fio",
    .title = "fio --output-format=json",
    .replication = core::Replication::in_process,
    .detect = detect_fio,
    .read = read_fio,
    .about = {.judged = "fio JSON by job and direction: IOPS below 64 KiB, bandwidth from there on, latencies; errors are gates, "
                        "limited rates context",
              .key = "job, rw, block size, depth, jobs, read or write or trim; of a later run in the file its section",
              .trials = "one value a key; the deviation is noise",
              .context = "engine, runtime, version",
              .limits = "directions without I/O have no rows",
              .recognised = "`fio version`"},
};

}  // namespace plumbline::formats
