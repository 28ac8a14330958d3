// links: formats
// Any bytes as a table, as a bare number, and as two files of a folder.
#include <cstdint>
#include <string>
#include <string_view>

#include "formats/format.hpp"

namespace {

plumbline::formats::Input input(const char* name, std::string_view bytes) {
  plumbline::formats::Input made;
  made.name = name;
  made.bytes = bytes;
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  plumbline::formats::ReadOptions options;
  options.max_rows = 100000;
  options.format = "csv";
  (void)plumbline::formats::read(input("fuzz.csv", text), options);
  options.format = "scalar-text";
  (void)plumbline::formats::read(input("fuzz.txt", text), options);
  options.format.clear();
  plumbline::formats::Input folder;
  folder.name = "fuzz";
  folder.is_directory = true;
  folder.files = {{"a.csv", std::string_view(text).substr(0, size / 2)}, {"b", std::string_view(text).substr(size / 2)}};
  (void)plumbline::formats::read(folder, options);
  return 0;
}
