// PyTorch's benchmark database, records of version 3: [{"benchmark": {…}, "model": {…}, "metric": {"name", "benchmark_values"}},
// …]. Written by torchbench, the operator benchmarks (--output-json-for-dashboard) and, as *.pytorch.json, by vLLM's benchmarks.
// The values of a record are the trials of one row; the direction goes by the metric's name, the unit too unless the record says
// it.
#include <map>

#include "formats/serving/serving_runs.hpp"

namespace plumbline::formats {
namespace {

using json::Value;

// What tells records of one metric apart, from the extra_info of benchmark, model and metric and from its args.
constexpr std::string_view kPoint[] = {"device",
                                       "input_config",
                                       "use_compile",
                                       "compiled",
                                       "quantization",
                                       "is_dynamic",
                                       "suite",
                                       "performance",
                                       "batch_size",
                                       "request_rate",
                                       "qps",
                                       "max_concurrency",
                                       "num_prompts",
                                       "input_len",
                                       "random_input_len",
                                       "output_len",
                                       "random_output_len",
                                       "tensor_parallel_size",
                                       "operator_name"};

std::string text_of(const Value& value) {
  if (!value || value.is_null() || value.is_container()) return {};
  if (value.is_number() && !std::isfinite(value.number())) return value.number() > 0 ? "inf" : "-inf";
  return std::string(value.text().substr(0, 200));
}

class Records {
 public:
  explicit Records(RowWriter& writer) : writer_(writer), rows_(writer, "pytorch-benchmark") {}

  // A file of several devices' records tells them apart by it; else the device is context.
  void look_at_device(const Value& record) {
    const std::string arch = arch_of(record);
    if (arch.empty()) return;
    if (arch_.empty()) arch_ = arch;
    if (arch != arch_) several_ = true;
  }

  // False: it is no record of the kind.
  bool add(const Value& record) {
    const Value metric = record.find("metric");
    if (!metric.is_object() || metric.find_string("name").empty()) return false;
    const Value benchmark = record.find("benchmark"), model = record.find("model");
    const std::string_view model_name = model.is_string() ? model.string() : model.find_string("name");
    std::vector<std::pair<std::string_view, std::string>> dims;
    const auto dim = [&](std::string_view name, std::string text) {
      const bool known = std::any_of(dims.begin(), dims.end(), [&](const auto& one) { return one.first == name; });
      if (!text.empty() && !known) dims.emplace_back(name, std::move(text));
    };
    dim("benchmark", text_of(benchmark.is_string() ? benchmark : benchmark.find("name")));
    dim("mode", text_of(benchmark.find("mode")));
    dim("dtype", text_of(benchmark.find("dtype")));
    dim("backend", text_of(model.find("backend")));
    if (several_) dim("arch", arch_of(record));
    for (const std::string_view name : kPoint) {
      for (const Value& part : {benchmark, model, metric}) {
        const Value extra = part.find("extra_info");
        dim(name, text_of(extra.find(name)));
        dim(name, text_of(extra.find("args").find(name)));
      }
    }
    std::string point(model_name.substr(0, 200));
    char before = '[';
    for (const auto& [name, text] : dims) {
      point.append(1, before).append(name).append("=").append(text);
      before = ',';
    }
    if (before == ',') point.push_back(']');
    if (!model_name.empty()) dims.insert(dims.begin(), {"model", std::string(model_name.substr(0, 200))});
    note("identity.model", std::string(model_name));
    context(record, benchmark);
    values(point, rows_.dims(dims), metric);
    return true;
  }

  core::Expected<core::Measurement> finish(const Input& input) {
    for (const auto& [key, text] : notes_) rows_.context(key, text);
    name_headlines();
    return writer_.finish(input.name);
  }

 private:
  // What people look at first in these records, the first of each line that is there; a metric of many rows (hundreds of
  // operators) has no headline, since one of many regresses by chance.
  void name_headlines() {
    constexpr std::size_t kFew = 8;
    constexpr std::string_view kFirst[][6] = {
        {"output_throughput", "tokens_per_second", "token_per_sec", "requests_per_second", "request_throughput", "speedup"},
        {"median_ttft_ms", "latency", "abs_latency", "execution_time"},
        {"median_tpot_ms", "median_itl_ms"}};
    std::map<std::string_view, std::size_t> judged;
    for (const core::Row& row : writer_.out.rows()) {
      if (writer_.out.metric_class(row).role == core::Role::judged) ++judged[writer_.out.metric(row)];
    }
    const auto bare = [&](std::string_view name) {  // a record that says neither model nor benchmark
      return std::any_of(writer_.out.rows().begin(), writer_.out.rows().end(),
                         [&](const core::Row& row) { return writer_.out.key(row) == name; });
    };
    auto& headlines = writer_.out.declared.headlines;
    const auto take = [&](std::string_view name) {
      const auto at = judged.find(name);
      if (at == judged.end() || at->second > kFew) return false;
      headlines.push_back((bare(name) ? "" : "*.") + std::string(name));
      return true;
    };
    for (const auto& names : kFirst) {
      for (const std::string_view name : names) {
        if (take(name)) break;
      }
    }
    if (headlines.empty() && judged.size() == 1) take(judged.begin()->first);
  }

  // What all records agree on.
  void note(const std::string& key, const std::string& text) {
    if (text.empty()) return;
    const auto [at, fresh] = notes_.try_emplace(key, text);
    if (!fresh && at->second != text) at->second.clear();
  }

