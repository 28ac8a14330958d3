// TensorRT's trtexec: the performance summary of a log, as releases before 8 printed it ("Host Latency" over lines "min: 0.6 ms
// (end to end 1.0 ms)") and as they do since ("Latency: min = 0.36 ms, …, percentile(99%) = 0.41 ms"). A run whose trace holds no
// query measured nothing.
#include <deque>
#include <map>

#include "formats/declared_rows.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {
namespace {

using core::Direction;
using core::Role;

constexpr ToolMetric kThroughput{"throughput", "qps", Direction::higher};
constexpr ToolMetric kPassed{"passed", "", Direction::higher, Role::gate, true};
constexpr ToolMetric kQueries{"queries", "", Direction::unknown, Role::context, true};
constexpr ToolMetric kBuild{"engine_build_time", "s", Direction::unknown, Role::context};
constexpr ToolMetric kWall{"host_walltime", "s", Direction::unknown, Role::context};
constexpr ToolMetric kTotal{"total_gpu_compute_time", "s", Direction::unknown, Role::context};
constexpr ToolMetric kSpread{"gpu_compute_time.cv", "%", Direction::unknown, Role::noise};
constexpr ToolMetric kTraceGpu{"trace.gpu_latency", "ms", Direction::unknown, Role::context};
constexpr ToolMetric kTraceHost{"trace.host_latency", "ms", Direction::unknown, Role::context};

// What is timed, under the labels of both generations.
constexpr std::pair<std::string_view, std::string_view> kTimes[] = {{"latency", "latency"},
                                                                    {"host latency", "latency"},
                                                                    {"end-to-end host latency", "end_to_end_host_latency"},
                                                                    {"enqueue time", "enqueue_time"},
                                                                    {"h2d latency", "h2d_latency"},
                                                                    {"gpu compute", "gpu_compute_time"},
                                                                    {"gpu compute time", "gpu_compute_time"},
                                                                    {"d2h latency", "d2h_latency"}};

std::string_view time_of(std::string_view label) {
  const std::string lower = core::to_lower(label);
  for (const auto& [words, name] : kTimes) {
    if (lower == words) return name;
  }
  return {};
}

// "=== Device Information ===" and the options above it; no paths besides the model's own.
constexpr std::pair<std::string_view, std::string_view> kSettings[] = {
    {"Model", "identity.model"},           {"Load engine", "identity.engine"},
    {"Precision", "workload.dtype"},       {"Selected Device", "hardware.gpu"},
    {"Batch", "workload.batch_size"},      {"Streams", "workload.streams"},
    {"CUDA Graph", "workload.cuda_graph"}, {"Data transfers", "workload.data_transfers"},
    {"TensorRT version", "stack.tensorrt"}};

// "[09/25/2026-10:00:40] [I] text" -> "text"
std::string_view message_of(std::string_view line) {
  for (const std::string_view level : {"[I]", "[W]", "[E]", "[V]"}) {
    const std::size_t at = line.substr(0, 80).find(level);
    if (at != std::string_view::npos) return core::trim(line.substr(at + 3));
  }
  return core::trim(line);
}

class Log {
 public:
  Log(const Input& input, const ReadOptions& options) : input_(input), rows_(input, options, "trtexec") { rows_.point(""); }

  core::Expected<core::Measurement> read() {
    LogLines lines(input_.bytes);
    std::string_view line;
    while (!rows_.halted() && lines.next(line)) {
      if (line.starts_with("&&&& ")) version(line);
      if (line.starts_with("&&&& RUNNING")) {
        if (seen_) next_run();
      } else if (line.starts_with("&&&& PASSED") || line.starts_with("&&&& FAILED")) {
        rows_.add(kPassed, line.starts_with("&&&& PASSED") ? 1.0 : 0.0);
        if (line.starts_with("&&&& FAILED")) failure_ = "trtexec ended with FAILED";
        ended_ = seen_ = true;
        flush();
      } else {
        take(message_of(line));
      }
    }
    if (!figures_.empty()) flush();
    if (!seen_) {
      return core::fail(core::ErrorCode::invalid_input, "no performance summary in it",
                        "trtexec prints one when inference has run: look for errors further up in the log", input_.name);
    }
    if (!ended_) rows_.incomplete("trtexec's last line, &&&& PASSED or FAILED, is missing");
    // By whole names: the copies have latencies too, and theirs are no headline.
    rows_.writer.out.declared.headlines = {"throughput", "latency.median"};
    if (several_)
      rows_.writer.out.declared.headlines.insert(rows_.writer.out.declared.headlines.end(), {"*.throughput", "*.latency.median"});
    return rows_.finish();
  }

