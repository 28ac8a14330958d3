// The text of gungraun, iai-callgrind and iai: a line with the benchmark's name, under it indented lines "Metric: new|old
// (change)". What stands behind the bar and in parentheses is the run before, no result of this one.
#include "formats/harness/gungraun.hpp"

#include "core/citing.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {
namespace {

constexpr Declared fewer(std::string_view unit = {}) { return {unit, core::Direction::lower, core::Role::judged, true}; }
constexpr Declared counted_only() { return {{}, core::Direction::unknown, core::Role::context, true}; }

struct Name {
  std::string_view json, text;
  Declared declared;
};
constexpr Name kNames[] = {
    {"Ir", "Instructions", fewer()},
    {"Dr", "Dr", fewer()},
    {"Dw", "Dw", fewer()},
    {"I1mr", "I1mr", fewer()},
    {"D1mr", "D1mr", fewer()},
    {"D1mw", "D1mw", fewer()},
    {"ILmr", "ILmr", fewer()},
    {"DLmr", "DLmr", fewer()},
    {"DLmw", "DLmw", fewer()},
    {"I1MissRate", "I1 Miss Rate", lower_is_better("%")},
    {"D1MissRate", "D1 Miss Rate", lower_is_better("%")},
    {"LLiMissRate", "LLi Miss Rate", lower_is_better("%")},
    {"LLdMissRate", "LLd Miss Rate", lower_is_better("%")},
    {"LLMissRate", "LL Miss Rate", lower_is_better("%")},
    // More hits in the nearest cache are good, more accesses are not: the number alone cannot say.
    {"L1hits", "L1 Hits", counted_only()},
    {"", "L1 Accesses", counted_only()},
    {"LLhits", "LL Hits", fewer()},
    {"", "L2 Hits", fewer()},
    {"", "L2 Accesses", fewer()},
    {"RamHits", "RAM Hits", fewer()},
    {"", "RAM Accesses", fewer()},
    {"L1HitRate", "L1 Hit Rate", higher_is_better("%")},
    {"LLHitRate", "LL Hit Rate", for_context("%")},
    {"RamHitRate", "RAM Hit Rate", lower_is_better("%")},
    {"TotalRW", "Total read+write", fewer()},
    {"EstimatedCycles", "Estimated Cycles", fewer()},
    {"Bc", "Bc", fewer()},
    {"Bcm", "Bcm", fewer()},
    {"Bi", "Bi", fewer()},
    {"Bim", "Bim", fewer()},
    {"ILdmr", "ILdmr", fewer()},
    {"DLdmr", "DLdmr", fewer()},
    {"DLdmw", "DLdmw", fewer()},
    {"AcCost1", "AcCost1", fewer()},
    {"AcCost2", "AcCost2", fewer()},
    {"SpLoss1", "SpLoss1", fewer()},
    {"SpLoss2", "SpLoss2", fewer()},
    {"Ge", "Ge", fewer()},
    {"SysCount", "SysCount", fewer()},
    // Real times under an emulator; their unit depends on a flag of the run.
    {"SysTime", "SysTime", for_context()},
    {"SysCpuTime", "SysCpuTime", for_context()},
    {"TotalUnits", "Total units", fewer()},
    {"TotalEvents", "Total events", fewer()},
    {"TotalBytes", "Total bytes", fewer("B")},
    {"TotalBlocks", "Total blocks", fewer()},
    {"AtTGmaxBytes", "At t-gmax bytes", fewer("B")},
    {"AtTGmaxBlocks", "At t-gmax blocks", fewer()},
    {"AtTEndBytes", "At t-end bytes", fewer("B")},
    {"AtTEndBlocks", "At t-end blocks", fewer()},
    {"ReadsBytes", "Reads bytes", fewer("B")},
    {"WritesBytes", "Writes bytes", fewer("B")},
    {"TotalLifetimes", "Total lifetimes", counted_only()},
    {"MaximumBytes", "Maximum bytes", fewer("B")},
    {"MaximumBlocks", "Maximum blocks", fewer()},
    {"Errors", "Errors", gate()},
    {"Contexts", "Contexts", gate()},
    {"SuppressedErrors", "Suppressed Errors", counted_only()},
    {"SuppressedContexts", "Suppressed Contexts", counted_only()},
};

// "  Instructions:      1734|1735   (-0.06%)": the metric and the new value as printed.
struct MetricLine {
  GungraunMetric metric;
  std::string_view value;
};
std::optional<MetricLine> metric_line(std::string_view line) {
  if (!line.starts_with("  ")) return std::nullopt;
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto metric = gungraun_metric(core::trim(line.substr(0, colon)));
  if (!metric) return std::nullopt;
  std::string_view value = core::trim(line.substr(colon + 1));
  value = core::trim(value.substr(0, value.find_first_of("| \t(")));
  if (value.empty() || !cell(value)) return std::nullopt;
  return MetricLine{*metric, value};
}

// Memcheck, Helgrind and DRD count the same things: where several ran, each has its own.
class ErrorTools {
 public:
  explicit ErrorTools(std::string_view text) {
    int tools = 0;
    for (const std::string_view banner : {"======= MEMCHECK ", "======= HELGRIND ", "======= DRD "}) {
      tools += text.find(banner) != std::string_view::npos ? 1 : 0;
    }
    several_ = tools > 1;
  }
  [[nodiscard]] std::string prefix(std::string_view tool, std::string_view metric) const {
    const bool counts = metric.ends_with("Errors") || metric.ends_with("Contexts");
    return several_ && counts && !tool.empty() ? std::string(tool) + " " : std::string();
  }

