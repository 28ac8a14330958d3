// Data that a user may replace, and the code that reads it: metric names -> unit and direction (metric-names.yaml),
// ceilings (sol-ceilings.yaml), class noise per format (class-noise.yaml), kernel categories (kernel-categories.yaml).
// The files are embedded at build time; a file of the same name under <root>/configs/ replaces its embedded twin.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/measurement.hpp"
#include "core/speed_of_light.hpp"

namespace plumbline::configs {

// The embedded text of a config file by name ("sol-ceilings.yaml"); empty when there is none.
[[nodiscard]] std::string_view embedded(std::string_view name);

// What a metric's name says (facts: name -> unit and direction; precedence file > format > name > unknown). The parent
// path helps when the last part is only a statistic ("ttft_ms.p99", {"latency": {"mean": 3}}).
struct MetricGuess {
  core::Direction direction = core::Direction::unknown;
  core::Role role = core::Role::judged;
  std::string unit;  // "" when the name does not say
  bool exact = false;
  core::Share share = core::Share::none;
  std::string note;  // the rule that spoke: "lower-better noun 'latency'"
  core::Source direction_source = core::Source::name_rule;
};
class MetricNames {
 public:
  static core::Expected<std::shared_ptr<const MetricNames>> parse(std::string_view yaml, std::string_view where);
  static std::shared_ptr<const MetricNames> builtin();  // parsed once
  // `unit` is an explicit one from the file ("" = none): it wins, and a time unit with no other noun is lower-better.
  [[nodiscard]] MetricGuess guess(std::string_view path, std::string_view unit = {}) const;
  // A number of this name tells records of an array apart (size, batch, concurrency), rather than being measured.
  [[nodiscard]] bool is_dimension(std::string_view name) const;
  // What a number of this name counts of a run: how often something was tried, succeeded or failed.
  [[nodiscard]] core::Tally tally(std::string_view name) const;
  // A text of this name changes from run to run (timestamps, job ids, log texts): never part of a row's identity.
  [[nodiscard]] bool is_volatile(std::string_view name) const;
  // "group.key" for a field that may be taken into the context descriptor (an allow-list); "" for every other name.
  [[nodiscard]] std::string_view context_key(std::string_view name) const;
  ~MetricNames();

 private:
  MetricNames();
  struct Rules;
  std::unique_ptr<Rules> rules_;
};

// Immutable after parse; shared between threads freely. Values keep the unit they are printed in. Two YAML forms are read:
// ours (`devices: {DEVICE: {aliases, source, ceilings: {NAME: {value, unit, measures, …}}}}`) and the simpler one
// `{DEVICE: {NAME: {value, units, source}}}`, whose entries without a number (`nvswitch_sharp: {value: true}`) are not ceilings.
class Ceilings {
 public:
  static core::Expected<std::shared_ptr<const Ceilings>> parse(std::string_view yaml, std::string_view where);
  static std::shared_ptr<const Ceilings> builtin();
  [[nodiscard]] const std::vector<core::Ceiling>& all() const { return all_; }
  // By full key ("b200_sm100.nvlink5_tbps"); error (usage) names the nearest key. A bare metric name
  // ("nvlink5_tbps") is accepted when all devices that have it agree on value and unit, else the error lists the devices.
  [[nodiscard]] core::Expected<core::Ceiling> find(std::string_view key) const;
  // From context hardware.gpu and the metric (busbw -> one-direction link, H2D -> PCIe, TFLOPS with a precision -> that peak,
  // memory bandwidth -> memory): the ceiling and the evidence, or an error that says what is missing.
  struct Chosen {
    core::Ceiling ceiling;
    std::string evidence;
  };
  [[nodiscard]] core::Expected<Chosen> choose(const core::Context& context, std::string_view metric, std::string_view unit) const;

  // What may be compared with a ceiling ("compute" "memory" "link" "link_peer" "pcie" "c2c" "nic" "nic_total" "capacity", or ""),
  // and the precision of a compute peak.
  struct Trait {
    std::string measures, precision;
  };
  // A fragment of a GPU's name, in lower-case words, that means a device; assumed: the name is too short to tell the board.
  struct Alias {
    std::string words, device;
    bool assumed = false;
  };
  [[nodiscard]] const std::vector<Trait>& traits() const { return traits_; }  // parallel to all()
  [[nodiscard]] const std::vector<Alias>& aliases() const { return aliases_; }

 private:
  std::vector<core::Ceiling> all_;
  std::vector<Trait> traits_;
  std::vector<Alias> aliases_;
};

// Coefficient of variation in percent that a format's class of measurement is known to have (single-trial prior); nullopt = none.
[[nodiscard]] std::optional<double> class_noise_pct(std::string_view format, std::string_view metric);

// The embedded table's category of a kernel: "Communication", "Attention", "GEMM bf16", …, else "Other" (kernel_categories.hpp).
[[nodiscard]] std::string kernel_category(std::string_view kernel_name);

}  // namespace plumbline::configs
