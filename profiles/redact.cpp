#include "profiles/redact.hpp"

#include <sqlite3.h>

#include <array>
#include <memory>

#include "profiles/readers/descriptor_vfs.hpp"
#include "profiles/readers/open_file.hpp"

namespace plumbline::profiles {

namespace {

using core::ErrorCode;

struct Closer {
  void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
};
using Database = std::unique_ptr<sqlite3, Closer>;

// Where exports keep the environment of the profiled processes and of the collecting device. What this program reads of
// those tables (driver, CUDA version, capture mode) is kept; everything else goes.
struct Redaction {
  const char* table;
  const char* statement;
};
constexpr std::array<Redaction, 4> kRedactions = {{
    {"META_DATA_CAPTURE",
     "UPDATE META_DATA_CAPTURE SET value='[redacted]' WHERE name LIKE '%ENVIRONMENT%' OR name LIKE '%COMMAND%' OR name LIKE "
     "'%ARGUMENTS%'"},
    {"META_DATA_EXPORT", "UPDATE META_DATA_EXPORT SET value='[redacted]' WHERE name LIKE '%ENVIRONMENT%' OR name LIKE '%PATH%'"},
    {"TARGET_INFO_SYSTEM_ENV",
     "UPDATE TARGET_INFO_SYSTEM_ENV SET value='[redacted]' WHERE name NOT IN "
     "('NvDriverVersion','CudaDriverVersion','CpuDescription','OsDescription','KernelVersion','TargetInstallDir')"},
    {"PROCESS_ENVIRONMENT", "DELETE FROM PROCESS_ENVIRONMENT"},
}};

bool has_table(sqlite3* db, const char* name) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(db, "SELECT 1 FROM sqlite_master WHERE type='table' AND name=?1", -1, &statement, nullptr) != SQLITE_OK)
    return false;
  sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
  const bool found = sqlite3_step(statement) == SQLITE_ROW;
  sqlite3_finalize(statement);
  return found;
}

}  // namespace

core::Expected<std::string> redacted_capture(const std::string& path, const Opener& open) {
  const auto refuse = [&](const std::string& why) {
    return core::fail(ErrorCode::invalid_input, path + " cannot be redacted: " + why,
                      "export it first (nsys export -t sqlite --lazy=true -o x.sqlite FILE) and record the export with --redact",
                      path);
  };
  sqlite3* raw = nullptr;
  const OpenFile file(path, open);
  const int opened = file.is_file() ? open_descriptor(file.get(), &raw) : SQLITE_CANTOPEN;
  const Database source(raw);
  if (opened != SQLITE_OK) return refuse("it does not open as a SQLite export");
  raw = nullptr;
  const int memory = sqlite3_open_v2(":memory:", &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY, nullptr);
  const Database copy(raw);
  if (memory != SQLITE_OK) return core::fail(ErrorCode::environment, "no memory to redact " + path);
  sqlite3_backup* backup = sqlite3_backup_init(copy.get(), "main", source.get(), "main");
  if (backup == nullptr) return refuse("only SQLite exports can be");
  const int copied = sqlite3_backup_step(backup, -1);
  sqlite3_backup_finish(backup);
  if (copied != SQLITE_DONE) return refuse("only SQLite exports can be");
  if (!has_table(copy.get(), "StringIds")) return refuse("it is not an Nsight Systems export");
  for (const Redaction& redaction : kRedactions) {
    if (!has_table(copy.get(), redaction.table)) continue;
    if (sqlite3_exec(copy.get(), redaction.statement, nullptr, nullptr, nullptr) != SQLITE_OK) {
      return refuse(std::string("table ") + redaction.table + " cannot be changed: " + sqlite3_errmsg(copy.get()));
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

}  // namespace plumbline::profiles
