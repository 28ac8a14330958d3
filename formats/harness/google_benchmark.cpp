// Google Benchmark's JSON. Repetitions of one benchmark are the trials of its rows; the aggregates beside them are context, or
// noise (stddev, cv), and are judged only where the repetitions themselves were not written (report_aggregates_only).
#include <unordered_map>

#include "formats/declared_rows.hpp"
#include "formats/readers.hpp"

namespace plumbline::formats {
namespace {

using json::Value;

// Members that say what an entry is; every other number is a result or a user's counter.
constexpr std::string_view kNotResults[] = {"name",
                                            "run_name",
                                            "run_type",
                                            "family_index",
                                            "time_unit",
                                            "repetition_index",
                                            "aggregate_name",
                                            "per_family_instance_index",
                                            "aggregate_unit",
                                            "repetitions",
                                            "threads",
                                            "iterations",
                                            "error_occurred",
                                            "error_message",
                                            "label",
                                            "skipped",
                                            "skip_message",
                                            "big_o",
                                            "cpu_coefficient",
                                            "real_coefficient",
                                            "rms"};

std::string_view name_of(const Value& entry) {
  const std::string_view run = entry.find_string("run_name");
  return run.empty() ? entry.find_string("name") : run;
}

bool is_failed(const Value& entry) { return entry.find("error_occurred").boolean() || entry.find("skipped").boolean(); }

// Entries of one benchmark that are trials of each other: its repetitions, or one aggregate.
struct Series {
  std::string point;
  std::string_view aggregate;  // "mean", "cv", …; "" for repetitions
  std::vector<Value> entries;
};

class Reader {
 public:
  explicit Reader(RowWriter& writer) : writer_(writer), rows_(writer, "google-benchmark") {}

  void series(const Series& series, bool has_repetitions) {
    const Value& first = series.entries.front();
    const std::uint32_t dims = rows_.dims({{"benchmark", std::string(name_of(first))},
                                           {"threads", std::string(first.find("threads") ? first.find("threads").text() : "")},
                                           {"aggregate", std::string(series.aggregate)}});
    // BigO and RMS are fits over the family.
    const bool judged =
        series.aggregate.empty() || (!has_repetitions && (series.aggregate == "mean" || series.aggregate == "median"));
    const bool noise = series.aggregate == "stddev" || series.aggregate == "cv";
    const auto as_said = [&](Declared declared) {
      if (series.aggregate == "cv") declared.unit = {};  // a fraction
      if (!judged) declared = noise ? own_noise(declared.unit) : for_context(declared.unit);
      return declared;
    };
    std::string_view unit = first.find_string("time_unit");
    if (unit.empty()) unit = "ns";
    for (const Value& entry : series.entries) {
      if (!is_failed(entry)) continue;
      std::string_view why = entry.find_string("error_message");
      if (why.empty()) why = entry.find_string("skip_message");
      const std::size_t before = writer_.out.rows().size();
      rows_.add(series.point, "real_time", dims, as_said(lower_is_better(unit)), 0.0);
      rows_.fail_from(before, why.empty() ? "the benchmark reported an error" : why);
      return;
    }
    for (const auto [name, valid, value] : first.members()) {
      if (std::find(std::begin(kNotResults), std::end(kNotResults), name) != std::end(kNotResults)) continue;
      if (!value.is_number()) {
        if (!value.is_container()) rows_.add(series.point, name, dims, for_context(), leaf_of(value));
        continue;
      }
      trials_.clear();
      for (const Value& entry : series.entries) {
        if (const Value one = entry.find(name); one.is_number()) trials_.push_back(one.number());
      }
      if (name == "real_time" || name == "cpu_time") {
        rows_.add(series.point, name, dims, as_said(lower_is_better(unit)), trials_);
      } else if (name == "bytes_per_second") {
        rows_.add(series.point, name, dims, as_said(higher_is_better("B/s")), trials_);
      } else if (name == "items_per_second") {
        rows_.add(series.point, name, dims, as_said(higher_is_better("items/s")), trials_);
      } else if (!judged) {
        rows_.add(series.point, name, dims, as_said({}), trials_);
      } else {  // a user's counter: its name has to say
        const bool finite = std::all_of(trials_.begin(), trials_.end(), [](double one) { return std::isfinite(one); });
        writer_.add_trials(series.point + "." + std::string(name), name, RowWriter::kRootShape, dims,
                           finite ? std::span<const double>(trials_) : std::span<const double>(),
                           finite ? core::ValueState::number : core::ValueState::not_finite, finite ? "" : "NaN or infinite");
      }
    }
  }

