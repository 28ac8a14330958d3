// links: systems
// Any bytes to every format of the table: first as whatever they are taken for, then forced through one reader after another.
// Bytes that begin with "=== NAME" are a folder (folder_text.hpp).
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/one_reader.hpp"
#include "tests/support/folder_text.hpp"
#include "tests/support/known_formats.hpp"

namespace {

plumbline::formats::Input input_of(std::string_view text) {
  plumbline::formats::Input input;
  input.name = "fuzz";
  input.is_directory = plumbline::testing::is_folder_text(text);
  if (!input.is_directory) {
    input.bytes = text;
    return input;
  }
  for (const auto& [name, bytes] : plumbline::testing::files_of_folder(text)) input.files.push_back({name, bytes});
  return input;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  std::vector<std::string_view> names;
  for (const plumbline::formats::Format* format : plumbline::testing::known_formats()) names.push_back(format->name);
  plumbline::fuzz::take_arguments(*argc, *argv, names);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const plumbline::formats::Input input = input_of(text);
  plumbline::formats::ReadOptions options = plumbline::testing::reading_all();
  options.max_rows = 100000;
  if (plumbline::fuzz::only().empty()) (void)plumbline::formats::read(input, options);
  for (const plumbline::formats::Format* format : plumbline::testing::known_formats()) {
    if ((format->name == "directory" && !input.is_directory) || !plumbline::fuzz::is_asked(format->name)) continue;
    (void)detect_as(*format, input);
    options.format = std::string(format->name);
    (void)plumbline::formats::read(input, options);
  }
  return 0;
}
