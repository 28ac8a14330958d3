// What doctor asks an MCP server, in the words of each era, and what it makes of the answers.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "cli/peer.hpp"
#include "core/error.hpp"

namespace plumbline::cli {

struct Check {
  enum class Level : std::uint8_t { ok, warning, fault };
  Level level = Level::ok;
  std::string name, detail;
  std::string advice;                                     // of warnings and faults
  core::ErrorCode code = core::ErrorCode::invalid_input;  // of faults: decides the exit status
  std::string figures = {};                               // JSON object with the numbers of the detail, for --json; "" = none
};

class Checks {
 public:
  void ok(std::string_view name, std::string detail, std::string figures = {});
  void warning(std::string_view name, std::string detail, std::string advice, std::string figures = {});
  void fault(std::string_view name, const core::Error& error);
  [[nodiscard]] const std::vector<Check>& all() const { return all_; }

 private:
  std::vector<Check> all_;
};

// initialize (2025-11-25), the list of tools page by page. `started`: when the program was started, for "start".
void check_legacy(Peer& peer, std::chrono::steady_clock::time_point started, Checks& checks);
// server/discover and the list of tools (2026-07-28).
void check_modern(Peer& peer, Checks& checks);
// How a program behaved besides its answers.
void check_remains(const Remains& remains, Checks& checks);

}  // namespace plumbline::cli
