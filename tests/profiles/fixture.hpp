// Small captures made by hand: SQLite exports of any schema, CSV folders, and the place of the real samples.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "profiles/profile.hpp"

namespace plumbline::profiles::test {

// A folder that goes away with the test.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "plumbline-profiles-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  [[nodiscard]] std::string path() const { return path_.string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return *this / name;
  }

 private:
  std::filesystem::path path_;
};

inline void run_sql(const std::string& path, const std::string& sql) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
  char* message = nullptr;
  EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK) << (message != nullptr ? message : "");
  sqlite3_free(message);
  sqlite3_close(db);
}

inline constexpr const char* kStrings =
    "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
    "INSERT INTO StringIds VALUES (1,'gemm_kernel'),(2,'ncclDevKernel_AllReduce_Sum_f32_RING_LL'),(3,'cudaLaunchKernel_v7000'),"
    "(4,'cudaEventRecordWithFlags_v11010'),(5,'forward'),(6,'CCCL');";
inline constexpr const char* kKernels =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId "
    "INTEGER, "
    "greenContextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER NOT NULL, "
    "shortName INTEGER);";
inline std::string kernel(long start, long end, int name, int device = 0, int stream = 7, int correlation = 1,
                          long pid = 1L << 24) {
  return "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start,end,deviceId,streamId,demangledName,correlationId,globalPid) VALUES (" +
         std::to_string(start) + "," + std::to_string(end) + "," + std::to_string(device) + "," + std::to_string(stream) + "," +
         std::to_string(name) + "," + std::to_string(correlation) + "," + std::to_string(pid) + ");";
}

inline const NamedAggregate* find(const std::vector<NamedAggregate>& list, std::string_view name) {
  for (const NamedAggregate& each : list) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

inline bool warned(const std::vector<core::Warning>& warnings, core::WarningCode code) {
  for (const core::Warning& warning : warnings) {
    if (warning.code == code) return true;
  }
  return false;
}

// The folder of real captures, "" where it is absent: a test that needs it is skipped then, and counted as skipped.
inline std::string samples(const std::string& folder) {
  const char* named = std::getenv("PLUMBLINE_SAMPLES");
  const std::filesystem::path root = named != nullptr ? named : PLUMBLINE_SOURCE "/../shared/samples";
  return std::filesystem::is_directory(root / folder) ? (root / folder).string() + "/" : std::string();
}

}  // namespace plumbline::profiles::test
