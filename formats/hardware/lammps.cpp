// LAMMPS: log.lammps or what it prints. Each run of a log ends in its loop time and, unless the script said otherwise, in its
// performance.
#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr Field kFields[] = {
    shown("steps"),
    context("version", "stack.lammps"),
    context("tasks", "parallelism.mpi_tasks"),
    context("threads", "parallelism.omp_threads"),
    shown("procs"),
    shown("atoms"),
    shown("loop_time", "s"),
    headline(higher("performance", "timesteps/s")),
    shown("ns_per_day", "ns/day"),
    shown("hours_per_ns", "h/ns"),
    shown("tau_per_day", "tau/day"),
    shown("cpu_use", "%"),
};
constexpr Line kLines[] = {
    {.text = "LAMMPS ({version})"},
    {.text = "Loop time of {loop_time} on {procs} procs for {steps} steps with {atoms} atoms", .turn = Turn::begins},
    {.text = "Performance: {ns_per_day} ns/day, {hours_per_ns} hours/ns, {performance} timesteps/s{}"},
    {.text = "Performance: {tau_per_day} tau/day, {performance} timesteps/s{}"},
    {.text = "{cpu_use}% CPU use with {tasks} MPI tasks x {threads} OpenMP threads"},
    {.text = "ERROR: {}", .turn = Turn::fails},
    {.text = "ERROR on proc {}", .turn = Turn::fails},
};
constexpr std::string_view kOurs[] = {"LAMMPS ({})", "Loop time of {} on {} procs for {} steps with {} atoms"};
constexpr Recognised kRecognised[] = {{kOurs}};
constexpr Statement kStatement = {.tool = "LAMMPS",
                                  .recognised = kRecognised,
                                  .fields = kFields,
                                  .lines = kLines,
                                  .nothing = "no run of LAMMPS is complete: no \"Loop time\"",
                                  .hint = "it prints one behind each run; look at what the log says before"};

}  // namespace

extern const Format lammps_format = {
    .name = "lammps",
    .title = "LAMMPS, molecular dynamics: log",
    .replication = core::Replication::run,
    .about = {.group = Group::hardware,
              .file = "text",
              .produce = "mpirun -np 8 lmp -in in.lj -log log.lammps",
              .judged = "timesteps per second (higher)",
              .key = "metric; a later run in the log is `section=2`",
              .trials = "one value a key",
              .context = "version, MPI tasks, OpenMP threads",
              .limits = "runs without the line `Performance:` have context only (0 steps, `post no`, before 2013); thermodynamic "
                        "output is not read",
              .recognised = "`LAMMPS (…)` and `Loop time of … on … procs for … steps with … atoms`"},
    .statement = &kStatement,
};

}  // namespace plumbline::formats
