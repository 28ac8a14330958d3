// What must hold of every profile of the host that a reader gives, whatever the bytes were: each function has a name, its total
// holds its own cost, and none costs more than all together. Stops the fuzzer otherwise.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "profiles/profile.hpp"

namespace plumbline::profiles {

inline void frames_hold(const Profile& profile) {
  std::int64_t sum = 0;
  for (const Frame& frame : profile.frames) sum += frame.self;
  for (const Frame& frame : profile.frames) {
    if (frame.name.empty() || frame.self < 0 || frame.total < frame.self || frame.total > sum) std::abort();
  }
}

}  // namespace plumbline::profiles
