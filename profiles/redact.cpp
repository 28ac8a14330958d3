#include "profiles/redact.hpp"

#include <sqlite3.h>

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "profiles/readers/bytes/byte_source.hpp"
#include "profiles/readers/open_file.hpp"
#include "profiles/readers/readers.hpp"
#include "profiles/readers/sqlite/descriptor_vfs.hpp"
#include "profiles/readers/sqlite/sqlite_database.hpp"
#include "profiles/redact_json.hpp"

namespace plumbline::profiles {

namespace {

using core::ErrorCode;

struct Closer {
  void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
};
using Handle = std::unique_ptr<sqlite3, Closer>;

// Where captures keep the environment of the profiled processes, their command lines, and the machine's names. What this program
// reads of those tables (driver, CUDA version, capture mode, process ids) is kept. `table` is a GLOB: rocpd's tables carry the
// run's id behind their names. Statements have the table's name in place of ?.
struct Redaction {
  const char* table;
  const char* statement;
};
constexpr std::array<Redaction, 8> kRedactions = {{
    {"META_DATA_CAPTURE",
     "UPDATE ? SET value='[redacted]' WHERE name LIKE '%ENVIRONMENT%' OR name LIKE '%COMMAND%' OR name LIKE '%ARGUMENTS%'"},
    {"META_DATA_EXPORT", "UPDATE ? SET value='[redacted]' WHERE name LIKE '%ENVIRONMENT%' OR name LIKE '%PATH%'"},
    {"TARGET_INFO_SYSTEM_ENV",
     "UPDATE ? SET value='[redacted]' WHERE name NOT IN "
     "('NvDriverVersion','CudaDriverVersion','CpuDescription','OsDescription','KernelVersion','TargetInstallDir')"},
    {"PROCESS_ENVIRONMENT", "DELETE FROM ?"},
    {"rocpd_info_process*", "UPDATE ? SET environment='[redacted]', command='[redacted]', extdata='{}'"},
    {"_rocpd_info_process*", "UPDATE ? SET environment='[redacted]', command='[redacted]', extdata='{}'"},
    {"rocpd_info_node*", "UPDATE ? SET hostname='[redacted]', machine_id='[redacted] ' || id"},
    {"_rocpd_info_node*", "UPDATE ? SET hostname='[redacted]', machine_id='[redacted] ' || id"},
}};

std::vector<std::string> tables_like(sqlite3* db, const char* pattern) {
  std::vector<std::string> names;
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(db, "SELECT name FROM sqlite_master WHERE type='table' AND name GLOB ?1", -1, &statement, nullptr) !=
      SQLITE_OK)
    return names;
  sqlite3_bind_text(statement, 1, pattern, -1, SQLITE_STATIC);
  while (sqlite3_step(statement) == SQLITE_ROW) {
    if (const unsigned char* name = sqlite3_column_text(statement, 0)) names.emplace_back(reinterpret_cast<const char*>(name));
  }
  sqlite3_finalize(statement);
  return names;
}

core::Expected<std::string> redacted_sqlite(const std::string& path, const OpenFile& file) {
  const auto refuse = [&](const std::string& why) {
    return core::fail(ErrorCode::invalid_input, path + " cannot be redacted: " + why,
                      "export the capture again, or record it without --redact if all that it holds may be kept", path);
  };
  sqlite3* raw = nullptr;
  const int opened = open_descriptor(file.get(), &raw);
  const Handle source(raw);
  if (opened != SQLITE_OK) return refuse("it does not open as a SQLite database");
  raw = nullptr;
  const int memory = sqlite3_open_v2(":memory:", &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY, nullptr);
  const Handle copy(raw);
  if (memory != SQLITE_OK) return core::fail(ErrorCode::environment, "no memory to redact " + path);
  sqlite3_backup* backup = sqlite3_backup_init(copy.get(), "main", source.get(), "main");
  if (backup == nullptr) return refuse("the database cannot be read to its end");
  const int copied = sqlite3_backup_step(backup, -1);
  sqlite3_backup_finish(backup);
  if (copied != SQLITE_DONE) return refuse("the database cannot be read to its end");
  const bool rocpd = !tables_like(copy.get(), "*rocpd_info_process*").empty();
  if (!rocpd && tables_like(copy.get(), "StringIds").empty())
    return refuse("it is neither an Nsight Systems export nor a rocpd database");
  for (const Redaction& redaction : kRedactions) {
    for (const std::string& table : tables_like(copy.get(), redaction.table)) {
      std::string sql = redaction.statement;
      sql.replace(sql.find('?'), 1, quoted_identifier(table));
      if (sqlite3_exec(copy.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
        return refuse("table " + table + " cannot be changed: " + sqlite3_errmsg(copy.get()));
      }
    }
  }
  // Freed pages would still hold the old text: the database is rewritten.
  if (sqlite3_exec(copy.get(), "VACUUM", nullptr, nullptr, nullptr) != SQLITE_OK) return refuse(sqlite3_errmsg(copy.get()));
  sqlite3_int64 size = 0;
  unsigned char* bytes = sqlite3_serialize(copy.get(), "main", &size, 0);
  if (bytes == nullptr) return core::fail(ErrorCode::environment, "no memory to redact " + path);
  std::string out(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  sqlite3_free(bytes);
  return out;
}

}  // namespace

core::Expected<std::string> redacted_capture(const std::string& path, const Opener& open) {
  constexpr std::string_view kSqliteMagic{"SQLite format 3\0", 16};
  constexpr std::size_t kTableHead = std::size_t{1} << 16U;
  constexpr std::uint64_t kMostText = std::uint64_t{1} << 30U;
  const OpenFile file(path, open);
  if (file.is_folder()) {
    return core::fail(
        ErrorCode::invalid_input, path + " cannot be redacted: it is a folder",
        "record the captures in it one by one with --redact (SQLite exports and JSON traces can be redacted), or the "
        "folder without --redact if all that it holds may be kept",
        path);
  }
  if (!file.is_file()) return core::fail(ErrorCode::environment, "the capture cannot be opened for reading", {}, path);
  const std::string head = file.head(kTableHead).value_or(std::string());
  if (head.starts_with(kSqliteMagic)) return redacted_sqlite(path, file);
  if (head.starts_with(kNsysRepMagic)) {
    return core::fail(ErrorCode::invalid_input, path + " cannot be redacted: it is a report in Nsight Systems' own form",
                      "export it first (nsys export -t sqlite --lazy=true -o x.sqlite FILE) and record the export with --redact",
                      path);
  }
  if (json_trace(file) != JsonTrace::none || is_nsys_stats_json(head)) return redacted_json(*text_bytes(file), kMostText, path);
  return core::fail(
      ErrorCode::invalid_input, path + " cannot be redacted: of captures only SQLite exports and JSON traces can be",
      "remove what must not be kept yourself and record the cleaned file, or record it without --redact if all that "
      "it holds may be kept",
      path);
}

}  // namespace plumbline::profiles
