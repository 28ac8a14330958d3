// 128-bit integers for exact sums and products of nanoseconds and counts; the extension keyword keeps -Wpedantic quiet.
#pragma once

namespace plumbline::profiles {
__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;
}  // namespace plumbline::profiles
