#include "profiles/redaction/sqlite_scan.hpp"

#include <algorithm>

namespace plumbline::profiles {
namespace {

std::string selected(const std::vector<std::string>& there, std::string_view column) {
  return std::find(there.begin(), there.end(), column) == there.end() ? "NULL" : quoted_identifier(column);
}

}  // namespace

core::Status scan_texts(Database& database, std::string_view table, const std::vector<std::string_view>& columns,
                        std::string_view text, const std::function<void(std::span<const Integer>, std::string_view)>& row) {
  const auto there = database.columns(table);
  if (!there) return core::fail(there.error());
  std::string sql = "SELECT ";
  for (const std::string_view column : columns) sql += selected(*there, column) + ", ";
  sql += text.empty() ? "NULL" : selected(*there, text);
  const auto statement = database.prepare(sql + " FROM " + quoted_identifier(table) + " NOT INDEXED");
  if (!statement) return core::fail(statement.error());
  std::vector<Integer> values(columns.size());
  for (;;) {
    const auto more = database.step(*statement);
    if (!more) return core::fail(more.error());
    if (!*more) return {};
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = statement->integer(static_cast<int>(i));
    row(values, statement->text(static_cast<int>(values.size())));
  }
}

core::Status scan_integers(Database& database, std::string_view table, const std::vector<std::string_view>& columns,
                           const std::function<void(std::span<const Integer>)>& row) {
  return scan_texts(database, table, columns, {}, [&row](std::span<const Integer> values, std::string_view) { row(values); });
}

}  // namespace plumbline::profiles
