// Step logs of Megatron-LM and DeepSpeed: "iteration 3/ 100 | … | elapsed time per iteration (ms): 308.1 | lm loss: …", and
// DeepSpeed's own "…, CurrSamplesPerSec=27.1, …". The iterations of a run are the in-process trials of one row. The first ones
// warm up: where they are slower than the rest they are no trials, and are named in a warning.
#include <algorithm>
#include <deque>
#include <map>
#include <span>

#include "core/statistics.hpp"
#include "formats/declared_rows.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {
namespace {

using core::Direction;
using core::Role;

constexpr std::string_view kElapsed = "elapsed time per iteration (ms)";
constexpr std::string_view kThroughputMark = "CurrSamplesPerSec=";
constexpr double kWarmUp = 1.25;  // times the median of the rest

enum class Take : std::uint8_t { every, last, sum };
struct Field {
  std::string_view label;
  ToolMetric metric;
  Take take = Take::every;
};
constexpr Field kFields[] = {
    {kElapsed, {"elapsed_time_per_iteration", "ms", Direction::lower}},
    {"samples per second", {"samples_per_second", "samples/s", Direction::higher}},
    {"samples/sec", {"samples_per_second", "samples/s", Direction::higher}},
    {"TFLOPs", {"tflops_per_gpu", "TFLOP/s", Direction::higher}},
    {"throughput per GPU (TFLOP/s/GPU)", {"tflops_per_gpu", "TFLOP/s", Direction::higher}},
    {"tokens per GPU (tokens/s/GPU)", {"tokens_per_second_per_gpu", "tok/s", Direction::higher}},
    {"tokens per gpu per second (tgs)", {"tokens_per_second_per_gpu", "tok/s", Direction::higher}},
    {"tokens-per-second-per-gpu", {"tokens_per_second_per_gpu", "tok/s", Direction::higher}},
    {"tokens per second per device", {"tokens_per_second_per_gpu", "tok/s", Direction::higher}},
    {"tokens/sec/GPU", {"tokens_per_second_per_gpu", "tok/s", Direction::higher}},
    {"tokens/sec/gpu", {"tokens_per_second_per_gpu", "tok/s", Direction::higher}},
    {"tokens/s/GPU", {"tokens_per_second_per_gpu", "tok/s", Direction::higher}},
    {"tokens/s/GPU inst/harmonic mean", {"tokens_per_second_per_gpu", "tok/s", Direction::higher}},
    {"compute per GPU (TFLOP/s/GPU)", {"tflops_per_gpu", "TFLOP/s", Direction::higher}},
    {"tokens per second", {"tokens_per_second", "tok/s", Direction::higher}},
    {"tokens/sec", {"tokens_per_second", "tok/s", Direction::higher}},
    {"number of skipped iterations", {"skipped_iterations", "", Direction::lower, Role::gate, true}, Take::sum},
    {"number of nan iterations", {"nan_iterations", "", Direction::lower, Role::gate, true}, Take::sum},
    {"consumed samples", {"consumed_samples", "", Direction::unknown, Role::context, true}, Take::last},
    {"consumed tokens", {"consumed_tokens", "", Direction::unknown, Role::context, true}, Take::last},
    {"learning rate", {"learning_rate", "", Direction::unknown, Role::context}, Take::last},
    {"loss scale", {"loss_scale", "", Direction::unknown, Role::context}, Take::last},
    {"grad norm", {"grad_norm", "", Direction::unknown, Role::context}, Take::last},
    {"params norm", {"params_norm", "", Direction::unknown, Role::context}, Take::last},
    {"num zeros", {"num_zeros", "", Direction::unknown, Role::context}, Take::last}};

constexpr ToolMetric kIterations{"iterations", "", Direction::unknown, Role::context, true};
constexpr ToolMetric kCurrent{"deepspeed_samples_per_second", "samples/s", Direction::higher};
constexpr ToolMetric kAverage{"deepspeed_average_samples_per_second", "samples/s", Direction::unknown, Role::context};
constexpr ToolMetric kSkippedSteps{"skipped_steps", "", Direction::lower, Role::gate, true};
constexpr ToolMetric kPeakMemory{"max_allocated", "MB", Direction::lower};
constexpr ToolMetric kReserved{"max_reserved", "MB", Direction::unknown, Role::context};

// Lines of the arguments that both print: "  tensor_model_parallel_size ....... 8".
constexpr std::pair<std::string_view, std::string_view> kArguments[] = {{"world_size", "parallelism.world_size"},
                                                                        {"tensor_model_parallel_size", "parallelism.tp"},
                                                                        {"pipeline_model_parallel_size", "parallelism.pp"},
                                                                        {"context_parallel_size", "parallelism.cp"},
                                                                        {"expert_model_parallel_size", "parallelism.ep"},
                                                                        {"data_parallel_size", "parallelism.dp"},
                                                                        {"micro_batch_size", "workload.micro_batch_size"},
                                                                        {"seq_length", "workload.seq_length"},
                                                                        {"num_layers", "workload.num_layers"},
                                                                        {"hidden_size", "workload.hidden_size"},
                                                                        {"num_attention_heads", "workload.num_attention_heads"},
                                                                        {"params_dtype", "workload.dtype"},
                                                                        {"zero_stage", "parallelism.zero_stage"}};

// A line's "iteration 3/ 100": its number and where the fields begin.
struct Iteration {
  std::int64_t number = 0;
  std::string_view fields;
};
std::optional<Iteration> iteration_of(std::string_view line) {
  if (line.find(kElapsed) == std::string_view::npos) return std::nullopt;
  constexpr std::string_view kWord = "iteration ";
  const std::size_t at = line.find(kWord), bar = line.find('|');
  if (at == std::string_view::npos || bar == std::string_view::npos || bar < at) return std::nullopt;
  const std::string_view count = core::trim(line.substr(at + kWord.size(), bar - at - kWord.size()));
  const auto number = core::parse_int(core::trim(count.substr(0, count.find('/'))));
  if (!number) return std::nullopt;
  return Iteration{*number, line.substr(bar + 1)};
}

class Log {
 public:
  Log(const Input& input, const ReadOptions& options) : input_(input), rows_(input, options, "megatron") {}

