// Other systems' own baseline files, written as those systems write them: key order, indentation, numbers, escapes and the end of
// the file. The same input gives the same bytes, so that they are reviewed in git as their users do.
#pragma once

#include <string>

#include "core/native/msmodeling.hpp"
#include "core/native/tensorsharp.hpp"

namespace plumbline::reports {

// A case file as Python's json.dump(…, indent=2, ensure_ascii=False) writes it: its fields, with the operators and the two times
// of the struct in the places of those of the file. No line break at the end.
[[nodiscard]] std::string msmodeling_case_file(const core::msmodeling::Case& expected);

// baseline-<host>.json as .NET's serialiser writes it: the entries as they are given. No line break at the end.
[[nodiscard]] std::string tensorsharp_baseline_file(const core::tensorsharp::Baseline& baseline);

// A double as .NET prints it, the shortest that reads back: "1850", "95.3", "1E+16", "1E-05".
[[nodiscard]] std::string dotnet_number(double value);

}  // namespace plumbline::reports
