// HPC Challenge: the summary at the end of hpccoutf.txt, a name and a number a line. "Star" runs on all processes at once,
// "Single" on one, "MPI" across them.
#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr Field kFields[] = {
    context("processes", "parallelism.processes"),
    context("major", "stack.hpcc_major"),
    context("minor", "stack.hpcc_minor"),
    context("n", "workload.hpl_n"),
    context("nb", "workload.hpl_nb"),
    gate("success", {}, core::Direction::higher),
    headline(higher("tflops", "TFLOP/s")),
    headline(higher("gflops", "GFLOP/s")),
    headline(higher("bandwidth", "GB/s")),
    headline(higher("gups", "GUP/s")),
    shown("time", "s"),
    lower("residual", {}),
    gate("errors"),
    higher("rate", "GB/s", "{kernel:lower}"),
    lower("latency", "us"),
    shown("time_bound", "s"),
};
constexpr Line kLines[] = {
    {.text = "VersionMajor={major}"},
    {.text = "VersionMinor={minor}"},
    {.text = "CommWorldProcs={processes}"},
    {.text = "Success={success}"},
    {.text = "HPL_N={n}"},
    {.text = "HPL_NB={nb}"},
    {.text = "HPL_Tflops={tflops}", .point = "hpl"},
    {.text = "HPL_time={time}", .point = "hpl"},
    {.text = "StarDGEMM_Gflops={gflops}", .point = "star_dgemm"},
    {.text = "SingleDGEMM_Gflops={gflops}", .point = "single_dgemm"},
    {.text = "PTRANS_GBs={bandwidth}", .point = "ptrans"},
    {.text = "MPIRandomAccess_LCG_GUPs={gups}", .point = "mpi_random_access_lcg"},
    {.text = "MPIRandomAccess_LCG_Errors={errors}", .point = "mpi_random_access_lcg"},
    {.text = "MPIRandomAccess_GUPs={gups}", .point = "mpi_random_access"},
    {.text = "MPIRandomAccess_Errors={errors}", .point = "mpi_random_access"},
    {.text = "StarRandomAccess_LCG_GUPs={gups}", .point = "star_random_access_lcg"},
    {.text = "SingleRandomAccess_LCG_GUPs={gups}", .point = "single_random_access_lcg"},
    {.text = "StarRandomAccess_GUPs={gups}", .point = "star_random_access"},
    {.text = "SingleRandomAccess_GUPs={gups}", .point = "single_random_access"},
    {.text = "StarSTREAM_{kernel}={rate}", .point = "star_stream"},
    {.text = "SingleSTREAM_{kernel}={rate}", .point = "single_stream"},
    {.text = "StarFFT_Gflops={gflops}", .point = "star_fft"},
    {.text = "SingleFFT_Gflops={gflops}", .point = "single_fft"},
    {.text = "MPIFFT_Gflops={gflops}", .point = "mpi_fft"},
    {.text = "MaxPingPongLatency_usec={latency}", .point = "ping_pong_max"},
    {.text = "AvgPingPongLatency_usec={latency}", .point = "ping_pong"},
    {.text = "MinPingPongBandwidth_GBytes={bandwidth}", .point = "ping_pong_min"},
    {.text = "AvgPingPongBandwidth_GBytes={bandwidth}", .point = "ping_pong"},
    {.text = "RandomlyOrderedRingLatency_usec={latency}", .point = "random_ring"},
    {.text = "RandomlyOrderedRingBandwidth_GBytes={bandwidth}", .point = "random_ring"},
    {.text = "NaturallyOrderedRingLatency_usec={latency}", .point = "natural_ring"},
    {.text = "NaturallyOrderedRingBandwidth_GBytes={bandwidth}", .point = "natural_ring"},
};
constexpr std::string_view kOurs[] = {"Begin of Summary section.", "HPL_Tflops={}"};
constexpr std::string_view kOurs2[] = {"This is the DARPA/DOE HPC Challenge Benchmark version {}"};
constexpr Recognised kRecognised[] = {{kOurs, 0.98}, {kOurs2, 0.98}};
constexpr Statement kStatement = {.tool = "HPC Challenge",
                                  .recognised = kRecognised,
                                  .fields = kFields,
                                  .lines = kLines,
                                  .nothing = "no result of HPC Challenge: no summary section",
                                  .hint = "hpccoutf.txt ends in one when all tests are done"};

}  // namespace

extern const Format hpcc_format = {
    .name = "hpcc",
    .title = "HPC Challenge (HPCC), tests of a cluster",
    .replication = core::Replication::run,
    .about = {.group = Group::hardware,
              .file = "text",
              .produce = "mpirun -np 16 hpcc  # reads hpccinf.txt, writes hpccoutf.txt",
              .judged =
                  "TFLOP/s, GFLOP/s, GUP/s and GB/s of the tests (higher), latencies in us (lower); errors and success are gates",
              .key = "the test: `star_stream.triad`",
              .trials = "one value a key",
              .context = "version, processes, size and block of HPL",
              .limits = "the summary alone is read; of the memory tests that fill STREAM the average over processes",
              .recognised = "the banner of HPC Challenge, or its summary section with `HPL_Tflops=`"},
    .statement = &kStatement,
};

}  // namespace plumbline::formats
