// A form that captures come in, as its reader says it: one constant beside the reader, extern const Form <stem>_form, and one
// line of list.inc. Of the list the first that recognises a file reads it.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "profiles/profile.hpp"
#include "profiles/readers/open_file.hpp"

namespace plumbline::profiles {

// What `plumbline formats` and docs/formats/captures.md say of a capture.
struct About {
  std::string_view format;      // as ProfileSideInfo::format names it
  std::string_view what;        // Markdown
  std::string_view recognised;  // by what
  std::string_view file;        // what kind of file: "SQLite", "JSON"
  std::string_view produce;     // the commands that write such a file, one a line; a line of words begins with "# "
};

struct Form {
  std::string_view name;          // "pprof", as capture_form() names it
  std::array<About, 3> captures;  // what it may turn out to be; those behind the last are empty
  // By content; `head` is the file's first 256 bytes, "" of a folder.
  bool (*recognises)(const OpenFile& file, std::string_view head) = nullptr;
  core::Expected<Profile> (*read)(const std::string& path, const ReadOptions& options) = nullptr;
};

// In the order in which they are asked.
[[nodiscard]] std::span<const Form* const> forms();

// What tables of reports are told by: programs print before their profiler does.
inline constexpr std::size_t kTableHead = std::size_t{1} << 16;

}  // namespace plumbline::profiles
