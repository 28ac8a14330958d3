#include <array>

#include "verbs/all.hpp"

namespace plumbline::verbs {

std::span<const Verb> table() {
  static const std::array kTable = {kRecord, kDiff,     kProfileDiff, kAccept,  kHistory,    kInspect, kVerify,
                                    kSearch, kOutliers, kRun,         kBisect,  kCalibrate,  kImport,  kGc,
                                    kExport, kConfig,   kDigest,      kFormats, kCheckpoint, kIndex,   kKeygen};
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
