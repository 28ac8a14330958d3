// Results of SuperBench: results-summary.jsonl (an object a node: "kernel-launch/event_time:0"), the summary and the results.json
// of one node, a baseline file, and the diagnosis that the tool itself writes beside the data. A key is
// benchmark/[run/]metric[:rank]; runs are trials. Return codes are gates, what the monitor saw is context.
#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "formats/hardware/superbench_metrics.hpp"
#include "formats/hardware/superbench_names.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {
namespace {

using json::Value;

bool is_number(std::string_view text) {
  return !text.empty() && text.size() < 7 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// "bert_models/pytorch-bert-base/0/steptime_train_float32:3"
struct Key {
  std::string_view benchmark, metric, rank;
};
std::optional<Key> key_of(std::string_view text) {
  const std::size_t slash = text.rfind('/');
  if (slash == std::string_view::npos || slash == 0 || slash + 1 == text.size()) return std::nullopt;
  Key key{text.substr(0, slash), text.substr(slash + 1), {}};
  if (const std::size_t colon = key.metric.rfind(':'); colon != std::string_view::npos && colon > 0) {
    if (is_number(key.metric.substr(colon + 1))) {
      key.rank = key.metric.substr(colon + 1);
      key.metric = key.metric.substr(0, colon);
    }
  }
  const std::size_t before = key.benchmark.rfind('/');
  if (before != std::string_view::npos && before > 0 && is_number(key.benchmark.substr(before + 1)))
    key.benchmark = key.benchmark.substr(0, before);
  return key;
}

class Reader {
 public:
  Reader(const Input& input, const ReadOptions& options) : rows_(input, options, "SuperBench") {}

  core::Expected<core::Measurement> read(const json::Document& document) {
    take_notes(document, rows_.writer);
    const Value root = document.root();
    std::vector<Value> objects;
    if (root.is_array()) {
      for (const Value one : root.elements()) objects.push_back(one);
    } else {
      objects.push_back(root);
    }
    for (const Value object : objects) {
      if (!object.find("Defective Details")) continue;
      return core::fail(rows_.error("a list of defective nodes: its numbers are variations against a baseline, nothing measured",
                                    "give results-summary.jsonl, which it was made from", object.place().line));
    }
    several_ = objects.size() > 1;
    for (const Value object : objects) {
      if (rows_.halted()) break;
      if (object.find("result").is_object()) {
        benchmark(object);
      } else {
        summary(object);
      }
    }
    if (rows_.empty()) {
      return core::fail(rows_.error("no result in it",
                                    "SuperBench writes keys as \"kernel-launch/event_time:0\": the run ended "
                                    "before its first benchmark; see its log, and run it again"));
    }
    return rows_.finish();
  }

 private:
  // A node's line, or a baseline file.
  void summary(const Value& object) {
    std::string_view node = object.find_string("node");
    if (node.empty()) node = object.find_string("index");
    if (!several_) rows_.note("environment.hostname", node);
    for (const auto [name, valid, value] : object.members()) {
      if (rows_.halted()) return;
      const auto key = key_of(name);
      if (!key || value.is_container() || value.is_string()) continue;
      put(several_ ? node : std::string_view(), *key, leaf_of(value));
    }
  }

  // One benchmark of results.json: {"name", "run_count", "return_code", "result": {metric: [a value a run]}}.
  void benchmark(const Value& object) {
    for (const auto [name, valid, value] : object.find("result").members()) {
      if (rows_.halted()) return;
      const Key key{object.find_string("name"), name, {}};
      for (const Value one : value.elements()) {
        if (one.is_number() || one.is_null()) put({}, key, leaf_of(one));
      }
    }
  }

  void put(std::string_view node, const Key& written, const Leaf& leaf) {
    const std::string benchmark = superbench_benchmark(written.benchmark);
    const std::string name = superbench_metric(benchmark, written.metric);
    const Key key{benchmark, name, written.rank};
    rows_.point(key.benchmark, {{"node", node}, {"rank", key.rank}});
    rows_.add(metric(key), leaf);
  }

  // The rows keep pointers to what they were declared as.
  const ToolMetric& metric(const Key& key) {
    auto& known = metrics_[std::string(key.benchmark) + '/' + std::string(key.metric)];
    if (known != nullptr) return *known;
    SuperbenchMeaning meaning = superbench_meaning(key.benchmark, key.metric);
    if (!meaning.known) {
      const configs::MetricGuess guess = rows_.writer.names().guess(key.metric);
      meaning.direction = guess.direction;
      meaning.role = guess.role;
      meaning.unit = texts_.emplace_back(guess.unit);
    }
    declared_.push_back({{texts_.emplace_back(key.metric)}, {meaning.unit, meaning.direction, meaning.role, false}});
    known = &declared_.back();
    return *known;
  }

  ToolRows rows_;
  bool several_ = false;  // nodes, or benchmarks
  std::deque<std::string> texts_;
  std::deque<ToolMetric> declared_;
  std::map<std::string, const ToolMetric*> metrics_;
};

// Whether `mark` is part of a name of a member, not of a text.
bool stands_in_key(std::string_view head, std::string_view mark) {
  for (std::size_t at = head.find(mark); at != std::string_view::npos; at = head.find(mark, at + 1)) {
    const std::size_t quote = head.find('"', at + mark.size());
    const std::size_t open = head.substr(0, at).rfind('"');
    if (quote == std::string_view::npos || open == std::string_view::npos) return false;
    const std::size_t next = head.find_first_not_of(" \t", quote + 1);
    if (next != std::string_view::npos && head[next] == ':' &&
        head.substr(open, quote - open).find('\n') == std::string_view::npos)
      return true;
  }
  return false;
}

}  // namespace

Detection detect_superbench(const Input& input) {
  Detection detection;
  const std::string_view head = json_head(input);
  if (!head.starts_with('{') && !head.starts_with('[')) return detection;
  if (has_keys(input, {"run_count", "return_code", "reduce_op", "result"}, detection)) {
    detection.score = 0.96;
    return detection;
  }
  if (stands_in_key(head, "/return_code")) {
    detection.score = 0.95;
    detection.evidence.emplace_back("a key ends in \"/return_code\"");
    return detection;
  }
  std::size_t seen = 0;
  for (const std::string_view name :
       {"\"kernel-launch/",   "\"kernel-launch:",  "\"gemm-flops/",  "\"gemm-flops:",    "\"mem-bw/",
        "\"mem-bw:",          "\"nccl-bw/",        "\"nccl-bw:",     "\"rccl-bw/",       "\"rccl-bw:",
        "\"ib-loopback/",     "\"ib-loopback:",    "\"gpu-copy-bw/", "\"gpu-copy-bw:",   "\"gpu-stream/",
        "\"cublas-function/", "\"cudnn-function/", "\"monitor/gpu_", "/steptime_train_", "_train_step_time"}) {
    if (!stands_in_key(head, name)) continue;
    if (++seen == 1) detection.evidence.push_back("has keys of the benchmark " + core::cited(name.substr(1)));
  }
  if (seen > 0) detection.score = seen > 1 ? 0.92 : 0.85;
  return detection;
}

core::Expected<core::Measurement> read_superbench(const Input& input, const ReadOptions& options) {
  const auto document = parse_json(input, options);
  if (!document) return core::fail(document.error());
  return Reader(input, options).read(*document);
}

extern const Format superbench_format = {
    .name = "superbench",
    .title = "SuperBench results",
    .replication = core::Replication::in_process,
    .detect = detect_superbench,
    .read = read_superbench,
    .about = {.group = Group::hardware,
              .file = "JSON lines",
              .produce = "sb run -f hosts.ini -c config.yaml --output-dir DIR\n"
                         "# writes DIR/results-summary.jsonl",
              .judged =
                  "SuperBench `results-summary.jsonl`, the results and baselines of a node: step times, latencies, bandwidths, "
                  "throughputs and flops; return codes, correctness and lost rows of memory are gates",
              .key = "benchmark, metric, rank, and the node where there are several; names of releases before 0.5 as later ones "
                     "have them (`event_overhead` is `event_time`)",
              .trials = "the runs of a benchmark (`benchmark/RUN/metric`)",
              .context = "host",
              .limits =
                  "of a collective's sizes below 64 KiB the time is judged, from there on the bus bandwidth; minima, maxima, "
                  "far tails and what the monitor saw are context; `raw_data` is not read",
              .recognised = "keys `…/return_code`, of its benchmarks; `reduce_op` with `run_count`"},
};

}  // namespace plumbline::formats
