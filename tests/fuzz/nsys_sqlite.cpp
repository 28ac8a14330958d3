// links: profiles core
// Any bytes as an Nsight Systems export: the reader answers or refuses, and what it answers can be compared with itself.
#include <sqlite3.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "profiles/readers/readers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace plumbline::profiles;
  sqlite3* db = nullptr;
  if (sqlite3_open(":memory:", &db) != SQLITE_OK) std::abort();
  auto* copy = static_cast<unsigned char*>(sqlite3_malloc64(size + 1));
  if (size > 0) std::memcpy(copy, data, size);
  // A bound on the work of one input, in place of the caller's patience: a schema may hold any expression.
  int questions = 0;
  ReadOptions options;
  options.stop = [&] { return ++questions > 200; };
  if (sqlite3_deserialize(db, "main", copy, static_cast<sqlite3_int64>(size), static_cast<sqlite3_int64>(size),
                          SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY) == SQLITE_OK) {
    const auto profile = read_nsys_sqlite(db, "fuzz", options);
    if (profile) {
      const auto result = diff(*profile, *profile, {});
      for (const auto& row : result.kernels) {
        if (row.delta_ns != 0) std::abort();
      }
    } else if (profile.error().message.empty()) {
      std::abort();
    }
  }
  sqlite3_close(db);
  return 0;
}
