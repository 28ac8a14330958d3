// A folder as one text, as fuzzers and fixtures have it: bytes that begin with "=== NAME" and a line feed; each such line starts
// a file of it.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace plumbline::testing {

inline bool is_folder_text(std::string_view bytes) { return bytes.starts_with("=== "); }

// As folders come: each name once, in order. The bytes are those of `text`.
inline std::map<std::string, std::string_view> files_of_folder(std::string_view text) {
  constexpr std::string_view kFile = "=== ";
  std::map<std::string, std::string_view> files;
  for (std::size_t line = text.find('\n'); line != std::string_view::npos; line = text.find('\n')) {
    const std::string name(text.substr(kFile.size(), line - kFile.size()));
    const std::size_t next = text.find("\n=== ", line);
    files[name] = text.substr(line + 1, next == std::string_view::npos ? next : next - line);
    if (next == std::string_view::npos) break;
    text.remove_prefix(next + 1);
  }
  return files;
}

}  // namespace plumbline::testing