 private:
  struct Figure {
    const ToolMetric* metric;
    std::string_view text;
  };

  // "&&&& PASSED TensorRT.trtexec [TensorRT v8502] # trtexec --onnx=…": for logs without "TensorRT version: 8.5.2".
  void version(std::string_view line) {
    constexpr std::string_view kMark = "[TensorRT v";
    const std::size_t at = line.find(kMark);
    if (at == std::string_view::npos) return;
    const std::string_view number = line.substr(at + kMark.size());
    rows_.note("stack.tensorrt_build", number.substr(0, std::min<std::size_t>(number.find(']'), 20)));
  }

  void next_run() {
    flush();
    rows_.section();
    rows_.point("");
    several_ = true;
    ended_ = false;
    failure_ = {};
  }

  void take(std::string_view text) {
    if (text.starts_with("===")) {
      block_ = {};
      return;
    }
    if (text.starts_with("Average on ")) {
      trace(text);
    } else if (text.starts_with("Timing trace has ")) {
      const std::string_view count = word(text.substr(17));
      rows_.add(kQueries, count);
      if (count == "0") failure_ = "the timing trace holds no query";
    } else if (text.starts_with("Engine built in ")) {
      rows_.add(kBuild, word(text.substr(16)));
    } else if (const std::size_t cv = text.find("coefficient of variance = "); cv != std::string_view::npos) {
      std::string_view percent = text.substr(cv + 26);
      rows_.add(kSpread, percent.substr(0, percent.find('%')));
    } else if (const std::string_view block = time_of(text); !block.empty()) {
      block_ = block;
    } else if (const std::size_t colon = text.find(": "); colon != std::string_view::npos) {
      pair(text.substr(0, colon), core::trim(text.substr(colon + 2)));
    }
  }

  static std::string_view word(std::string_view text) { return text.substr(0, text.find(' ')); }

  void pair(std::string_view label, std::string_view value) {
    if (label == "Throughput" || label == "throughput") {
      figures_.push_back({&kThroughput, word(value)});
    } else if (label == "Total Host Walltime" || label == "walltime") {
      rows_.add(kWall, word(value));
    } else if (label == "Total GPU Compute Time" || label == "total compute time") {
      rows_.add(kTotal, word(value));
    } else if (const std::string_view name = time_of(label); !name.empty()) {
      for (const std::string_view part : core::split(value, ',')) {
        const std::size_t equals = part.find('=');
        if (equals != std::string_view::npos) time(name, core::trim(part.substr(0, equals)), core::trim(part.substr(equals + 1)));
      }
    } else if (!block_.empty() &&
               (label == "min" || label == "max" || label == "mean" || label == "median" || label == "percentile")) {
      old_line(label, value);
    } else {
      for (const auto& [setting, key] : kSettings) {
        if (label != setting || value.empty() || (setting == "Batch" && value == "Explicit")) continue;
        // Of a path the name says enough.
        rows_.note(key, (setting == "Model" || setting == "Load engine") && value.rfind('/') != std::string_view::npos
                            ? value.substr(value.rfind('/') + 1)
                            : value);
      }
    }
  }

