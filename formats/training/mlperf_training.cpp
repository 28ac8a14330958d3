// MLPerf training logs: ":::MLLOG {…}" lines, whatever a launcher put before them. The result is the time from run_start to
// run_stop, valid only when run_stop says success; several runs in one log are trials, and so are the logs
// of a result's folder (result_0.txt … result_9.txt, one a seed), or given one by one.
#include <set>
#include <span>

#include "core/citing.hpp"
#include "core/statistics.hpp"
#include "formats/declared_rows.hpp"
#include "formats/merged.hpp"
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

// "…/result_3.txt", as a submission names its seeds.
bool is_result(const Input::File& file) {
  const std::string_view name = std::string_view(file.name).substr(file.name.rfind('/') + 1);
  return name.starts_with("result_") && name.ends_with(".txt") &&
         file.bytes.substr(0, kHead).find(kMark) != std::string_view::npos;
}

constexpr std::string_view kFormat = "mlperf-training", kTime = "time_to_train", kScore = "time_to_train_olympic_mean";
constexpr std::size_t kScored = 3;  // seeds of which the best and the worst leave one

// The score of a result: the mean of its seeds without the best and the worst of them.
double olympic_mean(std::vector<double> minutes) {
  std::sort(minutes.begin(), minutes.end());
  return core::mean(std::span(minutes).subspan(1, minutes.size() - 2));
}

class Logs {
 public:
  Logs(const Input& input, const ReadOptions& options)
      : input_(input), options_(options), writer_(options), rows_(writer_, kFormat) {}

  core::Expected<core::Measurement> read() {
    if (!input_.is_directory && input_.files.empty()) {
      if (auto ok = log(input_.bytes, input_.name); !ok) return core::fail(ok.error());
    }
    std::vector<std::string> untimed;
    for (const Input::File& file : input_.files) {
      if (!is_result(file)) continue;
      const std::size_t before = runs_.size();
      if (auto ok = log(file.bytes, file.name); !ok) return core::fail(ok.error());
      if (runs_.size() > before) continue;
      runs_.emplace_back();  // a seed that never started is a run without success
      untimed.push_back(file.name);
    }
    if (runs_.empty() && of_inference_) {
      return core::fail(core::ErrorCode::invalid_input, "this is the detailed log of MLPerf inference, not of training",
                        "give mlperf_log_summary.txt, which LoadGen writes beside it", input_.name);
    }
    if (runs_.empty() || untimed.size() == runs_.size()) {
      return core::fail(core::ErrorCode::invalid_input, "no run_start event: nothing was timed in this log",
                        "the log was cut off before training began, or belongs to another rank", input_.name);
    }
    if (!untimed.empty()) {
      writer_.out.warn("run_incomplete", core::counted(untimed.size(), "log") +
                                             " of the folder without a run_start event: " + core::cited_list(untimed));
    }
    return finish();
  }

 private:
  core::Status log(std::string_view bytes, std::string_view name) {
    std::size_t number = 0;
    std::vector<double> throughput;
    for (const std::string_view line : core::split(bytes, '\n')) {
      ++number;
      if (line.find(kMark) == std::string_view::npos) continue;
      if (options_.stop && options_.stop())
        return core::fail(core::ErrorCode::cancelled, "stopped while reading", {}, input_.name);
      // Processes write over each other: two events may share a line.
      std::string_view rest = line.substr(line.find(kMark));
      while (!rest.empty()) {
        const std::size_t next = std::min(rest.find(kMark, kMark.size()), rest.size());
        if (const auto document = event_of(rest.substr(0, next), name, number)) {
          event(document->root(), throughput);
        } else {  // cut off, or mixed with another process's line
          ++broken_;
        }
        rest.remove_prefix(next);
      }
    }
    if (!throughput.empty()) {  // periodic figures of a run are no trials: their median speaks
      std::sort(throughput.begin(), throughput.end());
      throughput_.push_back(throughput[throughput.size() / 2]);
    }
    return {};
  }

  void event(const Value& event, std::vector<double>& throughput) {
    const std::string_view key = event.find_string("key");
    const auto time = event.find_number("time_ms");
    const Value value = event.find("value");
    if (key == "run_start" && time) {
      runs_.emplace_back().start_ms = time;
    } else if (key == "run_stop" && time && !runs_.empty()) {
      runs_.back().stop_ms = time;
      runs_.back().status = std::string(event.at_path("metadata.status").string());
    } else if ((key == "eval_accuracy" || key == "eval_error" || key == "eval_loss") && value.is_number() && !runs_.empty()) {
      runs_.back().accuracy = value.number();
      quality_ = std::string(key);
    } else if (key == "tracked_stats" && value.is_object()) {
      if (const auto speed = value.find_number("throughput")) throughput.push_back(*speed);
    } else if (key.starts_with("result_") || key == "effective_samples_per_query") {
      of_inference_ = true;
    }
    for (const auto& [field, context] : kContext) {
      if (key == field && value && !value.is_container() && !value.is_null()) rows_.context(context, value.text());
    }
    if (key == "submission_benchmark") benchmark_ = std::string(value.string());
  }

