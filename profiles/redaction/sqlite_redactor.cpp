#include "profiles/redaction/sqlite_redactor.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <memory>
#include <set>
#include <vector>

#include "core/text.hpp"
#include "profiles/readers/nsys/nsys_sqlite.hpp"
#include "profiles/readers/rocm/rocpd.hpp"
#include "profiles/redaction/sqlite_rules.hpp"

namespace plumbline::profiles {
namespace {

using core::ErrorCode;

constexpr std::uint64_t kMostBytes = std::uint64_t{2} << 30U;

struct Closer {
  void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
};
using Handle = std::unique_ptr<sqlite3, Closer>;

struct Column {
  std::string_view name;
  TextRule rule = TextRule::none;
  std::string affinity;
  int by = -1;  // where the column that decides stands among the selected ones
  std::uint64_t taken = 0;
};

// What SQLite makes of a declared type (sqlite.org/datatype3.html, 3.1): values are stored again as they were.
std::string affinity(std::string declared) {
  declared = core::to_lower(std::move(declared));
  const auto says = [&declared](std::string_view word) { return declared.find(word) != std::string::npos; };
  if (says("int")) return " INTEGER";
  if (says("char") || says("clob") || says("text")) return " TEXT";
  if (declared.empty() || says("blob")) return "";
  if (says("real") || says("floa") || says("doub")) return " REAL";
  return " NUMERIC";
}

TextRule rule_of(const TableRule& table, std::string_view column, std::string_view& by, bool& known) {
  for (const TextColumn& text : table.texts) {
    if (text.name != column) continue;
    by = text.by;
    known = true;
    return text.rule;
  }
  for (std::string_view rest = table.numbers; !rest.empty() && !known;) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    known = rest.substr(0, end) == column;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return TextRule::none;
}

class Redactor {
 public:
  Redactor(Database& database, SqliteRules& rules) : database_(database), rules_(rules) {}
  core::Expected<Redaction> redact(const std::vector<std::string>& all) {
    if (database_.file_size() > kMostBytes) {
      return core::fail(ErrorCode::limit_exceeded,
                        database_.name() + " cannot be redacted: it is larger than 2048 MiB, the most that is",
                        "export a part of it (nsys export --times START/END)", database_.name());
    }
    sqlite3* raw = nullptr;
    const int code = sqlite3_open_v2(":memory:", &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY, nullptr);
    to_.reset(raw);
    if (code != SQLITE_OK) return core::fail(no_memory());
    const std::vector<TableCopy> tables = rules_.tables(all);
    if (core::Status status = rules_.learn(database_, tables); !status) return core::fail(refused(status.error()));
    if (core::Status status = run("BEGIN"); !status) return core::fail(status.error());
    std::set<std::string_view> copied;
    for (const TableCopy& table : tables) {
      copied.insert(table.from);
      if (core::Status status = copy(table); !status) return core::fail(refused(status.error()));
    }
    for (const std::string& name : all) {
      if (!copied.contains(name)) leave_out(name);
    }
    if (core::Status status = run("COMMIT"); !status) return core::fail(status.error());
    return serialized();
  }

