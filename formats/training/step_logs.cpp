// Step logs of other trainers than Megatron-LM: torchtitan, NeMo, nanotron, MaxText, nanoGPT and llm.c print a line a step, the
// Trainer of Hugging Face one summary a run. A dialect is what tells its lines and which labels it prints; the steps of a run are
// the in-process trials of one row. The first ones warm up, as in the reader of Megatron-LM, and are no trials then.
#include <algorithm>
#include <cctype>
#include <span>

#include "core/citing.hpp"
#include "core/statistics.hpp"
#include "formats/declared_rows.hpp"
#include "formats/tool_rows.hpp"
#include "formats/training/warm_up.hpp"

namespace plumbline::formats {
namespace {

using core::Direction;
using core::Role;

enum class Take : std::uint8_t { every, last, most };
// A label and what stands behind it. The first label of a dialect is the pace that warm-up is told by.
struct Label {
  std::string_view text;
  ToolMetric metric;
  Take take = Take::every;
  std::string_view unit = {};  // behind the number: without it the label is another's
};
struct Dialect {
  std::string_view name, step;  // the step's number stands behind `step`
  std::span<const Label> labels;
  std::span<const std::string_view> marks;  // all of them are in each of its lines
  bool thousands = false;                   // "12,345" is one number
};

constexpr ToolMetric kStepSeconds{"step_time", "s", Direction::lower}, kStepMillis{"step_time", "ms", Direction::lower};
constexpr ToolMetric kTokensPerGpu{"tokens_per_second_per_gpu", "tok/s", Direction::higher};
constexpr ToolMetric kTokens{"tokens_per_second", "tok/s", Direction::higher};
constexpr ToolMetric kTflops{"tflops_per_gpu", "TFLOP/s", Direction::higher}, kMfu{"mfu", "%", Direction::higher};
constexpr ToolMetric kHardwareTflops{"hardware_tflops_per_gpu", "TFLOP/s", Direction::unknown, Role::context};
constexpr ToolMetric kMemory{"max_memory", "GiB", Direction::lower};
constexpr ToolMetric kLoss{"loss", "", Direction::lower}, kLmLoss{"lm_loss", "", Direction::lower};
constexpr ToolMetric kTrainLoss{"train_loss", "", Direction::lower}, kValLoss{"val_loss", "", Direction::lower};
constexpr ToolMetric kEvalLoss{"eval_loss", "", Direction::lower};
constexpr ToolMetric kGradNorm{"grad_norm", "", Direction::unknown, Role::context};
constexpr ToolMetric kRate{"learning_rate", "", Direction::unknown, Role::context};
constexpr ToolMetric kBatch{"global_batch_size", "", Direction::unknown, Role::context, true};
constexpr ToolMetric kRuntime{"train_runtime", "s", Direction::lower}, kEvalRuntime{"eval_runtime", "s", Direction::lower};
constexpr ToolMetric kSamples{"train_samples_per_second", "samples/s", Direction::higher};
constexpr ToolMetric kSteps{"train_steps_per_second", "steps/s", Direction::higher};
constexpr ToolMetric kEvalSamples{"eval_samples_per_second", "samples/s", Direction::higher};
constexpr ToolMetric kEvalSteps{"eval_steps_per_second", "steps/s", Direction::higher};
constexpr ToolMetric kCount{"steps", "", Direction::unknown, Role::context, true};

constexpr std::string_view kTitanMarks[] = {"step:", "loss:", "memory:", "tps:"};
constexpr Label kTitan[] = {{"tps:", kTokensPerGpu},          {"tflops:", kTflops},
                            {"mfu:", kMfu, Take::every, "%"}, {"memory:", kMemory, Take::most, "GiB"},
                            {"loss:", kLoss, Take::last},     {"grad_norm:", kGradNorm, Take::last}};
constexpr std::string_view kNemoMarks[] = {"iteration ", "train_step_timing in s:"};
constexpr Label kNemo[] = {{"train_step_timing in s:", kStepSeconds},  {"TFLOPS_per_GPU:", kTflops},
                           {"tokens_per_sec_per_gpu:", kTokensPerGpu}, {"reduced_train_loss:", kTrainLoss, Take::last},
                           {"val_loss:", kValLoss, Take::last},        {"lr:", kRate, Take::last},
                           {"global_batch_size:", kBatch, Take::last}};
constexpr std::string_view kNanotronMarks[] = {"iteration: ", "elapsed_time_per_iteration_ms:"};
constexpr Label kNanotron[] = {{"elapsed_time_per_iteration_ms:", kStepMillis},
                               {"tokens_per_sec_per_gpu:", kTokensPerGpu},
                               {"tokens_per_sec:", kTokens},
                               {"model_tflops_per_gpu:", kTflops},
                               {"hardware_tflops_per_gpu:", kHardwareTflops},
                               {"lm_loss:", kLmLoss, Take::last},
                               {"grad_norm:", kGradNorm, Take::last},
                               {"lr:", kRate, Take::last},
                               {"global_batch_size:", kBatch, Take::last}};
constexpr std::string_view kMaxTextMarks[] = {"completed step: ", "seconds: ", "TFLOP/s"};
constexpr Label kMaxText[] = {{"seconds:", kStepSeconds},
                              {"TFLOP/s/device:", kTflops},
                              {"TFLOP/s:", kTflops},
                              {"Tokens/s/device:", kTokensPerGpu},
                              {"loss:", kLoss, Take::last}};
constexpr std::string_view kNanoGptMarks[] = {"iter ", ": loss ", ", time "};
constexpr Label kNanoGpt[] = {
    {"time", kStepMillis, Take::every, "ms"}, {"mfu", kMfu, Take::every, "%"}, {"loss", kLoss, Take::last}};
constexpr std::string_view kLlmcMarks[] = {"step ", "| loss ", " ms |", "tok/s"};
constexpr Label kLlmc[] = {{"| lr", kRate, Take::last}, {"loss", kLoss, Take::last}, {"norm", kGradNorm, Take::last}};
constexpr std::string_view kTrainerMarks[] = {"'train_runtime': ", "'train_samples_per_second': "};
constexpr Label kTrainer[] = {{"'train_runtime':", kRuntime},
                              {"'train_samples_per_second':", kSamples},
                              {"'train_steps_per_second':", kSteps},
                              {"'train_loss':", kTrainLoss, Take::last}};
constexpr std::string_view kTrainerEvalMarks[] = {"'eval_runtime': ", "'eval_samples_per_second': "};
constexpr Label kTrainerEval[] = {{"'eval_runtime':", kEvalRuntime},
                                  {"'eval_samples_per_second':", kEvalSamples},
                                  {"'eval_steps_per_second':", kEvalSteps},
                                  {"'eval_loss':", kEvalLoss, Take::last}};

constexpr Dialect kDialects[] = {{"torchtitan", "step:", kTitan, kTitanMarks, true},
                                 {"NeMo", "iteration ", kNemo, kNemoMarks},
                                 {"nanotron", "iteration: ", kNanotron, kNanotronMarks},
                                 {"MaxText", "completed step: ", kMaxText, kMaxTextMarks},
                                 {"nanoGPT", "iter ", kNanoGpt, kNanoGptMarks},
                                 {"llm.c", "step ", kLlmc, kLlmcMarks},
                                 {"Trainer", {}, kTrainer, kTrainerMarks},
                                 {"Trainer", {}, kTrainerEval, kTrainerEvalMarks}};

const Dialect* dialect_of(std::string_view line) {
  for (const Dialect& dialect : kDialects) {
    const bool all = std::all_of(dialect.marks.begin(), dialect.marks.end(),
                                 [&](std::string_view mark) { return line.find(mark) != std::string_view::npos; });
    if (all) return &dialect;
  }
  return nullptr;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Where the label stands as a word of its own, or nowhere.
std::size_t find_label(std::string_view line, std::string_view label) {
  std::size_t at = line.find(label);
  while (at != std::string_view::npos) {
    const std::size_t end = at + label.size();
    const bool before = at == 0 || !is_word(line[at - 1]) || !is_word(label.front());
    const bool after = end >= line.size() || !is_word(line[end]) || !is_word(label.back());
    if (before && after) return at;
    at = line.find(label, at + 1);
  }
  return std::string_view::npos;
}

struct Printed {
  std::string_view text;  // without its unit
  std::string_view unit;
  std::optional<double> value;
};
// " 12,345  …", "561.94ms,", "11.5K |", "nan"
Printed printed_at(std::string_view rest, bool thousands) {
  rest = rest.substr(std::min(rest.find_first_not_of(' '), rest.size()));
  Printed printed;
  std::string digits;
  std::size_t at = 0;
  if (const std::string lower = core::to_lower(rest.substr(0, 4)); lower.starts_with("nan") || lower.starts_with("inf")) {
    at = 3;
  } else if (lower == "-inf" || lower == "-nan") {
    at = 4;
  } else {
    for (; at < rest.size(); ++at) {
      const char c = rest[at];
      const bool digit = (c >= '0' && c <= '9') || c == '.';
      const bool sign = (c == '-' || c == '+') && (at == 0 || rest[at - 1] == 'e' || rest[at - 1] == 'E');
      const bool power = (c == 'e' || c == 'E') && at > 0 && at + 1 < rest.size() && !std::isalpha(rest[at + 1]);
      const bool comma = thousands && c == ',' && at + 1 < rest.size() && rest[at + 1] >= '0' && rest[at + 1] <= '9';
      if (!digit && !sign && !power && !comma) break;
      if (!comma) digits.push_back(c);
    }
  }
  printed.text = rest.substr(0, at);
  std::size_t end = at;
  while (end < rest.size() && (is_word(rest[end]) || rest[end] == '%')) ++end;
  printed.unit = rest.substr(at, end - at);
  printed.value = core::parse_double(digits.empty() ? printed.text : std::string_view(digits));
  // "11.5K": nanotron's powers of a thousand.
  constexpr std::pair<char, double> kPowers[] = {{'K', 1e3}, {'M', 1e6}, {'B', 1e9}, {'G', 1e9}, {'T', 1e12}};
  for (const auto& [letter, factor] : kPowers) {
    if (printed.value && printed.unit.size() == 1 && printed.unit.front() == letter) *printed.value *= factor;
  }
  return printed;
}

class StepLog {
 public:
  StepLog(const Input& input, const ReadOptions& options) : input_(input), rows_(input, options, "training-steps") {}

  core::Expected<core::Measurement> read() {
    LogLines lines(input_.bytes);
    std::string_view line;
    while (!rows_.halted() && lines.next(line)) {
      const Dialect* dialect = dialect_of(line);
      if (dialect == nullptr) {
        // A Trainer's run goes on, or another begins: what it sums up next is new.
        if (line.find("{'loss': ") != std::string_view::npos || line.find("Running training") != std::string_view::npos)
          last_.clear();
        continue;
      }
      if (lines.cut() && !line.ends_with('}')) {
        rows_.incomplete("the last step's line is cut off and was left out");
        continue;
      }
      step(*dialect, line);
    }
    close();
    if (runs_ == 0) {
      return core::fail(core::ErrorCode::invalid_input, "no step in the log: nothing was timed",
                        "read are the step lines of torchtitan, NeMo, nanotron, MaxText, nanoGPT and llm.c, and the summary of "
                        "the Hugging Face Trainer",
                        input_.name);
    }
    if (repeated_ > 0) {
      rows_.writer.out.warn("repeated_lines", core::counted(repeated_, "line") +
                                                  " of a step that was read already, from another process: left out");
    }
    if (!warm_up_.empty()) rows_.writer.out.warn("warm_up", warm_up_);
    for (const std::string_view name : {kStepSeconds.name, kTokensPerGpu.name, kRuntime.name, kEvalRuntime.name}) {
      if (!seen(name)) continue;
      rows_.headline("*" + std::string(name));
      break;
    }
    return rows_.finish();
  }

 private:
  struct Series {
    const Label* label = nullptr;
    std::vector<double> values;
    std::string_view not_a_number;
  };

  bool seen(std::string_view name) const { return std::find(written_.begin(), written_.end(), name) != written_.end(); }

  void step(const Dialect& dialect, std::string_view line) {
    if (dialect_ != nullptr && dialect_->name != dialect.name) close();
    dialect_ = &dialect;
    if (!dialect.step.empty()) {
      const std::size_t at = line.find(dialect.step);
      const auto number = printed_at(line.substr(at + dialect.step.size()), false).value;
      if (!number || !(*number >= 0 && *number < 1e15)) return;
      // "validate step:" times something else.
      if (line.substr(0, at).ends_with("validate ")) return;
      const auto now = static_cast<std::int64_t>(*number);
      if (!numbers_.empty() && now == numbers_.back()) {
        ++repeated_;
        return;
      }
      if (!numbers_.empty() && now < numbers_.back()) close();
      dialect_ = &dialect;
      numbers_.push_back(now);
    } else {
      // Every node's first process sums up the same run, at the same epoch.
      constexpr std::string_view kEpoch = "'epoch': ";
      const std::size_t at = line.find(kEpoch);
      std::string now(dialect.marks.front());
      if (at != std::string_view::npos) now += printed_at(line.substr(at + kEpoch.size()), false).text;
      if (std::find(last_.begin(), last_.end(), now) != last_.end()) {
        ++repeated_;
        return;
      }
      last_.push_back(std::move(now));
      ++summaries_;
    }
    std::vector<std::string_view> taken;
    for (const Label& label : dialect.labels) {
      const std::size_t at = find_label(line, label.text);
      const bool again = std::find(taken.begin(), taken.end(), label.metric.name) != taken.end();
      if (at == std::string_view::npos || again) continue;
      const Printed printed = printed_at(line.substr(at + label.text.size()), dialect.thousands);
      // "N/A" for a card whose peak is not known, "-100.0%" for the same.
      if (label.metric.name == kMfu.name && (!printed.value || *printed.value <= 0)) continue;
      if (!label.unit.empty() && printed.unit != label.unit && printed.value && std::isfinite(*printed.value)) continue;
      taken.push_back(label.metric.name);
      add(label, printed);
    }
    if (dialect.labels.data() == kLlmc) units_of_llmc(line);
  }

  // "… | 2000.12 ms | 40.1% bf16 MFU | 262144 tok/s": the label stands behind the number.
  void units_of_llmc(std::string_view line) {
    static constexpr Label kTime{"ms", kStepMillis}, kShare{"MFU", kMfu}, kSpeed{"tok/s", kTokens};
    for (const std::string_view part : core::split(line, '|')) {
      const std::string_view text = core::trim(part);
      const Printed printed = printed_at(text, false);
      if (!printed.value) continue;
      if (text.ends_with(" ms")) add(kTime, printed);
      if (text.ends_with("MFU") && *printed.value > 0) add(kShare, printed);
      if (text.ends_with("tok/s")) add(kSpeed, printed);
    }
  }

  void add(const Label& label, const Printed& printed) {
    const auto at = std::find_if(series_.begin(), series_.end(),
                                 [&](const Series& one) { return one.label->metric.name == label.metric.name; });
    Series& series = at == series_.end() ? series_.emplace_back() : *at;
    if (series.label == nullptr) series.label = &label;
    if (!printed.value || !std::isfinite(*printed.value)) {
      if (series.not_a_number.empty()) series.not_a_number = printed.text.empty() ? std::string_view("no value") : printed.text;
      return;
    }
    const bool less = label.take == Take::most && !series.values.empty() && *printed.value <= series.values.front();
    if (less) return;
    if (label.take != Take::every) series.values.clear();
    series.values.push_back(*printed.value);
  }

  // The rows of the run that has ended.
  void close() {
    if (numbers_.empty() && summaries_ == 0) return;
    ++runs_;
    rows_.section();
    rows_.note("stack.trainer", dialect_->name);
    rows_.point("");
    if (!numbers_.empty()) rows_.add(kCount, static_cast<double>(numbers_.size()));
    const std::size_t cold = cold_steps();
    for (Series& series : series_) {
      const ToolMetric& metric = series.label->metric;
      if (cold > 0 && series.label->take == Take::every && series.values.size() == numbers_.size()) {
        series.values.erase(series.values.begin(), series.values.begin() + static_cast<std::ptrdiff_t>(cold));
      }
      // One step without a number and the rest says too little: NaN is a finding, not a gap.
      const bool spoiled = !series.not_a_number.empty() && metric.role != Role::context;
      if (spoiled || series.values.empty()) {
        const auto leaf = cell(series.not_a_number);
        rows_.add(metric, leaf ? *leaf : Leaf{core::ValueState::failed, 0, false, series.not_a_number});
        continue;
      }
      written_.push_back(metric.name);
      rows_.add_trials(metric, series.values);
    }
    series_.clear();
    numbers_.clear();
    summaries_ = 0;
  }

  // So many steps from the first on are slower than the rest, at most half of all.
  std::size_t cold_steps() {
    const auto pace = std::find_if(series_.begin(), series_.end(), [&](const Series& one) {
      return one.label->metric.name == kStepSeconds.name || one.label->metric.name == kTokensPerGpu.name;
    });
    if (pace == series_.end() || pace->values.size() != numbers_.size() || !pace->not_a_number.empty()) return 0;
    std::vector<double> times = pace->values;
    if (times.size() < 2 || std::any_of(times.begin(), times.end(), [](double time) { return !(time > 0); })) return 0;
    if (pace->label->metric.direction == Direction::higher) {
      for (double& time : times) time = 1 / time;
    }
    const std::size_t cold = cold_times(times);
    if (cold == 0) return 0;
    if (!warm_up_.empty()) {
      if (!warm_up_.ends_with("later runs")) warm_up_ += "; so it is in later runs";
      return cold;
    }
    const std::span<const double> rest = std::span(pace->values).subspan(cold);
    const std::string first = std::to_string(numbers_.front());
    warm_up_ =
        (cold == 1 ? "step " + first + " looks" : "steps " + first + " to " + std::to_string(numbers_[cold - 1]) + " look") +
        " like warm-up and " + (cold == 1 ? "is no trial" : "are no trials") + ": " + std::string(pace->label->metric.name) +
        " " + core::short_number(pace->values.front()) + " " + std::string(pace->label->metric.unit) + " against a median of " +
        core::short_number(core::median(rest)) + " in the rest";
    return cold;
  }

  const Input& input_;
  ToolRows rows_;
  const Dialect* dialect_ = nullptr;
  std::vector<Series> series_;
  std::vector<std::int64_t> numbers_;
  std::vector<std::string_view> written_;
  std::vector<std::string> last_;  // summaries of a Trainer since its last step, by kind and epoch
  std::string warm_up_;
  std::uint64_t repeated_ = 0, summaries_ = 0;
  std::size_t runs_ = 0;
};

}  // namespace

Detection detect_training_steps(const Input& input) {
  Detection detection;
  if (input.is_directory || !input.files.empty()) return detection;
  // Start-up may fill more than the head, and a summary stands at the end.
  const std::string_view head = head_of(input);
  const std::string_view tail = input.bytes.substr(input.bytes.size() - std::min(input.bytes.size(), kHead));
  for (const std::string_view text : {head, tail}) {
    for (const std::string_view line : core::split(text, '\n')) {
      const Dialect* dialect = dialect_of(line);
      if (dialect == nullptr) continue;
      // DeepSpeed below a Trainer says more, and its reader takes the summary too.
      const bool below =
          head.find("SamplesPerSec=") != std::string_view::npos || tail.find("SamplesPerSec=") != std::string_view::npos;
      if (dialect->step.empty() && below) return detection;
      detection.evidence.push_back("has a step's line of " + std::string(dialect->name) + ", with " +
                                   core::cited(core::trim(dialect->marks.back())));
      detection.score = 0.93;
      return detection;
    }
  }
  return detection;
}

extern const Format training_steps_format = {
    .name = "training-steps",
    .title = "step logs of torchtitan, NeMo, nanotron, MaxText, nanoGPT, llm.c, Hugging Face Trainer",
    .replication = core::Replication::in_process,
    .detect = detect_training_steps,
    .read = read_with<StepLog>,
    .about = {.group = Group::training,
              .file = "text",
              .produce = "torchrun --nproc-per-node 8 train.py ARGUMENTS 2>&1 | tee train.log",
              .judged =
                  "time per step (s, ms, lower), tok/s and TFLOP/s per GPU, MFU, samples/s and steps/s (higher), peak memory "
                  "(GiB, lower), last loss",
              .key = "metric; a later run in the log is `section=2`",
              .trials = "the steps of a run, in one process; the first ones are none where they look like warm-up, which is said",
              .context = "which trainer wrote it",
              .limits = "lines that say a step again, from another rank, are left out and counted; validation lines and the "
                        "Trainer's lines of single losses are not read; nanotron prints three digits",
              .recognised =
                  "a line with `tps:` and `memory:`, `train_step_timing in s:`, `elapsed_time_per_iteration_ms:`, `completed "
                  "step:`, `iter 5: loss`, `tok/s` behind `| loss`, or `'train_runtime':`"},
};

}  // namespace plumbline::formats
