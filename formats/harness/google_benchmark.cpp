// Google Benchmark's JSON. Repetitions of one benchmark are the trials of its rows; the aggregates beside them are context, or
// noise (stddev, cv), and are judged only where the repetitions themselves were not written (report_aggregates_only).
#include "formats/harness/google_benchmark.hpp"

#include <cstring>
#include <unordered_map>
#include <utility>

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

// The lengths being the same.
template <std::size_t kSize>
bool is(std::string_view key, const char (&word)[kSize]) {
  return std::memcmp(key.data(), word, kSize - 1) == 0;
}

// What tells an entry from others, found in one pass over its members; the first of a name counts.
struct Identity {
  std::string_view name, run_name, aggregate;
  bool failed = false, typed = false;  // typed: releases since 1.5 say themselves what is an aggregate

  explicit Identity(const Value& entry) {
    bool seen[5] = {};
    const auto first = [&](int which) { return !std::exchange(seen[which], true); };
    for (const auto [key, valid, value] : entry.members()) {
      switch (key.size()) {
        case 4:
          if (is(key, "name") && first(0)) name = value.string();
          break;
        case 7:
          if (is(key, "skipped") && first(1)) failed = failed || value.boolean();
          break;
        case 8:
          if (is(key, "run_name") && first(2)) run_name = value.string();
          if (is(key, "run_type")) typed = true;
          break;
        case 14:
          if (is(key, "aggregate_name") && first(3)) aggregate = value.string();
          if (is(key, "error_occurred") && first(4)) failed = failed || value.boolean();
          break;
        default:
          break;
      }
    }
  }
  [[nodiscard]] std::string_view benchmark() const { return run_name.empty() ? name : run_name; }
};

// Entries of one benchmark that are trials of each other: its repetitions, or one aggregate.
struct Series {
  std::string point;
  std::string_view aggregate;  // "mean", "cv", …; "" for repetitions
  std::vector<Value> entries;
  std::string_view benchmark;
  Value failed;  // the first entry that reports an error
};

// Whether a member is a result: asked anew only where a name stands at another place than in the entry before.
class ResultNames {
 public:
  bool is_result(std::size_t place, std::string_view name) {
    if (place >= known_.size()) known_.resize(place + 1);
    auto& [known, answer] = known_[place];
    if (!json::same_text(known, name)) {
      known = name;
      answer = std::find(std::begin(kNotResults), std::end(kNotResults), name) == std::end(kNotResults);
    }
    return answer;
  }

 private:
  std::vector<std::pair<std::string_view, bool>> known_;
};

class Reader {
 public:
  Reader(const json::Document& document, RowWriter& writer)
      : document_(document), writer_(writer), rows_(writer, "google-benchmark") {}

  void series(const Series& series, bool has_repetitions) {
    const Value& first = series.entries.front();
    const std::uint32_t dims = rows_.dims({{"benchmark", std::string(series.benchmark)},
                                           {"threads", std::string(first.find("threads") ? first.find("threads").text() : "")},
                                           {"aggregate", std::string(series.aggregate)}});
    // BigO and RMS are fits over the family.
    const bool judged =
        series.aggregate.empty() || (!has_repetitions && (series.aggregate == "mean" || series.aggregate == "median"));
    const bool noise = series.aggregate == "stddev" || series.aggregate == "cv";
    const bool percentage = !judged && first.find_string("aggregate_unit") == "percentage";
    const auto as_said = [&](Declared declared) {
      if (series.aggregate == "cv" || percentage) declared.unit = {};  // a fraction
      if (!judged) declared = noise ? own_noise(declared.unit) : for_context(declared.unit);
      return declared;
    };
    std::string_view unit = first.find_string("time_unit");
    if (unit.empty()) unit = "ns";
    if (const Value& entry = series.failed) {
      std::string_view why = entry.find_string("error_message");
      if (why.empty()) why = entry.find_string("skip_message");
      const std::size_t before = writer_.out.rows().size();
      rows_.add(series.point, "real_time", dims, as_said(lower_is_better(unit)), 0.0);
      rows_.fail_from(before, why.empty() ? "the benchmark reported an error" : why);
      return;
    }
    std::size_t place = 0;
    for (const auto [name, valid, value] : first.members()) {
      const std::size_t here = place++;
      if (!results_.is_result(here, name)) continue;
      if (!value.is_number()) {
        if (!value.is_container()) rows_.add(series.point, name, dims, for_context(), leaf_of(value));
        continue;
      }
      take_trials(series, name, here);
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
    // What the library itself prints in capitals and nobody sees in a file.
    if (context.find_string("library_build_type") == "debug") {
      writer_.out.warn("debug_build",
                       "library_build_type is debug: the benchmark library was built without optimisation, which adds to "
                       "every time");
    }
    if (context.find("cpu_scaling_enabled").boolean()) {
      writer_.out.warn("cpu_scaling_enabled", "the CPU's frequency was free to change while this was measured: times are noisy");
    }
  }

 private:
  // The numbers under one name. Entries of a series are written alike: the name stands at the same place, or the entry is asked.
  void take_trials(const Series& series, std::string_view name, std::size_t place) {
    trials_.clear();
    for (const Value& entry : series.entries) {
      const Value one = member_at(entry, name, place);
      if (one.is_number()) trials_.push_back(one.number());
    }
  }
  [[nodiscard]] Value member_at(const Value& entry, std::string_view name, std::size_t place) const {
    const json::Node& object = entry.node();
    const std::uint64_t key = entry.index() + 1 + 2 * std::uint64_t{place};
    // Key, value, key, value: so it is where no value is a container.
    if (place < object.count && object.next == entry.index() + 1 + 2 * object.count) {
      const json::Node& node = document_.node(static_cast<std::uint32_t>(key));
      if (json::same_text({node.s, node.length}, name)) return {&document_, static_cast<std::uint32_t>(key + 1)};
    }
    return entry.find(name);
  }

  const json::Document& document_;
  RowWriter& writer_;
  DeclaredRows rows_;
  ResultNames results_;
  std::vector<double> trials_;
};

}  // namespace

