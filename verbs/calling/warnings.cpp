#include "verbs/calling/warnings.hpp"

namespace plumbline::verbs {

std::vector<std::string> warning_lines(const std::vector<core::Warning>& warnings) {
  std::vector<std::string> lines;
  lines.reserve(warnings.size());
  for (const core::Warning& warning : warnings) lines.push_back(std::string(warning.code.text()) + ": " + warning.message);
  return lines;
}

}  // namespace plumbline::verbs
