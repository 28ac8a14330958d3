// MLPerf training logs: ":::MLLOG {…}" lines, whatever a launcher put before them. The result is the time from run_start to
// run_stop, valid only when run_stop says success; several runs in one log are trials.
#include "formats/declared_rows.hpp"
#include "formats/readers.hpp"

namespace plumbline::formats {
namespace {

using json::Value;

constexpr std::string_view kMark = ":::MLLOG ";

struct TrainingRun {
  std::optional<double> start_ms, stop_ms, accuracy;
  std::string status;
};

// The event of a line; the document must outlive it.
core::Expected<json::Document> event_of(std::string_view line, std::string_view name, std::size_t number) {
  return json::parse(core::trim(line.substr(line.find(kMark) + kMark.size())), std::string(name) + ":" + std::to_string(number));
}

// The seed is left out: runs that differ in it are trials of each other.
constexpr std::pair<std::string_view, std::string_view> kContext[] = {
    {"submission_benchmark", "identity.benchmark"},      {"submission_platform", "hardware.platform"},
    {"submission_division", "identity.division"},        {"submission_org", "identity.organisation"},
    {"global_batch_size", "workload.global_batch_size"}, {"gradient_accumulation_steps", "workload.gradient_accumulation_steps"}};

}  // namespace

Detection detect_mlperf_training(const Input& input) {
  Detection detection;
  const std::string_view head = head_of(input);
  const std::size_t at = head.find(kMark);
  if (at == std::string_view::npos) return detection;
  detection.score = 0.96;
  detection.evidence.push_back("has the line " +
                               core::quoted(head.substr(at, std::min<std::size_t>(head.find('\n', at) - at, 60))));
  return detection;
}

core::Expected<core::Measurement> read_mlperf_training(const Input& input, const ReadOptions& options) {
  RowWriter writer(options);
  DeclaredRows rows(writer, "mlperf-training");
  std::vector<TrainingRun> runs;
  std::vector<double> throughput;
  std::string benchmark;
  std::uint64_t broken = 0;
  std::size_t number = 0;
  for (const std::string_view line : core::split(input.bytes, '\n')) {
    ++number;
    if (line.find(kMark) == std::string_view::npos) continue;
    if (options.stop && options.stop()) return core::fail(core::ErrorCode::cancelled, "stopped while reading", {}, input.name);
    const auto document = event_of(line, input.name, number);
    if (!document) {  // cut off, or mixed with another process's line
      ++broken;
      continue;
    }
    const Value event = document->root();
    const std::string_view key = event.find_string("key");
    const auto time = event.find_number("time_ms");
    const Value value = event.find("value");
    if (key == "run_start" && time) {
      runs.emplace_back().start_ms = time;
    } else if (key == "run_stop" && time && !runs.empty()) {
      runs.back().stop_ms = time;
      runs.back().status = std::string(event.at_path("metadata.status").string());
    } else if (key == "eval_accuracy" && value.is_number() && !runs.empty()) {
      runs.back().accuracy = value.number();
    } else if (key == "tracked_stats" && value.is_object()) {
      if (const auto speed = value.find_number("throughput")) throughput.push_back(*speed);
    }
    for (const auto& [field, context] : kContext) {
      if (key == field && value && !value.is_container() && !value.is_null()) rows.context(context, value.text());
    }
    if (key == "submission_benchmark") benchmark = std::string(value.string());
  }
  if (runs.empty()) {
    return core::fail(core::ErrorCode::invalid_input, "no run_start event: nothing was timed in this log",
                      "the log was cut off before training began, or belongs to another rank", input.name);
  }
  const std::uint32_t dims = rows.dims({{"benchmark", benchmark}});
  std::vector<double> minutes, accuracies;
  double unfinished = 0;
  for (const TrainingRun& run : runs) {
    const bool success = run.stop_ms && run.status == "success";
    if (!success) ++unfinished;
    if (run.start_ms && run.stop_ms) minutes.push_back((*run.stop_ms - *run.start_ms) / 60'000);
    if (run.accuracy) accuracies.push_back(*run.accuracy);
  }
  const std::size_t first = writer.out.rows().size();
  if (minutes.empty()) minutes.push_back(0);
  rows.add(benchmark, "time_to_train", dims, lower_is_better("min"), minutes);
  if (unfinished > 0) rows.fail_from(first, "a run did not end with the status success");
  rows.add(benchmark, "unsuccessful_runs", dims, gate(), unfinished);
  // What the run reached; the target decided when it stopped.
  rows.add(benchmark, "eval_accuracy", dims, for_context(), accuracies);
  if (!throughput.empty()) {  // periodic figures of a run are no trials: their median speaks
    std::sort(throughput.begin(), throughput.end());
    rows.add(benchmark, "throughput", dims, higher_is_better("samples/s"), throughput[throughput.size() / 2]);
  }
  if (broken > 0) rows.add(benchmark, "unreadable_events", dims, for_context(), static_cast<double>(broken));
  writer.out.declared.headlines = {"*time_to_train"};
  writer.out.replication = core::Replication::run;
  return writer.finish(input.name);
}

extern const Format mlperf_training_format = {
    .name = "mlperf-training",
    .title = "MLPerf training log",
    .replication = core::Replication::run,
    .detect = detect_mlperf_training,
    .read = read_mlperf_training,
    .about = {.judged = "MLPerf training log: minutes from `run_start` to `run_stop`, `failed` without success",
              .key = "benchmark",
              .trials = "runs in one log; seeds in several files",
              .context = "platform, division, batch size and companions, by a list",
              .limits = "`tracked_stats` of a run are no trials: their median speaks",
              .recognised = "`:::MLLOG` lines"},
};

}  // namespace plumbline::formats