core::Expected<core::Measurement> read_google_benchmark(const Input& input, const ReadOptions& options) {
  auto document = parse_json(input, options);
  if (!document) return core::fail(document.error());
  const Value benchmarks = document->root().find("benchmarks");
  if (!benchmarks.is_array()) {
    return core::fail(kOtherStructure, "no \"benchmarks\" array: this is not Google Benchmark's JSON",
                      "--benchmark_format=json writes {\"context\": …, \"benchmarks\": […]}", input.name);
  }
  RowWriter writer(options);
  take_notes(*document, writer);
  Reader reader(*document, writer);
  reader.context(document->root().find("context"));
  std::vector<Series> all;
  std::unordered_map<std::string, std::size_t> index;
  std::size_t last = 0;
  GoogleBenchmarkNames names;
  bool untyped = false;
  for (const Value& entry : benchmarks.elements()) {
    untyped = !Identity(entry).typed;
    break;
  }
  if (untyped) {
    for (const Value& entry : benchmarks.elements()) names.add(entry.find_string("name"));
  }
  for (const Value& entry : benchmarks.elements()) {
    Identity identity(entry);
    if (untyped && identity.run_name.empty() && identity.aggregate.empty()) {
      const auto [benchmark, aggregate] = names.split(identity.name);
      identity.name = benchmark;
      identity.aggregate = aggregate;
    }
    const std::string_view name = identity.benchmark();
    if (name.empty()) continue;
    if (all.empty() || all[last].benchmark != name || all[last].aggregate != identity.aggregate) {
      std::string point(name);
      if (!identity.aggregate.empty()) point.append(".").append(identity.aggregate);
      const auto [at, is_new] = index.try_emplace(point, all.size());
      if (is_new) all.push_back({std::move(point), identity.aggregate, {}, name, {}});
      last = at->second;
    }
    Series& series = all[last];
    series.entries.push_back(entry);
    if (identity.failed && !series.failed) series.failed = entry;
  }
  for (const Series& series : all) {
    if (writer.halted()) break;
    reader.series(series, !series.aggregate.empty() && index.contains(std::string(series.benchmark)));
  }
  writer.out.declared.headlines = {"*.real_time"};
  return writer.finish(input.name);
}

extern const Format google_benchmark_format = {
    .name = "google-benchmark",
    .title = "Google Benchmark (C++)",
    .replication = core::Replication::in_process,
    .signs = {{{Sign::In::object, 0.96, {"context", "benchmarks", "context/library_build_type"}},
               {Sign::In::object, 0.96, {"context", "benchmarks", "benchmarks/real_time", "benchmarks/time_unit"}}}},
    .read = read_google_benchmark,
    .about = {.group = Group::harness,
              .file = "JSON",
              .produce = "./my_benchmark --benchmark_repetitions=5 --benchmark_out=result.json \\\n"
                         "  --benchmark_out_format=json",
              .judged = "Google Benchmark JSON; repetitions are trials, `stddev` and `cv` noise",
              .key = "benchmark, threads, aggregate",
              .trials = "repetitions",
              .context = "host, CPUs, clock, scaling, library version and build type",
              .limits =
                  "means and medians are judged only where the repetitions are not in the file; BigO and RMS are passed over",
              .recognised = "`context` and `benchmarks` with `library_build_type` or `time_unit`"},
};

}  // namespace plumbline::formats
