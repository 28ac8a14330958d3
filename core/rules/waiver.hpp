// A waiver: a team knows that rows are worse and says by how much they may be, until when and why. It changes no row: a row
// that it excuses keeps its state and its numbers and does not count against the verdict (docs/project-file.md, "waivers").
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/tolerance.hpp"

namespace plumbline::core {

struct Waiver {
  int line = 0;
  std::string family = "*", measurement = "*", format = "*";
  std::vector<std::string> keys;  // globs, at least one
  Tolerance ceiling;              // how much worse a row may be while it is waived
  std::string until;              // the last day on which it holds, "2026-12-31" (UTC)
  std::string reason, link;       // `link` may be empty
  bool gate = false;              // gates among its rows may be worse, too
};
using Waivers = std::vector<std::shared_ptr<const Waiver>>;

// "plumbline.yaml:12"
[[nodiscard]] std::string source_of(const Waiver& waiver);
[[nodiscard]] bool is_expired(const Waiver& waiver, std::string_view today);
// It was written for one family, measurement or format, and not for whatever has such keys.
[[nodiscard]] bool names_measurement(const Waiver& waiver);
// The specificity of its most specific glob that matches; negative where none does.
[[nodiscard]] int match(const Waiver& waiver, std::string_view key);

// What a waiver has to say of a row that is worse.
enum class WaiverState : std::uint8_t {
  holds,     // within the ceiling: the row does not count
  exceeded,  // beyond it: the row counts as if there were no waiver
  expired    // the same, because its last day is over
};
[[nodiscard]] std::string_view to_string(WaiverState state);

struct RowWaiver {
  std::shared_ptr<const Waiver> waiver;
  WaiverState state = WaiverState::holds;
  friend bool operator==(const RowWaiver&, const RowWaiver&) = default;
};

// A waiver that speaks of rows of one comparison, and what it did.
struct WaiverUse {
  std::shared_ptr<const Waiver> waiver;
  bool expired = false;
  std::uint64_t waived = 0, exceeded = 0;  // rows that are worse: within its ceiling, and beyond
};

}  // namespace plumbline::core