 private:
  bool several_ = false;
};

// "pid: 123 thread: 2 part: 1      |pid: 99 …" -> "thread: 2 part: 1": the numbers of processes are other ones in every run.
std::string part_of(std::string_view line, std::size_t& processes) {
  std::vector<std::string_view> words;
  split_blanks(line.substr(0, line.find('|')), words);
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "pid:" || words[i] == "ppid:") {
      ++i;
    } else {
      out += (out.empty() ? "" : " ") + std::string(words[i].substr(0, 40));
    }
  }
  return out.empty() ? "process " + std::to_string(++processes) : out.substr(0, 80);
}

// "lib::group::bench id:args" -> "lib::group::bench id"; a name of iai has no colons at all.
std::string point_of(std::string_view header, std::string& id) {
  const std::size_t blank = std::min(header.find(' '), header.size());
  std::string point(header.substr(0, blank));
  const std::string_view rest = core::trim(header.substr(blank));
  id = std::string(rest.substr(0, rest.find(':')));
  if (id.starts_with('(')) id.clear();
  return id.empty() ? point : point + " " + id;
}

Detection detect_gungraun(const Input& input) {
  Detection detection;
  const std::string_view head = head_of(input);
  LogLines lines(head);
  std::string_view line, before, path;  // path: a line that starts with "crate::group::bench"
  while (lines.next(line)) {
    const auto metric = metric_line(line);
    const bool bar = line.find('|') != std::string_view::npos;
    // Between the name and its metrics may stand baselines, the name of a tool and what the benchmark printed.
    const bool named = !before.empty() && before.front() != ' ' && before.find_first_of("{}<>,;") != 0 &&
                       before.find(": ") == std::string_view::npos;
    if (metric && (named || (!path.empty() && (bar || metric->metric.name == "Instructions")))) {
      const std::string_view name = named ? before : path;
      const bool sure = bar || name.find("::") != std::string_view::npos || metric->metric.name == "Instructions";
      detection.score = sure ? 0.95 : 0.7;
      detection.evidence.push_back("has the line " + core::cited(core::trim(line).substr(0, 60)) + " under " +
                                   core::cited(name.substr(0, 60)));
      break;
    }
    if (!line.empty() && line.front() != ' ' && line.substr(0, line.find(' ')).find("::") != std::string_view::npos) path = line;
    // The name of a tool or of a part may stand between.
    if (!core::trim(line).empty() && !line.starts_with("  =") && !line.starts_with("  #")) before = line;
  }
  return detection;
}

