#include "formats/generic/known_tools.hpp"

#include <algorithm>
#include <iterator>

#include "core/text.hpp"

namespace plumbline::formats {
namespace {

constexpr std::string_view kNoFile = "there was no real file of it to write and test a reader with";

constexpr KnownTool kTools[] = {
    {"benchcmp", "benchmark ", "old ns/op", "give the two files that it compared: the text of `go test -bench` of each side",
     "it prints two runs side by side", true},
    {"benchcmp", "benchmark ", "old MB/s", "give the two files that it compared: the text of `go test -bench` of each side",
     "it prints two runs side by side", true},
    {"asv compare", "before ", "ratio", "give the two files of .asv/results that it compared", "it prints two runs side by side",
     true},
    {"asv compare", "| Change ", "| Ratio ", "give the two files of .asv/results that it compared",
     "it prints two runs side by side", true},
    {"envelope diff", "Envelope diff", "Candidate", "give the two envelopes that it compared", "it prints two runs side by side",
     true},
    {"msmodeling's summary", "", "Total Time Regression Summary",
     "give a case and the table that the simulator printed for it, which are read", "it prints runs beside their baselines",
     true},
    {"iozone", "Iozone: Performance Test of File I/O", "", "put its table as CSV", kNoFile},
    {"nvidia-smi -q", "", "==NVSMI LOG==", "`nvidia-smi --query-gpu=… --format=csv` writes a table, which is read",
     "it says what a GPU is, and its clocks of one moment"},
    {"dcgmproftester", "", "CU_DEVICE_ATTRIBUTE_", "put its results as lines of a name and a value", kNoFile},
    {"pbzip2", "", "BZIP2 v", "put its wall clock as a line of a name and a value", "it prints no more than a time"},
    {"sysstat (sar, iostat, mpstat)", "", "\"sysstat\"",
     "it says what a machine did meanwhile: give the results of the benchmark", "it measures a machine, no benchmark"},
    {"FlashInfer", "", "", "its benchmarks can print CSV, which is read as any table", kNoFile},
    {"tritonbench", "", "", "`--csv` prints a table, which is read as any table", kNoFile},
    {"likwid-perfctr", "", "", "`likwid-perfctr -O` prints CSV, which is read as any table; likwid-bench is read", kNoFile},
};

bool has_line_with(std::string_view head, std::string_view start) {
  for (std::size_t at = head.find(start); at != std::string_view::npos; at = head.find(start, at + 1)) {
    const std::size_t feed = head.rfind('\n', at);
    const std::size_t begin = feed == std::string_view::npos ? 0 : feed + 1;
    if (core::trim(head.substr(begin, at - begin)).empty()) return true;
  }
  return false;
}

}  // namespace

std::span<const KnownTool> known_tools() { return kTools; }

const KnownTool* known_tool(std::string_view head) {
  const auto* const found = std::find_if(std::begin(kTools), std::end(kTools), [&](const KnownTool& tool) {
    return !(tool.starts.empty() && tool.holds.empty()) && head.find(tool.holds) != std::string_view::npos &&
           (tool.starts.empty() || has_line_with(head, tool.starts));
  });
  return found == std::end(kTools) ? nullptr : found;
}

}  // namespace plumbline::formats
