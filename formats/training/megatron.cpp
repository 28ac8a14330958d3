// Step logs of Megatron-LM and DeepSpeed: "iteration 3/ 100 | … | elapsed time per iteration (ms): 308.1 | lm loss: …",
// DeepSpeed's own "…, CurrSamplesPerSec=27.1, …", and the timers of both. The iterations of a run are the in-process trials of
// one row. The first ones warm up: where they are slower than the rest they are no trials, and are named in a warning.
#include <algorithm>
#include <deque>
#include <map>
#include <span>

#include "core/citing.hpp"
#include "core/statistics.hpp"
#include "formats/declared_rows.hpp"
#include "formats/tool_rows.hpp"
#include "formats/training/megatron_lines.hpp"
#include "formats/training/warm_up.hpp"

namespace plumbline::formats {
namespace {

using core::Direction;
using core::Role;

using megatron::Iteration;
using megatron::kElapsed;
using megatron::Take;

constexpr std::string_view kThroughputMark = "CurrSamplesPerSec=", kAverageMark = " SamplesPerSec=";
constexpr std::string_view kTimersMark = "time (ms) | fwd_microstep:", kOldTimersMark = "time (ms) | forward_microstep:";
constexpr double kShortest = 1.0;  // ms: of a shorter timer its two decimals say too little to be judged

constexpr ToolMetric kIterations{"iterations", "", Direction::unknown, Role::context, true};
constexpr ToolMetric kCurrent{"deepspeed_samples_per_second", "samples/s", Direction::higher};
constexpr ToolMetric kAverage{"deepspeed_average_samples_per_second", "samples/s", Direction::unknown, Role::context};
// DeepSpeed's first releases print no other.
constexpr ToolMetric kOnlyAverage{"deepspeed_average_samples_per_second", "samples/s", Direction::higher};
constexpr ToolMetric kDeepspeedPeak{"deepspeed_max_allocated", "GiB", Direction::lower};
constexpr ToolMetric kPhase{"time", "ms", Direction::lower};
constexpr ToolMetric kShortPhase{"time", "ms", Direction::unknown, Role::context};
constexpr ToolMetric kTeraFlops{"tflops_per_gpu", "TFLOP/s", Direction::higher};
constexpr ToolMetric kSkippedSteps{"skipped_steps", "", Direction::lower, Role::gate, true};
constexpr ToolMetric kPeakMemory{"max_allocated", "MB", Direction::lower};
constexpr ToolMetric kReserved{"max_reserved", "MB", Direction::unknown, Role::context};

class Log {
 public:
  Log(const Input& input, const ReadOptions& options) : input_(input), rows_(input, options, "megatron") {}

  core::Expected<core::Measurement> read() {
    LogLines lines(input_.bytes);
    std::string_view line;
    while (!rows_.halted() && lines.next(line)) {
      if (const auto iteration = megatron::iteration_of(line)) {
        // Cut off in the middle: what stands there may be half a number.
        if (lines.cut() && !core::trim(line).ends_with('|')) {
          rows_.incomplete("the last iteration's line is cut off and was left out");
        } else {
          take(*iteration);
        }
      } else if (!lines.cut()) {
        other(line);
      }
    }
    close();
    if (runs_ == 0) {
      return core::fail(core::ErrorCode::invalid_input, "no iteration in the log: nothing was timed",
                        "each is a line with \"" + std::string(kElapsed) + ":\" or \"SamplesPerSec=\"", input_.name);
    }
    if (repeated_ > 0) {
      rows_.writer.out.warn("repeated_lines", core::counted(repeated_, "line") +
                                                  " of an iteration that was read already, from another process: left out");
    }
    if (of_other_ranks_ > 0) {
      rows_.writer.out.warn("other_ranks", core::counted(of_other_ranks_, "line") + " of timers of other ranks than " +
                                               core::cited(*rank_) + ": left out");
    }
    if (cold_runs_ > 1) warm_up_ += "; so it is in " + core::counted(cold_runs_ - 1, "later run") + " of the log";
    if (!warm_up_.empty()) rows_.writer.out.warn("warm_up", warm_up_);
    auto& headlines = rows_.writer.out.declared.headlines;
    if (elapsed_seen_) headlines.emplace_back("*elapsed_time_per_iteration");
    if (!elapsed_seen_) {
      headlines.emplace_back(current_seen_ ? "*deepspeed_samples_per_second" : "*deepspeed_average_samples_per_second");
    }
    return rows_.finish();
  }

