// What the inference_perfbench_v1 file declares about its own judging: tolerances per metric, the headline (throughput at
// concurrency 16) and the gate (errors). Null on both sides is context, by the comparison's general rule.
// Source: the reference tool's inference-perf-baseline-bridge (facts: reference-tool section 9).
#pragma once

#include "core/measurement.hpp"

namespace plumbline::systems::reference {

[[nodiscard]] core::DeclaredRules perfbench_rules();

}  // namespace plumbline::systems::reference
