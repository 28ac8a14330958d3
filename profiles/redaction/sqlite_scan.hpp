// A look at a few columns of every row of a table, in the table's order. Columns that it lacks are empty.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "profiles/readers/sqlite/sqlite_database.hpp"

namespace plumbline::profiles {

using Integer = std::optional<std::int64_t>;

[[nodiscard]] core::Status scan_integers(Database& database, std::string_view table, const std::vector<std::string_view>& columns,
                                         const std::function<void(std::span<const Integer>)>& row);
// `text` is "" where it is no text.
[[nodiscard]] core::Status scan_texts(Database& database, std::string_view table, const std::vector<std::string_view>& columns,
                                      std::string_view text,
                                      const std::function<void(std::span<const Integer>, std::string_view)>& row);

}  // namespace plumbline::profiles