  // "min: 0.6 ms (end to end 1.0 ms)", "percentile: 0.6 ms at 99% (end to end 1.0 ms at 99%)"
  void old_line(std::string_view statistic, std::string_view value) {
    const std::size_t open = value.find('(');
    const auto put = [&](std::string_view name, std::string_view text) {
      std::string label(statistic);
      if (const std::size_t at = text.find(" at "); at != std::string_view::npos) {
        label = "percentile(" + std::string(core::trim(text.substr(at + 4))) + ")";
      }
      time(name, label, text);
    };
    put(block_, core::trim(value.substr(0, open)));
    constexpr std::string_view kEnd = "(end to end ";
    if (open != std::string_view::npos && value.substr(open).starts_with(kEnd)) {
      const std::string_view rest = value.substr(open + kEnd.size());
      put("end_to_end_host_latency", rest.substr(0, rest.find(')')));
    }
  }

  // One figure in milliseconds: "mean", "percentile(99%)".
  void time(std::string_view name, std::string_view statistic, std::string_view value) {
    std::string key = std::string(name) + ".";
    if (statistic.starts_with("percentile(")) {
      key += "p" + std::string(statistic.substr(11, statistic.find('%') - 11));
    } else {
      key += statistic;
    }
    ToolMetric& metric = metrics_[key];
    if (metric.name.empty()) {
      const bool extreme = statistic == "min" || statistic == "max";
      const std::string& kept = names_.emplace_back(key);
      metric = extreme ? ToolMetric{kept, "ms", Direction::unknown, Role::context} : ToolMetric{kept, "ms", Direction::lower};
    }
    figures_.push_back({&metric, word(value)});
  }

  // "Average on 10 runs - GPU latency: 0.5 ms - Host latency: 0.6 ms (end to end …)": how the run went, batch by batch.
  void trace(std::string_view text) {
    const auto after = [&](std::string_view label) {
      const std::size_t at = text.find(label);
      return at == std::string_view::npos ? std::string_view() : word(text.substr(at + label.size()));
    };
    rows_.add(kTraceGpu, after("GPU latency: "));
    rows_.add(kTraceHost, after("Host latency: "));
  }

  void flush() {
    for (const Figure& figure : figures_) {
      seen_ = true;
      const bool judged = figure.metric->role == Role::judged;
      if (!failure_.empty() && judged) {
        rows_.add(*figure.metric, Leaf{core::ValueState::failed, 0, false, failure_});
      } else if (!rows_.add(*figure.metric, figure.text)) {
        rows_.add(*figure.metric, Leaf{core::ValueState::text, 0, false, figure.text});
      }
    }
    figures_.clear();
    block_ = {};
  }

  const Input& input_;
  std::map<std::string, ToolMetric> metrics_;  // addresses stay: rows refer to them until they are written
  std::deque<std::string> names_;
  ToolRows rows_;
  std::vector<Figure> figures_;
  std::string_view block_, failure_;
  bool seen_ = false, ended_ = false, several_ = false;
};

}  // namespace

extern const Format trtexec_format = {
    .name = "trtexec",
    .title = "TensorRT trtexec",
    .replication = core::Replication::run,
    .signs = {{{Sign::In::tail, 0.96, {"TensorRT.trtexec"}},
               {Sign::In::head, 0.96, {"TensorRT.trtexec"}},
               {Sign::In::tail, 0.95, {"Throughput: ", " qps", "GPU Compute Time: min = "}}}},
    .read = read_with<Log>,
    .about =
        {.group = Group::serving,
         .file = "text",
         .produce = "trtexec --onnx=model.onnx | tee result.txt",
         .judged =
             "throughput (qps, higher); mean, median and percentiles of latency, enqueue, copies and GPU compute (ms, lower); "
             "the final PASSED is a gate",
         .key = "what is timed and the statistic; a later run in the log is `section=2`",
         .trials = "one value a key; averages of ten runs are kept as context",
         .context = "model, precision, batch, streams, CUDA graph, transfers, device, TensorRT version",
         .limits = "figures of a run without queries or that FAILED are failed; min and max are context",
         .recognised = "`TensorRT.trtexec`, or its performance summary"},
};

}  // namespace plumbline::formats
