// Files of ranks in the order of their numbers, small ones read by as many threads as the machine has while the ranks before them
// are merged. Large ones are read when their turn comes, so that one at a time is in memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <future>
#include <thread>
#include <utility>

#include "base/beside.hpp"
#include "core/error.hpp"
#include "profiles/profile.hpp"

namespace plumbline::profiles {

class Ahead {
 public:
  using Read = std::function<core::Expected<Profile>(std::size_t)>;
  // `is_small` is asked in order, on the caller's thread; `read` of a small one on any. Both outlive this.
  Ahead(std::size_t count, std::function<bool(std::size_t)> is_small, Read read)
      : count_(count), is_small_(std::move(is_small)), read_(std::move(read)) {}

  // The next one; once for each.
  [[nodiscard]] core::Expected<Profile> next() {
    while (begun_ < count_ && (under_way_.empty() || (under_way_.size() < kAtOnce && last_is_small_))) begin();
    auto first = std::move(under_way_.front());
    under_way_.pop_front();
    return first.get();
  }

 private:
  void begin() {
    const std::size_t i = begun_++;
    last_is_small_ = is_small_(i);
    const auto work = [this, i] { return read_(i); };
    under_way_.push_back(last_is_small_ ? base::beside(work) : std::async(std::launch::deferred, work));
  }

  static inline const std::size_t kAtOnce = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 8);
  const std::size_t count_;
  const std::function<bool(std::size_t)> is_small_;
  const Read read_;
  std::size_t begun_ = 0;
  bool last_is_small_ = true;
  std::deque<std::future<core::Expected<Profile>>> under_way_;
};

}  // namespace plumbline::profiles
