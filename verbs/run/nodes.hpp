// run --nodes: the command once on each node of a job, through a launcher, and the results to outliers. Private to verbs/run/.
#pragma once

#include <string>
#include <vector>

#include "verbs/run/request.hpp"

namespace plumbline::verbs {

// The command's words as the launcher starts them on a node. `launcher`: words with {node}, or "srun", "mpirun", "ssh", or "" for
// that of the job. Error: a launcher without {node}, none where no job says one.
[[nodiscard]] Expected<std::vector<std::string>> launched_on(const std::string& node, const std::string& launcher,
                                                             const std::vector<std::string>& command, const Context& context);

[[nodiscard]] Expected<Outcome> run_on_nodes(const Arguments& arguments, const Context& context);

}  // namespace plumbline::verbs
