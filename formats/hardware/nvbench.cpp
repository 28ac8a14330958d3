// nvbench --json. A state is a benchmark at one setting of its axes on one device; its summaries name their unit by a hint. The
// mean GPU time of isolated launches is the result; times of batches come beside it, what follows from the time (items and bytes
// per second, utilisation) is context, relative deviations are the tool's own noise. Whether a state was skipped is a gate.
#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <set>

#include "core/text.hpp"
#include "formats/hardware/headlines.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {
namespace {

using core::Direction;
using core::Role;
using json::Value;

constexpr ToolMetric kSkipped{"skipped", "", Direction::lower, Role::gate};
constexpr ToolMetric kReason{"skip_reason", "", Direction::unknown, Role::context};

Value value_of(const Value& list, std::string_view name) {
  for (const Value one : list.elements()) {
    if (one.find_string("name") == name && !one.find("value").is_container()) return one.find("value");
  }
  return {};
}

// What a summary means, by its tag and hint.
ToolMetric metric_of(std::string_view tag, std::string_view hint) {
  const auto is = [&](std::string_view word) { return tag.find(word) != std::string_view::npos; };
  const std::string_view unit = hint == "duration"    ? "s"
                                : hint == "byte_rate" ? "B/s"
                                : hint == "item_rate" ? "1/s"
                                : hint == "bytes"     ? "B"
                                : hint == "frequency" ? "Hz"
                                                      : "";
  if (is("/stdev") || is("/noise") || is("/iqr")) return {tag, unit, Direction::lower, Role::noise, false};
  if (tag == "nv/cold/time/gpu/mean" || tag == "nv/batch/time/gpu/mean") return {tag, "s", Direction::lower, Role::judged, false};
  if (tag == "nv/cpu_only/time/cpu/mean") return {tag, "s", Direction::lower, Role::judged, false};
  if (hint == "duration") return {tag, unit, Direction::lower, Role::context, false};
  if (hint == "byte_rate" || hint == "item_rate") return {tag, unit, Direction::higher, Role::context, false};
  return {tag, unit, hint == "percentage" && is("/bw/") ? Direction::higher : Direction::unknown, Role::context,
          hint == "sample_size"};
}

class Reader {
 public:
  Reader(const Input& input, const ReadOptions& options) : rows_(input, options, "nvbench") {}

  core::Expected<core::Measurement> read(const json::Document& document) {
    take_notes(document, rows_.writer);
    const Value root = document.root();
    const Value benchmarks = root.find("benchmarks");
    if (!benchmarks.is_array() || benchmarks.size() == 0) {
      return core::fail(
          rows_.error("no \"benchmarks\"", "the run ended before its first benchmark, or its filters left none; run it again"));
    }
    for (const Value device : root.find("devices").elements()) rows_.note("hardware.gpu", device.find_string("name"));
    rows_.note("stack.nvbench", root.find("meta").find("version").find("nvbench").find_string("string"));
    std::set<std::string_view> names;
    for (const Value benchmark : benchmarks.elements()) {
      // Another benchmark of that name is no trial of the first.
      if (!names.insert(benchmark.find_string("name")).second) rows_.section();
      for (const Value state : benchmark.find("states").elements()) {
        if (rows_.halted()) break;
        put(root, benchmark, state);
      }
    }
    if (rows_.empty()) {
      return core::fail(rows_.error("no benchmark has a state", "the run ended before its first measurement; run it again",
                                    benchmarks.place().line));
    }
    if (measured_ > 0 && !judged_) {
      return core::fail(
          rows_.error("no state has a mean time that is understood",
                      "nvbench names its summaries by tags as \"nv/cold/time/gpu/mean\" since 2022: run it again with a "
                      "later release",
                      benchmarks.place().line));
    }
    put_headlines();
    return rows_.finish();
  }

 private:
  // A measured state of a benchmark: what its users look at.
  struct Mean {
    const ToolMetric* metric = nullptr;
    std::string key;
    double value = 0;
  };

  // The means of a few states, or of many their geometric mean, benchmark by benchmark.
  void put_headlines() {
    Headlines headlines;
    std::size_t all = 0;
    for (const auto& [of, means] : means_) all += means.size();
    for (const auto& [of, means] : means_) {
      if (all <= kMostHeadlines || means.size() == 1) {
        for (const Mean& mean : means) headlines.take(mean.key);
        continue;
      }
      double logs = 0;
      for (const Mean& mean : means) logs += std::log(mean.value);
      const std::string count = std::to_string(means.size());
      rows_.point(of.first, {{"derived", "geomean"}, {"states", count}});
      rows_.add(*means.front().metric, std::exp(logs / static_cast<double>(means.size())));
      headlines.take(rows_.key(means.front().metric->name));
    }
    headlines.put(rows_);
  }

