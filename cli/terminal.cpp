#include "cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>

#include "core/citing.hpp"
#include "core/columns.hpp"
#include "core/text.hpp"

namespace plumbline::cli {
namespace {

constexpr std::chrono::milliseconds kBeforeShown{1000};
constexpr std::chrono::milliseconds kBetween{200};
constexpr std::string_view kEraseLine = "\r\x1b[K";

}  // namespace

std::size_t terminal_width(int fd, std::size_t otherwise) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col < 20) return otherwise;
  return size.ws_col;
}

std::size_t answer_width(int fd, const Environment& environment) {
  constexpr std::int64_t kNarrowest = 20, kWidest = 10'000;
  const auto columns = core::parse_int(environment("COLUMNS").value_or(std::string()));
  if (columns && *columns >= kNarrowest && *columns <= kWidest) return static_cast<std::size_t>(*columns);
  return terminal_width(fd, 80);
}

bool wants_colour(int fd, verbs::Color asked, const Environment& environment) {
  if (asked != verbs::Color::automatic) return asked == verbs::Color::always;
  const auto variable = [&environment](std::string_view name) { return environment(name).value_or(std::string()); };
  if (!variable("NO_COLOR").empty()) return false;
  if (const std::string force = variable("CLICOLOR_FORCE"); !force.empty() && force != "0") return true;
  return ::isatty(fd) != 0 && variable("TERM") != "dumb";
}

bool wants_ascii(int fd, const Environment& environment) {
  if (::isatty(fd) == 0) return false;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string locale = core::to_lower(environment(name).value_or(std::string()));
    if (!locale.empty()) return locale.find("utf-8") == std::string::npos && locale.find("utf8") == std::string::npos;
  }
  return true;
}

std::string in_ascii(std::string_view text) {
  struct Mark {
    std::string_view utf8, ascii;
  };
  // What stands for something left out inside a cell keeps its one column; in a sentence there is room for the dots.
  constexpr Mark kMarks[] = {{"… ", "... "}, {"…", "~"}, {"→", ">"}, {"≠", "!"}, {"—", "-"}, {"▁", "_"}, {"▂", "."},
                             {"▃", ","},     {"▄", "-"}, {"▅", "="}, {"▆", "+"}, {"▇", "*"}, {"█", "#"}};
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto mark = std::find_if(std::begin(kMarks), std::end(kMarks), [&](const Mark& m) { return text.starts_with(m.utf8); });
    out += mark == std::end(kMarks) ? text.substr(0, 1) : mark->ascii;
    text.remove_prefix(mark == std::end(kMarks) ? 1 : mark->utf8.size());
  }
  return out;
}

std::string without_colour(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  while (!text.empty()) {
    const auto escape = text.find("\x1b[");
    plain += text.substr(0, escape);
    if (escape == std::string_view::npos) break;
    const auto end = text.find_first_not_of("0123456789;", escape + 2);
    if (end != std::string_view::npos && text[end] == 'm') {
      text.remove_prefix(end + 1);
    } else {  // another sequence: not ours to take away
      plain += text.substr(escape, 2);
      text.remove_prefix(escape + 2);
    }
  }
  return plain;
}

Written write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return {false, errno == EPIPE, errno};
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

std::string progress_text(double fraction, std::string_view message, std::chrono::seconds elapsed, std::size_t width) {
  std::string tail;
  if (std::isfinite(fraction) && fraction >= 0 && fraction <= 1)
    tail = "  " + std::to_string(static_cast<int>(fraction * 100)) + "%";
  if (elapsed.count() > 0) tail += "  " + std::to_string(elapsed.count()) + " s";
  const std::size_t room = width > tail.size() + 1 ? width - tail.size() - 1 : 0;
  return core::shorten_middle(core::one_line(message), static_cast<int>(room)) + tail;
}

ProgressLine::ProgressLine(int fd, std::string_view doing) : fd_(fd), wanted_(::isatty(fd) != 0), message_(doing) {
  if (wanted_) thread_ = std::thread([this] { keep_showing(); });
}

void ProgressLine::keep_showing() {
  std::unique_lock lock(mutex_);
  bool shown = false;
  for (auto next = kBeforeShown; !ended_.wait_for(lock, next, [this] { return end_; }); next = kBetween) {
    const auto elapsed = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - started_);
    const std::string text = progress_text(fraction_, message_, elapsed, terminal_width(fd_, 80));
    shown = true;
    lock.unlock();  // a terminal may be slow, the work is not to wait for it
    static_cast<void>(write_all(fd_, std::string(kEraseLine) + text));
    lock.lock();
  }
  if (shown) static_cast<void>(write_all(fd_, kEraseLine));
}

void ProgressLine::show(double fraction, std::string_view message) {
  const std::lock_guard lock(mutex_);
  fraction_ = fraction;
  message_ = message;
}

void ProgressLine::clear() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

}  // namespace plumbline::cli
