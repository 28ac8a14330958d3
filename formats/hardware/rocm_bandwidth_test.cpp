// rocm-bandwidth-test: peak bandwidth between every two devices, or copies between two of them by size.
#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr Field kFields[] = {
    dimension("src"),
    dimension("dst"),
    dimension("size"),
    context("version", "stack.rocm_bandwidth_test"),
    higher("peak", "GB/s", "bandwidth"),
    headline(higher("mean", "GB/s", "bandwidth")),
    shown("time", "us"),
    shown("time_min", "us"),
    shown("best", "GB/s", "bandwidth_peak"),
};
constexpr Line kLines[] = {
    {.text = "RocmBandwidthTest Version: {version}"},
    {.text = "================ Src Device Id: {src} Src Device Type: {} ================"},
    {.text = "================ Dst Device Id: {dst} Dst Device Type: {} ================"},
};
constexpr Matrix kMatrices[] = {{.heading = "Unidirectional copy peak bandwidth GB/s",
                                 .row = "src",
                                 .column = "dst",
                                 .field = "peak",
                                 .point = "unidirectional"},
                                {.heading = "Bidirectional copy peak bandwidth GB/s",
                                 .row = "src",
                                 .column = "dst",
                                 .field = "peak",
                                 .point = "bidirectional"}};
constexpr Column kColumns[] = {{"Data Size", "size"},
                               {"Avg BW(GB/s)", "mean"},
                               {"Avg Time(us)", "time"},
                               {"Min Time(us)", "time_min"},
                               {"Peak BW(GB/s)", "best"}};
constexpr Table kTables[] = {{.columns = kColumns, .point = "copy"}};
constexpr std::string_view kOurs[] = {"Unidirectional copy peak bandwidth GB/s"};
constexpr std::string_view kOurs2[] = {"Bidirectional copy peak bandwidth GB/s"};
constexpr std::string_view kOurs3[] = {"Data Size Avg Time(us) Avg BW(GB/s) Min Time(us) Peak BW(GB/s)"};
constexpr Recognised kRecognised[] = {{kOurs}, {kOurs2}, {kOurs3}};
constexpr Statement kStatement = {.tool = "rocm-bandwidth-test",
                                  .recognised = kRecognised,
                                  .fields = kFields,
                                  .lines = kLines,
                                  .tables = kTables,
                                  .matrices = kMatrices,
                                  .nothing = "no result of rocm-bandwidth-test: no bandwidth",
                                  .hint = "it prints a matrix of devices, or a table of sizes; look at what it says before"};

}  // namespace

extern const Format rocm_bandwidth_test_format = {
    .name = "rocm-bandwidth-test",
    .title = "rocm-bandwidth-test, copies between AMD GPUs and the host",
    .replication = core::Replication::run,
    .about =
        {.group = Group::hardware,
         .file = "text",
         .produce = "rocm-bandwidth-test | tee result.txt\n"
                    "rocm-bandwidth-test -s 0 -d 1 | tee result.txt  # one pair, by size",
         .judged = "bandwidth in GB/s (higher)",
         .key =
             "the kind of copy and both devices: `unidirectional[src=0,dst=1].bandwidth`; by size `copy[src=0,dst=1,size=1 MB]`",
         .trials = "one value a key",
         .context = "version",
         .limits = "pairs without access have no value; names of devices are left out",
         .recognised =
             "`Unidirectional copy peak bandwidth GB/s`, `Bidirectional …`, or `Data Size  Avg Time(us)  Avg BW(GB/s) …`"},
    .statement = &kStatement,
};

}  // namespace plumbline::formats
