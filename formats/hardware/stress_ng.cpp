// stress-ng: the metrics that --metrics prints and those of --yaml, a stressor a point. Operations per second of CPU time say how
// a stressor used the CPU, not how fast it was.
#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr Field kFields[] = {
    dimension("stressor"),
    context("version", "stack.stress_ng"),
    context("kernel", "stack.kernel"),
    context("cpus", "hardware.cpus"),
    shown("bogo_ops"),
    headline(higher("bogo_ops_per_second_real_time", "bogo-ops/s")),
    shown("bogo_ops_per_second_usr_sys_time", "bogo-ops/s"),
    shown("wall_clock_time", "s"),
    shown("user_time", "s"),
    shown("system_time", "s"),
    shown("cpu_usage_per_instance", "%"),
    shown("max_rss", "KB"),
    gate("failed"),
};
constexpr std::string_view kOld =
    "stress-ng: {}: [{}] {stressor} {bogo_ops} {wall_clock_time} {user_time} {system_time} {bogo_ops_per_second_real_time} "
    "{bogo_ops_per_second_usr_sys_time}";
constexpr std::string_view kNew =
    "stress-ng: {}: [{}] {stressor} {bogo_ops} {wall_clock_time} {user_time} {system_time} {bogo_ops_per_second_real_time} "
    "{bogo_ops_per_second_usr_sys_time} {cpu_usage_per_instance} {max_rss}";
constexpr Line kLines[] = {
    {.text = kNew, .point = "{stressor}"},
    {.text = kOld, .point = "{stressor}"},
    {.text = "stress-ng: {}: [{}] failed: {failed}: {}"},
    {.text = "stress-ng: {}: [{}] failed: {failed}"},
    {.text = "stress-ng-version: {version}", .turn = Turn::begins},
    {.text = "release: {kernel}"},
    {.text = "cpus-online: {cpus}"},
    {.text = "- stressor: {stressor}"},
    {.text = "bogo-ops: {bogo_ops}", .point = "{stressor}"},
    {.text = "bogo-ops-per-second-usr-sys-time: {bogo_ops_per_second_usr_sys_time}", .point = "{stressor}"},
    {.text = "bogo-ops-per-second-real-time: {bogo_ops_per_second_real_time}", .point = "{stressor}"},
    {.text = "wall-clock-time: {wall_clock_time}", .point = "{stressor}"},
    {.text = "user-time: {user_time}", .point = "{stressor}"},
    {.text = "system-time: {system_time}", .point = "{stressor}"},
    {.text = "cpu-usage-per-instance: {cpu_usage_per_instance}", .point = "{stressor}"},
    {.text = "max-rss: {max_rss}", .point = "{stressor}"},
};
constexpr std::string_view kText[] = {
    "stress-ng: {}: [{}] stressor bogo ops real time usr time sys time bogo ops/s bogo ops/s{}"};
constexpr std::string_view kYaml[] = {"stress-ng-version: {}", "- stressor: {}"};
constexpr Recognised kRecognised[] = {{kText}, {kYaml}};
constexpr Statement kStatement = {.tool = "stress-ng",
                                  .recognised = kRecognised,
                                  .fields = kFields,
                                  .lines = kLines,
                                  .nothing = "no metric of stress-ng",
                                  .hint = "stress-ng --metrics prints them, --yaml FILE writes them"};

}  // namespace

extern const Format stress_ng_format = {
    .name = "stress-ng",
    .title = "stress-ng (--metrics, --yaml)",
    .replication = core::Replication::run,
    .about = {.group = Group::hardware,
              .file = "text, YAML",
              .produce = "stress-ng --cpu 4 --timeout 60s --metrics --yaml result.yaml",
              .judged = "operations per second of real time (higher); failed stressors are a gate",
              .key = "the stressor",
              .trials = "one value a key",
              .context = "version, kernel, CPUs",
              .limits = "operations are those of one stressor and one version: never compare two stressors, or two versions",
              .recognised = "the heading of `--metrics`, or `stress-ng-version:` and `- stressor:`"},
    .statement = &kStatement,
};

}  // namespace plumbline::formats
