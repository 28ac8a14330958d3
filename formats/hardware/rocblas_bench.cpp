// rocblas-bench and hipblaslt-bench: a heading of the function's arguments, then the problem and what it took. hipblaslt-bench
// puts the number of the solution before its heading.
#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr Field kFields[] = {
    dimension("transA"),
    dimension("transB"),
    dimension("side"),
    dimension("uplo"),
    dimension("diag"),
    dimension("grouped_gemm"),
    dimension("batch_count"),
    dimension("M"),
    dimension("N"),
    dimension("K"),
    dimension("m"),
    dimension("n"),
    dimension("k"),
    dimension("alpha"),
    dimension("beta"),
    dimension("lda"),
    dimension("ldb"),
    dimension("ldc"),
    dimension("ldd"),
    dimension("stride_a"),
    dimension("stride_b"),
    dimension("stride_c"),
    dimension("stride_d"),
    dimension("incx"),
    dimension("incy"),
    dimension("a_type"),
    dimension("b_type"),
    dimension("c_type"),
    dimension("d_type"),
    dimension("compute_type"),
    dimension("activation_type"),
    dimension("bias_vector"),
    dimension("rotating_buffer"),
    headline(higher("gflops", "GFLOP/s")),
    shown("time", "us"),
    shown("bandwidth", "GB/s"),
    shown("norm_error"),
    context("version", "stack.hipblaslt"),
};
constexpr Line kLines[] = {
    {.text = "hipBLASLt version: {version}"},
};
constexpr Column kRocblas[] = {{"rocblas-Gflops", "gflops"},
                               {"us", "time"},
                               {"rocblas-GB/s", "bandwidth"},
                               {"norm_error", "norm_error"},
                               {"transA", "transA"},
                               {"transB", "transB"},
                               {"side", "side"},
                               {"uplo", "uplo"},
                               {"diag", "diag"},
                               {"batch_count", "batch_count"},
                               {"M", "M"},
                               {"N", "N"},
                               {"K", "K"},
                               {"alpha", "alpha"},
                               {"beta", "beta"},
                               {"lda", "lda"},
                               {"ldb", "ldb"},
                               {"ldc", "ldc"},
                               {"ldd", "ldd"},
                               {"incx", "incx"},
                               {"incy", "incy"}};
constexpr Column kHipblaslt[] = {{"hipblaslt-Gflops", "gflops"},
                                 {"us", "time"},
                                 {"hipblaslt-GB/s", "bandwidth"},
                                 {"norm_error", "norm_error"},
                                 {"[0]:transA", "transA"},
                                 {"[0]transA", "transA"},
                                 {"transA", "transA"},
                                 {"transB", "transB"},
                                 {"grouped_gemm", "grouped_gemm"},
                                 {"batch_count", "batch_count"},
                                 {"m", "m"},
                                 {"n", "n"},
                                 {"k", "k"},
                                 {"alpha", "alpha"},
                                 {"lda", "lda"},
                                 {"stride_a", "stride_a"},
                                 {"beta", "beta"},
                                 {"ldb", "ldb"},
                                 {"stride_b", "stride_b"},
                                 {"ldc", "ldc"},
                                 {"stride_c", "stride_c"},
                                 {"ldd", "ldd"},
                                 {"stride_d", "stride_d"},
                                 {"a_type", "a_type"},
                                 {"b_type", "b_type"},
                                 {"c_type", "c_type"},
                                 {"d_type", "d_type"},
                                 {"compute_type", "compute_type"},
                                 {"activation_type", "activation_type"},
                                 {"bias_vector", "bias_vector"},
                                 {"rotating_buffer", "rotating_buffer"}};
constexpr Table kTables[] = {{.columns = kRocblas, .point = "rocblas", .separator = ','},
                             {.columns = kHipblaslt, .point = "hipblaslt", .separator = ','}};
constexpr std::string_view kOurs[] = {"{}rocblas-Gflops,us{}"};
constexpr std::string_view kOurs2[] = {"{}transA,transB,{}hipblaslt-Gflops,{}us{}"};
constexpr Recognised kRecognised[] = {{kOurs, 0.97}, {kOurs2, 0.97}};
constexpr Statement kStatement = {.tool = "rocblas-bench",
                                  .recognised = kRecognised,
                                  .fields = kFields,
                                  .lines = kLines,
                                  .tables = kTables,
                                  .nothing = "no result of rocblas-bench: no row below its heading",
                                  .hint = "it prints one behind its heading; look at what it says before"};

}  // namespace

extern const Format rocblas_bench_format = {
    .name = "rocblas-bench",
    .title = "rocblas-bench and hipblaslt-bench, matrix products on AMD GPUs",
    .replication = core::Replication::run,
    .about = {.group = Group::hardware,
              .file = "text",
              .produce = "rocblas-bench -f gemm -r s -m 4096 -n 4096 -k 4096 | tee result.txt\n"
                         "hipblaslt-bench -m 4096 -n 4096 -k 4096 --precision bf16_r | tee result.txt",
              .judged = "GFLOP/s (higher)",
              .key = "the library and the arguments of the problem: `rocblas[transA=N,…,M=4096,N=4096,K=4096].gflops`",
              .trials = "rows that repeat a problem",
              .context = "version",
              .limits = "the function and the precision of rocblas-bench are not in its output; time and bandwidth say the same",
              .recognised = "a heading with `rocblas-Gflops,us` or `hipblaslt-Gflops`"},
    .statement = &kStatement,
};

}  // namespace plumbline::formats
