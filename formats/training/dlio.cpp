// DLIO, the benchmark of MLPerf Storage: summary.json of a run, a value an epoch. MB are 2^20 bytes there.
#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr Field kFields[] = {
    context("model", "identity.model"),
    context("accelerator", "workload.accelerator"),
    context("accelerators", "workload.accelerators"),
    context("hosts", "hardware.nodes"),
    context("files", "workload.files_train"),
    headline(higher("train_au", "%")),
    headline(higher("train_throughput", "samples/s")),
    higher("train_io", "MiB/s"),
    noise("train_io_stdev", "MiB/s"),
    gate("train_au_meet_expectation", {}, core::Direction::higher),
    higher("eval_au", "%"),
    higher("eval_throughput", "samples/s"),
};
constexpr Column kColumns[] = {{"num_accelerators", "accelerators"},
                               {"num_hosts", "hosts"},
                               {"num_files_train", "files"},
                               {"metric/train_au_percentage", "train_au"},
                               {"metric/train_throughput_samples_per_second", "train_throughput"},
                               {"metric/train_io_mean_MB_per_second", "train_io"},
                               {"metric/train_io_stdev_MB_per_second", "train_io_stdev"},
                               {"metric/train_au_meet_expectation", "train_au_meet_expectation"},
                               {"metric/eval_au_percentage", "eval_au"},
                               {"metric/eval_throughput_samples_per_second", "eval_throughput"}};
constexpr Records kRecords[] = {{.columns = kColumns}};
constexpr std::string_view kOurs[] = {"num_accelerators", "metric/train_au_percentage"};
constexpr Recognised kRecognised[] = {{kOurs}};
constexpr Statement kStatement = {.tool = "DLIO",
                                  .recognised = kRecognised,
                                  .fields = kFields,
                                  .records = kRecords,
                                  .nothing = "no result of DLIO: no \"metric\"",
                                  .hint = "summary.json of a run is read; it is written when all epochs are done"};

// mlperf_storage_report.json: runs of one measurement.
constexpr Column kRun[] = {{"train_throughput_samples_per_second", "train_throughput"},
                           {"train_throughput_MB_per_second", "train_io"},
                           {"train_num_accelerators", "accelerators"},
                           {"model", "model"},
                           {"accelerator", "accelerator"},
                           {"num_files_train", "files"}};
constexpr Records kRuns[] = {{.at = "runs/{run}", .columns = kRun}};
constexpr std::string_view kReportKeys[] = {"overall/num_benchmark_runs", "runs/{run}/train_throughput_samples_per_second"};
constexpr Recognised kRecognisedReport[] = {{kReportKeys}};
constexpr Statement kReport = {.tool = "MLPerf Storage",
                               .recognised = kRecognisedReport,
                               .fields = kFields,
                               .records = kRuns,
                               .nothing = "no run in the report of MLPerf Storage",
                               .hint = "`benchmark.sh reportgen` writes it of several runs"};

}  // namespace

extern const Format dlio_format = {
    .name = "dlio",
    .title = "DLIO, storage during training of models: `summary.json`",
    .replication = core::Replication::in_process,
    .about = {.group = Group::training,
              .file = "JSON",
              .produce = "mpirun -np 8 dlio_benchmark workload=unet3d_h100\n"
                         "# writes summary.json to the folder of its output",
              .judged = "accelerator utilisation in %, samples per second and MiB/s (higher); whether utilisation meets what is "
                        "expected is a gate",
              .key = "the metric",
              .trials = "epochs, in one run",
              .context = "accelerators, hosts, files",
              .limits = "means over epochs are left out: the epochs are there",
              .recognised = "keys `num_accelerators` and `metric/train_au_percentage`"},
    .statement = &kStatement,
};
extern const Format mlperf_storage_format = {
    .name = "mlperf-storage",
    .title = "MLPerf Storage: report of several runs",
    .replication = core::Replication::run,
    .about = {.group = Group::training,
              .file = "JSON",
              .produce = "# after the runs: ./benchmark.sh run … --results-dir results\n"
                         "./benchmark.sh reportgen --results-dir results  # writes mlperf_storage_report.json",
              .judged = "samples per second and MiB/s (higher)",
              .key = "the metric",
              .trials = "the runs of the report",
              .context = "model, accelerator, accelerators, files",
              .limits = "mean and deviation over the runs are left out: the runs are there",
              .recognised = "keys `overall/num_benchmark_runs` and `train_throughput_samples_per_second` of `runs`"},
    .statement = &kReport,
};

}  // namespace plumbline::formats
