// How the host fed the GPU: launches and what they cost, how long work queued, what waited and what was allocated.
#pragma once

#include "profiles/analysis/calls.hpp"
#include "profiles/capture.hpp"
#include "profiles/digest/sketch.hpp"
#include "profiles/profile.hpp"

namespace plumbline::profiles {

// Nothing where the capture holds no calls. A call inside another of its sort on the same thread (the driver's inside the
// runtime's) is part of that one and not counted again. The delay is from the end of the launching call to the start of the
// first operation it launched, 0 where that started earlier (nsys' queue time, with the early ones counted); of graph launches
// too. `capture` sorted and joined; `kinds` by name id (call_kinds). `delays` and `costs`, where they are given, get the
// sketches of the delays and of what launching calls take.
// With `steps`, calls between the first whole step and the end of the last are counted apart: the others set things up.
[[nodiscard]] std::optional<core::ProfileLaunches> measure_launches(const Capture& capture, const std::vector<CallKind>& kinds,
                                                                    const Steps& steps = {}, Sketch* delays = nullptr,
                                                                    Sketch* costs = nullptr);

}  // namespace plumbline::profiles
