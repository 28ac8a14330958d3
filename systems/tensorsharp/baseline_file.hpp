// baseline-<host>.json as .NET's serialiser writes it: key order, indentation, numbers, escapes and the end of the file. The same
// input gives the same bytes, so that they are reviewed in git as that system's users do.
#pragma once

#include <string>

#include "systems/tensorsharp/model.hpp"

namespace plumbline::systems::tensorsharp {

// The entries as they are given. No line break at the end.
[[nodiscard]] std::string text_of(const Baseline& baseline);

// A double as .NET prints it, the shortest that reads back: "1850", "95.3", "1E+16", "1E-05".
[[nodiscard]] std::string dotnet_number(double value);

}  // namespace plumbline::systems::tensorsharp
