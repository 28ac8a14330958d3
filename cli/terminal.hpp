// What a terminal changes: colour marks are kept only there and without NO_COLOR, and a line of progress is shown there for
// whatever takes longer than a second. Nothing of it reaches a pipe or a file.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "verbs/verb.hpp"

namespace plumbline::cli {

using Environment = std::function<std::optional<std::string>(std::string_view)>;

// Colour on `fd`. --color decides; else NO_COLOR (no), CLICOLOR_FORCE other than 0 (yes); else whether it is a terminal and no
// dumb one. Variables that are empty count as unset.
[[nodiscard]] bool wants_colour(int fd, verbs::Color asked, const Environment& environment);
// `text` without its colour marks (ESC [ digits and semicolons m).
[[nodiscard]] std::string without_colour(std::string_view text);

// A terminal on `fd` whose locale is not UTF-8. What goes into a file or a pipe is UTF-8 always.
[[nodiscard]] bool wants_ascii(int fd, const Environment& environment);
// `text` with our own marks (blocks, dots, arrows) in ASCII, as wide as before within a table; what comes from files stays as it
// is.
[[nodiscard]] std::string in_ascii(std::string_view text);

// Columns of the terminal on `fd`; `otherwise` when it is none.
[[nodiscard]] std::size_t terminal_width(int fd, std::size_t otherwise);
// Columns for an answer: COLUMNS, else the terminal on `fd`, else 80.
[[nodiscard]] std::size_t answer_width(int fd, const Environment& environment);

// Everything, however often the kernel takes only a part. False when it could not be written; `closed` then says whether
// only the reader went away (EPIPE), which is no fault of anybody's.
struct Written {
  bool ok = true;
  bool closed = false;
  int error = 0;  // errno
};
[[nodiscard]] Written write_all(int fd, std::string_view text);

// One line on standard error, rewritten in place, from a second after the start on, five times a second, until clear(). What is
// being done and how long it has taken is said whether or not the work reports anything meanwhile: a thread of the line's own
// writes it. show() only remembers, and may be called from any thread.
class ProgressLine {
 public:
  // `doing`: what is said until the work says something itself. Where `fd` is no terminal nothing is ever written.
  ProgressLine(int fd, std::string_view doing);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  [[nodiscard]] bool wanted() const { return wanted_; }
  void show(double fraction, std::string_view message);
  void clear();

 private:
  void keep_showing();

  const int fd_;
  const bool wanted_;
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  double fraction_ = -1;
  std::string message_;
  std::thread thread_;
};
// "reading before.json  42%  3 s", at most `width` columns; fractions outside 0..1 (and NaN) show no percentage.
[[nodiscard]] std::string progress_text(double fraction, std::string_view message, std::chrono::seconds elapsed,
                                        std::size_t width);

}  // namespace plumbline::cli
