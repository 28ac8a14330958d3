// mdtest (IOR): the summary of rates of metadata operations, and that of times, which says the same. Operations that were not
// asked for are rows of zeros.
#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr Field kFields[] = {
    dimension("operation"),
    headline(higher("mean", "ops/s", "rate")),
    shown("maximum", "ops/s", "rate_max"),
    shown("minimum", "ops/s", "rate_min"),
    noise("deviation", "ops/s", "rate_sd"),
    context("version", "stack.mdtest"),
    context("tasks", "parallelism.ranks"),
    context("nodes", "parallelism.nodes"),
    context("items", "workload.items"),
    context("iterations", "workload.iterations"),
};
constexpr Line kLines[] = {
    {.text = "mdtest-{version} was launched with {tasks} total task(s) on {nodes} node(s)", .turn = Turn::begins},
    {.text = "{} tasks, {items} files"},
    {.text = "{} tasks, {items} files/directories"},
    {.text = "SUMMARY rate{}: (of {iterations} iterations)"},
};
constexpr Column kRates[] = {
    {"Operation", "operation"}, {"Mean", "mean"}, {"Max", "maximum"}, {"Min", "minimum"}, {"Std Dev", "deviation"}};
constexpr Table kTables[] = {{.columns = kRates, .point = "{operation}", .within = "SUMMARY rate{}", .busy = "mean"}};
constexpr std::string_view kOurs[] = {"mdtest-{} was launched with {} total task(s) on {} node(s)"};
constexpr std::string_view kSummary[] = {"SUMMARY rate{}: (of {} iterations)", "Operation Max Min Mean Std Dev"};
constexpr Recognised kRecognised[] = {{kOurs}, {kSummary}};
constexpr Statement kStatement = {.tool = "mdtest",
                                  .recognised = kRecognised,
                                  .fields = kFields,
                                  .lines = kLines,
                                  .tables = kTables,
                                  .nothing = "no rate in the summary of mdtest",
                                  .hint = "the table \"SUMMARY rate\" is printed when the test is over"};

}  // namespace

extern const Format mdtest_format = {
    .name = "mdtest",
    .title = "mdtest, metadata of file systems",
    .replication = core::Replication::run,
    .about = {.group = Group::system,
              .file = "text",
              .produce = "mpirun -np 16 mdtest -n 1000 -i 3 -d FOLDER | tee result.txt",
              .judged = "mean rate of an operation in ops/s (higher)",
              .key = "the operation; of a later run in one log its section",
              .trials = "one value a key: mdtest prints the mean of its iterations, with their deviation as noise",
              .context = "version, tasks, nodes, files, iterations",
              .limits = "operations that were not asked for are left out, and times, which say the same as rates",
              .recognised = "`mdtest-… was launched with … total task(s) on … node(s)`, or the heading `SUMMARY rate …`"},
    .statement = &kStatement,
};

}  // namespace plumbline::formats
