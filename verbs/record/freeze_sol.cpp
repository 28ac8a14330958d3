#include "verbs/record/freeze_sol.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "core/results/sol_words.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"
#include "verbs/environment.hpp"
#include "verbs/resolving/inputs.hpp"

namespace plumbline::verbs {
namespace {

constexpr std::size_t kEvidence = 5;  // ceilings whose choice is explained

// How a tool came by its rate decides how much a share of it says (docs/speed-of-light.md):
// L4 hardware counters by kernel, L3 bytes or operations counted and only they timed, L2 modelled from the work, L1 a bare
// number.
std::string_view rigor_of_format(std::string_view format) {
  struct Level {
    std::string_view glob, rigor;
  };
  static constexpr Level kLevels[] = {
      {"nccl-tests*", "L3"}, {"rccl-tests*", "L3"},  {"nvbandwidth*", "L3"}, {"nvbench*", "L3"},
      {"cuda-*", "L3"},      {"superbench-*", "L3"}, {"stream", "L3"},       {"perftest*", "L3"},
      {"osu*", "L3"},        {"hpl", "L3"},          {"dcgm*", "L3"},        {"training-steps", "L2"},
      {"megatron*", "L2"},   {"torch*", "L2"},       {"pytorch*", "L2"},     {"mlperf-training*", "L2"},
  };
  for (const Level& level : kLevels) {
    if (core::glob_match(level.glob, format)) return level.rigor;
  }
  return "L1";
}

// What the format knows of its rows and their keys do not say, in words that the choice understands.
std::string subject_of(const core::Measurement& measurement, const core::Row& row) {
  const std::string_view format = measurement.format.name;
  std::string subject(measurement.key(row));
  // bandwidthTest's device to device is a copy within one device.
  if (format == "cuda-bandwidth" && subject.starts_with("D2D")) return "device_local " + subject;
  if (format == "stream") return "host_memory " + subject;
  if (format.starts_with("perftest") || format == "osu" || format == "iperf3") return "network " + subject;
  // HPL's rate is of all processes; more than one of them is more than one board, or none.
  if (format == "hpl" && subject.find("p=1,q=1") == std::string::npos) return "whole_machine " + subject;
  return subject;
}

// A warning on the row's metric, or, where that is only "bandwidth", on its key.
std::optional<core::Warning> duplex_of(const core::FrozenSol& frozen, std::string_view metric, std::string_view key, double value,
                                       std::string_view unit) {
  if (auto warning = core::duplex_warning(frozen, metric, value, unit)) return warning;
  return core::duplex_warning(frozen, key, value, unit);
}

class Freezer {
 public:
  Freezer(const core::Measurement& measurement, const core::Context& context, std::string_view which,
          const configs::Ceilings& ceilings)
      : m_(measurement),
        context_(context),
        which_(which),
        ceilings_(ceilings),
        rigor_(rigor_of_format(measurement.format.name)) {}

  Expected<FrozenCeilings> run() {
    if (which_ != "auto") {
      auto found = ceilings_.find(which_);
      if (!found) return core::fail(found.error());
      fixed_ = std::move(*found);
    }
    for (const core::Row& row : m_.rows()) {
      if (row.value_count == 0 || m_.metric_class(row).role != core::Role::judged) continue;
      take(row);
    }
    if (!out_.rows.empty()) {
      finish();
      return std::move(out_);
    }
    if (fixed_) {
      return core::fail(ErrorCode::usage,
                        "--ceiling " + std::string(which_) + " is in " + fixed_->unit +
                            ", and no judged row can be held against it" +
                            (first_unit_.empty() ? " (the rows have no unit)" : " (rows are in " + first_unit_ + ")"),
                        "give `--unit UNIT`, or a ceiling of the same quantity");
    }
    if (refusal_) return core::fail(*refusal_);
    return core::fail(ErrorCode::usage, "--ceiling auto found no judged row with a unit",
                      "name the ceiling, or give `--unit UNIT`");
  }

