#include "reports/native.hpp"

#include "reports/text.hpp"

namespace plumbline::reports {

void write_native(JsonWriter& json, const core::NativeReport& report, std::size_t rows) {
  json.begin_object().field("system", report.system).field("verdict", report.verdict);
  json.field_or_null("exit_code", report.exit_code);
  json.field("summary", report.summary);
  report.printer->fields(json, report, rows);
  json.end_object();
}

std::string native_text(const core::NativeReport& report) {
  const std::string text = report.printer->text(report);
  return text.empty() ? native_line(report) + "\n" : text;
}

std::string native_json(const core::NativeReport& report) {
  if (report.printer->json != nullptr) return report.printer->json(report);
  std::string text;
  JsonWriter json(text);
  write_native(json, report, kAllNativeRows);
  return text + "\n";
}

std::string native_line(const core::NativeReport& report) {
  std::string text = report.system + ": " + one_line(report.verdict);
  if (!report.summary.empty()) text += " (" + one_line(report.summary) + ")";
  if (report.exit_code) text += ", exit " + std::to_string(*report.exit_code);
  return text;
}

}  // namespace plumbline::reports