  void context(const Value& context) {
    constexpr std::pair<std::string_view, std::string_view> kTaken[] = {{"host_name", "environment.hostname"},
                                                                        {"num_cpus", "hardware.num_cpus"},
                                                                        {"mhz_per_cpu", "hardware.cpu_mhz"},
                                                                        {"cpu_scaling_enabled", "regime.cpu_scaling"},
                                                                        {"aslr_enabled", "regime.aslr"},
                                                                        {"library_version", "stack.library_version"},
                                                                        {"library_build_type", "stack.library_build_type"}};
    for (const auto& [field, key] : kTaken) {
      if (const Value value = context.find(field); value && !value.is_container()) rows_.context(key, value.text());
    }
  }

 private:
  RowWriter& writer_;
  DeclaredRows rows_;
  std::vector<double> trials_;
};

}  // namespace

Detection detect_google_benchmark(const Input& input) {
  const std::string_view head = json_head(input);
  Detection detection;
  if (!head.starts_with("{")) return detection;
  if (has_keys(head, {"context", "benchmarks"}, detection) &&
      (has_keys(head, {"library_build_type"}, detection) || has_keys(head, {"real_time", "time_unit"}, detection))) {
    detection.score = 0.96;
  }
  return detection;
}

core::Expected<core::Measurement> read_google_benchmark(const Input& input, const ReadOptions& options) {
  auto document = parse_json(input, options);
  if (!document) return core::fail(document.error());
  const Value benchmarks = document->root().find("benchmarks");
  if (!benchmarks.is_array()) {
    return core::fail(core::ErrorCode::invalid_input, "no \"benchmarks\" array: this is not Google Benchmark's JSON",
                      "--benchmark_format=json writes {\"context\": …, \"benchmarks\": […]}", input.name);
  }
  RowWriter writer(options);
  take_notes(*document, writer);
  Reader reader(writer);
  reader.context(document->root().find("context"));
  std::vector<Series> all;
  std::unordered_map<std::string, std::size_t> index;
  for (const Value& entry : benchmarks.elements()) {
    const std::string_view name = name_of(entry);
    if (name.empty()) continue;
    const std::string_view aggregate = entry.find_string("aggregate_name");
    std::string point(name);
    if (!aggregate.empty()) point += "." + std::string(aggregate);
    const auto [at, is_new] = index.try_emplace(point, all.size());
    if (is_new) all.push_back({std::move(point), aggregate, {}});
    all[at->second].entries.push_back(entry);
  }
  for (const Series& series : all) {
    if (writer.halted()) break;
    reader.series(series, !series.aggregate.empty() && index.contains(std::string(name_of(series.entries.front()))));
  }
  writer.out.declared.headlines = {"*.real_time"};
  writer.out.replication = core::Replication::in_process;
  return writer.finish(input.name);
}

extern const Format google_benchmark_format = {
    .name = "google-benchmark",
    .title = "Google Benchmark JSON",
    .replication = core::Replication::in_process,
    .detect = detect_google_benchmark,
    .read = read_google_benchmark,
    .about = {.judged = "Google Benchmark JSON; repetitions are trials, `stddev` and `cv` noise",
              .recognised = "`context` and `benchmarks` with `library_build_type` or `time_unit`"},
};

}  // namespace plumbline::formats
