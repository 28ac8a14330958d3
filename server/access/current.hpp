// A value that is replaced as a whole while others use it: readers keep what they got for as long as they need it.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

namespace plumbline::server::access {

template <class T>
class Current {
 public:
  explicit Current(T value) : value_(std::make_shared<const T>(std::move(value))) {}
  [[nodiscard]] std::shared_ptr<const T> get() const {
    const std::lock_guard lock(mutex_);
    return value_;
  }
  void set(T value) {
    auto next = std::make_shared<const T>(std::move(value));
    const std::lock_guard lock(mutex_);
    value_.swap(next);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const T> value_;
};

}  // namespace plumbline::server::access
