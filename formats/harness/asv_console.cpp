// airspeed velocity: what `asv run` prints. A line a benchmark, below the environment that it ran in; a benchmark with parameters
// has a drawn table instead, which the JSON file says better.
#include <optional>
#include <string>
#include <string_view>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "formats/declared_rows.hpp"
#include "formats/generic/measured_text.hpp"
#include "formats/line_reader.hpp"

namespace plumbline::formats {
namespace {

constexpr std::string_view kDot = "\xC2\xB7";

// "[ 30.00%] ··· benchmarks.Suite.time_keys   11.2±0.01μs": how many dots, and what is behind them.
struct Step {
  std::size_t dots = 0;
  std::string_view text;
};
std::optional<Step> step_of(std::string_view line) {
  if (!line.starts_with('[')) return std::nullopt;
  const std::size_t end = line.find("%]");
  if (end > 8) return std::nullopt;  // or there is none
  std::string_view rest = core::trim(line.substr(end + 2));
  Step step;
  for (; rest.starts_with(kDot); rest.remove_prefix(kDot.size())) ++step.dots;
  step.text = core::trim(rest);
  return step.dots == 0 ? std::nullopt : std::optional(step);
}

// A benchmark and what was measured; nothing for "Running (…)" and its kind.
struct Result {
  std::string_view name, value;
};
std::optional<Result> result_of(std::string_view line) {
  const auto step = step_of(line);
  if (!step || step->dots < 2) return std::nullopt;
  const std::size_t blank = step->text.find_first_of(" \t");
  if (blank == std::string_view::npos) return std::nullopt;
  const Result result{step->text.substr(0, blank), core::trim(step->text.substr(blank))};
  if (result.name.find('.') == std::string_view::npos || result.value.starts_with('(')) return std::nullopt;
  return result;
}

// "2.42k" of memory: asv counts in thousands.
std::optional<double> bytes_of(std::string_view text) {
  constexpr std::pair<char, double> kSteps[] = {{'k', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}};
  double factor = 1;
  for (const auto& [letter, step] : kSteps) {
    if (text.ends_with(letter)) factor = step;
  }
  if (factor > 1) text.remove_suffix(1);
  const auto value = core::parse_double(text);
  return value ? std::optional(*value * factor) : std::nullopt;
}

class Reader {
 public:
  static constexpr std::string_view kNothing = "no benchmark with a number in what asv printed";
  static constexpr std::string_view kHint =
      "benchmarks with parameters are read from .asv/results/MACHINE/COMMIT-ENV.json, which `asv run` writes";
  Reader(RowWriter& writer, std::uint32_t section) : writer_(writer), rows_(writer, "asv-console", section) {
    rows_.repeats_are_sections();
  }

  [[nodiscard]] static bool begins(std::string_view) { return false; }
  void line(std::string_view whole) {
    const std::string_view line = core::trim(whole);
    const auto step = step_of(line);
    constexpr std::string_view kEnvironment = "Benchmarking ";
    if (step && step->text.starts_with(kEnvironment)) environment_ = std::string(step->text.substr(kEnvironment.size()));
    if (const auto result = result_of(line)) benchmark(*result);
  }
  void end() {
    rows_.warn_of_repeats();
    if (tables_ == 0) return;
    writer_.out.warn("unread_lines", core::counted(tables_, "benchmark") +
                                         " with parameters, whose tables are not read; .asv/results has their numbers");
  }

 private:
  void benchmark(const Result& result) {
    if (result.value == "ok") {
      ++tables_;
      return;
    }
    const std::string name(result.name);
    const std::string point = environment_.empty() ? name : name + "[environment=" + environment_ + "]";
    const std::uint32_t dims = rows_.dims({{"benchmark", name}, {"environment", environment_}});
    const std::string_view last = result.name.substr(result.name.rfind('.') + 1);
    const bool memory = last.starts_with("mem_") || last.starts_with("peakmem_");
    const std::string_view metric = memory ? "memory" : last.starts_with("time") ? "time" : "value";
    if (result.value == "failed" || result.value == "n/a") {
      rows_.add(point, metric, dims, lower_is_better(""), Leaf{core::ValueState::failed, 0, false, result.value});
      return;
    }
    if (const auto bytes = memory ? bytes_of(result.value) : std::nullopt) {
      rows_.add(point, metric, dims, lower_is_better("B"), *bytes);
      return;
    }
    const auto measured = measured_text(result.value, true);
    if (!measured || !measured->leaf.has_value) return;
    const Declared declared = metric == "value" ? Declared{measured->unit} : lower_is_better(measured->unit);
    rows_.add(point, metric, dims, declared, measured->leaf.value);
    if (measured->spread) rows_.add(point, "spread", dims, own_noise(measured->unit), *measured->spread);
  }

  RowWriter& writer_;
  DeclaredRows rows_;
  std::string environment_;
  std::size_t tables_ = 0;
};

}  // namespace

Detection detect_asv_console(const Input& input) {
  return detect_line(input, 0.95, [](std::string_view line) { return result_of(line).has_value(); });
}

extern const Format asv_console_format = {
    .name = "asv-console",
    .title = "airspeed velocity (asv), what it prints",
    .replication = core::Replication::in_process,
    .detect = detect_asv_console,
    .read = read_lines<Reader>,
    .about = {.group = Group::harness,
              .file = "text",
              .produce = "asv run | tee result.txt",
              .judged = "`time_` in the unit that was printed, `mem_` and `peakmem_` in bytes (lower); which way is better for "
                        "`track_` it does not say",
              .key = "the benchmark and its environment: `suite.time_sort[environment=virtualenv-py3.12].time`",
              .trials = "one value a key; what it prints behind ± is noise",
              .context = "none",
              .limits = "tables of benchmarks with parameters are left out with a warning: the JSON file has them; `asv compare` "
                        "is a comparison and refused",
              .recognised = "`[ 50.00%] ··· suite.benchmark   1.23±0.01ms`"},
};

}  // namespace plumbline::formats