  core::Expected<core::Measurement> read() {
    LogLines lines(input_.bytes);
    std::string_view line;
    while (!rows_.halted() && lines.next(line)) {
      if (const auto iteration = iteration_of(line)) {
        // Cut off in the middle: what stands there may be half a number.
        if (lines.cut() && !core::trim(line).ends_with('|')) {
          rows_.incomplete("the last iteration's line is cut off and was left out");
        } else {
          take(*iteration);
        }
      } else if (const std::size_t speed = line.find(kThroughputMark); speed != std::string_view::npos) {
        deepspeed(line);
      } else if (line.find(") memory (MB) | ") != std::string_view::npos) {
        memory(line);
      } else if (const std::size_t skipped = line.find(", skipped="); skipped != std::string_view::npos) {
        if (const auto count = core::parse_double(until(line.substr(skipped + 10), ','))) skipped_steps_ = *count;
      } else {
        argument(line);
      }
    }
    close();
    if (runs_ == 0) {
      return core::fail(core::ErrorCode::invalid_input, "no iteration in the log: nothing was timed",
                        "each is a line with \"" + std::string(kElapsed) + ":\" or \"CurrSamplesPerSec=\"", input_.name);
    }
    if (repeated_ > 0) {
      rows_.writer.out.warn("repeated_lines", core::counted(repeated_, "line") +
                                                  " of an iteration that was read already, from another process: left out");
    }
    if (cold_runs_ > 1) warm_up_ += "; so it is in " + core::counted(cold_runs_ - 1, "later run") + " of the log";
    if (!warm_up_.empty()) rows_.writer.out.warn("warm_up", warm_up_);
    auto& headlines = rows_.writer.out.declared.headlines;
    if (elapsed_seen_) headlines.emplace_back("*elapsed_time_per_iteration");
    if (!elapsed_seen_) headlines.emplace_back("*deepspeed_samples_per_second");
    rows_.writer.out.replication = core::Replication::in_process;
    return rows_.finish();
  }

