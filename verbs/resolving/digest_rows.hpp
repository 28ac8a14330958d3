// The digest of an entry's capture as rows, for whoever looks at values over entries: `step_ms` (each step a value), `wall_ms`,
// and the time of kernels by category, a step's share of it where steps are known (`kernels.Attention.ms_per_step`).
#pragma once

#include "verbs/resolving/baseline_side.hpp"

namespace plumbline::verbs {

// The digest alone is checked against SHA256SUMS: a capture may be gigabytes. Error not_found: the entry is older than digests.
[[nodiscard]] Expected<Baseline> open_digest(const std::string& directory, const core::BaselineRecord& record,
                                             const std::shared_ptr<core::StringPool>& pool, const Context& context);

}  // namespace plumbline::verbs
