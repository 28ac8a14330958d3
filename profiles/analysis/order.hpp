// Puts the columns of a capture into the order of their starts, and finds for each GPU operation the host call that launched
// it. Readers deliver nearly sorted columns; what is sorted already costs one look.
#pragma once

#include "profiles/capture.hpp"

namespace plumbline::profiles {

// Ops, calls and ranges by start; equal starts keep their order, of ranges the longer one comes first (it is the outer one).
// Collective::op follows.
void sort_by_start(Capture& capture);

// GpuOps::launch: correlation id -> index into calls, kNone where the capture has no such call. Correlation ids belong to a
// process: a queue's and a thread's. Of several calls with one id (runtime and driver) the one that began first counts.
// Ops without a process (0) meet calls of any process when only one made calls. Of several (merged traces of ranks) they meet
// those of the process that alone fits their device: whose calls nearly all its ids name and precede what they launch. Where none
// does, an id counts that only one process has; ids of several are left unjoined, with the warning launches_ambiguous.
// Call after sort_by_start.
void join_launches(Capture& capture);

// Takes out GPU operations with times that cannot be: a handful (at most 10, and 0.1 % where that is more than one, of a hundred
// or more) before or behind all others, further away than ten minutes and than a hundred times the span of the rest. One start of
// 0 would make the capture last since 1970. Adds the warning stray_times. Call between sort_by_start and join_launches.
void leave_out_strays(Capture& capture);

}  // namespace plumbline::profiles
