// What a judge finds of single rows, beside the comparison that it must not change. One bit a row, as far as the last that is
// marked: of a million rows that are sound nothing is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plumbline::core {

class RowMarks {
 public:
  // Regressed, and chance explains it.
  [[nodiscard]] bool suspect(std::size_t delta) const { return delta < suspects_.size() && suspects_[delta]; }
  void mark_suspect(std::size_t delta) {
    if (delta >= suspects_.size()) suspects_.resize(delta + 1);
    suspects_[delta] = true;
  }
  // Those of a comparison whose rows stand from `first` on in a larger one.
  void append(const RowMarks& more, std::size_t first) {
    for (std::size_t i = 0; i < more.suspects_.size(); ++i) {
      if (more.suspects_[i]) mark_suspect(first + i);
    }
  }
  friend bool operator==(const RowMarks&, const RowMarks&) = default;

 private:
  std::vector<bool> suspects_;
};

}  // namespace plumbline::core
