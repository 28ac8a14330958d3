// Edits one table of a TOML text, `[a.b]` with its subtables, and leaves every other byte as it is. Values are given and taken as
// JSON text: strings and arrays of strings are written alike in both. Pure. Every error names the line; a table that is written
// in another way (dotted keys, inline), and an edit that would lose a comment, are errors and never guesses.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.hpp"

namespace plumbline::cli {

using Members = std::vector<std::pair<std::string, std::string>>;  // key, JSON text; in the file's order

// The keys of the table whose values are strings or arrays of strings, and a subtable of strings as an object; nullopt when the
// table is not there.
[[nodiscard]] core::Expected<std::optional<Members>> toml_table(std::string_view text, std::span<const std::string> path);
// The table with these keys set; a new table goes to the end of the text.
[[nodiscard]] core::Expected<std::string> with_toml_keys(std::string_view text, std::span<const std::string> path,
                                                         const Members& members);
// Without the table and its subtables; the text itself when it is not there.
[[nodiscard]] core::Expected<std::string> without_toml_table(std::string_view text, std::span<const std::string> path);

}  // namespace plumbline::cli