  core::Expected<core::Measurement> finish() {
    const std::uint32_t dims = rows_.dims({{"benchmark", benchmark_}});
    std::vector<double> minutes, accuracies;
    double unfinished = 0;
    for (const TrainingRun& run : runs_) {
      const bool success = run.stop_ms && run.status == "success";
      if (!success) ++unfinished;
      if (run.start_ms && run.stop_ms) minutes.push_back((*run.stop_ms - *run.start_ms) / 60'000);
      if (run.accuracy) accuracies.push_back(*run.accuracy);
    }
    const std::size_t first = writer_.out.rows().size();
    if (minutes.empty()) minutes.push_back(0);
    rows_.add(benchmark_, kTime, dims, lower_is_better("min"), minutes);
    // Drawn from the runs beside it: one number of them, that no test could tell from noise and none has to.
    if (minutes.size() >= kScored) rows_.add(benchmark_, kScore, dims, for_context("min"), olympic_mean(minutes));
    if (unfinished > 0) rows_.fail_from(first, "a run did not end with the status success");
    rows_.add(benchmark_, "unsuccessful_runs", dims, gate(), unfinished);
    // What the run reached; the target decided when it stopped.
    rows_.add(benchmark_, quality_, dims, for_context(), accuracies);
    rows_.add(benchmark_, "throughput", dims, higher_is_better("samples/s"), throughput_);
    if (broken_ > 0) {
      writer_.out.warn("unread_events",
                       core::counted(broken_, "event") + " could not be read, cut off or mixed with another process's line");
    }
    if (broken_ > 0) rows_.add(benchmark_, "unreadable_events", dims, for_context(), static_cast<double>(broken_));
    writer_.out.declared.headlines = {"*time_to_train"};
    return writer_.finish(input_.name);
  }

  const Input& input_;
  const ReadOptions& options_;
  RowWriter writer_;
  DeclaredRows rows_;
  std::vector<TrainingRun> runs_;
  std::vector<double> throughput_;  // of a log
  std::string benchmark_;
  std::uint64_t broken_ = 0;
  bool of_inference_ = false;
  std::string quality_ = "eval_accuracy";  // what the target is of; some benchmarks have a loss or an error
};

}  // namespace

Detection detect_mlperf_training(const Input& input) {
  Detection detection;
  if (input.is_directory || !input.files.empty()) {
    // The seeds of one result lie in one folder; a tree of several results is a suite of them.
    std::size_t seeds = 0;
    std::set<std::string_view> folders;
    for (const Input::File& file : input.files) {
      if (!is_result(file)) continue;
      ++seeds;
      const std::size_t slash = file.name.rfind('/');
      folders.insert(std::string_view(file.name).substr(0, slash == std::string::npos ? 0 : slash));
    }
    if (seeds < 2 || folders.size() > 1) return detection;
    detection.score = 1.06;  // more than any folder
    detection.evidence.push_back("a folder of " + std::to_string(seeds) + " logs result_N.txt with :::MLLOG lines");
    return detection;
  }
  // What a launcher and a container say first may fill more than the head.
  std::string_view head = head_of(input);
  if (head.find(kMark) == std::string_view::npos) {
    head = input.bytes.substr(input.bytes.size() - std::min(input.bytes.size(), kHead));
  }
  const std::size_t at = head.find(kMark);
  if (at == std::string_view::npos || head.find("\"loadgen_version\"") != std::string_view::npos) return detection;  // inference
  detection.score = 0.96;
  detection.evidence.push_back("has the line " +
                               core::cited(head.substr(at, std::min<std::size_t>(head.find('\n', at) - at, 60))));
  return detection;
}

// Seeds in files of their own are a result as well as those of one folder: they have its score. Files that held enough runs for
// one each keep theirs, as trials.
void finish_merged(core::Measurement& merged) {
  if (merged.format.name != kFormat) return;
  auto& rows = merged.rows();
  const auto is = [&](std::string_view metric) {
    return [&merged, metric](const core::Row& row) { return merged.metric(row) == metric; };
  };
  const auto time = std::find_if(rows.begin(), rows.end(), is(kTime));
  if (time == rows.end() || std::any_of(rows.begin(), rows.end(), is(kScore))) return;
  const std::span<const double> minutes = merged.values(*time);
  const bool failed = time->state == core::ValueState::failed;
  if (!failed && minutes.size() < kScored) return;
  if (failed && merged.trial_files < kScored) return;
  core::Row score = *time;
  std::string key(merged.key(*time));
  key.replace(key.rfind(kTime), kTime.size(), kScore);
  score.key = merged.pool().intern(key);
  score.metric = merged.pool().intern(kScore);
  std::vector<double> value;
  if (!failed) value.push_back(olympic_mean(std::vector<double>(minutes.begin(), minutes.end())));
  core::MetricClass drawn = merged.metric_class(*time);
  drawn.role = core::Role::context;
  drawn.direction = core::Direction::unknown;
  score.metric_class = merged.intern_class(drawn);
  const auto after = time - rows.begin() + 1;
  merged.add_row(score, value);
  std::rotate(rows.begin() + after, rows.end() - 1, rows.end());
}

extern const Format mlperf_training_format = {
    .name = kFormat,
    .title = "MLPerf training log",
    .replication = core::Replication::run,
    .detect = detect_mlperf_training,
    .read = read_with<Logs>,
    .about = {.group = Group::training,
              .file = "text, folder",
              .produce = "./run_and_time.sh 2>&1 | tee result_0.txt  # of a benchmark's folder, a file a run",
              .judged =
                  "MLPerf training log: minutes from `run_start` to `run_stop`, `failed` without success; of three and more runs "
                  "also their mean without the best and the worst, as context",
              .key = "benchmark",
              .trials = "runs in one log; seeds in several files, or in a folder of `result_N.txt`",
              .context = "platform, division, batch size and companions, by a list",
              .limits = "`tracked_stats` of a run are no trials: their median speaks",
              .recognised = "`:::MLLOG` lines; a folder of `result_N.txt` with such lines"},
};

}  // namespace plumbline::formats
