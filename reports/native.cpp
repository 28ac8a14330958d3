#include "reports/native.hpp"

#include <array>

#include "reports/text.hpp"

namespace plumbline::reports {

namespace {

// One line per system.
const NativePrinter* find(std::string_view system) {
  static const std::array kPrinters = {
      &inferencebench_printer(),
      &msmodeling_printer(),
      &tensorsharp_printer(),
      &spec_decode_printer(),
  };
  for (const NativePrinter* printer : kPrinters) {
    if (printer->system == system) return printer;
  }
  return nullptr;
}

}  // namespace

void write_native(JsonWriter& json, const core::NativeReport& report, std::size_t rows) {
  json.begin_object().field("system", report.system).field("verdict", report.verdict);
  json.field_or_null("exit_code", report.exit_code);
  json.field("summary", report.summary);
  if (const NativePrinter* printer = find(report.system)) printer->fields(json, report, rows);
  json.end_object();
}

std::string native_text(const core::NativeReport& report) {
  const NativePrinter* printer = find(report.system);
  return printer == nullptr || printer->text == nullptr ? native_line(report) + "\n" : printer->text(report);
}

std::string native_json(const core::NativeReport& report) {
  const NativePrinter* printer = find(report.system);
  if (printer != nullptr && printer->json != nullptr) return printer->json(report);
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
