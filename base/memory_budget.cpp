#include "base/memory_budget.hpp"

#include <algorithm>

namespace plumbline::base {
namespace {

constexpr std::chrono::milliseconds kLook{50};  // how late the caller's wish to stop is noticed

}  // namespace

MemoryBudget& unpacking_budget() {
  static MemoryBudget budget;
  return budget;
}

void MemoryBudget::set_bound(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  bytes_ = bytes;
}

std::uint64_t MemoryBudget::bound() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

std::uint64_t MemoryBudget::held() const {
  const std::lock_guard lock(mutex_);
  return held_;
}

bool MemoryBudget::somebody_runs(std::thread::id but) const {
  return std::any_of(holders_.begin(), holders_.end(),
                     [&](const auto& each) { return each.first != but && !each.second.waits && each.second.bytes > 0; });
}

MemoryBudget::Answer MemoryBudget::take(std::thread::id who, std::uint64_t bytes, const std::function<bool()>& stop) {
  const auto until = std::chrono::steady_clock::now() + patience_;
  std::unique_lock lock(mutex_);
  const auto fits = [&] { return bytes_ == 0 || (held_ <= bytes_ && bytes <= bytes_ - held_); };
  while (!fits()) {
    const auto own = holders_.find(who);
    const std::uint64_t holds = own == holders_.end() ? 0 : own->second.bytes;
    if (holds > bytes_ || bytes > bytes_ - holds) return Answer::too_much;
    if (!somebody_runs(who) || std::chrono::steady_clock::now() >= until) return Answer::busy;
    holders_[who].waits = true;
    given_back_.wait_for(lock, kLook);
    const auto self = holders_.find(who);
    self->second.waits = false;
    if (self->second.bytes == 0) holders_.erase(self);
    if (stop) {
      lock.unlock();
      const bool wanted = stop();
      lock.lock();
      if (wanted) return Answer::stopped;
    }
  }
  held_ += bytes;
  holders_[who].bytes += bytes;
  return Answer::taken;
}

void MemoryBudget::give_back(std::thread::id who, std::uint64_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    held_ -= bytes;
    const auto at = holders_.find(who);
    at->second.bytes -= bytes;
    if (at->second.bytes == 0 && !at->second.waits) holders_.erase(at);
  }
  given_back_.notify_all();
}

MemoryBudget::Answer MemoryBudget::Lease::take(std::uint64_t bytes, const std::function<bool()>& stop) {
  if (budget_ == nullptr || bytes == 0) return Answer::taken;
  if (bytes_ == 0) owner_ = std::this_thread::get_id();
  const Answer answer = budget_->take(owner_, bytes, stop);
  if (answer == Answer::taken) bytes_ += bytes;
  return answer;
}

void MemoryBudget::Lease::give_back(std::uint64_t bytes) {
  if (bytes == 0) return;
  budget_->give_back(owner_, bytes);
  bytes_ -= bytes;
}

}  // namespace plumbline::base
