// Waivers (core/rules/waiver.hpp) among the rows of one comparison: which rows that are worse they excuse, which have outgrown
// them, and which waivers are over. Rows, evidence and marks of chance are what they are without them; a judge only leaves
// excused rows out of its reasons. docs/methodology.md, "Waived rows", tells the rules and why they are so.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "verdict/evidence_of_rows.hpp"
#include "verdict/policy.hpp"

namespace plumbline::verdict {

class Waiving {
 public:
  explicit Waiving(const JudgeInput& input);

  [[nodiscard]] bool any() const { return !in_.waivers.empty(); }
  // Marks those of the rows (indices in their order) that are worse and that a waiver speaks of, and counts them.
  void mark(std::span<const std::uint32_t> rows, Judgement& out);
  // A waiver that holds today speaks of the row, whatever its value.
  [[nodiscard]] bool speaks_of(std::uint32_t row) const;
  // The same, and its value keeps the ceiling, whatever its state.
  [[nodiscard]] bool covers(std::uint32_t row) const;

  // The groups whose suite effect is worse only because of rows under waivers that all keep their ceilings: the effect of the
  // other rows lies within tolerance. By group of `weighed`.
  [[nodiscard]] std::vector<bool> excused_groups(const WeighedRows& weighed) const;

  // waiver_exceeded, over the marked rows among `counting`; waiver_expired.
  void say(std::span<const std::uint32_t> counting, std::vector<core::Reason>& reasons) const;
  // Waivers that were meant for this measurement and do nothing.
  void warn(std::vector<core::Warning>& warnings) const;

 private:
  struct One {
    const core::Waiver* waiver = nullptr;
    bool expired = false, matches = false;
    std::vector<std::uint32_t> worse;     // rows that it would excuse: of one that is expired
    std::vector<std::uint32_t> exceeded;  // rows beyond its ceiling
    std::uint64_t gates = 0;              // gates that are worse and that it does not speak of
  };
  [[nodiscard]] std::string_view key(std::uint32_t row) const;
  // The strongest waiver of the row among those that are expired or not: the most specific key, of equals the later.
  [[nodiscard]] std::size_t strongest(std::uint32_t row, bool expired) const;
  [[nodiscard]] bool keeps_ceiling(const core::Waiver& waiver, const core::Delta& delta) const;
  [[nodiscard]] core::Reason expired_reason() const;

  const JudgeInput& in_;
  const core::Comparison& c_;
  std::vector<One> all_;
};

// Rows of a state that a waiver excuses.
[[nodiscard]] std::uint64_t waived_rows(const core::Comparison& comparison, const core::RowMarks& marks, core::State state);
// "plumbline.yaml:4 until 2026-12-31": those that excuse a row.
[[nodiscard]] std::string waivers_text(std::span<const core::WaiverUse> waivers);

}  // namespace plumbline::verdict