 private:
  struct Series {
    const ToolMetric* metric = nullptr;
    Take take = Take::every;
    std::vector<double> values;
    std::string_view not_a_number;  // the first value that is none
  };

  static std::string_view until(std::string_view text, char end) { return text.substr(0, text.find(end)); }

  void take(const Iteration& iteration) {
    if (!numbers_.empty() && iteration.number == numbers_.back()) {
      ++repeated_;
      return;
    }
    // Counting starts anew: another run in the same log.
    if (!numbers_.empty() && iteration.number < numbers_.back()) close();
    numbers_.push_back(iteration.number);
    for (const std::string_view part : core::split(iteration.fields, '|')) {
      const std::size_t colon = part.find(':');
      if (colon == std::string_view::npos) continue;
      field(core::trim(part.substr(0, colon)), core::trim(part.substr(colon + 1)));
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
    for (const Field& known : kFields) {
      if (known.label == label) {
        add(known.metric, known.take, value);
        return;
      }
    }
    if (label.ends_with(" loss") || label == "loss") {
      // What was reached last; it says little of speed, so it is no headline.
      add(named(label, Direction::lower, Role::judged), Take::last, value);
    } else {
      add(named(label, Direction::unknown, Role::context), Take::last, value);
    }
  }

  const ToolMetric& named(std::string_view label, Direction direction, Role role) {
    std::string name = core::to_lower(label);
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == ' ' || c == '/' || c == '-'; }, '_');
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
      if (how == Take::last) series.values.clear();
      series.values.push_back(*number);
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
    add(kCurrent, Take::every, after(kThroughputMark));
    if (const std::string_view average = after("RunningAvgSamplesPerSec="); !average.empty()) add(kAverage, Take::last, average);
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
    for (const auto& [argument, key] : kArguments) {
      if (name == argument && value != "None") rows_.note(key, value);
    }
  }

  // The rows of the run that has ended.
  void close() {
    if (series_.empty() && numbers_.empty()) return;
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
    for (const auto& [rank, of_rank] : memory_) {
      rows_.point("memory", {{"rank", rank}});
      rows_.add(kPeakMemory, of_rank.first);
      rows_.add(kReserved, of_rank.second);
    }
    series_.clear();
    numbers_.clear();
    batch_sizes_.clear();
    memory_.clear();
    skipped_steps_.reset();
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
      rows_.add_trials(*series.metric, std::move(series.values));
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
    std::size_t cold = 0;
    while (cold < times.size() / 2 && times[cold] > kWarmUp * core::median(std::span(times).subspan(cold + 1))) ++cold;
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
    for (const std::string_view mark : {kElapsed, kThroughputMark}) {
      if (text.find(mark) == std::string_view::npos || !detection.evidence.empty()) continue;
      detection.evidence.push_back("has " + core::quoted(mark));
      detection.score = 0.95;
    }
  }
  if (detection.evidence.empty() && has_all(head, {"tensor_model_parallel_size", "-- arguments --"}, detection)) {
    detection.score = 0.85;
  }
  return detection;
}

core::Expected<core::Measurement> read_megatron(const Input& input, const ReadOptions& options) {
  return Log(input, options).read();
}

extern const Format megatron_format = {
    .name = "megatron",
    .title = "step logs of Megatron-LM and DeepSpeed",
    .replication = core::Replication::in_process,
    .detect = detect_megatron,
    .read = read_megatron,
    .about = {.judged =
                  "time per iteration (ms, lower), samples/s, tok/s and TFLOP/s per GPU (higher), last loss and peak memory (MB, "
                  "lower); skipped and NaN iterations are gates",
              .key = "metric; a later run in the log is `section=2`; memory by rank",
              .trials =
                  "the iterations of a run, in one process; the first ones are none where they look like warm-up, which is said",
              .context = "parallel sizes, batch sizes, sequence length, layers, hidden size, precision",
              .limits =
                  "lines that say an iteration again are left out and counted; of rates and norms that are no result the last "
                  "value is context",
              .recognised = "`elapsed time per iteration (ms):` or `CurrSamplesPerSec=`"},
};

}  // namespace plumbline::formats
