// What other systems say of their own files, printed as they print it: by the printer that a report brings (core/native.hpp).
#pragma once

#include <cstddef>
#include <string>

#include "core/native.hpp"
#include "reports/reports.hpp"

namespace plumbline::reports {

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
