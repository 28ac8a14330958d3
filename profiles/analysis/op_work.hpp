// Operators whose shapes the capture says and whose work follows from them (operator_work.hpp), with the time of the kernels that
// they launched: each kernel belongs to the innermost such operator that its launch call lies in.
#pragma once

#include <vector>

#include "profiles/capture.hpp"
#include "profiles/profile.hpp"

namespace plumbline::profiles {

// By operator, shape and type, most time first. `capture` sorted and joined.
[[nodiscard]] std::vector<OpWork> sum_op_work(const Capture& capture);

// Adds the rows of another rank.
void add_op_work(std::vector<OpWork>& into, std::vector<OpWork>&& from);

}  // namespace plumbline::profiles
