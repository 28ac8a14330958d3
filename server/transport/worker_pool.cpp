#include "server/transport/worker_pool.hpp"

#include <algorithm>
#include <exception>

namespace plumbline::server::transport {

void WorkerPool::stop() {
  Owners dropped;
  std::vector<std::thread> ending;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (auto& [name, owner] : owners_) dropped[name].tasks.swap(owner.tasks);
    waiting_ = 0;
    ending.swap(threads_);
  }
  dropped.clear();  // outside the lock: a dropped call answers its client
  wake_.notify_all();
  for (std::thread& thread : ending) thread.join();
}

void WorkerPool::submit(std::function<void()> task, std::string_view owner) {
  const std::lock_guard lock(mutex_);
  if (stopping_) return;
  const auto at = owners_.try_emplace(std::string(owner)).first;
  at->second.tasks.push_back(std::move(task));
  ++waiting_;
  if (idle_ < waiting_ && threads_.size() < limit_) {
    try {
      threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      // No further thread to be had: those that run will come to it; with none at all the caller must know.
      if (threads_.empty()) {
        at->second.tasks.pop_back();
        --waiting_;
        throw;
      }
    }
  }
  wake_.notify_one();
}

std::size_t WorkerPool::threads() const {
  const std::lock_guard lock(mutex_);
  return threads_.size();
}

WorkerPool::Owners::iterator WorkerPool::next() {
  const std::size_t share = std::max<std::size_t>(1, limit_ - 1);
  auto at = owners_.upper_bound(last_);
  for (std::size_t i = 0; i < owners_.size(); ++i, ++at) {
    if (at == owners_.end()) at = owners_.begin();
    if (!at->second.tasks.empty() && at->second.running < share) return at;
  }
  return owners_.end();
}

void WorkerPool::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    auto turn = owners_.end();
    wake_.wait(lock, [&] { return stopping_ || (turn = next()) != owners_.end(); });
    --idle_;
    if (stopping_) return;
    last_ = turn->first;
    ++turn->second.running;
    --waiting_;
    std::function<void()> task = std::move(turn->second.tasks.front());
    turn->second.tasks.pop_front();
    lock.unlock();
    try {
      task();
    } catch (const std::exception&) {  // a task's own business; the thread goes on
    }
    task = nullptr;
    lock.lock();
    --turn->second.running;
    if (turn->second.running == 0 && turn->second.tasks.empty()) {
      owners_.erase(turn);
    } else if (!turn->second.tasks.empty()) {
      wake_.notify_one();  // its share has become free
    }
  }
}

}  // namespace plumbline::server::transport
