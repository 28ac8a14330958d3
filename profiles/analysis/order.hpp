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
// Ops without a process (0) meet calls of any process when the capture has only one. Call after sort_by_start.
void join_launches(Capture& capture);

}  // namespace plumbline::profiles
