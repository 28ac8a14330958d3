// The records of a profiler's CSV, whatever stands in them: header lines choose the table that the rows after them belong to,
// titles that nsys prints name it, other lines are none. Totals go to SumTables, events to EventTables.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/readers/bytes/csv_stream.hpp"
#include "profiles/readers/tables/event_tables.hpp"
#include "profiles/readers/tables/sum_tables.hpp"

namespace plumbline::profiles {

class ReportReader {
 public:
  ReportReader(SumTables& sums, EventTables& events, const ReadOptions& options)
      : sums_(sums), events_(events), options_(options) {}
  // A whole file. `expected` is what its name says it holds; unknown: whatever its headers say.
  [[nodiscard]] core::Status read(CsvStream& records, const std::string& where, Report expected);
  // The same record by record.
  void begin(const std::string& where, Report expected);
  [[nodiscard]] core::Status record(const std::vector<std::string_view>& fields, std::uint64_t line);
  [[nodiscard]] core::Status end();

 private:
  core::Status flush();
  void title(const std::vector<std::string_view>& fields);

  SumTables& sums_;
  EventTables& events_;
  const ReadOptions& options_;
  std::string where_;
  Report expected_ = Report::unknown, title_ = Report::unknown;
  std::optional<SumColumns> sum_;
  std::optional<EventColumns> event_;
  TableRows rows_;
  bool any_header_ = false, any_row_ = false;
};

// The head of a text has a header line of a table that ReportReader reads.
[[nodiscard]] bool looks_like_report(std::string_view head);

}  // namespace plumbline::profiles
