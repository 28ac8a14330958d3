#include "verbs/schedulers/task.hpp"

#include <array>
#include <limits>
#include <string_view>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "verbs/calling/wording.hpp"

namespace plumbline::verbs {
namespace {

constexpr std::int64_t kMostShards = 1'000'000;

// A number of the environment; nullopt where it is not set.
Expected<std::optional<std::uint64_t>> number_of(std::string_view name, const Context& context) {
  const auto text = context.environment ? context.environment(name) : std::nullopt;
  if (!text || text->empty()) return std::optional<std::uint64_t>();
  const auto value = core::parse_int(*text);
  if (!value || *value < 0 || *value > std::numeric_limits<std::uint32_t>::max()) {
    return core::fail(ErrorCode::usage, std::string(name) + " is " + core::cited(*text) + ", which is no number of a task",
                      "say which shard this is: `--shard 0/16`");
  }
  return std::optional<std::uint64_t>(static_cast<std::uint64_t>(*value));
}

// Names of a launcher that says the rank and how many there are.
struct Launcher {
  std::string_view rank, size;
};
// The innermost first: srun starts mpirun's ranks, too, and says of each that it is its only one. SLURM_NTASKS is what a job
// asked for, and SLURM_PROCID is 0 in its batch script: only what srun started is told how many it started.
constexpr std::array kLaunchers = {Launcher{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, Launcher{"PMIX_RANK", "PMIX_SIZE"},
                                   Launcher{"PMI_RANK", "PMI_SIZE"}, Launcher{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};

tl::unexpected<Error> too_many(const std::string& said_by) {
  return core::fail(ErrorCode::usage, said_by + ": these are more than " + std::to_string(kMostShards) + " shards",
                    "make shards of many ranks: `--shard I/N` with a smaller N");
}

Expected<std::optional<Task>> launched(const Context& context) {
  for (const Launcher& each : kLaunchers) {
    const auto rank = number_of(each.rank, context);
    if (!rank) return core::fail(rank.error());
    const auto size = number_of(each.size, context);
    if (!size) return core::fail(size.error());
    if (!*rank || !*size) continue;
    if (**rank >= **size) {
      return core::fail(ErrorCode::usage,
                        std::string(each.rank) + " is " + std::to_string(**rank) + " of " + std::to_string(**size) +
                            " tasks, and they are counted from 0",
                        "say which shard this is: `--shard 0/16`");
    }
    return std::optional<Task>(
        Task{**rank, **size, std::string(each.rank) + "=" + std::to_string(**rank) + " of " + std::to_string(**size)});
  }
  return std::optional<Task>();
}

Expected<std::optional<Task>> in_array(const Context& context) {
  std::array<std::uint64_t, 5> values{};
  constexpr std::array<std::string_view, 5> kNames = {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX",
                                                      "SLURM_ARRAY_TASK_STEP", "SLURM_ARRAY_TASK_COUNT"};
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    const auto value = number_of(kNames[i], context);
    if (!value) return core::fail(value.error());
    if (!*value && i == 0) return std::optional<Task>();
    if (!*value) {
      return core::fail(ErrorCode::usage, std::string(kNames[0]) + " is set and " + std::string(kNames[i]) + " is not",
                        "say which shard this is: `--shard 0/16`");
    }
    values[i] = **value;
  }
  const auto [id, least, most, step, count] = values;
  if (step == 0 || count == 0 || id < least || id > most || (most - least) / step + 1 != count || (id - least) % step != 0) {
    return core::fail(
        ErrorCode::usage,
        "the array's tasks are not evenly apart: task " + std::to_string(id) + " of " + std::to_string(count) + " from " +
            std::to_string(least) + " to " + std::to_string(most),
        "`sbatch --array=0-" + std::to_string(count > 0 ? count - 1 : 0) + "`, or say which shard each task is: `--shard I/N`");
  }
  const std::uint64_t index = (id - least) / step;
  return std::optional<Task>(Task{
      index, count, "SLURM_ARRAY_TASK_ID=" + std::to_string(id) + ", " + std::to_string(index) + " of " + std::to_string(count)});
}

}  // namespace

Expected<std::optional<Task>> this_task(const Context& context) {
  auto array = in_array(context);
  if (!array) return array;
  auto rank = launched(context);
  if (!rank) return rank;
  if (*array && *rank && *(*rank)->count > 1) {
    const std::uint64_t each = *(*rank)->count;
    std::string said_by = (*array)->said_by + "; " + (*rank)->said_by;
    if (*(*array)->count > static_cast<std::uint64_t>(kMostShards) / each) return too_many(said_by);
    return std::optional<Task>(Task{(*array)->index * each + (*rank)->index, *(*array)->count * each, std::move(said_by)});
  }
  if (*array) return array;
  const auto pod = number_of("JOB_COMPLETION_INDEX", context);
  if (!pod) return core::fail(pod.error());
  // One task of one is no share where something else says one.
  if (*rank && (*(*rank)->count > 1 || !*pod)) return rank;
  if (*pod) return std::optional<Task>(Task{**pod, std::nullopt, "JOB_COMPLETION_INDEX=" + std::to_string(**pod)});
  return std::optional<Task>();
}

Expected<profiles::Shard> parse_shard(const std::string& text, const Context& context) {
  const auto refuse = [](std::string message, std::string hint) {
    return core::fail(ErrorCode::usage, std::move(message), std::move(hint));
  };
  const std::size_t slash = text.find('/');
  const std::string first = text.substr(0, slash);
  std::optional<std::int64_t> count;
  if (slash != std::string::npos) {
    count = core::parse_int(text.substr(slash + 1));
    if (!count || *count < 1 || *count > kMostShards) {
      return refuse(
          "--shard " + cited(text) + " has no number of shards behind the slash",
          "`--shard 0/16` to `--shard 15/16` are sixteen shards, `--shard auto/16` takes the number from the scheduler");
    }
  }
  std::optional<std::int64_t> index;
  std::string said_by = "--shard " + text;
  if (first == "auto") {
    const auto task = this_task(context);
    if (!task) return core::fail(task.error());
    if (!*task) {
      return refuse("--shard auto: nothing here says which task of a job this is",
                    "say it: `--shard 0/16`; docs/ranks.md lists what Slurm, mpirun and Kubernetes set");
    }
    said_by = (*task)->said_by;
    index = static_cast<std::int64_t>((*task)->index);
    if (count && (*task)->count && static_cast<std::uint64_t>(*count) != *(*task)->count) {
      return refuse("--shard " + text + ": the scheduler says " + said_by,
                    "leave the number away: `--shard auto`, or say the shard: `--shard I/N`");
    }
    if (!count && (*task)->count) count = static_cast<std::int64_t>(*(*task)->count);
    if (!count) {
      return refuse(said_by + " does not say how many tasks there are", "`--shard auto/N`, with N the Job's `completions`");
    }
  } else {
    index = core::parse_int(first);
  }
  if (!index || *index < 0 || !count) {
    return refuse("--shard is `auto` or a shard of how many, not " + cited(text), "the first of sixteen is `--shard 0/16`");
  }
  if (*count > kMostShards) return too_many(said_by);
  if (*index >= *count) {
    return refuse(
        said_by + ": shards are counted from 0, so the last of " + std::to_string(*count) + " is " + std::to_string(*count - 1),
        "`--shard " + std::to_string(*count - 1) + "/" + std::to_string(*count) + "`");
  }
  return profiles::Shard{static_cast<std::uint32_t>(*index), static_cast<std::uint32_t>(*count)};
}

}  // namespace plumbline::verbs
