// Speed of light: how far a value is from the hardware's limit. A ceiling is a number with its unit, duplex, sparsity and
// source (configs/sol-ceilings.yaml); the share is value / ceiling after unit conversion. It is frozen at record, so that
// a later edit of the file does not move a published reference.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/measurement.hpp"

namespace plumbline::core {

struct Ceiling {
  std::string key;  // "b200_sm100.nvlink5_tbps"
  double value = 0;
  std::string unit;      // explicit: "TB/s", "GB/s", "TFLOPS", …
  std::string duplex;    // "uni" | "bi" | "n/a"
  std::string sparsity;  // "dense" | "sparse" | "n/a"
  std::string basis;     // "published" | "device_reported" | "derived"
  std::string source;
  std::string confidence;  // "vendor" | "secondary" | "uncertain"
  std::string device;      // "b200_sm100"
};

// What an entry carries per judged row (baseline.json `sol[]`; the scalar's own as sol_pct, sol_ceiling_*).
struct FrozenSol {
  std::string row_key;
  std::string ceiling_key;
  double ceiling_value = 0;  // in ceiling_unit
  std::string ceiling_unit;  // as frozen; the reference tool's entries carry none: taken as the row's unit
  std::string duplex;        // may be empty for entries of the reference tool
  double pct = 0;            // of the baseline value
  std::string rigor;         // "L1".."L4" or ""
};

// value (in unit) as percent of the ceiling; nullopt when units do not convert or the ceiling is not positive.
[[nodiscard]] std::optional<double> sol_percent(double value, std::string_view unit, double ceiling,
                                                std::string_view ceiling_unit);

struct SolLine {
  std::string row_key;
  std::string ceiling_key;
  double ceiling_value = 0;
  std::string ceiling_unit;
  double baseline_pct = 0, current_pct = 0, delta_pp = 0;
  std::string text;  // three lines: "baseline: 310 GB/s (17.2% of nvlink5_tbps SoL)\ncurrent: …\ndelta: -15 GB/s (-4.8% absolute,
                     // -0.8 pp SoL)"
};
// Prints the ceiling by the last part of its key. pct of the baseline is recomputed from the frozen ceiling.
[[nodiscard]] std::optional<SolLine> sol_line(const FrozenSol& frozen, double baseline, double current, std::string_view unit);
// The warning `duplex_mismatch` when a one-direction measure (NCCL busbw, algbw; single-direction copies) meets a
// both-directions ceiling; names the other figure ("34.4% of 900 GB/s").
[[nodiscard]] std::optional<Warning> duplex_warning(const FrozenSol& frozen, std::string_view metric, double value,
                                                    std::string_view unit);

}  // namespace plumbline::core
