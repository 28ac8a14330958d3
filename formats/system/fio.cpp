// fio's JSON (normal and json+), behind whatever it wrote before. A job has a block per direction; one without any I/O says
// nothing. Latency is in ns (us in fio 2). With --client the jobs of every host stand in "client_stats", and their sum under the
// name "All clients".
#include "formats/system/fio.hpp"

#include <algorithm>

#include "core/citing.hpp"
#include "core/text.hpp"

namespace plumbline::formats {
namespace fio {

double block_size(std::string_view text) {
  if (text.empty() || text.find_first_of(",-:/") != std::string_view::npos) return 0;
  const std::string lower = core::to_lower(text);
  const std::size_t digits = std::min(lower.find_first_not_of(".0123456789"), lower.size());
  const auto value = core::parse_double(std::string_view(lower).substr(0, digits));
  if (!value) return 0;
  const char suffix = digits < lower.size() ? lower[digits] : ' ';
  return *value * (suffix == 'k' ? 1024.0 : suffix == 'm' ? 1048576.0 : suffix == 'g' ? 1073741824.0 : 1.0);
}

void headline(ToolRows& rows, const Judged& judged) {
  auto& headlines = rows.writer.out.declared.headlines;
  if (headlines.size() >= kMostHeadlines || (!judged.bandwidth && !judged.iops)) return;
  std::string key = rows.key(judged.iops ? kIops[0].name : kBandwidth[0].name);
  if (std::find(headlines.begin(), headlines.end(), key) == headlines.end()) headlines.push_back(std::move(key));
}

}  // namespace fio

namespace {

using json::Value;
using namespace fio;

constexpr ToolMetric kOldBandwidth[] = {{"bw", "KiB/s", Direction::higher, Role::judged},
                                        {"bw", "KiB/s", Direction::higher, Role::context}};

// An option of the job, else of all.
std::string_view option(const Value& root, const Value& job, std::string_view name) {
  const std::string_view own = job.find("job options").find_string(name);
  return own.empty() ? root.find("global options").find_string(name) : own;
}

class Block {
 public:
  Block(ToolRows& rows, const Value& block, bool failed) : rows_(rows), block_(block), failed_(failed) {}

  void rates(const Judged& judged) {
    if (const Value bytes = block_.find("bw_bytes")) {
      add(kBandwidth[judged.bandwidth ? 0 : 1], bytes);
    } else {
      add(kOldBandwidth[judged.bandwidth ? 0 : 1], block_.find("bw"));
    }
    add(kIops[judged.iops ? 0 : 1], block_.find("iops"));
    headline(rows_, judged);
    add(kTotal, block_.find("total_ios"));
    for (const ToolMetric& noise : kNoise) add(noise, block_.find(noise.name));
  }
  void latencies() {
    for (const Stage& stage : kStages) {
      const Value latency = block_.find(stage.block);
      if (!latency.is_object() || latency.find_number("max").value_or(1) == 0) continue;
      add(stage.rows.mean, latency.find("mean"));
      add(stage.rows.stddev, latency.find("stddev"));
      add(stage.rows.min, latency.find("min"));
      add(stage.rows.max, latency.find("max"));
      const Value percentiles = latency.find("percentile");
      for (const Percentile& one : kPercentiles) add(stage.rows.*one.metric, percentiles.find(one.name));
    }
  }

 private:
  void add(const ToolMetric& metric, const Value& value) {
    if (value && !value.is_container()) rows_.add(metric, failed_ ? failed_value(value.text()) : leaf_of(value));
  }

  ToolRows& rows_;
  const Value& block_;
  bool failed_;
};

// Whether the job's rate was limited.
bool add_job(ToolRows& rows, const Value& root, const Value& job) {
  const std::string_view name = job.find_string("jobname"), bs = option(root, job, "bs");
  const std::string_view host = job.find_string("hostname");
  const std::string_view subject = name.empty() ? "job" : name;
  const double error = job.find_number("error").value_or(0);
  const double size = block_size(bs);
  const bool capped = !option(root, job, "rate").empty() || !option(root, job, "rate_iops").empty();
  rows.note("workload.ioengine", option(root, job, "ioengine"));
  rows.note("workload.runtime", option(root, job, "runtime"));
  std::size_t active = 0;
  // "mixed" is all directions in one, when that was asked for (unified_rw_reporting); "sync" how long fsync took.
  for (const std::string_view way : {"read", "write", "trim", "mixed", "sync"}) {
    const Value block = job.find(way);
    const bool idle = block.find_number("total_ios").value_or(block.find_number("io_bytes").value_or(0)) == 0;
    if (!block.is_object() || idle) continue;
    ++active;
    rows.point(subject, {{"rw", option(root, job, "rw")},
                         {"bs", bs},
                         {"iodepth", option(root, job, "iodepth")},
                         {"numjobs", option(root, job, "numjobs")},
                         {"host", host},
                         {"way", way}});
    Block one(rows, block, error != 0);
    if (way != "sync") one.rates(judged_for(size, capped));
    one.latencies();
  }
  rows.point(subject, {{"host", host}});
  rows.add(kError, error);
  if (const auto errors = job.find_number("total_err")) rows.add(kTotalErrors, *errors);
  if (const auto steady = job.find("steadystate").find_number("attained")) rows.add(kSteady, *steady);
  for (const ToolMetric& cpu : kCpu) {
    if (const Value value = job.find(cpu.name); value && !value.is_container()) rows.add(cpu, leaf_of(value));
  }
  if (active == 0) rows.incomplete("the job " + core::cited(name) + " did no I/O at all");
  return capped;
}

}  // namespace

core::Expected<core::Measurement> read_fio(const Input& input, const ReadOptions& options) {
  const JsonBody body(input);
  const auto document = body.parse(options);
  if (!document) return core::fail(document.error());
  ToolRows rows(input, options, "fio");
  if (document->root().is_object()) take_notes(*document, rows.writer);
  std::size_t limited = 0, with_jobs = 0;
  for (const Value& root : documents_of(*document)) {  // a later run may have been appended
    rows.section();
    const Value jobs = root.find("jobs").size() > 0 ? root.find("jobs") : root.find("client_stats");
    if (jobs.size() == 0) continue;
    ++with_jobs;
    rows.writer.out.format.version = std::string(root.find_string("fio version"));
    rows.note("stack.fio", root.find_string("fio version"));
    for (const Value job : jobs.elements()) {
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
  return rows.finish();
}

extern const Format fio_format = {
    .name = "fio",
    .title = "fio disk benchmark",
    .replication = core::Replication::in_process,
    .signs = {{{Sign::In::body, 0.97, {"fio version"}}}},
    .read = read_fio,
    .about =
        {.group = Group::system,
         .file = "JSON",
         .produce = "fio job.fio --output-format=json --output=result.json",
         .judged =
             "fio JSON by job and direction: IOPS below 64 KiB, bandwidth from there on, mean latency and p99, also of fsync; "
             "errors and a steady state that was not reached are gates, limited rates context",
         .key = "job, rw, block size, depth, jobs, host (--client), read, write, trim, mixed or sync; of a later run in the file "
                "its section",
         .trials = "clones of a job (numjobs without group_reporting); the deviation is noise",
         .context = "engine, runtime, version",
         .limits = "directions without I/O have no rows",
         .recognised = "`fio version`"},
};

}  // namespace plumbline::formats
