// links: systems
// Any bytes to every format of the table: first as whatever they are taken for, then forced through one reader after another.
// Bytes that begin with "=== NAME" and a line feed are a folder: each such line starts a file of it.
// `--format=NAME` keeps to one reader, `--list-formats` names them (libFuzzer leaves arguments with two dashes alone).
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include "tests/support/known_formats.hpp"

namespace {

std::string& only() {
  static std::string name;
  return name;
}

constexpr std::string_view kFile = "=== ";

// As folders come: each name once, in order.
plumbline::formats::Input as_folder(std::string_view text) {
  std::map<std::string, std::string_view> files;
  for (std::size_t line = text.find('\n'); line != std::string_view::npos; line = text.find('\n')) {
    const std::string name(text.substr(kFile.size(), line - kFile.size()));
    const std::size_t next = text.find("\n=== ", line);
    files[name] = text.substr(line + 1, next == std::string_view::npos ? next : next - line);
    if (next == std::string_view::npos) break;
    text.remove_prefix(next + 1);
  }
  plumbline::formats::Input folder;
  folder.name = "fuzz";
  folder.is_directory = true;
  for (const auto& [name, bytes] : files) folder.files.push_back({name, bytes});
  return folder;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  for (int i = 1; i < *argc; ++i) {
    const std::string_view argument = (*argv)[i];
    constexpr std::string_view kFormat = "--format=";
    if (argument == "--list-formats") {
      for (const plumbline::formats::Format* format : plumbline::testing::known_formats()) {
        std::printf("%.*s\n", static_cast<int>(format->name.size()), format->name.data());
      }
      std::exit(0);
    }
    if (argument.starts_with(kFormat)) only() = argument.substr(kFormat.size());
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  plumbline::formats::Input input;
  if (text.starts_with(kFile)) {
    input = as_folder(text);
  } else {
    input.name = "fuzz";
    input.bytes = text;
  }
  plumbline::formats::ReadOptions options = plumbline::testing::reading_all();
  options.max_rows = 100000;
  if (only().empty()) (void)plumbline::formats::read(input, options);
  for (const plumbline::formats::Format* format : plumbline::testing::known_formats()) {
    if ((format->name == "directory" && !input.is_directory) || (!only().empty() && format->name != only())) continue;
    (void)format->detect(input);
    options.format = std::string(format->name);
    (void)plumbline::formats::read(input, options);
  }
  return 0;
}
