#include "server/transport/worker_pool.hpp"

namespace plumbline::server::transport {

void WorkerPool::stop() {
  std::deque<std::function<void()>> dropped;
  std::vector<std::thread> ending;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    dropped.swap(tasks_);
    ending.swap(threads_);
  }
  dropped.clear();  // outside the lock: a dropped call answers its client
  wake_.notify_all();
  for (std::thread& thread : ending) thread.join();
}

void WorkerPool::submit(std::function<void()> task) {
  const std::lock_guard lock(mutex_);
  if (stopping_) return;
  tasks_.push_back(std::move(task));
  if (idle_ < tasks_.size() && threads_.size() < limit_) {
    try {
      threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      // No further thread to be had: those that run will come to it; with none at all the caller must know.
      if (threads_.empty()) {
        tasks_.pop_back();
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

void WorkerPool::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    wake_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
    --idle_;
    if (stopping_) return;
    std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    task = nullptr;
    lock.lock();
  }
}

}  // namespace plumbline::server::transport
