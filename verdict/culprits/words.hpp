// A description in words. Internal to verdict/culprits/.
#pragma once

#include <string>

#include "core/results/culprit.hpp"
#include "verdict/culprits/search.hpp"

namespace plumbline::verdict::culprits {

// "collective=all_to_all and size >= 64 MiB", "GPU 5, as source or as destination".
[[nodiscard]] std::string predicate(const Table& table, const Description& description);
// The rows for which the term at this place does not hold, and the others do: "collective=all_to_all and size < 64 MiB".
[[nodiscard]] std::string predicate_turned(const Table& table, const Description& description, std::size_t place);
[[nodiscard]] core::CulpritTerm term_of(const Table& table, const Term& term);

}  // namespace plumbline::verdict::culprits
