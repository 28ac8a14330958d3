// What SuperBench's metrics mean: unit, direction and role by the benchmark and the metric's name, after the tables of its own
// user tutorial (micro-, model and docker benchmarks, monitor). What the tables leave open keeps no unit, and what they do not
// name is guessed from its name. Pure.
#pragma once

#include <string_view>

#include "core/measurement.hpp"

namespace plumbline::formats {

struct SuperbenchMeaning {
  std::string_view unit;
  core::Direction direction = core::Direction::unknown;
  core::Role role = core::Role::judged;
  bool known = true;  // false: nothing is declared, and the name rules are asked
};
// `benchmark` as its users call it ("nccl-bw:ib", "model-benchmarks:gpt/pytorch-gpt2-large"), `metric` without its rank.
[[nodiscard]] SuperbenchMeaning superbench_meaning(std::string_view benchmark, std::string_view metric);

}  // namespace plumbline::formats
