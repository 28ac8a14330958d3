// The rows of one table of somebody's SQLite file, columns by name. Two ways to the same rows: over the table's pages
// (sqlite_pages.hpp), and through SQLite for whatever that one does not take: databases without a file of their own, with a log
// or journal beside them, WITHOUT ROWID tables, generated columns, columns of declared type REAL (SQLite stores their whole
// numbers as integers), pages that are not plainly as the format says. What the pages gave is held against SQLite's answer for
// the ends of the table and a few rows in between.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "profiles/readers/sqlite/sqlite_batch.hpp"
#include "profiles/readers/sqlite/sqlite_database.hpp"

namespace plumbline::profiles {

enum class RowSource : std::uint8_t { pages_where_possible, sqlite };

struct RowScan {
  std::vector<std::string_view> columns;  // each once; a column that the table lacks stays empty
  RowSource source = RowSource::pages_where_possible;
  // Each batch in the table's order, one at a time, perhaps from another thread.
  std::function<core::Status(const RowBatch&)> rows;
  std::function<void(double)> progress;  // 0..1; may be empty
  bool* over_pages = nullptr;            // receives which way was taken
};

// True: all rows were handed over. False: the pages turned out to be unusual after some rows had been handed over; forget those
// and scan again with RowSource::sqlite.
[[nodiscard]] core::Expected<bool> scan_rows(Database& database, std::string_view table, const RowScan& scan);

}  // namespace plumbline::profiles
