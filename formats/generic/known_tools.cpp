#include "formats/generic/known_tools.hpp"

#include <algorithm>
#include <iterator>

#include "core/text.hpp"

namespace plumbline::formats {
namespace {

constexpr KnownTool kTools[] = {
    {"stress-ng", "stress-ng: info:", "bogo ops", "`stress-ng --metrics --yaml FILE` writes what is read"},
    {"netperf", "MIGRATED ", "TEST from", "`netperf -- -k THROUGHPUT,THROUGHPUT_UNITS` writes lines of a name and a value"},
    {"iozone", "Iozone: Performance Test of File I/O", "", "put its table as CSV"},
    {"nvidia-smi -q", "", "==NVSMI LOG==", "`nvidia-smi --query-gpu=… --format=csv` writes a table, which is read"},
    {"dcgmproftester", "", "CU_DEVICE_ATTRIBUTE_", "put its results as lines of a name and a value"},
    {"7-Zip", "7-Zip ", "Igor Pavlov", "`7z b` prints a table, which is read"},
    {"pbzip2", "", "BZIP2 v", "put its wall clock as a line of a name and a value"},
    {"sysstat (sar, iostat, mpstat)", "", "\"sysstat\"",
     "it says what a machine did meanwhile: give the results of the benchmark"},
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

const KnownTool* known_tool(std::string_view head) {
  const auto* const found = std::find_if(std::begin(kTools), std::end(kTools), [&](const KnownTool& tool) {
    return head.find(tool.holds) != std::string_view::npos && (tool.starts.empty() || has_line_with(head, tool.starts));
  });
  return found == std::end(kTools) ? nullptr : found;
}

}  // namespace plumbline::formats
