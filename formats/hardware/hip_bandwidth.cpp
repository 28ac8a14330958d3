// hipBusBandwidth, the sample of HIP: copies between host and device by size. Sizes that are too small have a bandwidth of 0.
#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr Field kFields[] = {
    dimension("size"),
    higher("bandwidth", "GB/s"),
    shown("bandwidth_mean", "GB/s"),
    noise("bandwidth_sd", "GB/s"),
    shown("bandwidth_min", "GB/s"),
    shown("bandwidth_max", "GB/s"),
    lower("time", "ms"),
    shown("time_mean", "ms"),
    noise("time_sd", "ms"),
    shown("time_min", "ms"),
    shown("time_max", "ms"),
    context("mode", "workload.malloc_mode"),
    context("device", "hardware.gpu"),
};
constexpr Line kLines[] = {
    {.text = "Device:{device} Mem={} MallocMode={mode}"},
    {.text = "{test} {size} GB/sec {bandwidth} {bandwidth_mean} {bandwidth_sd} {bandwidth_min} {bandwidth_max}",
     .point = "{test}"},
    {.text = "{test} {size} ms {time} {time_mean} {time_sd} {time_min} {time_max}", .point = "{test}"},
};
constexpr std::string_view kOurs[] = {"test atts units median mean stddev min max", "{} GB/sec {}"};
constexpr Recognised kRecognised[] = {{kOurs}};
constexpr Statement kStatement = {.tool = "hipBusBandwidth",
                                  .recognised = kRecognised,
                                  .fields = kFields,
                                  .lines = kLines,
                                  .nothing = "no result of hipBusBandwidth: no row below \"test  atts  units\"",
                                  .hint = "it prints a row a size; look at what it says before"};

}  // namespace

extern const Format hip_bandwidth_format = {
    .name = "hip-bandwidth",
    .title = "hipBusBandwidth of HIP, copies between the host and an AMD GPU",
    .replication = core::Replication::run,
    .about = {.group = Group::hardware,
              .file = "text",
              .produce = "hipBusBandwidth --h2d | tee result.txt",
              .judged = "median bandwidth in GB/s (higher), median time in ms (lower)",
              .key = "the test and `size`: `H2D_Bandwidth_pinned[size=64kB].bandwidth`",
              .trials = "one value a key",
              .context = "device, kind of memory",
              .limits = "mean, minimum and maximum are context",
              .recognised = "the heading `test  atts  units  median  mean  stddev  min  max`"},
    .statement = &kStatement,
};

}  // namespace plumbline::formats
