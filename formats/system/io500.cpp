// IO500: result_summary.txt, or result.txt, which says the same by sections. Phases of IOR are bandwidths, the others rates of
// operations.
#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr Field kFields[] = {
    dimension("phase"),
    context("version", "stack.io500"),
    context("processes", "parallelism.processes"),
    context("mode", "regime.mode"),
    higher("bandwidth", "GiB/s"),
    higher("rate", "kIOPS"),
    shown("time", "s"),
    headline(higher("score", {})),
    headline(higher("score_bandwidth", "GiB/s", "bandwidth")),
    headline(higher("score_iops", "kIOPS", "rate")),
    gate("valid", {}, core::Direction::higher),
};
constexpr Line kLines[] = {
    {.text = "IO500 version {version} ({mode})"},
    {.text = "[RESULT] {phase} {bandwidth} GiB/s : time {time} seconds{}", .point = "{phase}"},
    {.text = "[RESULT] {phase} {rate} kIOPS : time {time} seconds{}", .point = "{phase}"},
    {.text = "[SCORE ] Bandwidth {score_bandwidth} GiB/s : IOPS {score_iops} kiops : TOTAL {score} [{valid}]", .point = "SCORE"},
    {.text = "[SCORE ] Bandwidth {score_bandwidth} GiB/s : IOPS {score_iops} kiops : TOTAL {score}", .point = "SCORE"},
    {.text = "procs = {processes}", .within = "[run]"},
    {.text = "version = {version}", .within = "[run]"},
    {.text = "mode = {mode}", .within = "[run]"},
    {.text = "MD = {score_iops}", .point = "{phase}"},
    {.text = "BW = {score_bandwidth}", .point = "{phase}"},
    {.text = "SCORE = {score} [{valid}]", .point = "{phase}"},
    {.text = "SCORE = {score}", .point = "{phase}"},
    {.text = "[{phase}]"},
    {.text = "score = {bandwidth}", .point = "{phase}", .within = "[ior-{}]"},
    {.text = "score = {rate}", .point = "{phase}", .within = "[mdtest-{}]"},
    {.text = "score = {rate}", .point = "{phase}", .within = "[find]"},
    {.text = "t_delta = {time}", .point = "{phase}", .within = "[ior-{}]"},
    {.text = "t_delta = {time}", .point = "{phase}", .within = "[mdtest-{}]"},
    {.text = "t_delta = {time}", .point = "{phase}", .within = "[find]"},
};
constexpr std::string_view kOurs[] = {"[RESULT] ior-easy-write {} GiB/s : time {}", "[SCORE ] Bandwidth {}"};
constexpr std::string_view kOurs2[] = {"version = io500-{}", "[ior-easy-write]"};
constexpr Recognised kRecognised[] = {{kOurs}, {kOurs2}};
constexpr Statement kStatement = {.tool = "IO500",
                                  .recognised = kRecognised,
                                  .fields = kFields,
                                  .lines = kLines,
                                  .nothing = "no result of IO500: no phase has a score",
                                  .hint = "it writes one behind each phase; look at what it says before"};

}  // namespace

extern const Format io500_format = {
    .name = "io500",
    .title = "IO500, parallel file systems",
    .replication = core::Replication::run,
    .about = {.group = Group::system,
              .file = "text",
              .produce = "mpirun -np 64 ./io500 config.ini  # writes result_summary.txt and result.txt",
              .judged = "bandwidth in GiB/s, operations in kIOPS and scores (higher)",
              .key = "the phase: `ior-easy-write.bandwidth`",
              .trials = "one value a key",
              .context = "version, mode, processes",
              .limits =
                  "a run that is not valid has a gate `valid` of 0; a valid run does not say so; commands and paths are left out",
              .recognised =
                  "`[RESULT] ior-easy-write …` and `[SCORE ] Bandwidth …`, or `version = io500-…` and `[ior-easy-write]`"},
    .statement = &kStatement,
};

}  // namespace plumbline::formats
