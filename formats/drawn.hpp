// Statistics that a tool draws from trials which stand beside them. Private to formats/.
#pragma once

#include "core/measurement.hpp"

namespace plumbline::formats {

// {"times_ms": [5, 6, 7], "mean_ms": 6}: the mean says nothing that its trials do not, and has none of its own, so it becomes
// context. Only where name and value both say so, and the file itself says no direction of it.
void tell_drawn(core::Measurement& measurement);

}  // namespace plumbline::formats
