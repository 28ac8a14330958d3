// Lists of nodes as schedulers write them, and what a context keeps of a job.
#include <gtest/gtest.h>

#include <map>

#include "verbs/schedulers/hosts.hpp"

namespace plumbline::verbs {
namespace {

using Names = std::vector<std::string>;

std::string refused(const std::string& list) {
  const auto names = nodes_of(list);
  return names ? "taken" : names.error().message;
}

Context in(const std::map<std::string, std::string>& environment) {
  Context context;
  context.environment = [environment](std::string_view name) -> std::optional<std::string> {
    const auto at = environment.find(std::string(name));
    return at == environment.end() ? std::nullopt : std::optional(at->second);
  };
  return context;
}

TEST(NodesOf, WritesListsOut) {
  EXPECT_EQ(nodes_of("n[0-2,5],gpu-[008-010]").value_or(Names()),
            (Names{"n0", "n1", "n2", "n5", "gpu-008", "gpu-009", "gpu-010"}));
  EXPECT_EQ(nodes_of("r[1-2]n[1-2]").value_or(Names()), (Names{"r1n1", "r1n2", "r2n1", "r2n2"}));
}

TEST(NodesOf, LosesNone) {
  EXPECT_EQ(refused("n[],m"), "the list of nodes \"n[],m\" has brackets without a number in them");
  EXPECT_EQ(refused("n[,1]"), "the list of nodes \"n[,1]\" has \"\", which is no range of numbers");
  EXPECT_EQ(refused(","), "the list of nodes \",\" names none");
}

TEST(SchedulerFacts, AreThoseOfAJob) {
  EXPECT_TRUE(scheduler_facts(in({{"OMP_NUM_THREADS", "8"}})).empty()) << "anybody may set it";
  const core::Context job =
      scheduler_facts(in({{"SLURM_JOB_ID", "7"}, {"SLURM_NTASKS", "4"}, {"SLURM_CPUS_ON_NODE", "64"}, {"OMP_NUM_THREADS", "8"}}));
  EXPECT_EQ(job, (core::Context{
                     {"environment.scheduler", "slurm"}, {"environment.job_tasks", "4"}, {"environment.cpus_per_task", "8"}}))
      << "what a node has is not what a task has";
  EXPECT_EQ(scheduler_facts(in({{"SLURM_JOB_ID", "7"}, {"SLURM_CPUS_PER_TASK", "2"}, {"OMP_NUM_THREADS", "8"}}))
                .at("environment.cpus_per_task"),
            "2");
}

}  // namespace
}  // namespace plumbline::verbs
