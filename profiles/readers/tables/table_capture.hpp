// What the tables of one capture make together, over one file or several: events where there are traces, totals where there
// are summaries. A trace of kernels gives the timeline and every kernel figure; summaries beside it fill what no trace says.
#pragma once

#include <string>

#include "profiles/readers/tables/report_reader.hpp"

namespace plumbline::profiles {

class TableCapture {
 public:
  explicit TableCapture(const ReadOptions& options)
      : options_(options), events_(capture_, options), reader_(sums_, events_, options) {}
  TableCapture(const TableCapture&) = delete;
  TableCapture& operator=(const TableCapture&) = delete;
  [[nodiscard]] core::Status read_file(const std::string& path, Report expected);
  [[nodiscard]] core::Status read_text(std::string_view text, const std::string& where, Report expected);
  [[nodiscard]] Capture& capture() { return capture_; }
  [[nodiscard]] SumTables& sums() { return sums_; }
  [[nodiscard]] EventTables& events() { return events_; }
  [[nodiscard]] ReportReader& reader() { return reader_; }
  // Errors: no kernels. `json`: the tables stood in JSON.
  [[nodiscard]] core::Expected<Profile> finish(const std::string& path, bool json = false);

 private:
  core::Error no_kernels(const std::string& path) const;
  [[nodiscard]] std::string format(bool json) const;
  core::Expected<Profile> from_events(Profile totals);

  const ReadOptions& options_;
  Capture capture_;
  SumTables sums_;
  EventTables events_;
  ReportReader reader_;
};

// The reports of a JSON file into `tables`.
[[nodiscard]] core::Status read_json_tables(TableCapture& tables, const std::string& path, const ReadOptions& options,
                                            Report expected);

}  // namespace plumbline::profiles
