// What a terminal changes: colour marks are kept only there and without NO_COLOR, and a line of progress is shown there for
// whatever takes longer than a second. Nothing of it reaches a pipe or a file.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

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

// One line on standard error, rewritten in place, first after a second and then at most ten times a second; taken away
// again by clear(). Callable from any thread.
class ProgressLine {
 public:
  explicit ProgressLine(int fd) : fd_(fd), started_(std::chrono::steady_clock::now()) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void show(double fraction, std::string_view message);
  void clear();

 private:
  std::mutex mutex_;
  int fd_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point started_;
  std::chrono::steady_clock::time_point last_{};
};
// "reading before.json  42%", at most `width` columns; fractions outside 0..1 (and NaN) show no percentage.
[[nodiscard]] std::string progress_text(double fraction, std::string_view message, std::size_t width);

}  // namespace plumbline::cli
