// text-generation-benchmark of Text Generation Inference: the Markdown report that it leaves when it ends. A step is timed N
// times for each batch size; the name of a step stands in its first row only.
#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr Field kFields[] = {
    dimension("step"),
    dimension("batch_size"),
    context("model", "identity.model"),
    context("input", "workload.isl"),
    context("output", "workload.osl"),
    context("runs", "regime.runs"),
    headline(lower("average", "ms")),
    lower("p50", "ms"),
    lower("p90", "ms"),
    lower("p99", "ms"),
    shown("lowest", "ms"),
    shown("highest", "ms"),
    headline(higher("throughput", "tok/s")),
};
constexpr Line kLines[] = {{.text = "| Model | {model} |"},
                           {.text = "| Sequence Length | {input} |"},
                           {.text = "| Decode Length | {output} |"},
                           {.text = "| N Runs | {runs} |"}};
constexpr Column kTimes[] = {{"p50", "p50"},         {"Step", "step"},      {"Batch Size", "batch_size"},
                             {"Average", "average"}, {"Lowest", "lowest"},  {"p90", "p90"},
                             {"p99", "p99"},         {"Highest", "highest"}};
constexpr Column kRates[] = {{"Step", "step"}, {"Batch Size", "batch_size"}, {"Average", "throughput"}};
constexpr Table kTables[] = {{.columns = kTimes, .point = "{step}", .separator = '|', .fills_down = "Step"},
                             {.columns = kRates, .point = "{step}", .separator = '|', .fills_down = "Step"}};
constexpr std::string_view kOurs[] = {"| Step | Batch Size | Average | Lowest | Highest | p50 | p90 | p99 |",
                                      "| Decode (token) | {}"};
constexpr Recognised kRecognised[] = {{kOurs, 0.97}};
constexpr Statement kStatement = {.tool = "text-generation-benchmark",
                                  .recognised = kRecognised,
                                  .fields = kFields,
                                  .lines = kLines,
                                  .tables = kTables,
                                  .nothing = "no result of text-generation-benchmark: no row below \"Step\"",
                                  .hint = "it prints its tables when it ends; let it run to its last batch size"};

}  // namespace

extern const Format tgi_benchmark_format = {
    .name = "tgi-benchmark",
    .title = "text-generation-benchmark of TGI, times by batch size",
    .replication = core::Replication::run,
    .about = {.group = Group::serving,
              .file = "text",
              .produce = "text-generation-benchmark --tokenizer-name MODEL -b 1 -b 8\n"
                         "# leave it with q when it is done, and keep the tables that it prints then",
              .judged = "time of prefill and decode in ms: average, p50, p90, p99 (lower); tok/s (higher)",
              .key = "the step and `batch_size`: `Prefill[batch_size=8].average`",
              .trials = "one value a key",
              .context = "model, sequence and decode length, runs",
              .limits = "decode of all tokens is that of one token times their number: both are judged",
              .recognised = "the heading `Step | Batch Size | Average | …` and a row `Decode (token)`"},
    .statement = &kStatement,
};

}  // namespace plumbline::formats
