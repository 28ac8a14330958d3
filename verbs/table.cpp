#include <array>
#include <functional>

#include "verbs/all.hpp"

namespace plumbline::verbs {

std::span<const std::reference_wrapper<const Verb>> table() {
  static const std::array kTable = {std::cref(kRecord),   std::cref(kDiff),    std::cref(kProfileDiff), std::cref(kAccept),
                                    std::cref(kHistory),  std::cref(kInspect), std::cref(kVerify),      std::cref(kSearch),
                                    std::cref(kOutliers), std::cref(kRun),     std::cref(kBisect),      std::cref(kCalibrate),
                                    std::cref(kImport),   std::cref(kGc),      std::cref(kExport),      std::cref(kConfig),
                                    std::cref(kDigest),   std::cref(kFormats), std::cref(kCheckpoint),  std::cref(kIndex),
                                    std::cref(kKeygen)};
  return kTable;
}

const Verb* find(std::string_view name) {
  for (const Verb& verb : table()) {
    if (verb.name == name || (!verb.tool.empty() && verb.tool == name)) return &verb;
    for (const auto alias : verb.tool_aliases) {
      if (alias == name) return &verb;
    }
  }
  return nullptr;
}

}  // namespace plumbline::verbs
