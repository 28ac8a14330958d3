// msmodeling's summary of total times, its summary of operators (rows with a warning only) and the result of its automatic
// baseline, as its program prints them. What its program would print nothing for, because an exception ended the test before,
// is said in a line.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "core/citing.hpp"
#include "core/json_writer.hpp"
#include "systems/msmodeling/model.hpp"
#include "systems/msmodeling/system.hpp"

namespace plumbline::systems::msmodeling {

namespace {

using core::JsonWriter;
using core::one_line;

// Padding counts characters, as Python's does.
std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}
std::string left(std::string_view text, std::size_t width) {
  const std::size_t size = characters(text);
  return std::string(text) + std::string(size < width ? width - size : 0, ' ');
}
std::string right(std::string_view text, std::size_t width) {
  const std::size_t size = characters(text);
  return std::string(size < width ? width - size : 0, ' ') + std::string(text);
}

std::string fixed_text(double value, int decimals) {
  std::array<char, 400> text{};
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return text.data();
}

std::string line_of(char c, std::size_t width) { return std::string(width, c) + "\n"; }

bool passed(const Report& report) { return report.initial_passed && report.baseline_passed; }

std::string time_row(const Report& report) {
  const auto reference = [](double seconds) { return seconds > 0 ? milliseconds_text(seconds) : std::string("N/A"); };
  const auto difference = [](const std::optional<double>& value) { return value ? percent_text(*value) : std::string("N/A"); };
  return left(one_line(report.case_name), 36) + " " + right(milliseconds_text(report.actual_s), 10) + "  " +
         right(reference(report.initial_s), 10) + "  " + right(difference(report.initial_difference), 10) + "  " +
         right(reference(report.baseline_s), 10) + "  " + right(difference(report.baseline_difference), 10) + "  " +
         right(report.status, 10) + "\n";
}

std::string time_table(std::span<const Report* const> cases) {
  std::string rows;
  std::size_t good = 0, bad = 0;
  for (const Report* report : cases) {
    if (report->status == "ERROR") continue;  // the exception came before the row
    ++(passed(*report) ? good : bad);
    rows += time_row(*report);
  }
  if (good + bad == 0) return {};
  std::string out = "\n" + line_of('=', 120) + "  [Test 1] Total Time Regression Summary\n" + line_of('=', 120);
  out += left("Case", 36) + " " + right("Actual", 10) + "  " + right("Init", 10) + "  " + right("InitDiff", 10) + "  " +
         right("Baseline", 10) + "  " + right("BaseDiff", 10) + "  " + right("Status", 10) + "\n";
  out += line_of('-', 120) + rows + line_of('-', 120);
  // A case without any time counts as passed there: the last figure is always 0.
  out += "Total: " + std::to_string(good + bad) + " | Passed: " + std::to_string(good) + " | Failed: " + std::to_string(bad) +
         " | No Baseline: 0\n";
  return out + line_of('=', 120) + "\n";
}

std::string calls_cell(const OperatorRow& row) {
  if (!row.actual) return "-";
  std::string actual = std::to_string(row.actual->num_calls);
  if (!row.baseline) return actual;
  return std::to_string(row.baseline->num_calls) + "/" + actual + (row.calls_differ ? "!" : "");
}

std::string operator_row(const Report& report, const OperatorRow& row) {
  const auto time = [](const std::optional<Operator>& one, std::string_view otherwise) {
    return one ? milliseconds_text(one->total_time_s) : std::string(otherwise);
  };
  const std::string difference = row.difference ? percent_text(*row.difference) : row.actual ? "NEW" : "N/A";
  return left(one_line(report.case_name), 32) + " " + left(one_line(row.name), 44) + " " + right(time(row.baseline, "N/A"), 10) +
         "  " + right(time(row.actual, "MISSING"), 10) + "  " + right(difference, 10) + "  " + right(calls_cell(row), 12) + "  " +
         right(report.rules == Rules::documented ? "FAIL" : "WARN", 10) + "\n";
}

std::string operator_table(std::span<const Report* const> cases) {
  std::string rows;
  std::size_t all = 0, good = 0, warned = 0, none = 0, printed = 0;
  bool documented = false;
  for (const Report* report : cases) {
    if (report->operator_status.empty()) continue;
    ++all;
    printed += report->operators.size();
    documented = documented || report->rules == Rules::documented;
    if (report->operator_status == "PASS") {
      ++good;
    } else if (report->operator_status == "NO_BASELINE" || report->operators.empty()) {
      ++none;
    } else {
      ++warned;
    }
    for (const OperatorRow& row : report->operators) {
      if (row.state != OperatorState::pass) rows += operator_row(*report, row);
    }
  }
  if (printed == 0) return {};
  if (warned == 0) return "*** All Operator Top-N Checks Passed (no warnings) ***\n\n";
  std::string out = line_of('=', 145) + "  [Test 2] Operator-Level Differences Summary" +
                    (documented ? "" : " (WARNING only, not treated as failure)") + "\n" + line_of('=', 145);
  out += left("Case", 32) + " " + left("Operator", 44) + " " + right("Baseline", 10) + " " + right("Actual", 10) + "  " +
         right("Diff", 10) + "  " + right("#Calls", 12) + " " + right("Status", 10) + "\n";
  out += line_of('-', 145) + rows + line_of('-', 145);
  out += "Total Cases: " + std::to_string(all) + " | Passed: " + std::to_string(good) +
         (documented ? " | Failed: " : " | Warnings: ") + std::to_string(warned) + " | No Baseline: " + std::to_string(none) +
         "\n";
  out += line_of('=', 145) + "\n";
  return out + (documented ? "*** Operator regression anomalies detected! ***\n"
                           : "*** Operator Differences Detected (WARNING only, test NOT failed) ***\n");
}

std::string automatic_text(const Report& report) {
  std::string out = line_of('=', 60) + "  RESULT: " + one_line(report.case_name) + "\n" + line_of('=', 60);
  if (!report.error.empty()) return out + "  ERROR: " + one_line(report.error) + "\n  Status: FAIL\n";
  const double difference = report.baseline_difference.value_or(0);
  out += "  Baseline:  " + milliseconds_text(report.baseline_s) + "\n";
  out += "  Actual:    " + milliseconds_text(report.actual_s) + "\n";
  out += "  Diff:      " + percent_text(difference) + "\n";
  out += "  Tolerance: ±" + fixed_text(report.baseline_tolerance * 100, 0) + "%\n";
  out += "  Status:    " + report.status + "\n";
  return out;
}

// In the order given, which is that tool's order of files.
std::string tables(std::span<const Report* const> cases) { return time_table(cases) + operator_table(cases); }

std::string suite_text(std::span<const core::NativeReport* const> natives) {
  std::vector<const Report*> cases;
  for (const core::NativeReport* native : natives) cases.push_back(core::native_detail<Report>(*native));
  return tables(cases);
}

std::string text(const core::NativeReport& native) {
  const auto& report = *core::native_detail<Report>(native);
  if (report.automatic) return automatic_text(report);
  const Report* one = &report;
  std::string out = tables(std::span(&one, 1));
  if (!report.error.empty()) out += "ERROR " + one_line(report.case_name) + ": " + one_line(report.error) + "\n";
  return out;
}

std::string_view word_of(OperatorState state) {
  switch (state) {
    case OperatorState::pass:
      return "pass";
    case OperatorState::drift:
      return "drift";
    case OperatorState::missing:
      return "missing";
    case OperatorState::added:
      return "new";
  }
  return "pass";
}

void write_percent(JsonWriter& json, std::string_view name, const std::optional<double>& fraction) {
  json.field_or_null(name, fraction ? std::optional<double>(*fraction * 100) : std::nullopt);
}

void write_operator(JsonWriter& json, const Report& report, const OperatorRow& row) {
  const auto time = [](const std::optional<Operator>& one) {
    return one ? std::optional<double>(one->total_time_s) : std::nullopt;
  };
  const auto calls = [](const std::optional<Operator>& one) {
    return one ? std::optional<std::int64_t>(one->num_calls) : std::nullopt;
  };
  const bool documented = report.rules == Rules::documented;
  json.begin_object().field("name", row.name);
  json.field("status", row.state == OperatorState::pass ? "PASS" : documented ? "FAIL" : "WARN");
  json.field("state", word_of(row.state)).field("calls_mismatch", row.calls_differ);
  json.field_or_null("baseline_s", time(row.baseline)).field_or_null("actual_s", time(row.actual));
  write_percent(json, "diff_pct", row.difference);
  json.field_or_null("baseline_calls", calls(row.baseline)).field_or_null("actual_calls", calls(row.actual)).end_object();
}

void fields(JsonWriter& json, const core::NativeReport& native, std::size_t rows) {
  const auto& report = *core::native_detail<Report>(native);
  json.field("case", report.case_name).field("status", report.status);
  json.field("rules", report.automatic ? "auto_baseline" : report.rules == Rules::documented ? "documented" : "code");
  if (!report.error.empty()) json.field("error", report.error);
  json.field("actual_s", report.actual_s).field("baseline_s", report.baseline_s);
  write_percent(json, "baseline_diff_pct", report.baseline_difference);
  json.field("baseline_tolerance", report.baseline_tolerance);
  if (report.automatic) return;
  json.field("initial_s", report.initial_s);
  write_percent(json, "initial_diff_pct", report.initial_difference);
  json.field("initial_tolerance", report.initial_tolerance).field("operator_tolerance", report.operator_tolerance);
  json.field("operator_top_n", report.top_n).field("operator_status", report.operator_status);
  // What it warns of first, so that what a short list keeps is what matters.
  std::vector<const OperatorRow*> ordered;
  for (const OperatorRow& row : report.operators) ordered.push_back(&row);
  std::stable_partition(ordered.begin(), ordered.end(), [](const OperatorRow* row) { return row->state != OperatorState::pass; });
  const std::size_t shown = std::min(rows, ordered.size());
  json.key("operators").begin_array();
  for (std::size_t i = 0; i < shown; ++i) {
    compact(json, [&](JsonWriter& one) { write_operator(one, report, *ordered[i]); });
  }
  json.end_array();
  write_omitted(json, "operators", ordered.size(), shown);
  const std::size_t lines = std::min(rows, report.violations.size());
  json.key("violations").begin_array();
  for (std::size_t i = 0; i < lines; ++i) json.value(report.violations[i]);
  json.end_array();
  write_omitted(json, "violations", report.violations.size(), lines);
}

}  // namespace

const core::NativePrinter kPrinter = {.fields = &fields, .text = &text, .suite = &suite_text};

}  // namespace plumbline::systems::msmodeling