 private:
  struct Series {
    const ToolMetric* metric = nullptr;
    Take take = Take::every;
    std::vector<double> values;
    std::string_view not_a_number;  // the first value that is none
  };

  struct Phase {
    std::string name;
    bool of_deepspeed = false;
    std::vector<double> values;
  };

  void other(std::string_view line) {
    if (line.find("time across ranks (ms):") != std::string_view::npos) {
      timers_of_ranks_ = line.find("times across") == std::string_view::npos;
      return;
    }
    if (timers_of_ranks_) {
      if (const auto timer = megatron::timer_of_ranks(line)) {
        phase(timer->first, timer->second, false);
        return;
      }
      timers_of_ranks_ = false;
    }
    if (line.find("SamplesPerSec=") != std::string_view::npos) {
      deepspeed(line);
    } else if (const auto timers = megatron::timers_of(line)) {
      phases(*timers);
    } else if (line.find(") memory (MB) | ") != std::string_view::npos) {
      memory(line);
    } else if (const std::size_t skipped = line.find(", skipped="); skipped != std::string_view::npos) {
      if (const auto count = core::parse_double(until(line.substr(skipped + 10), ','))) skipped_steps_ = *count;
    } else if (line.find("'train_runtime': ") != std::string_view::npos) {
      trainer(line);
    } else if (line.find("validation loss at ") != std::string_view::npos) {
      validation(line);
    } else if (const std::size_t use = line.find(" GPU utilization: "); use != std::string_view::npos) {
      const std::string_view speed = line.substr(use + 18);  // of Megatron-Bridge: "401.2MODEL_TFLOP/s/GPU"
      if (const std::size_t unit = speed.find("MODEL_TFLOP/s/GPU"); unit != std::string_view::npos) {
        add(kTeraFlops, Take::every, core::trim(speed.substr(0, unit)));
      }
    } else {
      argument(line);
    }
  }

  void phases(const megatron::Timers& timers) {
    if (timers.of_deepspeed) {
      if (!rank_) rank_ = timers.rank;
      if (*rank_ != timers.rank) {
        ++of_other_ranks_;
        return;
      }
    }
    for (const std::string_view part : core::split(timers.fields, '|')) {
      const std::size_t colon = part.find(':');
      if (colon == std::string_view::npos) continue;
      const std::string_view value = core::trim(part.substr(colon + 1));
      const auto time = core::parse_double(until(value, ' '));
      if (time && std::isfinite(*time)) phase(core::trim(part.substr(0, colon)), *time, timers.of_deepspeed);
    }
  }

  void phase(std::string_view name, double time, bool of_deepspeed) {
    const auto at = std::find_if(phases_.begin(), phases_.end(),
                                 [&](const Phase& one) { return one.name == name && one.of_deepspeed == of_deepspeed; });
    Phase& series = at == phases_.end() ? phases_.emplace_back() : *at;
    if (series.name.empty()) series = {std::string(name.substr(0, 100)), of_deepspeed, {}};
    series.values.push_back(time);
    timed_ |= !megatron::is_setup(name);
  }

