// UnixBench: the results of its tests, their indexes and the score of all, by the number of copies that ran at once.
#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr std::string_view kScore = "System Benchmarks Index Score";
constexpr Field kFields[] = {
    dimension("copies"), dimension("test"), higher("result", "{unit}"), shown("index"), headline(higher("score", {}, "index")),
};
constexpr Line kLines[] = {
    {.text = "{}; running {copies} parallel {} of tests"},
    {.text = "{test} {result} {unit} ({}, {} samples)", .point = "{test}"},
    {.text = "System Benchmarks Index Score {score}", .point = kScore},
    {.text = "System Benchmarks Index Score (Partial Only) {score}", .point = kScore},
    {.text = "{test} {#} {#} {index}", .point = "{test}", .within = "System Benchmarks {} BASELINE RESULT INDEX"},
};
// Many keep a run without its banner: the heading of its indexes is there always.
constexpr std::string_view kOurs[] = {"System Benchmarks Index Values BASELINE RESULT INDEX"};
constexpr std::string_view kSome[] = {"System Benchmarks Partial Index BASELINE RESULT INDEX"};
constexpr Recognised kRecognised[] = {{kOurs, 0.97}, {kSome, 0.97}};
constexpr Statement kStatement = {.tool = "UnixBench",
                                  .recognised = kRecognised,
                                  .fields = kFields,
                                  .lines = kLines,
                                  .again_is_another_run = true,
                                  .nothing = "no result of UnixBench",
                                  .hint = "it prints them when all tests are done"};

}  // namespace

extern const Format unixbench_format = {
    .name = "unixbench",
    .title = "UnixBench",
    .replication = core::Replication::run,
    .about = {.group = Group::hardware,
              .file = "text",
              .produce = "./Run | tee result.txt",
              .judged = "the result of each test in its unit, and the index score of all (higher)",
              .key = "the test and how many copies ran at once: `Pipe Throughput[copies=1].result`",
              .trials = "one value a key: it prints means of its samples",
              .context = "none",
              .limits = "indexes of single tests say the same as their results",
              .recognised = "the heading of its indexes: `System Benchmarks Index Values`, or `Partial Index`, then `BASELINE`, "
                            "`RESULT`, `INDEX`"},
    .statement = &kStatement,
};

}  // namespace plumbline::formats
