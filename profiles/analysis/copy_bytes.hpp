// NamedAggregate::bytes of copies and fills: what they moved, where every one of a name says its size.
#pragma once

#include "profiles/analysis/aggregates.hpp"

namespace plumbline::profiles {

void add_bytes(const Capture& capture, Aggregates& memory);

}  // namespace plumbline::profiles