  void put(const Value& root, const Value& benchmark, const Value& state) {
    std::vector<Dim> dims;
    if (root.find("devices").size() > 1) {
      for (const Value device : root.find("devices").elements()) {
        if (device.find("id") && device.find("id").text() == state.find("device").text())
          dims.emplace_back("device", device.find_string("name"));
      }
      // Two devices of one name still are two.
      dims.emplace_back("id", state.find("device") ? state.find("device").text() : std::string_view());
    }
    for (const Value axis : state.find("axis_values").elements()) {
      const Value value = axis.find("value"), shown = axis.find("input_string");
      dims.emplace_back(axis.find_string("name"), shown.string().empty()
                                                      ? (value && !value.is_container() ? value.text() : std::string_view())
                                                      : shown.string());
    }
    rows_.point(benchmark.find_string("name"), dims);
    const bool skipped = state.find("is_skipped").boolean();
    rows_.add(kSkipped, skipped ? 1 : 0);
    if (skipped) {
      if (const std::string_view reason = state.find_string("skip_reason"); !reason.empty())
        rows_.add(kReason, Leaf{core::ValueState::text, 0, false, reason});
      return;
    }
    ++measured_;
    Mean mean;
    for (const Value summary : state.find("summaries").elements()) {
      const std::string_view tag = summary.find_string("tag");
      const Value value = value_of(summary.find("data"), "value");
      if (tag.empty() || !value) continue;  // file names and sizes of what was written beside the result
      // A deviation of too few samples is infinite, which the file says as null.
      const std::optional<Leaf> leaf = value.is_null() ? Leaf{core::ValueState::null, 0, false, "null"} : cell(value.text());
      if (!leaf) continue;
      const ToolMetric& known = metric(tag, summary.find_string("hint"));
      rows_.add(known, *leaf);
      judged_ = judged_ || known.role == Role::judged;
      // Of isolated launches where they were measured: they come first, and a state has one.
      if (known.role != Role::judged || mean.metric != nullptr || leaf->state != core::ValueState::number) continue;
      if (leaf->value > 0) mean = {&known, rows_.key(known.name), leaf->value};
    }
    if (mean.metric == nullptr) return;
    means_[{std::string(benchmark.find_string("name")), mean.metric->name}].push_back(std::move(mean));
  }

  // The rows keep pointers to what they were declared as.
  const ToolMetric& metric(std::string_view tag, std::string_view hint) {
    const auto known = std::find_if(metrics_.begin(), metrics_.end(),
                                    [&](const auto& one) { return one.first == hint && one.second.name == tag; });
    return known != metrics_.end() ? known->second : metrics_.emplace_back(hint, metric_of(tag, hint)).second;
  }

  ToolRows rows_;
  std::size_t measured_ = 0;  // states that were not skipped
  bool judged_ = false;
  std::deque<std::pair<std::string_view, ToolMetric>> metrics_;
  std::map<std::pair<std::string, std::string_view>, std::vector<Mean>> means_;  // by benchmark and metric
};

}  // namespace

core::Expected<core::Measurement> read_nvbench(const Input& input, const ReadOptions& options) {
  const JsonBody body(input);
  const auto document = body.parse(options);
  if (!document) return core::fail(document.error());
  return Reader(input, options).read(*document);
}

extern const Format nvbench_format = {
    .name = "nvbench",
    .title = "NVBench kernel benchmarks",
    .replication = core::Replication::in_process,
    .signs = {{{Sign::In::body, 0.97, {"meta/version/nvbench", "devices/sm_version"}},
               {Sign::In::body, 0.97, {"meta/version/nvbench", "benchmarks"}},
               {Sign::In::body, 0.95, {"benchmarks/states/axis_values", "benchmarks/states/summaries"}}}},
    .read = read_nvbench,
    .about = {.group = Group::hardware,
              .file = "JSON",
              .produce = "./my_benchmark --json result.json",
              .judged = "nvbench JSON: mean GPU time by benchmark and axes; deviations are noise, rates context",
              .key = "benchmark, axes, and the device where there are several",
              .trials = "one mean a key; its deviation is noise",
              .context = "GPU, nvbench",
              .limits = "whether a state was skipped is a gate; the headlines are the means of at most eight states, of more the "
                        "geometric mean of each benchmark, a derived row",
              .recognised = "`nvbench` with devices and `benchmarks`"},
};

}  // namespace plumbline::formats
