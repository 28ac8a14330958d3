// The plain structs that every verb ends in. reports/ renders them; nothing here computes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/codes/reasons.hpp"
#include "core/context.hpp"
#include "core/measurement.hpp"

namespace plumbline::core {

enum class Tier : std::uint8_t { draft, verdict };
[[nodiscard]] std::string_view to_string(Tier tier);  // "DRAFT" "VERDICT"

struct Reason {
  ReasonCode code;
  std::string message = {};
  std::vector<std::string> keys = {};  // the first 20
  std::uint64_t keys_count = 0;
};

struct Recommendation {
  std::string
      action;  // "none" "rerun" "bisect" "investigate" "fix_gate" "declare_context" "re-baseline" "compare_like_with_like"
  std::string message;
  std::vector<std::string> suspects;
};
struct NextLever {
  std::string lever, expected_unlock, gate;
  std::vector<NextLever> others = {};  // what comes after it, the most valuable first
};

struct Counts {
  std::uint64_t compared = 0, regressed = 0, suspect = 0, improved = 0, unchanged = 0, inconclusive = 0, missing = 0, added = 0,
                invalid = 0, unclassified = 0, context = 0;
  std::uint64_t waived = 0;        // rows that are worse and that a waiver excuses; their states are counted as they are
  std::uint64_t waived_sound = 0;  // of those the regressed ones that are not suspect
  // Regressed, and neither suspect nor waived: what counts against the verdict.
  [[nodiscard]] std::uint64_t standing() const { return regressed - std::min(regressed, suspect + waived_sound); }
};

// The newest diffs of a measurement without one between them that is not RED.
struct RedStreak {
  std::string since;        // the day of the first of them, "2026-11-17"
  std::string first;        // its slug; "" where it is not published (yet)
  std::uint64_t diffs = 1;  // how many they are
  int days = 0;             // from that day to the last one's
  bool older = false;       // more of them may lie before: no more were looked at
};

struct ToolInfo {
  std::string name = "plumbline";
  std::string version;
};

struct FileRef {
  std::string name;  // relative to the bundle
  std::string path;  // absolute
  std::uint64_t bytes = 0;
  std::string sha256;
};

}  // namespace plumbline::core
