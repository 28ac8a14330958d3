// 7z b: the benchmark of 7-Zip. A row a dictionary, compressing and decompressing side by side; passes repeat the rows.
#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr Field kFields[] = {
    dimension("dict"),
    context("version", "stack.7zip"),
    context("cpus", "hardware.cpus"),
    context("threads", "workload.threads"),
    of("compressing", higher("speed", "KiB/s")),
    of("compressing", shown("usage", "%")),
    of("compressing", shown("rating_per_usage", "MIPS")),
    of("compressing", shown("rating", "MIPS")),
    of("decompressing", higher("d_speed", "KiB/s", "speed")),
    of("decompressing", shown("d_usage", "%", "usage")),
    of("decompressing", shown("d_rating_per_usage", "MIPS", "rating_per_usage")),
    of("decompressing", shown("d_rating", "MIPS", "rating")),
    headline(of("compressing", higher("c_mean", "MIPS", "rating"))),
    headline(of("decompressing", higher("d_mean", "MIPS", "rating"))),
    headline(higher("total", "MIPS", "rating")),
    shown("t_usage", "%", "usage"),
    shown("t_rating_per_usage", "MIPS", "rating_per_usage"),
};
constexpr Line kLines[] = {
    {.text = "7-Zip {version} : Copyright{}"},
    {.text = "RAM size: {} CPU hardware threads: {cpus}"},
    {.text = "RAM usage: {} Benchmark threads: {threads}"},
    {.text = "{dict}: {speed} {usage} {rating_per_usage} {rating} | {d_speed} {d_usage} {d_rating_per_usage} {d_rating}"},
    {.text = "Avr: {usage} {rating_per_usage} {c_mean} | {d_usage} {d_rating_per_usage} {d_mean}"},
    {.text = "Tot: {t_usage} {t_rating_per_usage} {total}"},
};
constexpr std::string_view kOurs[] = {"Dict Speed Usage R/U Rating | Speed Usage R/U Rating"};
constexpr Recognised kRecognised[] = {{kOurs}};
constexpr Statement kStatement = {.tool = "7-Zip",
                                  .recognised = kRecognised,
                                  .fields = kFields,
                                  .lines = kLines,
                                  .nothing = "no result of 7z b: no row below \"Dict\"",
                                  .hint = "it prints \"Avr:\" and \"Tot:\" when it is done; look at what it says before"};

}  // namespace

extern const Format seven_zip_format = {
    .name = "7-zip",
    .title = "7-Zip's own benchmark (`7z b`), compression on the CPU",
    .replication = core::Replication::run,
    .about = {.group = Group::system,
              .file = "text",
              .produce = "7z b | tee result.txt",
              .judged = "speed in KiB/s by dictionary, mean and total rating in MIPS (higher)",
              .key = "compressing or decompressing, and the dictionary: `compressing[dict=22].speed`",
              .trials = "passes that repeat a dictionary",
              .context = "version, CPUs, threads",
              .limits = "ratings of single dictionaries say the same as their speeds",
              .recognised = "the heading `Dict  Speed Usage  R/U Rating | …`"},
    .statement = &kStatement,
};

}  // namespace plumbline::formats
