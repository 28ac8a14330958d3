// Points in time among what was measured, told by their values. Private to formats/.
#pragma once

#include "core/measurement.hpp"

namespace plumbline::formats {

// A "time" of half a century is a point in time, counted from 1970: its rows become context. Only rows whose unit and direction
// their names gave; what a format or a file says of its rows stands.
void tell_stamps(core::Measurement& measurement);

}  // namespace plumbline::formats
