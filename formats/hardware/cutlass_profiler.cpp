// cutlass_profiler: its CSV, a file of --output or the end of what it prints. A row is a kernel on a problem.
#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr Field kFields[] = {
    dimension("operation"),
    dimension("provider"),
    dimension("gemm_kind"),
    dimension("conv_kind"),
    dimension("m"),
    dimension("n"),
    dimension("k"),
    dimension("h"),
    dimension("w"),
    dimension("c"),
    dimension("r"),
    dimension("s"),
    dimension("p"),
    dimension("q"),
    dimension("A"),
    dimension("B"),
    dimension("C"),
    dimension("D"),
    dimension("E"),
    dimension("Activation"),
    dimension("Filter"),
    dimension("Output"),
    dimension("alpha"),
    dimension("beta"),
    dimension("split_k_mode"),
    dimension("split_k_slices"),
    dimension("batch_count"),
    dimension("raster_order"),
    headline(higher("gflops", "GFLOP/s")),
    shown("runtime", "ms"),
    shown("bandwidth", "GiB/s"),
    gate("disposition", "passed", core::Direction::higher),
};
constexpr Column kColumns[] = {{"Operation", "operation"},
                               {"Disposition", "disposition"},
                               {"Provider", "provider"},
                               {"GFLOPs", "gflops"},
                               {"Runtime", "runtime"},
                               {"GB/s", "bandwidth"},
                               {"gemm_kind", "gemm_kind"},
                               {"conv_kind", "conv_kind"},
                               {"m", "m"},
                               {"n", "n"},
                               {"k", "k"},
                               {"h", "h"},
                               {"w", "w"},
                               {"c", "c"},
                               {"r", "r"},
                               {"s", "s"},
                               {"p", "p"},
                               {"q", "q"},
                               {"A", "A"},
                               {"B", "B"},
                               {"C", "C"},
                               {"D", "D"},
                               {"E", "E"},
                               {"Activation", "Activation"},
                               {"Filter", "Filter"},
                               {"Output", "Output"},
                               {"alpha", "alpha"},
                               {"beta", "beta"},
                               {"split_k_mode", "split_k_mode"},
                               {"split_k_slices", "split_k_slices"},
                               {"batch_count", "batch_count"},
                               {"raster_order", "raster_order"}};
constexpr Table kTables[] = {{.columns = kColumns, .point = "{operation}", .separator = ','}};
constexpr std::string_view kOurs[] = {"Problem,Provider,OperationKind,Operation,Disposition,Status,{}"};
constexpr Recognised kRecognised[] = {{kOurs, 0.97}};
constexpr Statement kStatement = {.tool = "cutlass_profiler",
                                  .recognised = kRecognised,
                                  .fields = kFields,
                                  .tables = kTables,
                                  .nothing = "no result of cutlass_profiler: no row below \"Problem,Provider,…\"",
                                  .hint = "it prints the table as CSV at its end, or writes it with --output=FILE"};

}  // namespace

extern const Format cutlass_profiler_format = {
    .name = "cutlass-profiler",
    .title = "CUTLASS profiler, kernels of NVIDIA GPUs",
    .replication = core::Replication::run,
    .about = {.group = Group::hardware,
              .file = "CSV",
              .produce = "cutlass_profiler --operation=Gemm --m=4096 --n=4096 --k=4096 --output=result\n"
                         "# writes result.gemm.csv",
              .judged = "GFLOP/s (higher); whether the kernel passed its verification is a gate",
              .key = "the kernel and the arguments of the problem",
              .trials = "rows that repeat a kernel and problem",
              .context = "none",
              .limits = "the printed blocks before the table are not read; runtime and memory bandwidth say the same",
              .recognised = "the heading `Problem,Provider,OperationKind,Operation,Disposition,Status,…`"},
    .statement = &kStatement,
};

}  // namespace plumbline::formats