  // The Trainer of Hugging Face under DeepSpeed ends with "{'train_runtime': 245.6, 'train_samples_per_second': 12.3, …}".
  void trainer(std::string_view line) {
    static constexpr std::pair<std::string_view, ToolMetric> kSummary[] = {
        {"'train_runtime': ", {"train_runtime", "s", Direction::lower}},
        {"'train_samples_per_second': ", {"train_samples_per_second", "samples/s", Direction::higher}},
        {"'train_steps_per_second': ", {"train_steps_per_second", "steps/s", Direction::higher}},
        {"'train_loss': ", {"train_loss", "", Direction::lower}}};
    for (const auto& [label, metric] : kSummary) {
      const std::size_t at = line.find(label);
      if (at != std::string_view::npos)
        add(metric, Take::last, core::trim(until(until(line.substr(at + label.size()), ','), '}')));
    }
  }

  // "validation loss at iteration 100 | lm loss value: 7.31E+00 | lm loss PPL: 1.5E+03 |"
  void validation(std::string_view line) {
    for (const std::string_view part : core::split(line, '|')) {
      const auto field = megatron::label_and_value(part);
      constexpr std::string_view kValue = " value";
      if (!field || !field->first.ends_with(kValue)) continue;
      const std::string label = "validation " + std::string(field->first.substr(0, field->first.size() - kValue.size()));
      add(named(label, Direction::lower, Role::judged), Take::last, field->second);
    }
  }

  static std::string_view until(std::string_view text, char end) { return text.substr(0, text.find(end)); }

  void take(const Iteration& iteration) {
    if (!numbers_.empty() && iteration.number == numbers_.back()) {
      ++repeated_;
      return;
    }
    // Counting starts anew: another run in the same log.
    if (!numbers_.empty() && iteration.number < numbers_.back()) close();
    numbers_.push_back(iteration.number);
    for (const std::string_view part : core::split(iteration.before, '|')) {
      const std::size_t speed = part.find("samples/sec: ");
      if (speed != std::string_view::npos) field("samples/sec", core::trim(part.substr(speed + 13)));
    }
    for (const std::string_view part : core::split(iteration.fields, '|')) {
      if (const auto one = megatron::label_and_value(part)) field(one->first, one->second);
    }
  }

  void field(std::string_view label, std::string_view value) {
    // "iteration time: 270.1 s samples/sec: 3.8" is two fields.
    if (const std::size_t second = value.find(" samples/sec:"); second != std::string_view::npos) {
      field("samples/sec", core::trim(value.substr(second + 13)));
      value = value.substr(0, second);
    }
    if (label == "global batch size") {
      batch_sizes_.push_back(value);
      return;
    }
    if (label == "actual seqlen") {
      rows_.note("workload.seq_length", value);
      return;
    }
    if (const megatron::Field* known = megatron::field_of(label)) {
      if (label == "approx flops per GPU") {
        const auto flops = megatron::tera_flops(value);
        add(known->metric, known->take, flops ? std::string_view(keep(core::number_text(*flops))) : value);
      } else {
        add(known->metric, known->take, value.ends_with('%') ? value.substr(0, value.size() - 1) : value);
      }
      return;
    }
    // What was reached last; it says little of speed, so it is no headline. How evenly experts are used is no result.
    const std::string name = normalized(label);
    const bool loss = name == "loss" || name.ends_with("_loss");
    const bool aside = name.find("balanc") != std::string::npos || name.find("z_loss") != std::string::npos;
    if (loss && !aside) {
      add(named(label, Direction::lower, Role::judged), Take::last, value);
    } else {
      add(named(label, Direction::unknown, Role::context), Take::last, value);
    }
  }

  static std::string normalized(std::string_view label) {
    std::string name = core::to_lower(label);
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == ' ' || c == '/' || c == '-'; }, '_');
    return name;
  }
  // Values that are not in the text as they are read.
  const std::string& keep(std::string text) { return names_.emplace_back(std::move(text)); }

  const ToolMetric& named(std::string_view label, Direction direction, Role role) {
    const std::string name = normalized(label);
    ToolMetric& metric = named_[name];
    if (metric.name.empty()) metric = {names_.emplace_back(name), "", direction, role};
    return metric;
  }

