// Which task of a job this process is, as its scheduler says it in the environment: Slurm arrays and steps, Open MPI and other
// launchers of MPI, Indexed Jobs of Kubernetes. Only names of this list are asked for (docs/ranks.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "profiles/ranks/files.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {

struct Task {
  std::uint64_t index = 0;
  std::optional<std::uint64_t> count;  // nullopt: the scheduler does not say how many there are
  std::string said_by;                 // "SLURM_ARRAY_TASK_ID=3 of 16", for errors and results
};

// nullopt outside of any scheduler. Several launchers inside one another count together: an array of 4 tasks that each start 2
// ranks of MPI has 8. Error: numbers that cannot be, arrays with gaps.
[[nodiscard]] Expected<std::optional<Task>> this_task(const Context& context);

// "3/16", "auto", "auto/16" (where the scheduler does not say how many, or must be right): `--shard`.
[[nodiscard]] Expected<profiles::Shard> parse_shard(const std::string& text, const Context& context);

}  // namespace plumbline::verbs
