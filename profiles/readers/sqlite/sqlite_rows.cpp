#include "profiles/readers/sqlite/sqlite_rows.hpp"

#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <optional>
#include <string>

#include "core/text.hpp"
#include "profiles/readers/sqlite/sqlite_pages.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::size_t kRowsAtATime = 1024;   // through SQLite
constexpr std::size_t kSamples = 16;         // rows that are asked for again
constexpr std::size_t kCountedPages = 1000;  // leaves up to which the number of rows is asked for too

bool read_at(int fd, std::uint64_t offset, char* to, std::size_t length) {
  while (length > 0) {
    const auto got = ::pread(fd, to, length, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    offset += static_cast<std::uint64_t>(got);
    to += got;
    length -= static_cast<std::size_t>(got);
  }
  return true;
}

// What PRAGMA table_xinfo says of a table, as far as its records are concerned.
struct Layout {
  std::vector<std::string> names;  // in the record's order
  std::vector<bool> real;
  std::optional<std::size_t> rowid_column;
  bool plain = true;  // no hidden or generated columns
};

core::Expected<Layout> layout_of(Database& database, std::string_view table) {
  auto statement = database.prepare("PRAGMA table_xinfo(" + quoted_identifier(table) + ")");
  if (!statement) return core::fail(statement.error());
  Layout layout;
  std::size_t keys = 0;
  for (;;) {
    const auto row = database.step(*statement);
    if (!row) return core::fail(row.error());
    if (!*row) break;
    const std::string type = core::to_lower(std::string(statement->text(2)));
    const auto says = [&type](std::string_view part) { return type.find(part) != std::string::npos; };
    // Affinity: sqlite.org/datatype3.html, section 3.1.
    const bool other = says("int") || says("char") || says("clob") || says("text") || says("blob");
    layout.real.push_back(!other && (says("real") || says("floa") || says("doub")));
    if (statement->integer(5).value_or(0) > 0) {
      ++keys;
      if (type == "integer") layout.rowid_column = layout.names.size();
    }
    if (statement->integer(6).value_or(1) != 0) layout.plain = false;
    layout.names.emplace_back(statement->text(1));
  }
  if (keys != 1) layout.rowid_column.reset();
  return layout;
}

// A name of the row id that no column has taken; "" when all three are.
std::string rowid_name(const Layout& layout) {
  for (const std::string_view name : {"rowid", "_rowid_", "oid"}) {
    const bool taken = std::any_of(layout.names.begin(), layout.names.end(),
                                   [name](const std::string& column) { return core::to_lower(column) == name; });
    if (!taken) return std::string(name);
  }
  return {};
}

std::string selected(const Layout& layout, const std::vector<std::string_view>& wanted) {
  std::string sql;
  for (const std::string_view column : wanted) {
    if (!sql.empty()) sql += ", ";
    const bool there = std::find(layout.names.begin(), layout.names.end(), column) != layout.names.end();
    sql += there ? quoted_identifier(column) : std::string("NULL");
  }
  return sql;
}

void add_cells(const Statement& statement, int first, RowBatch& batch) {
  for (std::size_t i = 0; i < batch.columns(); ++i) {
    const int column = first + static_cast<int>(i);
    switch (sqlite3_column_type(statement.get(), column)) {
      case SQLITE_INTEGER:
        batch.set_integer(i, sqlite3_column_int64(statement.get(), column));
        break;
      case SQLITE_TEXT:
      case SQLITE_BLOB:
        batch.set_text(i, batch.keep(std::string(statement.text(column))));
        break;
      default:
        break;
    }
  }
}

core::Expected<bool> through_sqlite(Database& database, std::string_view table, const Layout& layout, const RowScan& scan) {
  auto statement = database.prepare("SELECT " + selected(layout, scan.columns) + " FROM " + quoted_identifier(table));
  if (!statement) return core::fail(statement.error());
  RowBatch batch(scan.columns.size());
  std::int64_t number = 0;
  for (bool more = true; more;) {
    batch.clear();
    while (batch.size() < kRowsAtATime) {
      const auto row = database.step(*statement);
      if (!row) return core::fail(row.error());
      more = *row;
      if (!more) break;
      batch.add_row(++number);
      add_cells(*statement, 0, batch);
    }
    if (core::Status status = scan.rows(batch); !status) return core::fail(status.error());
  }
  return true;
}

struct Pages {
  PageReader read;
  std::unique_ptr<PageDecoder> decoder;
  std::vector<std::uint32_t> leaves;
  std::string rowid;
};

core::Expected<std::uint32_t> root_page(Database& database, std::string_view table) {
  auto statement = database.prepare("SELECT rootpage FROM sqlite_master WHERE type = 'table' AND name = ?1");
  if (!statement) return core::fail(statement.error());
  sqlite3_bind_text(statement->get(), 1, table.data(), static_cast<int>(table.size()), SQLITE_STATIC);
  const auto row = database.step(*statement);
  if (!row) return core::fail(row.error());
  const std::int64_t page = *row ? statement->integer(0).value_or(0) : 0;
  return page >= 2 && page <= 0xFFFFFFFE ? static_cast<std::uint32_t>(page) : 0U;
}

// The way over the pages, where there is one.
core::Expected<std::optional<Pages>> pages_of(Database& database, std::string_view table, const Layout& layout,
                                              const std::vector<std::string_view>& wanted) {
  const int fd = database.descriptor();
  if (fd < 0 || database.has_log() || !layout.plain) return std::nullopt;
  Pages pages;
  pages.rowid = rowid_name(layout);
  if (pages.rowid.empty()) return std::nullopt;
  std::vector<PageColumn> columns;
  for (std::size_t slot = 0; slot < wanted.size(); ++slot) {
    const auto found = std::find(layout.names.begin(), layout.names.end(), wanted[slot]);
    if (found == layout.names.end()) continue;
    const auto index = static_cast<std::size_t>(found - layout.names.begin());
    if (layout.real[index]) return std::nullopt;
    columns.push_back({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(slot), layout.rowid_column == index});
  }
  std::sort(columns.begin(), columns.end(), [](const PageColumn& a, const PageColumn& b) { return a.index < b.index; });
  const auto root = root_page(database, table);
  if (!root) return core::fail(root.error());
  if (*root == 0) return std::nullopt;
  pages.read = [fd](std::uint64_t offset, char* to, std::size_t length) { return read_at(fd, offset, to, length); };
  std::array<char, 100> header{};
  if (!pages.read(0, header.data(), header.size())) return std::nullopt;
  const auto format = page_format({header.data(), header.size()}, database.file_size());
  if (!format) return std::nullopt;
  pages.decoder = std::make_unique<PageDecoder>(*format, std::move(columns), pages.read);
  auto leaves = pages.decoder->leaves(*root, [&database] { return database.stop_asked(); });
  if (!leaves) return std::nullopt;
  pages.leaves = std::move(*leaves);
  return pages;
}

// Some rows as the pages gave them, to be asked for again.
class Samples {
 public:
  explicit Samples(std::size_t columns) : rows_(columns), last_(columns) {}
  // `batches`: how many there will be, at least.
  void look(const RowBatch& batch, std::size_t batches) {
    if (batch.size() == 0) return;
    if (rows_.size() == 0) add(rows_, batch, 0);
    // A row from the middle of every so many batches, another one each time.
    if (seen_ % std::max<std::size_t>(1, batches / kSamples) == 0 && rows_.size() <= kSamples) {
      add(rows_, batch, (seen_ * 7919) % batch.size());
    }
    last_.clear();
    add(last_, batch, batch.size() - 1);
    ++seen_;
  }
  [[nodiscard]] const RowBatch& rows() const { return rows_; }
  [[nodiscard]] const RowBatch& last() const { return last_; }

 private:
  static void add(RowBatch& to, const RowBatch& from, std::size_t row) {
    to.add_row(from.rowid(row));
    for (std::size_t i = 0; i < from.columns(); ++i) {
      const RowBatch::Row cells = from[row];
      if (const auto value = cells.integer(i)) {
        to.set_integer(i, *value);
      } else if (cells.has(i)) {
        to.set_text(i, to.keep(std::string(cells.text(i))));
      }
    }
  }
  RowBatch rows_, last_;
  std::size_t seen_ = 0;
};

bool same_cells(const RowBatch::Row& a, const RowBatch::Row& b, std::size_t columns) {
  for (std::size_t i = 0; i < columns; ++i) {
    if (a.integer(i) != b.integer(i) || a.has(i) != b.has(i) || a.text(i) != b.text(i)) return false;
  }
  return true;
}

core::Expected<bool> same_rows(Database& database, const Statement& by_rowid, const RowBatch& rows) {
  RowBatch again(rows.columns());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    sqlite3_reset(by_rowid.get());
    sqlite3_bind_int64(by_rowid.get(), 1, rows.rowid(i));
    const auto found = database.step(by_rowid);
    if (!found) return core::fail(found.error());
    if (!*found) return false;
    again.clear();
    again.add_row(rows.rowid(i));
    add_cells(by_rowid, 0, again);
    if (!same_cells(rows[i], again[0], rows.columns())) return false;
  }
  return true;
}

