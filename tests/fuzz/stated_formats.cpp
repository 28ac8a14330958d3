// links: formats
// Statements of plumbline.yaml held against any text.
#include <cstdint>
#include <string_view>

#include "tests/fuzz/stated_texts.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)plumbline::fuzz::hold_statement({reinterpret_cast<const char*>(data), size});
  return 0;
}
