// What the two generations of benchstat's tables share: one number of a table with where it stands and what benchstat said of
// it. Values are in base units (s, B, B/s), and units are written as benchstat writes them since 2023 ("sec/op", "B/op",
// "B/s"), so that tables of both generations have the same keys. The old ones and their units: golang.org/x/perf/benchstat,
// text.go, table.go and scaler.go. Private to formats/harness. Plain values and pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/format.hpp"

namespace plumbline::formats {

struct BenchstatEntry {
  std::string name, file;                     // file: the column
  std::map<std::string, std::string> config;  // what stands above the table
  std::string unit;
  std::optional<double> value, interval, change, p;  // interval and change in percent
  bool mean = false;                                 // the last line: over whatever benchmarks there are
};

// Tables of before 2023, text ("name  old time/op  new time/op  delta", "name \ time/op  a.txt  b.txt") or CSV.
[[nodiscard]] bool detect_old_benchstat(std::string_view head, Detection& detection);
struct OldBenchstat {
  std::vector<BenchstatEntry> entries;
  std::uint64_t unread = 0;  // lines inside a table that are no row of it
  std::string example;
};
[[nodiscard]] OldBenchstat read_old_benchstat(std::string_view text);

// "12%" as 12, "+3.4%" as 3.4; the number behind "p=".
[[nodiscard]] std::optional<double> benchstat_percent(std::string_view text);
[[nodiscard]] std::optional<double> benchstat_p(std::string_view text);
// Every row keeps what stands above its table: more settings, or lines of a header, than anyone writes are not looked at.
constexpr std::size_t kMostSettings = 32, kMostLevels = 32;

}  // namespace plumbline::formats
