#include "server/transport/timers.hpp"

#include <exception>

namespace plumbline::server::transport {

Timers::Id Timers::after(std::chrono::milliseconds delay, std::function<void()> task) {
  const std::lock_guard lock(mutex_);
  if (stopping_) return 0;
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  const Due due{std::chrono::steady_clock::now() + delay, ++last_};
  tasks_.emplace(due, std::move(task));
  due_.emplace(due.second, due);
  wake_.notify_one();
  return due.second;
}

void Timers::cancel(Id id) {
  std::function<void()> dropped;  // destroyed outside the lock: it may own whatever calls us
  const std::lock_guard lock(mutex_);
  const auto at = due_.find(id);
  if (at == due_.end()) return;
  if (auto task = tasks_.extract(at->second); !task.empty()) dropped = std::move(task.mapped());
  due_.erase(at);
}

void Timers::stop() {
  std::map<Due, std::function<void()>> dropped;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    dropped.swap(tasks_);
    due_.clear();
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Timers::work() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (tasks_.empty()) {
      wake_.wait(lock);
      continue;
    }
    const auto next = tasks_.begin();
    if (next->first.first > std::chrono::steady_clock::now()) {
      const auto until = next->first.first;
      wake_.wait_until(lock, until);
      continue;
    }
    std::function<void()> task = std::move(next->second);
    due_.erase(next->first.second);
    tasks_.erase(next);
    lock.unlock();
    try {
      task();
    } catch (const std::exception&) {  // out of memory: what it was about is late, the others are not
    }
    task = nullptr;
    lock.lock();
  }
}

}  // namespace plumbline::server::transport
