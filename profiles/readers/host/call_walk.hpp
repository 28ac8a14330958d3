// A way through functions that are entered, cost something and are left: a trace of calls, or the walk over a tree of them. A
// function's total is what was spent between its outermost entry and the leaving of it, so that one which calls itself counts
// once. Each step is O(1), whatever the depth. One thread.
#pragma once

#include <cstdint>
#include <vector>

#include "profiles/readers/host/stacks.hpp"

namespace plumbline::profiles {

class CallWalk {
 public:
  explicit CallWalk(StackSums& sums) : sums_(sums) {}
  void enter(std::uint32_t function) {
    if (function >= open_.size()) open_.resize(function + std::size_t{1});
    if (open_[function].times++ == 0) open_[function].since = spent_;
    stack_.push_back(function);
  }
  // `cost` is not negative; nothing is spent where no function is open.
  void spend(std::int64_t cost) {
    if (stack_.empty() || cost == 0) return;
    if (sums_.add_self(stack_.back(), cost)) spent_ += cost;
  }
  void leave() {
    Open& one = open_[stack_.back()];
    if (--one.times == 0) sums_.add_total(stack_.back(), spent_ - one.since);
    stack_.pop_back();
  }
  [[nodiscard]] bool empty() const { return stack_.empty(); }
  [[nodiscard]] std::uint32_t top() const { return stack_.back(); }
  [[nodiscard]] bool is_open(std::uint32_t function) const { return function < open_.size() && open_[function].times > 0; }

 private:
  struct Open {
    std::uint64_t times = 0;
    std::int64_t since = 0;
  };
  StackSums& sums_;
  std::vector<std::uint32_t> stack_;
  std::vector<Open> open_;  // by function
  std::int64_t spent_ = 0;
};

}  // namespace plumbline::profiles