  // "567.6/568.0" is this iteration's and the average so far.
  void add(const ToolMetric& metric, Take how, std::string_view value) {
    value = until(until(value, '/'), ' ');
    const auto at =
        std::find_if(series_.begin(), series_.end(), [&](const Series& one) { return one.metric->name == metric.name; });
    Series& series = at == series_.end() ? series_.emplace_back() : *at;
    if (series.metric == nullptr) {
      series.metric = &metric;
      series.take = how;
    }
    const auto number = core::parse_double(value);
    if (number && std::isfinite(*number)) {
      const bool less = how == Take::most && !series.values.empty() && *number <= series.values.front();
      if (how == Take::last || (how == Take::most && !less)) series.values.clear();
      if (!less) series.values.push_back(*number);
      if (how == Take::last) series.not_a_number = {};
    } else if (series.not_a_number.empty()) {
      series.not_a_number = value.empty() ? std::string_view("no value") : value;
    }
  }

  // "…, RunningAvgSamplesPerSec=303.1, CurrSamplesPerSec=315.5, MemAllocated=17.54GB, MaxMemAllocated=66.97GB"
  void deepspeed(std::string_view line) {
    const auto after = [&](std::string_view mark) {
      const std::size_t at = line.find(mark);
      return at == std::string_view::npos ? std::string_view() : core::trim(until(line.substr(at + mark.size()), ','));
    };
    timed_ = true;
    const std::string_view current = after(kThroughputMark);
    if (current.empty()) {
      add(kOnlyAverage, Take::last, after(kAverageMark));
    } else {
      current_seen_ = true;
      add(kCurrent, Take::every, current);
      if (const std::string_view average = after("RunningAvgSamplesPerSec="); !average.empty())
        add(kAverage, Take::last, average);
    }
    // It divides by 1024 and says GB.
    if (std::string_view peak = after("MaxMemAllocated="); peak.ends_with("GB")) {
      add(kDeepspeedPeak, Take::most, peak.substr(0, peak.size() - 2));
    }
  }

  // "[Rank 0] (after 1 iterations) memory (MB) | allocated: 17956.4 | max allocated: 68581.8 | …"
  void memory(std::string_view line) {
    std::string_view rank;
    if (const std::size_t at = line.find("[Rank "); at != std::string_view::npos) rank = until(line.substr(at + 6), ']');
    for (const std::string_view part : core::split(line, '|')) {
      const std::size_t colon = part.find(':');
      if (colon == std::string_view::npos) continue;
      const std::string_view label = core::trim(part.substr(0, colon));
      const auto value = core::parse_double(core::trim(part.substr(colon + 1)));
      if (!value) continue;
      auto& [peak, reserved] = memory_[std::string(rank)];
      if (label == "max allocated") peak = std::max(peak, *value);
      if (label == "max reserved") reserved = std::max(reserved, *value);
    }
  }

  void argument(std::string_view line) {
    const std::size_t dots = line.find(" ...");
    if (dots == std::string_view::npos) return;
    std::string_view name = core::trim(line.substr(0, dots));
    name = name.substr(name.rfind(' ') == std::string_view::npos ? 0 : name.rfind(' ') + 1);
    std::string_view value = line.substr(dots);
    value = core::trim(value.substr(std::min(value.find_first_not_of(" ."), value.size())));
    const std::string_view key = megatron::context_of_argument(name);
    if (!key.empty() && value != "None") rows_.note(key, value);
  }

