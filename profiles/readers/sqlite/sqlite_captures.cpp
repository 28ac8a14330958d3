#include "profiles/readers/sqlite/sqlite_captures.hpp"

#include "profiles/readers/form.hpp"
#include "profiles/readers/nsys/nsys_sqlite.hpp"
#include "profiles/readers/readers.hpp"
#include "profiles/readers/rocm/rocpd.hpp"

namespace plumbline::profiles {

core::Expected<Profile> read_sqlite(const std::string& path, const ReadOptions& options, RowSource source) {
  auto database = Database::open(path, options.open, options.stop);
  if (!database) return core::fail(database.error());
  const auto tables = database->tables();
  if (!tables) return core::fail(tables.error());
  return is_rocpd_schema(*tables) ? read_rocpd(*database, options, source) : read_nsys(*database, options, source);
}

core::Expected<Profile> read_sqlite(const std::string& path, const ReadOptions& options) {
  return read_sqlite(path, options, RowSource::pages_where_possible);
}

bool is_sqlite_capture(const std::string& path, const Opener& open) {
  auto database = Database::open(path, open, {});
  if (!database) return true;  // damaged: for this room to say so
  const auto tables = database->tables();
  return !tables || is_nsys_schema({tables->begin(), tables->end()}) || is_rocpd_schema(*tables);
}

extern const Form sqlite_form = {
    .name = "sqlite",
    .captures = {{{"nsys-sqlite", "SQLite export of Nsight Systems", "SQLite's magic and the tables of an export", "SQLite",
                   "nsys profile -t cuda,nvtx,osrt -o report COMMAND\n"
                   "nsys export --type sqlite -o report.sqlite report.nsys-rep"},
                  {"rocpd",
                   "rocprofv3's database: kernels, copies, HIP calls and regions from its base tables, old and new table names",
                   "SQLite's magic and the tables of rocpd", "SQLite",
                   "rocprofv3 --runtime-trace --output-format rocpd -d DIR -- COMMAND"}}},
    .recognises = [](const OpenFile&, std::string_view head) { return head.starts_with(kSqliteMagic); },
    .read = &read_sqlite,
};

}  // namespace plumbline::profiles