core::Expected<core::Measurement> read_gungraun(const Input& input, const ReadOptions& options) {
  RowWriter writer(options);
  DeclaredRows rows(writer, "gungraun");
  rows.repeats_are_sections();
  LogLines lines(input.bytes);
  std::string_view line;
  std::string header, point, id, part;
  const ErrorTools error_tools(input.bytes);
  std::string tool;
  std::size_t processes = 0;
  bool comparison = false;
  std::uint64_t compared = 0, regressed = 0;
  std::uint32_t dims = 0;
  while (lines.next(line) && !writer.halted()) {
    if (core::trim(line).empty()) continue;
    const std::string_view text = core::trim(line);
    if (line.front() != ' ') {
      if (const std::size_t at = text.find(" regressed;"); at != std::string_view::npos && at > 0) {
        const std::size_t start = text.rfind(' ', at - 1);
        regressed = static_cast<std::uint64_t>(
            std::max<std::int64_t>(0, core::parse_int(text.substr(start + 1, at - start - 1)).value_or(0)));
      }
      // An argument that runs over several lines, or what the benchmark itself printed (--nocapture): no name.
      const bool named = text.substr(0, text.find(' ')).find("::") != std::string_view::npos;
      if (!named && header.find("::") != std::string::npos) continue;
      header = std::string(text.substr(0, 400));
      point = point_of(header, id);
      part.clear();
      tool.clear();
      processes = 0;
      comparison = false;
      dims = rows.dims({{"benchmark", header.substr(0, header.find(' '))}, {"id", id}});
      continue;
    }
    if (text.starts_with("Comparison with ")) comparison = true;  // of two benchmarks of this run: no new numbers
    if (text.starts_with("======= ")) {
      part.clear();
      tool = std::string(text.substr(8, text.find(' ', 8) - 8));
      processes = 0;
    }
    if (text.starts_with("## ")) part = text == "## Total" ? "" : part_of(text.substr(3), processes);
    const auto metric = metric_line(line);
    if (!metric || point.empty()) continue;
    if (comparison) {
      ++compared;
      continue;
    }
    auto leaf = *cell(metric->value);
    if (leaf.state == core::ValueState::null) leaf.text = "only the run before has this value";
    // A part of a run (a process, a thread) is told from the total by its name; its counts are not judged twice.
    Declared declared = metric->metric.declared;
    if (!part.empty()) declared.role = core::Role::context;
    const std::string name =
        error_tools.prefix(tool, metric->metric.name) + std::string(metric->metric.name) + (part.empty() ? "" : " (part)");
    rows.add(part.empty() ? point : point + "[" + part + "]", name, dims, declared, leaf);
  }
  if (writer.out.rows().empty()) {
    return core::fail(core::ErrorCode::invalid_input,
                      "no metric under the name of a benchmark, as in \"  Instructions:  1734|1734\"",
                      "cargo bench prints them with gungraun, iai-callgrind and iai", input.name);
  }
  rows.warn_of_repeats();
  if (regressed > 0) rows.add({}, "regressed_by_own_comparison", 0, for_context(), static_cast<double>(regressed));
  if (compared > 0) {
    writer.out.warn("relative_results", core::counted(compared, "line compares", "lines compare") +
                                            " two benchmarks of this run with each other, and are left out");
  }
  writer.out.declared.headlines = {"*.Instructions"};
  // Valgrind counts the same every time: a change of a thousandth is a change.
  writer.out.declared.tolerances = {{"*.Instructions", "0.1%"}, {"*.Estimated Cycles", "0.1%"}};
  return writer.finish(input.name);
}

}  // namespace

std::optional<GungraunMetric> gungraun_metric(std::string_view name) {
  const std::string lower = core::to_lower(name);
  for (const Name& one : kNames) {
    if (one.json == name || core::to_lower(one.text) == lower) return GungraunMetric{one.text, one.declared};
  }
  return std::nullopt;
}

extern const Format gungraun_format = {
    .name = "gungraun",
    .title = "gungraun, iai-callgrind and iai (Rust)",
    .replication = core::Replication::run,
    .detect = detect_gungraun,
    .read = read_gungraun,
    .about =
        {.group = Group::harness,
         .file = "text",
         .produce = "cargo bench | tee result.txt",
         .judged =
             "instructions, cycles, misses, reads and writes, heap bytes and blocks (lower, exact), miss rates (lower) and the "
             "L1 hit rate (higher); errors of memcheck, helgrind and DRD as gates",
         .key = "module path and id of the benchmark",
         .trials = "one value a key: Valgrind counts",
         .context = "none in the text",
         .limits = "the value behind the bar and the change are the run before and left out; counts of single processes and "
                   "threads, L1 hits and times of system calls are context",
         .recognised = "`Instructions: new|old` under a benchmark's name"},
};

}  // namespace plumbline::formats
