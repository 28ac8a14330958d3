#include "server/transport/network/outbox.hpp"

namespace plumbline::server::transport::network {

bool Outbox::put(std::string bytes, bool optional) {
  const std::lock_guard lock(mutex_);
  if (!open_ || (optional && bytes_ > high_water_)) return false;
  if (bytes.empty()) return true;
  bytes_ += bytes.size();
  waiting_.push_back(std::move(bytes));
  if (waiting_.size() == 1) wake_();
  return true;
}

bool Outbox::above_mark() const {
  const std::lock_guard lock(mutex_);
  return bytes_ > high_water_;
}

bool Outbox::empty() const {
  const std::lock_guard lock(mutex_);
  return bytes_ == 0;
}

void Outbox::while_open(const std::function<void()>& what) {
  const std::lock_guard lock(mutex_);
  if (open_) what();
}

std::vector<std::string> Outbox::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(waiting_, {});
}

void Outbox::sent(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  bytes_ -= bytes;
}

void Outbox::close() {
  const std::lock_guard lock(mutex_);
  open_ = false;
  waiting_.clear();
}

}  // namespace plumbline::server::transport::network
