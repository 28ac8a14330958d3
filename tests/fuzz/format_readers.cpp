// links: systems
// Any bytes to every format of the table: first as whatever they are taken for, then forced through one reader after another. All
// of them take a fifth of a second, so while fuzzing one alone is forced, which the first bytes choose; --only=NAME keeps to one.
// Bytes that begin with "=== NAME" are a folder (folder_text.hpp).
#include <cstdint>
#include <functional>
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

bool fuzzing = false;  // else a corpus is replayed

// As mutations go on behind them, the same input has the same reader.
std::size_t chosen_by(std::string_view text, std::size_t readers) {
  return std::hash<std::string_view>()(text.substr(0, 8)) % readers;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  fuzzing = true;
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
  const auto formats = plumbline::testing::known_formats();
  const std::size_t chosen = chosen_by(text, formats.size());
  for (std::size_t i = 0; i < formats.size(); ++i) {
    const plumbline::formats::Format* const format = formats[i];
    if (fuzzing && plumbline::fuzz::only().empty() && i != chosen) continue;
    if ((format->name == "directory" && !input.is_directory) || !plumbline::fuzz::is_asked(format->name)) continue;
    (void)detect_as(*format, input);
    options.format = std::string(format->name);
    (void)plumbline::formats::read(input, options);
  }
  return 0;
}
