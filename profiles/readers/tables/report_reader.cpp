#include "profiles/readers/tables/report_reader.hpp"

#include "core/text.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::size_t kLargestTable = std::size_t{1} << 28;

}  // namespace

void ReportReader::begin(const std::string& where, Report expected) {
  where_ = where;
  expected_ = title_ = expected;
  any_header_ = any_row_ = false;
}

core::Status ReportReader::flush() {
  event_.reset();
  if (!sum_) return {};
  core::Status status = sums_.take(*sum_, rows_, where_);
  sum_.reset();
  title_ = expected_;  // a title is of one table
  rows_ = {};
  return status;
}

// " ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum:base):" and "Processing [x.sqlite] with [reports/cuda_gpu_kern_sum.py]..." say
// what comes, where the file's name does not.
void ReportReader::title(const std::vector<std::string_view>& fields) {
  const std::string_view text = fields.back();
  std::size_t open = text.rfind('(');
  std::size_t close = text.rfind(')');
  if (const std::size_t script = text.rfind(".py]"); script != std::string_view::npos) {
    close = script;
    open = text.find_last_of("/\\[", script);
  }
  title_ = expected_;
  if (open == std::string_view::npos || close == std::string_view::npos || close < open || expected_ != Report::unknown) return;
  const std::string_view name = text.substr(open + 1, close - open - 1);
  if (name.find(' ') != std::string_view::npos || name.find('_') == std::string_view::npos) return;
  const ReportFile report = report_of(std::string(name.substr(0, name.find(':'))));
  title_ = report.report == Report::unknown ? Report::other : report.report;
}

core::Status ReportReader::record(const std::vector<std::string_view>& fields, std::uint64_t line) {
  if (event_ && EventTables::is_row(*event_, fields)) return events_.add(*event_, fields, where_, line);
  const LineKind kind = line_kind(fields);
  if (kind != LineKind::row) {
    if (kind == LineKind::skipped) sums_.note_skipped();
    if (kind == LineKind::osrt_title) title_ = Report::other;
    if (kind == LineKind::title || fields.back().find(".py]") != std::string_view::npos) title(fields);
    return flush();
  }
  if (auto header = sum_columns(fields, title_)) {
    if (!header->problem.empty()) return core::fail(cell_error(where_, line, header->problem));
    if (core::Status status = flush(); !status) return status;
    sum_ = std::move(header);
    any_header_ = true;
    return {};
  }
  if (auto header = event_columns(fields)) {
    if (!header->problem.empty()) return core::fail(cell_error(where_, line, header->problem));
    if (core::Status status = flush(); !status) return status;
    event_ = std::move(header);
    any_header_ = true;
    return {};
  }
  any_row_ = true;
  if (event_) return events_.add(*event_, fields, where_, line);
  if (!sum_ || sum_->report == Report::other) return {};
  rows_.add(fields, line);
  if (rows_.bytes() > kLargestTable) {
    return core::fail(core::ErrorCode::limit_exceeded,
                      "the table holds more than 256 MiB of rows, the most that is read of one summary",
                      "give the SQLite export of the capture instead", where_ + ":" + std::to_string(line));
  }
  return {};
}

core::Status ReportReader::end() {
  if (core::Status status = flush(); !status) return status;
  if (!any_header_ && any_row_) {
    return core::fail(core::ErrorCode::invalid_input, "no line of the file is the header of an nsys summary",
                      "a kernel summary has the columns Total Time (ns), Instances and Name", where_);
  }
  return {};
}

core::Status ReportReader::read(CsvStream& records, const std::string& where, Report expected) {
  begin(where, expected);
  std::vector<std::string_view> fields;
  std::uint64_t count = 0;
  while (records.next(fields)) {
    if ((++count & 0xFFFFU) == 0) {
      if (options_.stop && options_.stop())
        return core::fail(core::ErrorCode::cancelled, "stopped while reading the capture", {}, where);
      if (options_.progress) options_.progress(records.fraction() * 0.9, "rows");
    }
    if (core::Status status = record(fields, records.line()); !status) return status;
  }
  switch (records.fault()) {
    case CsvStream::Fault::unterminated:
      return core::fail(cell_error(where, records.line(), "a quoted field is not closed: the file is cut short"));
    case CsvStream::Fault::oversized:
      return core::fail(cell_error(where, records.line(), "a record is longer than 16 MiB, the most that is read as one row",
                                   "check for a quote that is not closed"));
    case CsvStream::Fault::unreadable:
      return core::fail(core::ErrorCode::environment, "the file cannot be read", {}, where);
    case CsvStream::Fault::none:
      break;
  }
  return end();
}

bool looks_like_report(std::string_view head) {
  CsvRecords records(head);
  std::vector<std::string_view> fields;
  for (int lines = 0; lines < 40 && records.next(fields); ++lines) {
    if (line_kind(fields) != LineKind::row) continue;
    return sum_columns(fields, Report::unknown).has_value() || event_columns(fields).has_value();
  }
  return false;
}

}  // namespace plumbline::profiles
