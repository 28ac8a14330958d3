// What of a capture in SQLite a redacted copy holds: the tables and columns named here and no others. A column of numbers loses
// every text that stands in it (any column of SQLite may hold any kind of value); a column of texts has a rule for them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "profiles/readers/sqlite/sqlite_database.hpp"
#include "profiles/redaction/names_apart.hpp"

namespace plumbline::profiles {

enum class TextRule : std::uint8_t {
  none,           // no text stays
  name,           // of a kernel or of what ran: stays, cleaned
  string,         // a row of a table of strings: what refers to it decides
  plain,          // stays where it is made of numbers and known words (plain_words.hpp)
  row_name,       // the name of a fact; the row stays where the list of facts knows it
  range_name,     // as name, where the event is a range or names a domain
  range_payload,  // bytes of NCCL's payload: its three numbers
  range_json,     // the same as JSON
  payload_entry,  // a name of one of these numbers
  diagnostic,     // what says that events are missing
  agent_type,     // "GPU" or "CPU"
  version,        // of a schema
  message,        // JSON with a range's name as "message"
};

struct TextColumn {
  std::string_view name;
  TextRule rule = TextRule::none;
  std::string_view by;  // the column beside it that decides
};
struct TableRule {
  std::string_view name;     // of rocpd: of its part
  std::string_view numbers;  // columns, with blanks between
  std::span<const TextColumn> texts = {};
  bool keyed = false;  // the reader looks its rows up by "id"
};

// What stands in one cell, and the number in the cell that decides.
struct SqliteText {
  std::string_view text;
  TextRule rule = TextRule::none;
  std::optional<std::int64_t> by;
};
struct CleanText {
  enum class Kind : std::uint8_t { null, same, text, blob };
  Kind kind = Kind::null;
  std::string bytes = {};
};

struct TableCopy {
  std::string from, to;
  const TableRule* rule = nullptr;
  std::size_t set = 0;  // of rocpd: which run's tables
};

// The rules of one kind of capture, with what they must know of the one at hand.
class SqliteRules {
 public:
  SqliteRules() = default;
  SqliteRules(const SqliteRules&) = delete;
  SqliteRules& operator=(const SqliteRules&) = delete;
  virtual ~SqliteRules() = default;
  // The tables to copy, in the order of the original.
  [[nodiscard]] virtual std::vector<TableCopy> tables(const std::vector<std::string>& all) = 0;
  // The first pass: what texts are names, and what they will be called.
  [[nodiscard]] virtual core::Status learn(Database& database, const std::vector<TableCopy>& tables) = 0;
  [[nodiscard]] virtual CleanText clean(const TableCopy& table, const SqliteText& text) = 0;
  // Whether the row whose row_name is this stays.
  [[nodiscard]] virtual bool keeps(std::string_view row_name) const = 0;
};

[[nodiscard]] std::unique_ptr<SqliteRules> nsys_rules();
[[nodiscard]] std::unique_ptr<SqliteRules> rocpd_rules();
// Tables of exports that are known and not copied, for the report: nothing else of a stranger's table is ever named.
[[nodiscard]] std::string_view known_table(std::string_view name);

}  // namespace plumbline::profiles
