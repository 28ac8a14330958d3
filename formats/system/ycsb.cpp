// YCSB: the measurements that a run prints at its end, "[READ], AverageLatency(us), 3661.6". Steps of histograms, the status line
// of each second and the clean-up are left out; a failed operation's latencies are none.
#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr Field kFields[] = {
    dimension("op"),
    shown("run_time", "ms"),
    headline(load(higher("throughput", "ops/s"))),
    shown("operations"),
    lower("average", "us", "latency.avg"),
    shown("minimum", "us", "latency.min"),
    shown("maximum", "us", "latency.max"),
    percentile("percentile", "us", "latency.p{p}"),
    times(1000, percentile("percentile_ms", "us", "latency.p{p}")),
    shown("returned_ok"),
    counted(gate("returned_other"), "operations"),
    counted(gate("failed_operations"), "operations"),
    shown("garbage_collection", "ms"),
    context("client", "stack.ycsb"),
    context("threads", "workload.threads"),
    context("target", "workload.target_ops_per_second"),
};
constexpr Line kLines[] = {
    {.text = "YCSB Client {client}", .turn = Turn::begins},
    {.text = "Command line: {}-target {target} {}-threads {threads} {}", .turn = Turn::paces},
    {.text = "Command line: {}-threads {threads} {}-target {target} {}", .turn = Turn::paces},
    {.text = "Command line: {}-target {target} {}", .turn = Turn::paces},
    {.text = "Command line: {}-threads {threads} {}"},
    {.text = "{}ycsb.Client {}-target {target} {}", .turn = Turn::paces},
    {.text = "{}ycsb.Client {}-threads {threads} {}"},
    {.text = "[OVERALL], RunTime(ms), {run_time}", .turn = Turn::begins},
    {.text = "[OVERALL], Throughput(ops/sec), {throughput}"},
    {.text = "[TOTAL_GC_TIME], Time(ms), {garbage_collection}"},
    {.text = "[CLEANUP], {}"},
    {.text = "[{op}-FAILED], Operations, {failed_operations}", .point = "{op}"},
    {.text = "[{}-FAILED], {}"},
    {.text = "[{op}], Operations, {operations}", .point = "{op}"},
    {.text = "[{op}], AverageLatency(us), {average}", .point = "{op}"},
    {.text = "[{op}], MinLatency(us), {minimum}", .point = "{op}"},
    {.text = "[{op}], MaxLatency(us), {maximum}", .point = "{op}"},
    {.text = "[{op}], {p}thPercentileLatency(us), {percentile}", .point = "{op}"},
    {.text = "[{op}], {p}PercentileLatency(us), {percentile}", .point = "{op}"},
    {.text = "[{op}], {p}thPercentileLatency(ms), {percentile_ms}", .point = "{op}"},
    {.text = "[{op}], Return=OK, {returned_ok}", .point = "{op}"},
    {.text = "[{op}], Return=0, {returned_ok}", .point = "{op}"},
    {.text = "[{op}], Return={}, {returned_other}", .point = "{op}"},
};
constexpr Spoiled kSpoiled[] = {{"returned_other", "operations", "every operation failed"}};
constexpr std::string_view kOurs[] = {"[OVERALL], RunTime(ms), {}", "[OVERALL], Throughput(ops/sec), {}"};
constexpr std::string_view kBegun[] = {"YCSB Client {}", "Command line: {}"};
constexpr Recognised kRecognised[] = {{kOurs}, {kBegun}};
constexpr Statement kStatement = {.tool = "YCSB",
                                  .recognised = kRecognised,
                                  .fields = kFields,
                                  .lines = kLines,
                                  .spoiled = kSpoiled,
                                  .nothing = "no measurement of YCSB: no \"[OVERALL], Throughput(ops/sec), …\"",
                                  .hint = "YCSB prints its measurements when the run is over; look at what it says before"};

}  // namespace

extern const Format ycsb_format = {
    .name = "ycsb",
    .title = "YCSB, load test of databases",
    .replication = core::Replication::run,
    .about = {.group = Group::system,
              .file = "text",
              .produce = "bin/ycsb.sh run mongodb -P workloads/workloada -threads 8 | tee result.txt",
              .judged =
                  "throughput (higher; context where the command line has `-target`), average, p50, p90, p95 and p99 of the "
                  "latency in us (lower); returns other than OK and failed operations are gates",
              .key = "the operation; the throughput has no point; of a later run in one log its section",
              .trials = "one value a key",
              .context = "version, threads, target",
              .limits = "histograms, status lines, the clean-up and latencies of failed operations are left out; versions before "
                        "0.10 print percentiles in whole milliseconds",
              .recognised = "`[OVERALL], RunTime(ms), …` and `[OVERALL], Throughput(ops/sec), …`, or what it prints first"},
    .statement = &kStatement,
};

}  // namespace plumbline::formats