  void context(const Value& record, const Value& benchmark) {
    note("identity.benchmark", text_of(benchmark.find("name")));
    note("workload.dtype", text_of(benchmark.find("dtype")));
    note("workload.mode", text_of(benchmark.find("mode")));
    for (const auto [name, valid, dependency] : record.find("dependencies").members()) {
      if (name == "pytorch" || name == "torch" || name == "vllm" || name == "triton") {
        note("stack." + std::string(name), text_of(dependency.is_object() ? dependency.find("version") : dependency));
      }
    }
    note("hardware.gpu", arch_of(record));
  }

  static std::string arch_of(const Value& record) { return text_of(record.find("benchmark").find("extra_info").find("arch")); }

  void values(std::string_view point, std::uint32_t dims, const Value& metric) {
    const std::string_view name = metric.find_string("name"), unit = metric.find_string("unit");
    const std::string key = (point.empty() ? std::string() : std::string(point) + ".") + std::string(name);
    const Value list = metric.find("benchmark_values");
    std::vector<double> trials;
    std::string_view failure = list.is_array() || list.is_number() ? std::string_view() : "no benchmark_values";
    if (list.is_number()) trials.push_back(list.number());
    for (const Value& one : list.elements()) {
      if (one.is_number()) {
        trials.push_back(one.number());
      } else if (one.is_null()) {
        writer_.find(Finding::nulls_in_trials, key);
      } else {
        failure = "a value is no number";
      }
    }
    if (failure.empty() && trials.empty()) failure = "the list of values is empty";
    if (!failure.empty()) {
      writer_.add(key, name, RowWriter::kRootShape, dims, Leaf{core::ValueState::failed, 0, false, failure}, {.unit = unit});
    } else if (auto latency = latency_metric(name)) {  // a serving benchmark's
      rows_.add(point, name, dims, *latency, trials);
    } else {
      const bool finite = std::all_of(trials.begin(), trials.end(), [](double value) { return std::isfinite(value); });
      writer_.add_trials(
          key, name, RowWriter::kRootShape, dims, finite ? std::span<const double>(trials) : std::span<const double>(),
          finite ? core::ValueState::number : core::ValueState::not_finite, finite ? "" : "NaN or infinite", {.unit = unit});
    }
    if (const Value target = metric.find("target_value"); target.is_number()) {
      rows_.add(key, "target_value", dims, for_context(unit), leaf_of(target));
    }
  }

  RowWriter& writer_;
  DeclaredRows rows_;
  std::map<std::string, std::string> notes_;
  std::string arch_;
  bool several_ = false;
};

}  // namespace

core::Expected<core::Measurement> read_pytorch_benchmark(const Input& input, const ReadOptions& options) {
  auto document = parse_json(input, options);
  if (!document) return core::fail(document.error());
  RowWriter writer(options);
  take_notes(*document, writer);
  Records records(writer);
  const Value root = document->root();
  std::size_t taken = 0;
  const auto one = [&](const Value& record) -> core::Status {
    if (record.is_object() && records.add(record)) {
      ++taken;
      return {};
    }
    const json::Place at = record.place();
    return core::fail(taken == 0 ? kOtherStructure : core::ErrorCode::invalid_input, "a record has no metric with a name",
                      "each record is {\"benchmark\": …, \"model\": …, \"metric\": {\"name\": …, \"benchmark_values\": […]}}",
                      input.name + ":" + std::to_string(at.line) + ":" + std::to_string(at.column));
  };
  for (const Value& record : root.elements()) records.look_at_device(record);
  if (root.is_object()) {
    if (auto ok = one(root); !ok) return core::fail(ok.error());
  }
  for (const Value& record : root.elements()) {
    if (writer.halted()) break;
    if (auto ok = one(record); !ok) return core::fail(ok.error());
  }
  if (taken == 0) return core::fail(kOtherStructure, "no record in it", {}, input.name);
  return records.finish(input);
}

extern const Format pytorch_benchmark_format = {
    .name = "pytorch-benchmark",
    .title = "records of PyTorch's benchmark database",
    .replication = core::Replication::unknown,
    .signs = {{{Sign::In::json, 0.97, {"benchmark", "metric/benchmark_values"}}}},
    .read = read_pytorch_benchmark,
    .about = {.group = Group::training,
              .file = "JSON",
              .produce = "SAVE_TO_PYTORCH_BENCHMARK_FORMAT=1 vllm bench latency --model MODEL \\\n"
                         "  --output-json latency.json  # writes latency.pytorch.json besides\n"
                         "python -m pt.add_test --output-json-for-dashboard result.json\n"
                         "# the last one in pytorch/benchmarks/operator_benchmark",
              .judged =
                  "every metric, its direction by its name, its unit as said or by its name; latencies of serving benchmarks as "
                  "there",
              .key = "model, benchmark, mode, dtype, backend, device, and settings of a serving run",
              .trials = "`benchmark_values`",
              .context = "benchmark, model, dtype, mode, versions of PyTorch, vLLM and Triton, device",
              .limits = "records that differ in nothing known are duplicates and invalid",
              .recognised = "`benchmark`, `metric` with `benchmark_values`; vLLM's `*.pytorch.json` too"},
};

}  // namespace plumbline::formats