  // The rows of the run that has ended.
  void close() {
    // Setting up and arguments alone are no run.
    if (numbers_.empty() && !timed_) return;
    ++runs_;
    rows_.section();
    const bool one_size = std::all_of(batch_sizes_.begin(), batch_sizes_.end(),
                                      [&](std::string_view size) { return size == batch_sizes_.front(); });
    if (!batch_sizes_.empty() && one_size) rows_.note("workload.global_batch_size", batch_sizes_.front());
    if (!one_size) {
      rows_.note("workload.global_batch_size", std::string(batch_sizes_.front()) + " to " + std::string(batch_sizes_.back()));
    }
    rows_.point("");
    if (!numbers_.empty()) rows_.add(kIterations, static_cast<double>(numbers_.size()));
    const std::size_t cold = cold_iterations();
    for (Series& series : series_) {
      // What DeepSpeed's own lines say, or only some iterations, cannot be told apart by iteration.
      if (cold > 0 && series.take == Take::every && series.values.size() == numbers_.size()) {
        series.values.erase(series.values.begin(), series.values.begin() + static_cast<std::ptrdiff_t>(cold));
      }
      write(series);
    }
    if (skipped_steps_) rows_.add(kSkippedSteps, *skipped_steps_);
    for (Phase& phase : phases_) write(phase, cold);
    for (const auto& [rank, of_rank] : memory_) {
      rows_.point("memory", {{"rank", rank}});
      rows_.add(kPeakMemory, of_rank.first);
      rows_.add(kReserved, of_rank.second);
    }
    series_.clear();
    numbers_.clear();
    batch_sizes_.clear();
    memory_.clear();
    phases_.clear();
    skipped_steps_.reset();
    timed_ = false;
  }

  // A microstep is part of the step that is timed as well, if it is: then it is told and not judged.
  void write(Phase& phase, std::size_t cold) {
    constexpr std::string_view kMicro = "_microstep";
    if (cold > 0 && phase.values.size() == numbers_.size()) {
      phase.values.erase(phase.values.begin(), phase.values.begin() + static_cast<std::ptrdiff_t>(cold));
    }
    bool part = false;
    if (phase.name.ends_with(kMicro)) {
      const std::string_view whole = std::string_view(phase.name).substr(0, phase.name.size() - kMicro.size());
      part = std::any_of(phases_.begin(), phases_.end(), [&](const Phase& one) { return one.name == whole; });
    }
    const bool judged = !part && !megatron::is_setup(phase.name) && core::median(phase.values) >= kShortest;
    rows_.point(phase.of_deepspeed ? "deepspeed_phase" : "phase", {{"name", phase.name}});
    rows_.add_trials(judged ? kPhase : kShortPhase, phase.values);
    phase.values.clear();
  }

  void write(Series& series) {
    const bool spoiled = !series.not_a_number.empty() && series.metric->role != Role::context;
    if (spoiled || series.values.empty()) {
      // One iteration without a number and the rest says too little: NaN is a finding, not a gap.
      const auto leaf = cell(series.not_a_number);
      // "1.258B", "0:00:00": a remark, where nothing is judged.
      if (!leaf && !spoiled) {
        rows_.add(*series.metric, Leaf{core::ValueState::text, 0, false, series.not_a_number});
        return;
      }
      rows_.add(*series.metric, leaf ? *leaf : Leaf{core::ValueState::failed, 0, false, series.not_a_number});
      return;
    }
    if (series.take == Take::sum) {
      double sum = 0;
      for (const double value : series.values) sum += value;
      rows_.add(*series.metric, sum);
    } else {
      elapsed_seen_ |= series.metric->name == "elapsed_time_per_iteration";
      rows_.add_trials(*series.metric, series.values);
    }
  }

  // So many iterations from the first on are slower than the rest, at most half of all.
  std::size_t cold_iterations() {
    const auto elapsed = std::find_if(series_.begin(), series_.end(),
                                      [](const Series& series) { return series.metric->name == "elapsed_time_per_iteration"; });
    if (elapsed == series_.end() || elapsed->values.size() != numbers_.size() || !elapsed->not_a_number.empty()) return 0;
    const std::vector<double>& times = elapsed->values;
    if (times.size() < 2) {
      if (warm_up_.empty() && numbers_.front() == 1)
        warm_up_ = "iteration 1 is the only one and may be warm-up: it stays a trial";
      return 0;
    }
    const std::size_t cold = cold_times(times);
    if (cold == 0) return 0;
    const double middle = core::median(std::span(times).subspan(cold));
    if (++cold_runs_ > 1) return cold;
    warm_up_ =
        (cold == 1 ? "iteration " + std::to_string(numbers_.front()) + " looks"
                   : "iterations " + std::to_string(numbers_.front()) + " to " + std::to_string(numbers_[cold - 1]) + " look") +
        " like warm-up and " + (cold == 1 ? "is no trial" : "are no trials") + ": " + core::short_number(times.front()) +
        " ms against a median of " + core::short_number(middle) + " ms in the rest";
    return cold;
  }

