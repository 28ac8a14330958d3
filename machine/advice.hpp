// What to change on this machine before something is measured on it: settings that make trials scatter, or that make today's
// trials differ from tomorrow's. Only what can be read is judged; nothing is changed.
#pragma once

#include <string>
#include <vector>

#include "machine/state.hpp"

namespace plumbline::machine {

struct Advice {
  std::string what;  // "CPU governor"
  std::string now;   // "powersave"
  std::string fix;   // a command, or what to do; "" where it is as it should be
};

// `before` and `after` were sampled `seconds` apart while nothing of ours ran.
[[nodiscard]] std::vector<Advice> advice(const core::Context& facts, const Gpus& gpus, const Sample& before, const Sample& after,
                                         double seconds);

}  // namespace plumbline::machine
