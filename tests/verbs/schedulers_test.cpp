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

TEST(SchedulerFacts, SayWhichTaskThisIs) {
  EXPECT_EQ(scheduler_facts(in({{"OMPI_COMM_WORLD_RANK", "3"}, {"OMPI_COMM_WORLD_SIZE", "8"}})),
            (core::Context{{"environment.job_task", "3"}, {"environment.job_tasks", "8"}}));
  EXPECT_EQ(scheduler_facts(in({{"SLURM_JOB_ID", "7"},
                                {"SLURMD_NODENAME", "gpu-n07"},
                                {"SLURM_NTASKS", "16"},
                                {"SLURM_PROCID", "5"},
                                {"SLURM_STEP_NUM_TASKS", "16"}})),
            (core::Context{{"environment.scheduler", "slurm"},
                           {"environment.job_node", "gpu-n07"},
                           {"environment.job_task", "5"},
                           {"environment.job_tasks", "16"}}));
  EXPECT_EQ(scheduler_facts(in({{"SLURM_ARRAY_TASK_ID", "6"},
                                {"SLURM_ARRAY_TASK_MIN", "2"},
                                {"SLURM_ARRAY_TASK_MAX", "8"},
                                {"SLURM_ARRAY_TASK_STEP", "2"},
                                {"SLURM_ARRAY_TASK_COUNT", "4"}})),
            (core::Context{{"environment.job_task", "2"}, {"environment.job_tasks", "4"}}));
  EXPECT_TRUE(scheduler_facts(in({{"PMI_RANK", "9"}, {"PMI_SIZE", "not a number"}})).empty()) << "it contradicts itself";
}

TEST(SchedulerFacts, OfKubernetesAreWhatTheManifestHandsOver) {
  const std::map<std::string, std::string> pod = {{"KUBERNETES_SERVICE_HOST", "10.0.0.1"},
                                                  {"JOB_COMPLETION_INDEX", "11"},
                                                  {"NODE_NAME", "pool-a-4.internal"},
                                                  {"POD_NAME", "digest-11-x7k2p"},
                                                  {"MY_SECRET", "not of the list"}};
  EXPECT_EQ(scheduler_facts(in(pod)), (core::Context{{"environment.scheduler", "kubernetes"},
                                                     {"environment.job_node", "pool-a-4.internal"},
                                                     {"environment.job_pod", "digest-11-x7k2p"},
                                                     {"environment.job_task", "11"}}));
  auto outside = pod;
  outside.erase("KUBERNETES_SERVICE_HOST");
  EXPECT_EQ(scheduler_facts(in(outside)), (core::Context{{"environment.job_task", "11"}})) << "anybody may call a variable so";
  auto odd = pod;
  odd["NODE_NAME"] = "--flag; rm";
  odd["K8S_NODE_NAME"] = "pool-b-1";
  EXPECT_EQ(scheduler_facts(in(odd)).at("environment.job_node"), "pool-b-1");
}

}  // namespace
}  // namespace plumbline::verbs
