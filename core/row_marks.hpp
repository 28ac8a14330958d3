// What a judge finds of single rows, beside the comparison that it must not change: which are suspect, one bit a row as far as
// the last that is marked, and which a waiver speaks of. Of a million rows that are sound nothing is kept.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/rules/waiver.hpp"

namespace plumbline::core {

class RowMarks {
 public:
  // Regressed, and chance explains it.
  [[nodiscard]] bool suspect(std::size_t delta) const { return delta < suspects_.size() && suspects_[delta]; }
  void mark_suspect(std::size_t delta) {
    if (delta >= suspects_.size()) suspects_.resize(delta + 1);
    suspects_[delta] = true;
  }
  // What a waiver says of a row that is worse; null where none does. Rows are marked in their order.
  [[nodiscard]] const RowWaiver* waiver(std::size_t delta) const {
    const auto at = std::lower_bound(waivers_.begin(), waivers_.end(), delta,
                                     [](const auto& marked, std::size_t wanted) { return marked.first < wanted; });
    return at != waivers_.end() && at->first == delta ? &at->second : nullptr;
  }
  void mark_waiver(std::size_t delta, RowWaiver waiver) { waivers_.emplace_back(delta, std::move(waiver)); }
  // It does not count against the verdict.
  [[nodiscard]] bool waived(std::size_t delta) const {
    const RowWaiver* said = waivers_.empty() ? nullptr : waiver(delta);
    return said != nullptr && said->state == WaiverState::holds;
  }
  [[nodiscard]] const std::vector<std::pair<std::size_t, RowWaiver>>& waivers() const { return waivers_; }
  // Those of a comparison whose rows stand from `first` on in a larger one.
  void append(const RowMarks& more, std::size_t first) {
    for (std::size_t i = 0; i < more.suspects_.size(); ++i) {
      if (more.suspects_[i]) mark_suspect(first + i);
    }
    for (const auto& [delta, said] : more.waivers_) mark_waiver(first + delta, said);
  }
  friend bool operator==(const RowMarks&, const RowMarks&) = default;

 private:
  std::vector<bool> suspects_;
  std::vector<std::pair<std::size_t, RowWaiver>> waivers_;  // by delta
};

}  // namespace plumbline::core
