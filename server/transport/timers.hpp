// Things to be done later: one thread, started with the first of them, that sleeps until the next is due. Tasks run on that
// thread and must be short: whatever takes time is handed to an executor. after() and cancel() from any thread, also from a task.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace plumbline::server::transport {

class Timers {
 public:
  using Id = std::uint64_t;

  Timers() = default;
  Timers(const Timers&) = delete;
  Timers& operator=(const Timers&) = delete;
  ~Timers() { stop(); }

  Id after(std::chrono::milliseconds delay, std::function<void()> task);
  // What has begun goes on; what has not will not begin.
  void cancel(Id id);
  // Nothing begins any more; waits for the task that runs. Not from a task.
  void stop();

 private:
  using Due = std::pair<std::chrono::steady_clock::time_point, Id>;
  void work();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::map<Due, std::function<void()>> tasks_;
  std::map<Id, Due> due_;
  Id last_ = 0;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace plumbline::server::transport
