// Intel Memory Latency Checker: idle latencies and bandwidths between nodes, peak bandwidths by mix of reads and writes,
// latencies under load, transfers between caches.
#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr Field kFields[] = {
    dimension("from"),
    dimension("to"),
    dimension("ratio"),
    dimension("delay"),
    dimension("kind"),
    context("version", "stack.mlc"),
    headline(lower("idle", "ns", "latency")),
    higher("between", "MB/s", "bandwidth"),
    headline(of("peak_bandwidth", higher("all_reads", "MB/s"))),
    of("peak_bandwidth", higher("reads_writes", "MB/s")),
    of("peak_bandwidth", higher("stream_triad_like", "MB/s")),
    lower("latency", "ns"),
    higher("bandwidth", "MB/s"),
    lower("hit", "ns", "latency"),
};
constexpr Line kLines[] = {
    {.text = "Intel(R) Memory Latency Checker - v{version}"},
    {.text = "ALL Reads : {all_reads}"},
    {.text = "{ratio} Reads-Writes : {reads_writes}"},
    {.text = "Stream-triad like: {stream_triad_like}"},
    {.text = "{delay} {latency} {bandwidth}", .point = "loaded", .within = "Measuring Loaded Latencies for the system"},
    {.text = "Local Socket L2->L2 {kind} latency {hit}", .point = "cache_to_cache"},
};
constexpr Matrix kMatrices[] = {
    {.heading = "Measuring idle latencies {}", .row = "from", .column = "to", .field = "idle", .point = "idle", .names_at = 2},
    {.heading = "Measuring Memory Bandwidths between nodes within system",
     .row = "from",
     .column = "to",
     .field = "between",
     .point = "between_nodes",
     .names_at = 5},
    {.heading = "Remote Socket L2->L2 HITM latency (data address homed in {kind} socket)",
     .row = "from",
     .column = "to",
     .field = "hit",
     .point = "cache_to_cache_remote",
     .names_at = 2}};
constexpr std::string_view kOurs[] = {"Intel(R) Memory Latency Checker - v{}"};
constexpr Recognised kRecognised[] = {{kOurs}};
constexpr Statement kStatement = {.tool = "Intel MLC",
                                  .recognised = kRecognised,
                                  .fields = kFields,
                                  .lines = kLines,
                                  .matrices = kMatrices,
                                  .nothing = "no result of Intel MLC: nothing was measured",
                                  .hint = "it says why: huge pages, root and the module msr are what it asks for"};

}  // namespace

extern const Format intel_mlc_format = {
    .name = "intel-mlc",
    .title = "Intel Memory Latency Checker (mlc)",
    .replication = core::Replication::run,
    .about = {.group = Group::hardware,
              .file = "text",
              .produce = "sudo ./mlc | tee result.txt",
              .judged = "latencies in ns (lower), bandwidths in MB/s (higher)",
              .key = "what was measured and between which nodes: `idle[from=0,to=1].latency`; under load the `delay`",
              .trials = "one value a key",
              .context = "version",
              .limits = "nodes are numbered as it prints them",
              .recognised = "its banner `Intel(R) Memory Latency Checker - v…`"},
    .statement = &kStatement,
};

}  // namespace plumbline::formats
