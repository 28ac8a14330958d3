// The events of one capture -> Profile. One pass per question, each in a file of its own: order (by time; which call launched
// what), aggregates (by name), timeline (where each device's wall time went), and what is built on them. The events are let go.
#pragma once

#include "profiles/capture.hpp"
#include "profiles/profile.hpp"

namespace plumbline::profiles {

// Errors: invalid_input when the times add up to more than 73 years (a damaged capture), cancelled when options.stop says so.
// A capture without GPU work is the reader's to refuse: it knows what else the capture holds.
[[nodiscard]] core::Expected<Profile> analyse(Capture&& capture, const ReadOptions& options);

// Whether an interned name is communication, for every name: asked once per name, not per event.
[[nodiscard]] std::vector<bool> communication_names(const Capture& capture);

}  // namespace plumbline::profiles
