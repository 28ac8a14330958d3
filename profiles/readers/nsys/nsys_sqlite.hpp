// What an Nsight Systems export says about itself: its tables, its versions, the machine it was made on. Exports carry the
// whole environment of the profiled process (API keys among it) in META_DATA_CAPTURE and TARGET_INFO_SYSTEM_ENV; from those
// two tables only the values of a fixed list of keys are ever read out of the database.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "profiles/profile.hpp"
#include "profiles/readers/sqlite/sqlite_database.hpp"
#include "profiles/readers/sqlite/sqlite_rows.hpp"

namespace plumbline::profiles {

struct NsysGpu {
  std::string name;     // "" where not known
  core::Context facts;  // clock, memory, multiprocessors, compute capability
};

struct NsysSchema {
  std::set<std::string, std::less<>> tables;
  std::string version;                   // "2026.2.1.210 (schema 3.25.0)", "" before 2022.4
  std::string graph_mode;                // "graph" "node", "" when the capture does not say
  std::map<std::int64_t, NsysGpu> gpus;  // by deviceId
  core::Context context;
  std::vector<core::Warning> warnings;
  std::uint64_t environment_rows = 0;
  PrivateRows private_rows;
};

[[nodiscard]] bool is_nsys_schema(const std::set<std::string, std::less<>>& tables);
[[nodiscard]] core::Expected<NsysSchema> read_nsys_schema(Database& database);

[[nodiscard]] core::Expected<Profile> read_nsys(Database& database, const ReadOptions& options, RowSource source);

void bind(const Statement& statement, std::int64_t value);
void reset(const Statement& statement);

}  // namespace plumbline::profiles
