// What `config check` says of a project file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace plumbline::core {

struct ConfigProblem {
  bool error = true;         // else a rule that does nothing
  int line = 0, column = 0;  // 0: of the file as a whole
  std::string message, hint;
};

struct ConfigRule {
  int line = 0;
  std::vector<std::pair<std::string, std::string>> match, set;  // as written, only what is written
  std::optional<std::uint64_t> measurements;                    // of the registry, that it speaks of
  std::optional<std::uint64_t> rows, decides;                   // of the file that was given: matched, and decided by it
};

struct ConfigWaiver {
  int line = 0;
  std::vector<std::pair<std::string, std::string>> match;  // as written
  std::string ceiling, until, reason, link;                // `link` may be empty
  bool gate = false, expired = false;
  std::optional<std::uint64_t> measurements;  // of the registry, that it speaks of
  std::optional<std::uint64_t> rows;          // of the file that was given: matched
};

struct ConfigCheck {
  std::string path;
  std::string source, source_format, measurement;  // the file that the rules were tried on, "" = none, and as what
  std::uint64_t source_rows = 0;
  std::vector<ConfigRule> rules;
  std::vector<ConfigWaiver> waivers;
  std::vector<std::string> tiers;  // their names
  std::vector<ConfigProblem> problems;

  [[nodiscard]] std::uint64_t errors() const {
    std::uint64_t count = 0;
    for (const ConfigProblem& problem : problems) count += problem.error ? 1 : 0;
    return count;
  }
};

}  // namespace plumbline::core
