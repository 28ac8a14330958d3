// TransferBench (ROCm): copies between processors of a node. Of a test it prints each executor, its transfers, and all together
// by the clock of the CPU.
#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr Field kFields[] = {
    context("version", "stack.transferbench"), dimension("test"),   dimension("executor"), dimension("transfer"),
    headline(higher("bandwidth", "GB/s")),     shown("time", "ms"),
};
constexpr Line kLines[] = {
    {.text = "TransferBench v{version}", .turn = Turn::begins},
    {.text = "Test {test}:"},
    {.text = "Executor: {executor} | {bandwidth} | {time} | {}", .point = "executor"},
    {.text = "Transfer {transfer} | {bandwidth} | {time} | {}", .point = "transfer"},
    {.text = "Aggregate {}| {bandwidth} | {time} | {}", .point = "aggregate"},
};
constexpr std::string_view kOurs[] = {"TransferBench v{}", "Executor: {} | {} | {} | {}"};
constexpr Recognised kRecognised[] = {{kOurs}};
constexpr Statement kStatement = {.tool = "TransferBench",
                                  .recognised = kRecognised,
                                  .fields = kFields,
                                  .lines = kLines,
                                  .nothing = "no transfer in the output of TransferBench",
                                  .hint = "it prints a test when all its iterations are done"};

}  // namespace

extern const Format transferbench_format = {
    .name = "transferbench",
    .title = "TransferBench",
    .replication = core::Replication::run,
    .about = {.group = Group::hardware,
              .file = "text",
              .produce = "TransferBench example.cfg 256M | tee result.txt",
              .judged = "bandwidth in GB/s (higher)",
              .key = "executor, transfer or aggregate, and the number of the test: `transfer[test=1,transfer=00].bandwidth`",
              .trials = "one value a key: it prints means of its iterations",
              .context = "version",
              .limits = "tests are numbered in the order of the configuration; tables of presets are not read",
              .recognised = "`TransferBench v…` and a line `Executor: … | … | … |`"},
    .statement = &kStatement,
};

}  // namespace plumbline::formats
