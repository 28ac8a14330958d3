// Captures that are SQLite databases, told apart by their tables.
#pragma once

#include "profiles/profile.hpp"
#include "profiles/readers/sqlite/sqlite_rows.hpp"

namespace plumbline::profiles {

// read_sqlite() of readers.hpp by a way of one's own choice: tests hold the two ways against each other.
[[nodiscard]] core::Expected<Profile> read_sqlite(const std::string& path, const ReadOptions& options, RowSource source);

}  // namespace plumbline::profiles
