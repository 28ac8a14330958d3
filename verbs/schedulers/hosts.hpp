// The nodes that a job holds, as its scheduler says them in the environment, and what of that a context keeps. Only names of this
// list are asked for (docs/ranks.md).
#pragma once

#include <string>
#include <vector>

#include "core/measurement.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {

inline constexpr std::size_t kMostNodes = 65536;

// "n[0-2,5],gpu-[001-003]" -> n0 n1 n2 n5 gpu-001 gpu-002 gpu-003. Error: brackets that do not close, a range that runs
// backwards, a name that a launcher would take for a flag, more than kMostNodes.
[[nodiscard]] Expected<std::vector<std::string>> nodes_of(const std::string& list);

// `--nodes`: a list, or "auto" for those of the job (Slurm's list, the file of PBS).
[[nodiscard]] Expected<std::vector<std::string>> asked_nodes(const std::string& text, const Context& context);

// environment.scheduler, .job_nodes, .job_node_count, .job_node, .job_pod, .job_task (this one, counted from 0), .job_tasks,
// .cpus_per_task; empty outside of any job.
[[nodiscard]] core::Context scheduler_facts(const Context& context);

}  // namespace plumbline::verbs