 private:
  [[nodiscard]] core::Error no_memory() const {
    return {ErrorCode::environment, "no memory to redact " + database_.name(), {}, database_.name()};
  }
  [[nodiscard]] core::Error refused(core::Error error) const {
    if (error.code == ErrorCode::invalid_input) error.message = database_.name() + " cannot be redacted: " + error.message;
    return error;
  }
  core::Status run(const std::string& sql) {
    if (sqlite3_exec(to_.get(), sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return {};
    return core::fail(no_memory());
  }

  core::Expected<std::vector<Column>> columns(const TableCopy& table) {
    auto statement = database_.prepare("PRAGMA table_info(" + quoted_identifier(table.from) + ")");
    if (!statement) return core::fail(statement.error());
    std::vector<Column> columns;
    for (;;) {
      const auto row = database_.step(*statement);
      if (!row) return core::fail(row.error());
      if (!*row) break;
      bool known = false;
      std::string_view by;
      const TextRule rule = rule_of(*table.rule, statement->text(1), by, known);
      if (!known) {
        taken_.add("columns that are not kept");
        continue;
      }
      columns.push_back({own_name(*table.rule, statement->text(1)), rule, affinity(std::string(statement->text(2)))});
      if (!by.empty()) waiting_.emplace_back(columns.size() - 1, by);
    }
    for (const auto& [column, by] : waiting_) {
      const auto found =
          std::find_if(columns.begin(), columns.end(), [name = by](const Column& each) { return each.name == name; });
      if (found != columns.end()) columns[column].by = static_cast<int>(found - columns.begin());
    }
    waiting_.clear();
    return columns;
  }
  // The name as the rules have it: nothing of the original's text goes into the new database.
  static std::string_view own_name(const TableRule& rule, std::string_view name) {
    for (const TextColumn& text : rule.texts) {
      if (text.name == name) return text.name;
    }
    const std::size_t at = (" " + std::string(rule.numbers) + " ").find(" " + std::string(name) + " ");
    return rule.numbers.substr(at, name.size());
  }

  core::Status copy(const TableCopy& table) {
    auto columns = this->columns(table);
    if (!columns) return core::fail(columns.error());
    if (columns->empty()) return {};
    std::string create = "CREATE TABLE " + quoted_identifier(table.to) + " (", select = "SELECT ", values;
    for (const Column& column : *columns) {
      const std::string comma = values.empty() ? "" : ", ";
      const bool key = table.rule->keyed && column.name == "id" && is_keyed(table);
      create += comma + quoted_identifier(column.name) + (key ? " INTEGER PRIMARY KEY" : column.affinity);
      select += comma + quoted_identifier(column.name);
      values += comma + "?";
    }
    if (core::Status status = run(create + ")"); !status) return status;
    const auto from = database_.prepare(select + " FROM " + quoted_identifier(table.from) + " NOT INDEXED");
    if (!from) return core::fail(from.error());
    sqlite3_stmt* raw = nullptr;
    const std::string insert = "INSERT INTO " + quoted_identifier(table.to) + " VALUES (" + values + ")";
    if (sqlite3_prepare_v2(to_.get(), insert.c_str(), -1, &raw, nullptr) != SQLITE_OK) return core::fail(no_memory());
    const Statement into(raw);
    for (;;) {
      const auto row = database_.step(*from);
      if (!row) return core::fail(row.error());
      if (!*row) break;
      if (core::Status status = copy_row(table, *columns, from->get(), into.get()); !status) return status;
    }
    for (const Column& column : *columns)
      taken_.add(std::string(table.rule->name) + "." + std::string(column.name), column.taken);
    return {};
  }
  bool is_keyed(const TableCopy& table) {
    const auto keyed = database_.has_key(table.from, "id");
    return keyed && *keyed;
  }

  static int row_name(const std::vector<Column>& columns) {
    const auto named =
        std::find_if(columns.begin(), columns.end(), [](const Column& each) { return each.rule == TextRule::row_name; });
    return named == columns.end() ? -1 : static_cast<int>(named - columns.begin());
  }

  core::Status copy_row(const TableCopy& table, std::vector<Column>& columns, sqlite3_stmt* from, sqlite3_stmt* into) {
    if (const int named = row_name(columns); named >= 0 && !rules_.keeps(text(from, named).text)) {
      taken_.add(std::string(table.rule->name) + " rows");
      return {};
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (bind(table, columns[i], from, static_cast<int>(i), into) != SQLITE_OK) return core::fail(no_memory());
    }
    const int code = sqlite3_step(into);
    sqlite3_reset(into);
    return code == SQLITE_DONE ? core::Status() : core::fail(no_memory());
  }
  // The rule is that of the column, what it is asked of the value: any column may hold any kind.
  int bind(const TableCopy& table, Column& column, sqlite3_stmt* from, int at, sqlite3_stmt* into) {
    switch (sqlite3_column_type(from, at)) {
      case SQLITE_INTEGER:
        return sqlite3_bind_int64(into, at + 1, sqlite3_column_int64(from, at));
      case SQLITE_FLOAT:
        return sqlite3_bind_double(into, at + 1, sqlite3_column_double(from, at));
      case SQLITE_NULL:
        return sqlite3_bind_null(into, at + 1);
      default:
        return bind_text(table, column, from, at, into);
    }
  }
  int bind_text(const TableCopy& table, Column& column, sqlite3_stmt* from, int at, sqlite3_stmt* into) {
    sqlite3_value* value = sqlite3_column_value(from, at);
    SqliteText cell = text(from, at);
    if (cell.text.empty()) return sqlite3_bind_value(into, at + 1, value);
    cell.rule = column.rule;
    if (column.by >= 0) {
      if (sqlite3_column_type(from, column.by) == SQLITE_INTEGER) cell.by = sqlite3_column_int64(from, column.by);
    }
    CleanText clean{CleanText::Kind::text, std::string(core::kRedacted)};
    if (column.rule != TextRule::none) clean = rules_.clean(table, cell);
    switch (clean.kind) {
      case CleanText::Kind::same:
        return sqlite3_bind_value(into, at + 1, value);
      case CleanText::Kind::null:
        ++column.taken;
        return sqlite3_bind_null(into, at + 1);
      case CleanText::Kind::text:
        column.taken += clean.bytes == cell.text ? 0 : 1;
        return sqlite3_bind_text64(into, at + 1, clean.bytes.data(), clean.bytes.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
      case CleanText::Kind::blob:
        column.taken += clean.bytes == cell.text ? 0 : 1;
        return sqlite3_bind_blob64(into, at + 1, clean.bytes.data(), clean.bytes.size(), SQLITE_TRANSIENT);
    }
    return SQLITE_ERROR;
  }
  // Bytes of a blob as they are: readers take them for texts, too.
  static SqliteText text(sqlite3_stmt* from, int at) {
    SqliteText cell;
    const bool blob = sqlite3_column_type(from, at) == SQLITE_BLOB;
    const void* bytes = blob ? sqlite3_column_blob(from, at) : sqlite3_column_text(from, at);
    if (bytes != nullptr) cell.text = {static_cast<const char*>(bytes), static_cast<std::size_t>(sqlite3_column_bytes(from, at))};
    return cell;
  }

  void leave_out(const std::string& name) {
    if (name.starts_with("sqlite_")) return;
    std::uint64_t rows = 1;
    const std::string_view known = known_table(name);
    const auto statement = database_.prepare("SELECT count(*) FROM " + quoted_identifier(name));
    if (statement) {
      const auto row = database_.step(*statement);
      if (row && *row) rows = static_cast<std::uint64_t>(std::max<std::int64_t>(0, statement->integer(0).value_or(1)));
    }
    taken_.add(std::string(known) + " rows", rows);
  }

  core::Expected<Redaction> serialized() {
    sqlite3_int64 size = 0;
    unsigned char* bytes = sqlite3_serialize(to_.get(), "main", &size, 0);
    if (bytes == nullptr) return core::fail(no_memory());
    Redaction done;
    done.bytes.assign(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
    sqlite3_free(bytes);
    done.taken_out = taken_.places();
    return done;
  }

  Database& database_;
  SqliteRules& rules_;
  Handle to_;
  TakenOut taken_;
  std::vector<std::pair<std::size_t, std::string_view>> waiting_;  // columns that another decides
};

}  // namespace

core::Expected<Redaction> redacted_sqlite(Database& database) {
  const auto tables = database.tables();
  if (!tables) return core::fail(tables.error());
  std::unique_ptr<SqliteRules> rules;
  if (is_rocpd_schema(*tables)) {
    rules = rocpd_rules();
  } else if (is_nsys_schema({tables->begin(), tables->end()})) {
    rules = nsys_rules();
  } else {
    return core::fail(ErrorCode::invalid_input,
                      database.name() + " cannot be redacted: it is neither an Nsight Systems export nor a rocpd database",
                      "record it without --redact if all that it holds may be kept", database.name());
  }
  return Redactor(database, *rules).redact(*tables);
}

}  // namespace plumbline::profiles