 private:
  struct Use {
    std::string evidence;
    bool uncertain = false;
    std::string source;
  };

  void refuse(Error error) {
    ++refused_;
    // A row of times says least about why a measurement has no ceiling.
    const bool time = error.message.find("a time is held against") != std::string::npos;
    if (!refusal_ || (refusal_of_time_ && !time)) {
      refusal_ = std::move(error);
      refusal_of_time_ = time;
    }
  }

  void take(const core::Row& row) {
    const std::string_view unit = m_.unit(row);
    if (first_unit_.empty()) first_unit_ = unit;
    core::Ceiling ceiling;
    std::string evidence;
    if (fixed_) {
      ceiling = *fixed_;
    } else {
      const std::string subject = subject_of(m_, row);
      auto chosen = ceilings_.choose(context_, subject, unit);
      if (!chosen) {
        Error error = chosen.error();
        const std::size_t at = error.message.find(subject);  // what was added for the choice is no part of the name
        if (at != std::string::npos) error.message.replace(at, subject.size(), m_.key(row));
        refuse(std::move(error));
        return;
      }
      ceiling = std::move(chosen->ceiling);
      evidence = std::move(chosen->evidence);
    }
    const double value = core::median(m_.values(row));
    const auto pct = core::sol_percent(value, unit, ceiling.value, ceiling.unit);
    if (!pct) return;
    core::FrozenSol frozen;
    frozen.row_key = m_.key(row);
    frozen.ceiling_key = ceiling.key;
    frozen.ceiling_value = ceiling.value;
    frozen.ceiling_unit = ceiling.unit;
    frozen.duplex = ceiling.duplex;
    frozen.pct = *pct;
    // A figure that may be wrong, or a board that was only assumed, carries no more than a bare number does.
    const bool assumed = evidence.find("(assumed:") != std::string::npos;
    frozen.rigor = ceiling.confidence == "uncertain" || assumed ? "L1" : rigor_;
    uses_.try_emplace(ceiling.key, Use{std::move(evidence), ceiling.confidence == "uncertain", ceiling.source});
    if (!duplex_) duplex_ = duplex_of(frozen, m_.metric(row), m_.key(row), value, unit);
    if (auto warning = core::above_ceiling(frozen, m_.key(row), value, unit)) {
      ++above_;
      if (!highest_ || *pct > highest_pct_) {
        highest_ = std::move(warning);
        highest_pct_ = *pct;
      }
    }
    out_.rows.push_back(std::move(frozen));
  }

  void finish() {
    std::size_t said = 0;
    for (const auto& [key, use] : uses_) {
      if (!use.evidence.empty() && said++ < kEvidence) {
        out_.warnings.push_back({"sol_evidence", "ceiling " + key + ": " + use.evidence});
      }
      if (use.uncertain) out_.warnings.push_back({"uncertain_ceiling", key + " is marked uncertain: " + use.source});
    }
    if (said > kEvidence) {
      out_.warnings.push_back({"sol_evidence", core::counted(said - kEvidence, "further ceiling") + " chosen the same way"});
    }
    if (duplex_) out_.warnings.push_back(std::move(*duplex_));
    if (highest_) {
      if (above_ > 1) highest_->message += " (the highest of " + core::counted(above_, "such row") + ")";
      out_.warnings.push_back(std::move(*highest_));
    }
    if (refused_ > 0) {
      out_.warnings.push_back(
          {"no_ceiling", core::counted(refused_, "judged row") + " without a ceiling, for instance: " + refusal_->message});
    }
  }

