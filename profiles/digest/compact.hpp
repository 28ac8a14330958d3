// What of a row in a digest follows from the rest of it, and is not written: the spread of one or two events, the standard
// deviation where the sum of squares is known, the length of the slowest instance.
#pragma once

#include "profiles/profile.hpp"

namespace plumbline::profiles {

// One or two events say by themselves what their sketch is: gives it to rows of tables that came without.
void sketch_few(NamedAggregate& row);
// To be written; restore() undoes it.
void compact(NamedAggregate& row);
void restore(NamedAggregate& row);

// The square of the sum over the number, rounded down: squares minus this is what deviations from the mean add up to.
[[nodiscard]] UInt128 squares_of_mean(const Aggregate& aggregate);

}  // namespace plumbline::profiles