core::Expected<bool> sqlite_agrees(Database& database, std::string_view table, const Layout& layout, const RowScan& scan,
                                   const Pages& pages, const Samples& samples, std::uint64_t count) {
  const std::string from = " FROM " + quoted_identifier(table);
  if (pages.leaves.size() <= kCountedPages) {
    auto counted = database.prepare("SELECT count(*)" + from);
    if (!counted) return core::fail(counted.error());
    const auto row = database.step(*counted);
    if (!row) return core::fail(row.error());
    if (counted->integer(0) != static_cast<std::int64_t>(count)) return false;
  }
  if (count == 0) return true;
  for (const bool first : {true, false}) {
    const std::string end = std::string(first ? "min(" : "max(") + pages.rowid + ")";
    auto statement = database.prepare("SELECT " + end + from);
    if (!statement) return core::fail(statement.error());
    const auto row = database.step(*statement);
    if (!row) return core::fail(row.error());
    if (statement->integer(0) != (first ? samples.rows().rowid(0) : samples.last().rowid(0))) return false;
  }
  auto by_rowid = database.prepare("SELECT " + selected(layout, scan.columns) + from + " WHERE " + pages.rowid + " = ?1");
  if (!by_rowid) return core::fail(by_rowid.error());
  for (const RowBatch* rows : {&samples.rows(), &samples.last()}) {
    auto same = same_rows(database, *by_rowid, *rows);
    if (!same || !*same) return same;
  }
  return true;
}

