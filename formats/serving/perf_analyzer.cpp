// Triton's perf_analyzer as text: a block of lines for each concurrency or request rate, first what the client saw, then what
// the server says of itself, then one line that sums up each block. At a fixed rate throughput is the offered load and no result.
#include "core/citing.hpp"
#include "core/text.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {
namespace {

using core::Direction;
using core::Role;

struct Line {
  std::string_view label;  // as printed before the colon
  ToolMetric metric;
};
constexpr Line kClient[] = {
    {"Request count", tool_metric("request_count", "", Direction::unknown, Role::context)},
    {"Avg latency", tool_metric("avg_latency", "us", Direction::lower)},
    {"p50 latency", tool_metric("p50_latency", "us", Direction::lower)},
    {"p90 latency", tool_metric("p90_latency", "us", Direction::lower)},
    {"p95 latency", tool_metric("p95_latency", "us", Direction::lower)},
    {"p99 latency", tool_metric("p99_latency", "us", Direction::lower)},
    {"Avg HTTP time", tool_metric("avg_http_time", "us", Direction::lower)},
    {"Avg gRPC time", tool_metric("avg_grpc_time", "us", Direction::lower)},
};
constexpr Line kServer[] = {
    {"Inference count", tool_metric("inference_count", "", Direction::unknown, Role::context)},
    {"Execution count", tool_metric("execution_count", "", Direction::unknown, Role::context)},
    {"Successful request count", tool_metric("successful_request_count", "", Direction::unknown, Role::context)},
    {"Avg request latency", tool_metric("server_request_latency", "us", Direction::lower)},
};
constexpr ToolMetric kThroughput = tool_metric("throughput", "infer/s", Direction::higher);
constexpr ToolMetric kOffered = tool_metric("throughput", "infer/s", Direction::unknown, Role::context);
constexpr std::pair<std::string_view, std::string_view> kLoads[] = {
    {"Request concurrency: ", "concurrency"}, {"Request Rate: ", "request_rate"}, {"Request rate: ", "request_rate"}};
constexpr std::string_view kUnstable = "Failed to obtain stable measurement";

// "25348", "708 usec (standard deviation 663 usec)", "1407.84 infer/sec": the number in front.
std::string_view number_in(std::string_view text) { return text.substr(0, text.find_first_of(" \t")); }

class Reader {
 public:
  explicit Reader(ToolRows& rows) : rows_(rows) {}

  void line(std::string_view text) {
    if (text.starts_with("Batch size: ")) rows_.note("workload.batch_size", text.substr(text.find(' ', 6) + 1));
    if (text.starts_with(kUnstable)) rows_.incomplete(core::cited(text.substr(0, 120)));
    for (const auto& [start, dim] : kLoads) {
      if (text.starts_with(start)) begin(dim, text.substr(start.size()));
    }
    if (text == "Client:" || text == "Server:") part_ = text == "Client:" ? std::span<const Line>(kClient) : kServer;
    if (text.starts_with("Composing models")) part_ = {};  // an ensemble's parts: the whole was told before
    if (text.starts_with("Inferences/Second vs.")) part_ = {};
    const std::size_t colon = text.find(": ");
    if (part_.empty() || colon == std::string_view::npos) return;
    const std::string_view value = number_in(text.substr(colon + 2));
    if (text.starts_with("Throughput: ")) rows_.add(paced_ ? kOffered : kThroughput, value);
    for (const Line& known : part_) {
      if (text.substr(0, colon) == known.label) rows_.add(known.metric, value);
    }
  }

  // Of a sweep the last load is looked at first: the heaviest.
  void end() {
    for (std::string& key : headlines_) rows_.headline(std::move(key));
  }

 private:
  void begin(std::string_view dim, std::string_view load) {
    paced_ = dim == "request_rate";
    part_ = {};
    const std::string said(number_in(load));
    rows_.point("", {{dim, said}});
    // One block is the whole file's load; of several each is a point.
    rows_.note(paced_ ? "workload.request_rate" : "workload.concurrency", said);
    headlines_ = {rows_.key("p99_latency")};
    if (!paced_) headlines_.push_back(rows_.key("throughput"));
  }

  ToolRows& rows_;
  std::span<const Line> part_;          // what the lines of this part of a block are called
  std::vector<std::string> headlines_;  // of the block that is read
  bool paced_ = false;
};

}  // namespace

Detection detect_perf_analyzer(const Input& input) {
  Detection detection;
  const std::string_view head = head_of(input);
  if (head.find("*** Measurement Settings ***") == std::string_view::npos && head.find("Inferences/Second vs.") == head.npos)
    return detection;
  if (head.find(" infer/sec") == std::string_view::npos) return detection;
  for (const auto& [start, dim] : kLoads) {
    if (head.find(start) == std::string_view::npos) continue;
    detection.score = 0.95;
    detection.evidence.push_back("has " + core::cited(core::trim(start)) + " and \"infer/sec\"");
    break;
  }
  return detection;
}

core::Expected<core::Measurement> read_perf_analyzer(const Input& input, const ReadOptions& options) {
  ToolRows rows(input, options, "perf-analyzer");
  Reader reader(rows);
  LogLines lines(input.bytes);
  std::string_view line;
  while (lines.next(line) && !rows.halted()) reader.line(core::trim(line));
  reader.end();
  if (rows.empty()) {
    return core::fail(
        rows.error("no block \"Request concurrency: …\" with results", "perf_analyzer prints one when it has measured"));
  }
  return rows.finish();
}

extern const Format perf_analyzer_format = {
    .name = "perf-analyzer",
    .title = "Triton's perf_analyzer, load test of models",
    .replication = core::Replication::run,
    .detect = detect_perf_analyzer,
    .read = read_perf_analyzer,
    .about = {.group = Group::serving,
              .file = "text",
              .produce = "perf_analyzer -m MODEL --concurrency-range 1:16:4 | tee result.txt",
              .judged =
                  "text of perf_analyzer: throughput (infer/s, higher; context at a fixed request rate), latencies and HTTP or "
                  "gRPC time of the client, request latency of the server (us, lower)",
              .key = "concurrency or request rate",
              .trials = "one value a key; a load measured again",
              .context = "batch size; concurrency or request rate where the file has one",
              .limits = "the parts of an ensemble, and what a time is made of, are left out",
              .recognised = "`Request concurrency:` or `Request Rate:`, `infer/sec`"},
};

}  // namespace plumbline::formats
