// iperf3 -J. What the receiver got is the result (the sender's figure counts what lay in buffers); the intervals are its trials,
// warm-up ones left out. UDP and any run with a target rate measure an offered load: their rate is context, what was lost and the
// jitter are judged.
#include "core/text.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {
namespace {

using core::Direction;
using core::Role;
using json::Value;

constexpr ToolMetric kRate[] = {{"bits_per_second", "bit/s", Direction::higher, Role::judged},
                                {"bits_per_second", "bit/s", Direction::higher, Role::context}};
constexpr ToolMetric kIntervals{"interval_bits_per_second", "bit/s", Direction::higher, Role::context};
constexpr ToolMetric kSent{"sent_bits_per_second", "bit/s", Direction::higher, Role::context};
constexpr ToolMetric kRetransmits{"retransmits", "", Direction::lower, Role::judged, true};
constexpr ToolMetric kJitter{"jitter", "ms", Direction::lower, Role::judged};
constexpr ToolMetric kLost{"lost_percent", "%", Direction::lower, Role::judged};
constexpr ToolMetric kCpu[] = {{"host_total", "%", Direction::lower, Role::context},
                               {"remote_total", "%", Direction::lower, Role::context}};

void put(ToolRows& rows, const ToolMetric& metric, const Value& value) {
  if (value && !value.is_container()) rows.add(metric, leaf_of(value));
}

}  // namespace

Detection detect_iperf3(const Input& input) {
  Detection detection;
  const std::string_view head = JsonBody::head(input);
  const auto has = [&](std::string_view key) { return head.find(key) != std::string_view::npos; };
  if (has("\"start\"") && (has("\"test_start\"") || has("iperf 3")) && (has("\"connected\"") || has("\"intervals\""))) {
    detection.score = 0.97;
    detection.evidence.emplace_back("has the keys \"start\", \"test_start\" and \"intervals\"");
  }
  return detection;
}

core::Expected<core::Measurement> read_iperf3(const Input& input, const ReadOptions& options) {
  const JsonBody body(input);
  const auto document = body.parse(options);
  if (!document) return core::fail(document.error());
  ToolRows rows(input, options, "iperf3");
  take_notes(*document, rows.writer);
  const Value root = document->root();
  if (const std::string_view error = root.find_string("error"); !error.empty()) {
    return core::fail(rows.error("iperf3 failed: " + std::string(error.substr(0, 200)), "mend what it names and run it again",
                                 root.find("error").place().line));
  }
  const Value start = root.find("start"), end = root.find("end"), test = start.find("test_start");
  if (!end.is_object() || end.size() == 0) {
    return core::fail(rows.error("no \"end\": the test did not finish",
                                 "iperf3 sums up when the test is over; run it again and look at what it says"));
  }
  const std::string_view protocol = test.find_string("protocol");
  const bool udp = protocol == "UDP";
  const bool offered = udp || test.find_number("target_bitrate").value_or(start.find_number("target_bitrate").value_or(0)) > 0;
  rows.note("stack.iperf3", start.find_string("version"));
  for (const auto& [theirs, ours] : std::initializer_list<Dim>{{"num_streams", "workload.streams"},
                                                               {"blksize", "workload.block_size"},
                                                               {"duration", "workload.duration"},
                                                               {"protocol", "workload.protocol"},
                                                               {"reverse", "workload.reverse"},
                                                               {"bidir", "workload.bidirectional"}}) {
    if (const Value value = test.find(theirs); value && !value.is_container()) rows.note(ours, value.text());
  }
  const std::string subject = protocol.empty() ? "iperf3" : core::to_lower(protocol);
  const auto way = [&](std::string_view direction, std::string_view suffix) {
    const Value received = end.find("sum_received" + std::string(suffix)), sent = end.find("sum_sent" + std::string(suffix));
    const Value sum = end.find("sum" + std::string(suffix));
    const Value result = received && (!udp || received.find_number("bits_per_second").value_or(0) > 0) ? received : sum;
    if (!result.is_object()) return;
    rows.point(subject, {{"way", direction}});
    put(rows, kRate[offered ? 1 : 0], result.find("bits_per_second"));
    if (!offered && direction != "reverse") rows.headline(rows.key(kRate[0].name));
    put(rows, kSent, sent.find("bits_per_second"));
    put(rows, kRetransmits, sent.find("retransmits"));
    const Value loss = sum.is_object() ? sum : result;
    if (udp) {
      put(rows, kJitter, loss.find("jitter_ms"));
      put(rows, kLost, loss.find("lost_percent"));
    }
    std::vector<double> intervals;
    for (const Value interval : root.find("intervals").elements()) {
      const Value one = interval.find("sum" + std::string(suffix));
      if (one.find("omitted").boolean()) continue;
      if (const auto rate = one.find_number("bits_per_second")) intervals.push_back(*rate);
    }
    if (!intervals.empty()) rows.add_trials(kIntervals, std::move(intervals));
  };
  const bool both = end.find("sum_sent_bidir_reverse") || end.find("sum_bidir_reverse");
  way(both ? "forward" : "", "");
  if (both) way("reverse", "_bidir_reverse");
  if (rows.empty()) {
    return core::fail(rows.error("\"end\" has no sum",
                                 "iperf3 sums up in end.sum_received, or end.sum for UDP; run it again and look at what it says",
                                 end.place().line));
  }
  rows.point("cpu");
  for (const ToolMetric& cpu : kCpu) put(rows, cpu, end.find("cpu_utilization_percent").find(cpu.name));
  if (offered) {
    rows.writer.out.warn("offered_load",
                         udp ? "UDP sends what it is told to: the rate is not judged, losses and jitter are"
                             : "the test had a target rate: what it reached is what was asked for, and is not judged");
  }
  rows.writer.out.replication = core::Replication::in_process;
  return rows.finish();
}

extern const Format iperf3_format = {
    .name = "iperf3",
    .title = "iperf3 -J",
    .replication = core::Replication::in_process,
    .detect = detect_iperf3,
    .read = read_iperf3,
    .about = {.judged = "iperf3 JSON: the receiver's rate, retransmits; for UDP losses and jitter; intervals are kept as trials",
              .key = "protocol, way",
              .trials = "the intervals, kept beside the sum",
              .context = "version, streams, block size, duration, protocol, reverse, both ways",
              .limits = "a target rate makes the rate context; CPU load is context",
              .recognised = "`start` with `test_start`, `intervals`"},
};

}  // namespace plumbline::formats
