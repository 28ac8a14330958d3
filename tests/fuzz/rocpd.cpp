// links: profiles core
// Any bytes as a rocpd database, over its pages and through SQLite. See sqlite_both_ways.hpp.
#include "tests/fuzz/sqlite_both_ways.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  plumbline::profiles::fuzz::read_both_ways(data, size);
  return 0;
}