  const core::Measurement& m_;
  const core::Context& context_;
  std::string_view which_;
  const configs::Ceilings& ceilings_;
  std::string rigor_;
  FrozenCeilings out_;
  std::optional<core::Ceiling> fixed_;
  std::string first_unit_;
  std::optional<Error> refusal_;
  bool refusal_of_time_ = false;
  std::uint64_t refused_ = 0, above_ = 0;
  std::map<std::string, Use> uses_;
  std::optional<core::Warning> duplex_, highest_;
  double highest_pct_ = 0;
};

// <root>/configs/NAME if it is there, else the embedded file, as where there is no root ("").
template <class Config>
Expected<std::shared_ptr<const Config>> config_in_force(const std::string& root, const char* name, const Context& context) {
  if (root.empty()) return Config::builtin();
  const std::string path = root + "/configs/" + name;
  const registry::PathLimits limits = path_limits(context);
  if (is_absent(path, limits)) return Config::builtin();
  auto bytes = registry::read_file(path, limits);
  if (!bytes) return core::fail(bytes.error());
  if (context.inputs != nullptr) context.inputs->note_rules(path, bytes->view());
  return Config::parse(bytes->view(), path);
}

}  // namespace

Expected<std::shared_ptr<const configs::Ceilings>> ceilings_for(const std::string& root, const Context& context) {
  return config_in_force<configs::Ceilings>(root, "sol-ceilings.yaml", context);
}

Expected<std::shared_ptr<const configs::ClassNoise>> class_noise_for(const std::string& root, const Context& context) {
  return config_in_force<configs::ClassNoise>(root, "class-noise.yaml", context);
}

Expected<std::shared_ptr<const configs::KernelCategories>> kernel_categories_for(const std::string& root,
                                                                                 const Context& context) {
  return config_in_force<configs::KernelCategories>(root, "kernel-categories.yaml", context);
}

Expected<std::vector<std::string>> uncertain_ceilings(const std::vector<core::SolLine>& lines, const std::string& root,
                                                      const Context& context) {
  if (lines.empty()) return std::vector<std::string>();
  const auto ceilings = ceilings_for(root, context);
  if (!ceilings) return core::fail(ceilings.error());
  std::set<std::string> uncertain;
  for (const core::SolLine& line : lines) {
    const auto known = (*ceilings)->find(line.ceiling_key);
    if (known && known->confidence == "uncertain") uncertain.insert(line.ceiling_key);
  }
  return std::vector<std::string>(uncertain.begin(), uncertain.end());
}

Expected<FrozenCeilings> freeze_sol(const core::Measurement& measurement, const core::Context& context, std::string_view which,
                                    const configs::Ceilings& ceilings) {
  return Freezer(measurement, context, which, ceilings).run();
}

std::vector<core::SolLine> sol_lines(const core::BaselineRecord& record, const core::Comparison& comparison,
                                     std::vector<core::Warning>& warnings) {
  std::vector<core::SolLine> out;
  std::vector<core::FrozenSol> frozen = record.sol;
  if (record.scalar_sol) {
    frozen.push_back(*record.scalar_sol);
    frozen.back().row_key = record.measurement;
  }
  if (frozen.empty()) return out;
  std::unordered_map<std::string_view, const core::FrozenSol*> by_key;
  for (const core::FrozenSol& one : frozen) by_key.emplace(one.row_key, &one);
  bool said = false;
  for (const core::Delta& delta : comparison.deltas) {
    if (delta.baseline_row == core::kNoRow || delta.current_row == core::kNoRow || delta.state == core::State::invalid) continue;
    const auto it = by_key.find(comparison.baseline->pool().view(delta.key));
    if (it == by_key.end()) continue;
    const core::Row& row = comparison.baseline->rows()[delta.baseline_row];
    const std::string_view unit = comparison.baseline->unit(row);
    if (auto line = core::sol_line(*it->second, delta.baseline, delta.current, unit)) out.push_back(std::move(*line));
    if (said) continue;
    auto warning = core::duplex_warning(*it->second, comparison.baseline->metric(row), delta.baseline, unit);
    if (!warning) warning = core::duplex_warning(*it->second, it->second->row_key, delta.baseline, unit);
    if (warning) {
      warnings.push_back(*warning);
      said = true;
    }
  }
  return out;
}

}  // namespace plumbline::verbs
