// links: formats
// Any bytes to every format of the table: first as whatever they are taken for, then forced through one reader after another.
#include <cstdint>
#include <string>

#include "formats/format.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  plumbline::formats::Input input;
  input.name = "fuzz";
  input.bytes = text;
  plumbline::formats::ReadOptions options;
  options.max_rows = 100000;
  (void)plumbline::formats::read(input, options);
  for (const plumbline::formats::Format* format : plumbline::formats::table()) {
    if (format->name == "directory") continue;
    (void)format->detect(input);
    options.format = std::string(format->name);
    (void)plumbline::formats::read(input, options);
  }
  return 0;
}
