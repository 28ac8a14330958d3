// IOR: the table "Results:" of parallel reads and writes, a line for each access and iteration; iterations are trials. The
// options above it are the workload. Lines of "remove" move no bytes. What a phase took is what its bandwidth says.
#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr Field part(std::string_view name) {
  return {.name = name, .declared = {"s", core::Direction::lower, core::Role::context}};
}
constexpr Field kFields[] = {
    context("version", "stack.ior"),
    context("api", "workload.api"),
    context("access", "workload.access"),
    context("type", "workload.type"),
    context("segments", "workload.segments"),
    context("ordering", "workload.ordering"),
    context("nodes", "parallelism.nodes"),
    context("tasks", "parallelism.ranks"),
    context("clients", "parallelism.clients_per_node"),
    context("xfersize", "workload.xfersize"),
    context("blocksize", "workload.blocksize"),
    context("aggregate", "workload.aggregate_filesize"),
    headline(higher("bw", "MiB/s")),
    higher("iops", "ops/s"),
    lower("latency", "s"),
    part("open"),
    part("transfer"),
    part("close"),
    part("total"),
};
// Releases before 3.3 had neither operations nor latency.
constexpr std::string_view kNew = "access bw(MiB/s) IOPS Latency(s) block(KiB) xfer(KiB) open(s) wr/rd(s) close(s) total(s) iter";
constexpr std::string_view kOld = "access bw(MiB/s) block(KiB) xfer(KiB) open(s) wr/rd(s) close(s) total(s) iter";
constexpr Line kLines[] = {
    {.text = "IOR-{version}: MPI Coordinated Test of Parallel I/O{}"},
    {.text = "Options: {}", .turn = Turn::begins},
    {.text = "api : {api}"},
    {.text = "access : {access}"},
    {.text = "type : {type}"},
    {.text = "segments : {segments}"},
    {.text = "ordering in a file : {ordering}"},
    {.text = "nodes : {nodes}"},
    {.text = "tasks : {tasks}"},
    {.text = "clients per node : {clients}"},
    {.text = "xfersize : {xfersize}"},
    {.text = "blocksize : {blocksize}"},
    {.text = "aggregate filesize : {aggregate}"},
    {.text = "write {bw} {iops} {latency} {#} {#} {open} {transfer} {close} {total} {#}",
     .point = "write",
     .within = kNew,
     .row = true},
    {.text = "read {bw} {iops} {latency} {#} {#} {open} {transfer} {close} {total} {#}",
     .point = "read",
     .within = kNew,
     .row = true},
    {.text = "write {bw} {#} {#} {open} {transfer} {close} {total} {#}", .point = "write", .within = kOld, .row = true},
    {.text = "read {bw} {#} {#} {open} {transfer} {close} {total} {#}", .point = "read", .within = kOld, .row = true},
};
constexpr std::string_view kOurs[] = {"IOR-{}: MPI Coordinated Test of Parallel I/O{}"};
constexpr Recognised kRecognised[] = {{kOurs}};
constexpr Statement kStatement = {.tool = "IOR",
                                  .recognised = kRecognised,
                                  .fields = kFields,
                                  .lines = kLines,
                                  .nothing = "no line of a write or a read in the table \"Results:\"",
                                  .hint = "IOR prints one when an access is done"};

}  // namespace

extern const Format ior_format = {
    .name = "ior",
    .title = "IOR, parallel file systems",
    .replication = core::Replication::in_process,
    .about = {.group = Group::system,
              .file = "text",
              .produce = "mpirun -np 16 ior -a POSIX -w -r -i 5 -t 1m -b 1g -o FILE | tee result.txt",
              .judged = "IOR's table of results: bandwidth (MiB/s) and IOPS (higher), latency (s, lower)",
              .key = "write or read; of a later test in one log its section",
              .trials = "iterations",
              .context = "API, access, type, sizes of transfers and blocks, nodes, tasks, version",
              .limits = "times of phases are context; paths, the summary and the removal of files are left out",
              .recognised = "`IOR-…: MPI Coordinated Test of Parallel I/O`"},
    .statement = &kStatement,
};

}  // namespace plumbline::formats
