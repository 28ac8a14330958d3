// iperf3 -J. What the receiver got is the result (the sender's figure counts what lay in buffers); the intervals are its trials,
// warm-up ones left out. UDP and any run with a target rate measure an offered load: their rate is context, what was lost and the
// jitter are judged.
#include "formats/system/iperf3.hpp"

#include "core/text.hpp"

namespace plumbline::formats {
namespace {

using json::Value;
using namespace iperf3;

void put(ToolRows& rows, const ToolMetric& metric, const Value& value) {
  if (value && !value.is_container()) rows.add(metric, leaf_of(value));
}

// One run: a document of -J, or the events of --json-stream from a start to the next.
struct Run {
  Value start, end, error;
  std::vector<Value> intervals;
};

std::vector<Run> runs_of(const json::Document& document) {
  std::vector<Run> runs;
  for (const Value& one : documents_of(document)) {
    const std::string_view event = one.find_string("event");
    if (event.empty()) {
      Run run{one.find("start"), one.find("end"), one.find("error"), {}};
      for (const Value interval : one.find("intervals").elements()) run.intervals.push_back(interval);
      runs.push_back(std::move(run));
      continue;
    }
    if (event == "start" || runs.empty()) runs.emplace_back();
    const Value data = one.find("data");
    if (event == "start") runs.back().start = data;
    if (event == "interval") runs.back().intervals.push_back(data);
    if (event == "end") runs.back().end = data;
    if (event == "error") runs.back().error = data;
  }
  return runs;
}

class Reader {
 public:
  Reader(const Input& input, const ReadOptions& options) : rows_(input, options, "iperf3") {}

  core::Expected<core::Measurement> read(const json::Document& document) {
    if (document.root().is_object()) take_notes(document, rows_.writer);
    const std::vector<Run> runs = runs_of(document);
    for (const Run& one : runs) {
      if (rows_.halted()) break;
      rows_.section();
      if (auto problem = run(one)) {
        // One of several that failed leaves the others.
        if (runs.size() == 1) return core::fail(std::move(*problem));
        rows_.incomplete(problem->message);
      }
    }
    if (rows_.empty()) return core::fail(rows_.error("none of its runs has a result", "run it again and look at what it says"));
    if (offered_ != Offered::no) {
      rows_.writer.out.warn("offered_load", std::string(offered_warning(offered_)));
    }
    return rows_.finish();
  }

 private:
  // What is wrong with a run, or its rows.
  std::optional<core::Error> run(const Run& run) {
    if (run.error.is_string() && !run.error.string().empty()) {
      return rows_.error("iperf3 failed: " + std::string(run.error.string().substr(0, 200)), "fix what it names and run it again",
                         run.error.place().line);
    }
    if (!run.end.is_object() || run.end.size() == 0) {
      return rows_.error("no \"end\": the test did not finish",
                         "iperf3 sums up when the test is over; run it again and look at what it says");
    }
    const Value test = run.start.find("test_start");
    const std::string_view protocol = test.find_string("protocol");
    const bool udp = protocol == "UDP";
    const double target = test.find_number("target_bitrate").value_or(run.start.find_number("target_bitrate").value_or(0));
    const bool offered = udp || target > 0;
    if (offered) offered_ = udp ? Offered::udp : Offered::target;
    rows_.note("stack.iperf3", run.start.find_string("version"));
    for (const auto& [theirs, ours] : std::initializer_list<Dim>{{"num_streams", "workload.streams"},
                                                                 {"blksize", "workload.block_size"},
                                                                 {"duration", "workload.duration"},
                                                                 {"protocol", "workload.protocol"},
                                                                 {"reverse", "workload.reverse"},
                                                                 {"bidir", "workload.bidirectional"}}) {
      if (const Value value = test.find(theirs); value && !value.is_container()) rows_.note(ours, value.text());
    }
    const std::string subject = protocol.empty() ? "iperf3" : core::to_lower(protocol);
    const bool both = run.end.find("sum_sent_bidir_reverse") || run.end.find("sum_bidir_reverse");
    bool any = way(run, subject, both ? "forward" : "", "", udp, offered);
    if (both) any = way(run, subject, "reverse", "_bidir_reverse", udp, offered) || any;
    if (!any) {
      return rows_.error("\"end\" has no sum",
                         "iperf3 sums up in end.sum_received, or end.sum for UDP; run it again and look at what it says",
                         run.end.place().line);
    }
    rows_.point("cpu");
    for (const ToolMetric& cpu : kCpu) put(rows_, cpu, run.end.find("cpu_utilization_percent").find(cpu.name));
    return std::nullopt;
  }

  bool way(const Run& run, const std::string& subject, std::string_view direction, const std::string& suffix, bool udp,
           bool offered) {
    const Value received = run.end.find("sum_received" + suffix), sent = run.end.find("sum_sent" + suffix);
    const Value sum = run.end.find("sum" + suffix);
    const Value result = received && (!udp || received.find_number("bits_per_second").value_or(0) > 0) ? received : sum;
    if (!result.is_object()) return false;
    rows_.point(subject, {{"way", direction}});
    put(rows_, kRate[offered ? 1 : 0], result.find("bits_per_second"));
    if (!offered && direction != "reverse") rows_.headline(rows_.key(kRate[0].name));
    put(rows_, kSent, sent.find("bits_per_second"));
    put(rows_, kRetransmits, sent.find("retransmits"));
    const Value loss = sum.is_object() ? sum : result;
    if (udp) {
      put(rows_, kJitter, loss.find("jitter_ms"));
      put(rows_, kLost, loss.find("lost_percent"));
    }
    std::vector<double> intervals;
    for (const Value& interval : run.intervals) {
      const Value one = interval.find("sum" + suffix);
      if (one.find("omitted").boolean()) continue;
      if (const auto rate = one.find_number("bits_per_second")) intervals.push_back(*rate);
    }
    if (!intervals.empty()) rows_.add_trials(kIntervals, intervals);
    return true;
  }

  ToolRows rows_;
  Offered offered_ = Offered::no;
};

}  // namespace

core::Expected<core::Measurement> read_iperf3(const Input& input, const ReadOptions& options) {
  const JsonBody body(input);
  const auto document = body.parse(options);
  if (!document) return core::fail(document.error());
  return Reader(input, options).read(*document);
}

extern const Format iperf3_format = {
    .name = "iperf3",
    .title = "iperf3 network throughput",
    .replication = core::Replication::in_process,
    .signs = {{{Sign::In::body, 0.97, {"start/test_start", "intervals"}},
               {Sign::In::body, 0.97, {"start/test_start", "start/connected"}},
               {Sign::In::body, 0.97, {"start/version", "start/connected", "intervals"}},
               {Sign::In::body, 0.97, {"event", "data/test_start", "data/connected"}}}},
    .read = read_iperf3,
    .about = {.group = Group::system,
              .file = "JSON, JSON lines",
              .produce = "iperf3 -c SERVER -t 30 -J > result.json\n"
                         "iperf3 -c SERVER -t 30 --json-stream > result.jsonl",
              .judged = "iperf3 JSON: the receiver's rate, retransmits; for UDP losses and jitter; intervals are kept as trials",
              .key = "protocol, way; of a later run in the file its section",
              .trials = "the intervals, kept beside the sum",
              .context = "version, streams, block size, duration, protocol, reverse, both ways",
              .limits = "a target rate makes the rate context; CPU load is context",
              .recognised = "`start` with `test_start`, `intervals`; lines of an `event` with `data`"},
};

}  // namespace plumbline::formats
