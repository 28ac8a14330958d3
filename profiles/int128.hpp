// 128-bit integers for exact sums and products of nanoseconds and counts; the extension keyword keeps -Wpedantic quiet.
#pragma once

namespace plumbline::profiles {
__extension__ typedef __int128 Int128;
}