  const Input& input_;
  std::map<std::string, ToolMetric> named_;  // addresses stay: rows refer to them until they are written
  std::deque<std::string> names_;
  ToolRows rows_;
  std::vector<Series> series_;
  std::vector<std::int64_t> numbers_;
  std::vector<std::string_view> batch_sizes_;
  std::map<std::string, std::pair<double, double>> memory_;  // rank -> peak allocated, reserved
  std::vector<Phase> phases_;
  std::optional<std::string_view> rank_;  // whose timers are read, the first that comes
  std::uint64_t of_other_ranks_ = 0;
  bool timers_of_ranks_ = false, timed_ = false, current_seen_ = false;
  std::optional<double> skipped_steps_;
  std::string warm_up_;
  std::size_t cold_runs_ = 0;
  std::uint64_t repeated_ = 0;
  std::size_t runs_ = 0;
  bool elapsed_seen_ = false;
};

}  // namespace

Detection detect_megatron(const Input& input) {
  Detection detection;
  if (input.is_directory) return detection;
  // Arguments and start-up may fill more than the head.
  const std::string_view head = head_of(input);
  const std::string_view tail = input.bytes.substr(input.bytes.size() - std::min(input.bytes.size(), kHead));
  for (const std::string_view text : {head, tail}) {
    for (const std::string_view mark : {kElapsed, kThroughputMark, kAverageMark, kTimersMark, kOldTimersMark}) {
      if (text.find(mark) == std::string_view::npos || !detection.evidence.empty()) continue;
      detection.evidence.push_back("has " + core::cited(mark));
      detection.score = 0.95;
    }
  }
  if (detection.evidence.empty() && has_all(head, {"tensor_model_parallel_size", "-- arguments --"}, detection)) {
    detection.score = 0.85;
  }
  return detection;
}

extern const Format megatron_format = {
    .name = "megatron",
    .title = "step logs of Megatron-LM, GPT-NeoX and DeepSpeed",
    .replication = core::Replication::in_process,
    .detect = detect_megatron,
    .read = read_with<Log>,
    .about = {.group = Group::training,
              .file = "text",
              .produce = "torchrun --nproc-per-node 8 pretrain_gpt.py --log-throughput \\\n"
                         "  --log-interval 10 ARGUMENTS 2>&1 | tee train.log",
              .judged =
                  "time per iteration (ms, lower), samples/s, tok/s and TFLOP/s per GPU (higher), last loss and peak memory (MB, "
                  "lower), energy (J, lower); timers of phases from 1 ms on (ms, lower); skipped and NaN iterations are gates",
              .key = "metric; a later run in the log is `section=2`; memory by rank; phases by name, `deepspeed_phase` where it "
                     "timed them",
              .trials =
                  "the iterations of a run, in one process; the first ones are none where they look like warm-up, which is said",
              .context = "parallel sizes, batch sizes, sequence length, layers, hidden size, precision",
              .limits =
                  "lines that say an iteration again are left out and counted; of rates and norms that are no result the last "
                  "value is context; of timers the slowest rank's, or the first rank's that is logged; microsteps are context "
                  "where the step is timed",
              .recognised = "`elapsed time per iteration (ms):`, `SamplesPerSec=`, or DeepSpeed's `time (ms) |`"},
};

}  // namespace plumbline::formats