core::Expected<bool> over_pages(Database& database, std::string_view table, const Layout& layout, const RowScan& scan,
                                const Pages& pages) {
  Samples samples(scan.columns.size());
  const std::size_t batches = pages.leaves.size() * pages.decoder->format().page_size / kPageBlock;
  PageScan page_scan;
  page_scan.rows = [&](const RowBatch& batch) -> core::Status {
    samples.look(batch, batches);
    return scan.rows(batch);
  };
  page_scan.stop = [&database] { return database.stop_asked(); };
  page_scan.progress = scan.progress;
  PageScanResult result = scan_pages(*pages.decoder, pages.leaves, pages.read, scan.columns.size(), page_scan);
  switch (result.end) {
    case PageScanEnd::refused:
      return core::fail(std::move(result.error));
    case PageScanEnd::stopped:
      return core::fail(database.stopped());
    case PageScanEnd::unusual:
      return false;
    case PageScanEnd::complete:
      break;
  }
  auto agrees = sqlite_agrees(database, table, layout, scan, pages, samples, result.rows);
  // Damage that a search by row id meets and a walk over all rows does not: SQLite's own walk decides what the table holds.
  if (!agrees && agrees.error().code != core::ErrorCode::cancelled) return false;
  return agrees;
}

}  // namespace

core::Expected<bool> scan_rows(Database& database, std::string_view table, const RowScan& scan) {
  const auto layout = layout_of(database, table);
  if (!layout) return core::fail(layout.error());
  if (scan.over_pages != nullptr) *scan.over_pages = false;
  if (scan.source == RowSource::pages_where_possible) {
    const auto pages = pages_of(database, table, *layout, scan.columns);
    if (!pages) return core::fail(pages.error());
    if (database.stop_asked()) return core::fail(database.stopped());
    if (scan.over_pages != nullptr) *scan.over_pages = pages->has_value();
    if (*pages) return over_pages(database, table, *layout, scan, **pages);
  }
  return through_sqlite(database, table, *layout, scan);
}

}  // namespace plumbline::profiles
