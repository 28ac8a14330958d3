// What other systems say of their own files, printed as they print it (core/native/native.hpp). One printer per system in
// reports/native_<system>.cpp, one table of them in reports/native.cpp.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "core/native/native.hpp"
#include "reports/reports.hpp"

namespace plumbline::reports {

struct NativePrinter {
  std::string_view system;
  // Fields of our own `native` object after system, verdict, summary and exit_code; of long lists at most `rows` elements, and
  // "<list>_omitted" counts the others (write_omitted in reports/budget.hpp).
  void (*fields)(JsonWriter& json, const core::NativeReport& report, std::size_t rows) = nullptr;
  // What that system's program prints for people, byte for byte where it is known, ending in a newline.
  std::string (*text)(const core::NativeReport& report) = nullptr;
  // Its JSON document; null where it has none: then it is our `native` object.
  std::string (*json)(const core::NativeReport& report) = nullptr;
};
[[nodiscard]] const NativePrinter& inferencebench_printer();
[[nodiscard]] const NativePrinter& msmodeling_printer();
[[nodiscard]] const NativePrinter& tensorsharp_printer();
[[nodiscard]] const NativePrinter& spec_decode_printer();

// Several reports of spec_decode as its summary has them: one block a variant.
[[nodiscard]] std::string spec_decode_summary(std::span<const core::NativeReport* const> reports);

// The object itself, as a value.
void write_native(JsonWriter& json, const core::NativeReport& report, std::size_t rows);
inline constexpr std::size_t kAllNativeRows = static_cast<std::size_t>(-1);
inline constexpr std::size_t kResultNativeRows = 50;  // of a verb's result (CONTRACT section 5)

// --report native, and --report native --json.
[[nodiscard]] std::string native_text(const core::NativeReport& report);
[[nodiscard]] std::string native_json(const core::NativeReport& report);
// One line for our own reports: "inferencebench: regression (9 regressions, 4 improvements, …), exit 1".
[[nodiscard]] std::string native_line(const core::NativeReport& report);

}  // namespace plumbline::reports
