// A case file as Python's json.dump(…, indent=2, ensure_ascii=False) writes it. The same input gives the same bytes, so that they
// are reviewed in git as that system's users do.
#pragma once

#include <string>

#include "systems/msmodeling/model.hpp"

namespace plumbline::systems::msmodeling {

// Its fields, with the operators and the two times of the struct in the places of those of the file. No line break at the end.
[[nodiscard]] std::string text_of(const Case& expected);

}  // namespace plumbline::systems::msmodeling
