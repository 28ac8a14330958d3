// Graph500's reference code: searches of a graph (bfs) and shortest paths (sssp), in traversed edges per second.
#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr Field kFields[] = {
    context("scale", "workload.scale"),
    context("edgefactor", "workload.edgefactor"),
    context("searches", "workload.searches"),
    context("processes", "parallelism.processes"),
    shown("construction_time", "s"),
    headline(higher("harmonic_mean_teps", "TEPS")),
    higher("median_teps", "TEPS"),
    noise("harmonic_stddev_teps", "TEPS"),
    shown("teps", "TEPS", "{statistic:lower}_teps"),
    lower("mean_time", "s"),
    lower("median_time", "s"),
    noise("stddev_time", "s"),
    shown("time", "s", "{statistic:lower}_time"),
    shown("validate", "s", "{statistic:lower}_validate"),
};
constexpr Line kLines[] = {
    {.text = "SCALE: {scale}", .turn = Turn::begins},
    {.text = "edgefactor: {edgefactor}"},
    {.text = "NBFS: {searches}"},
    {.text = "num_mpi_processes: {processes}"},
    {.text = "construction_time: {construction_time}"},
    {.text = "{search} harmonic_mean_TEPS: ! {harmonic_mean_teps}", .point = "{search}"},
    {.text = "{search} median_TEPS: {median_teps}", .point = "{search}"},
    {.text = "{search} harmonic_stddev_TEPS: {harmonic_stddev_teps}", .point = "{search}"},
    {.text = "{search} {statistic}_TEPS: {teps}", .point = "{search}"},
    {.text = "{search} mean_time: {mean_time}", .point = "{search}"},
    {.text = "{search} median_time: {median_time}", .point = "{search}"},
    {.text = "{search} stddev_time: {stddev_time}", .point = "{search}"},
    {.text = "{search} {statistic}_time: {time}", .point = "{search}"},
    {.text = "{search} {statistic}_validate: {validate}", .point = "{search}"},
};
constexpr std::string_view kOurs[] = {"edgefactor: {}", "NBFS: {}", "{} harmonic_mean_TEPS: ! {}"};
constexpr Recognised kRecognised[] = {{kOurs}};
constexpr Statement kStatement = {.tool = "Graph500",
                                  .recognised = kRecognised,
                                  .fields = kFields,
                                  .lines = kLines,
                                  .nothing = "no result of Graph500: no \"TEPS\"",
                                  .hint = "it prints them when all searches are validated"};

}  // namespace

extern const Format graph500_format = {
    .name = "graph500",
    .title = "Graph500 (reference code)",
    .replication = core::Replication::run,
    .about = {.group = Group::hardware,
              .file = "text",
              .produce = "mpirun -np 8 graph500_reference_bfs_sssp 20 | tee result.txt",
              .judged = "harmonic mean and median of the traversed edges per second (higher), mean and median of the time in s "
                        "(lower)",
              .key = "the kernel and the statistic: `bfs.harmonic_mean_teps`",
              .trials = "one value a key: it prints statistics of its searches, with their deviation as noise",
              .context = "scale, edge factor, searches, processes",
              .limits = "numbers of edges are left out; times of validation are context",
              .recognised = "`edgefactor:`, `NBFS:` and `… harmonic_mean_TEPS:`"},
    .statement = &kStatement,
};

}  // namespace plumbline::formats
