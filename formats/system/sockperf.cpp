// sockperf: the client's text. Half of a round trip is a "latency", with --full-rtt the whole of it is an "rtt"; a test of
// throughput prints rates instead. Its MBps are of 1024*1024 bytes.
#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr Field kFields[] = {
    context("version", "stack.sockperf"),
    context("protocol", "workload.protocol"),
    context("of", "workload.latency_of"),
    context("size", "workload.message_bytes"),
    shown("duration", "s"),
    shown("sent", "", "messages_sent"),
    shown("received", "", "messages_received"),
    headline(lower("average", "us", "latency.avg")),
    noise("deviation", "us", "latency.stddev"),
    percentile("percentile", "us", "latency.p{p:short}"),
    shown("minimum", "us", "latency.min"),
    shown("maximum", "us", "latency.max"),
    gate("dropped", "dropped_messages"),
    gate("duplicated", "duplicated_messages"),
    gate("reordered", "out_of_order_messages"),
    headline(higher("rate", "msg/s", "message_rate")),
    higher("bandwidth", "MiB/s"),
};
constexpr Line kLines[] = {
    {.text = "sockperf: == version #{version} =="},
    {.text = "[{}] IP = {} PORT = {} # {protocol}"},
    {.text = "sockperf: [Valid Duration] RunTime={duration} sec; SentMessages={sent}; ReceivedMessages={received}"},
    {.text = "sockperf: ====> avg-{of}={average} (std-dev={deviation}, {}"},
    {.text = "sockperf: ====> avg-{of}={average} (std-dev={deviation})"},
    {.text = "sockperf: # dropped messages = {dropped}; # duplicated messages = {duplicated}; # out-of-order messages = "
             "{reordered}"},
    {.text = "sockperf: ---> percentile {p} = {percentile}"},
    {.text = "sockperf: ---> <MAX> observation = {maximum}"},
    {.text = "sockperf: ---> <MIN> observation = {minimum}"},
    {.text = "sockperf: NOTE: test was performed, using msg-size={size}. {}"},
    {.text = "sockperf: Total of {sent} messages sent in {duration} sec"},
    {.text = "sockperf: Summary: Message Rate is {rate} [msg/sec]"},
    {.text = "sockperf: Summary: BandWidth is {bandwidth} MBps ({} Mbps)"},
};
constexpr std::string_view kLatency[] = {"sockperf: ====> avg-{}={} (std-dev={}"};
constexpr std::string_view kRate[] = {"sockperf: Summary: Message Rate is {} [msg/sec]"};
constexpr Recognised kRecognised[] = {{kLatency}, {kRate}};
constexpr Statement kStatement = {.tool = "sockperf",
                                  .recognised = kRecognised,
                                  .fields = kFields,
                                  .lines = kLines,
                                  .nothing = "no result of sockperf: no average and no message rate",
                                  .hint = "the client prints them when a test is over; a server has none"};

}  // namespace

extern const Format sockperf_format = {
    .name = "sockperf",
    .title = "sockperf, latency and rate of sockets",
    .replication = core::Replication::run,
    .about = {.group = Group::system,
              .file = "text",
              .produce = "sockperf ping-pong -i SERVER -t 30 | tee result.txt\n"
                         "sockperf throughput -i SERVER -t 30 -m 1472 | tee result.txt",
              .judged = "average, p50, p90 and p99 of the latency in us (lower), message rate in msg/s and bandwidth in MiB/s "
                        "(higher); dropped, duplicated and reordered messages are gates",
              .key = "the metric: one test a file",
              .trials = "one value a key",
              .context = "version, protocol, message size where it is printed, whether latencies are of half a round trip",
              .limits = "the full log of packets (--full-log) is left out",
              .recognised = "`sockperf: ====> avg-latency=` or `Summary: Message Rate is`"},
    .statement = &kStatement,
};

}  // namespace plumbline::formats
