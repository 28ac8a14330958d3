// What stands between bytes and a session, whatever carries them: lines in, and threads to run calls on.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace plumbline::server::transport {

// Runs tool calls. submit() must not run the task under a lock of the caller's; a task never throws.
class Executor {
 public:
  virtual ~Executor() = default;
  // Tasks of different owners take turns; those of one owner begin in order.
  virtual void submit(std::function<void()> task, std::string_view owner = {}) = 0;
  // Nothing begins any more; waits for what has begun. Further submissions are dropped.
  virtual void stop() {}
};

// Cuts a byte stream at newlines. A line longer than `bound` is skipped whole and reported once. Blank lines are left out.
// A line that lies in one chunk is passed on without a copy; the view holds only during the call.
class LineSplitter {
 public:
  struct Sink {
    std::function<void(std::string_view line)> line;
    std::function<void(std::size_t bound)> oversized;
  };
  LineSplitter(std::size_t bound, Sink sink) : bound_(bound), sink_(std::move(sink)) {}
  void feed(std::string_view bytes);
  // Of a line whose end has not come.
  [[nodiscard]] std::size_t held() const { return partial_.size(); }
  // That line is taken for one that is too long.
  void skip();
  // The stream has ended: what is left without a newline counts as a line.
  void finish();

 private:
  void emit(std::string_view line);

  std::size_t bound_;
  Sink sink_;
  std::string partial_;
  bool skipping_ = false;
};

}  // namespace plumbline::server::transport
