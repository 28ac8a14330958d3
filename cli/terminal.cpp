#include "cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>

#include "core/text.hpp"

namespace plumbline::cli {
namespace {

constexpr std::chrono::milliseconds kBeforeShown{1000};
constexpr std::chrono::milliseconds kBetween{100};
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

std::string progress_text(double fraction, std::string_view message, std::size_t width) {
  std::string percent;
  if (std::isfinite(fraction) && fraction >= 0 && fraction <= 1) {
    percent = "  " + std::to_string(static_cast<int>(fraction * 100)) + "%";
  }
  std::string text;
  for (const char c : message) text += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  const std::size_t room = width > percent.size() + 1 ? width - percent.size() - 1 : 0;
  if (text.size() > room) {
    text.resize(room);
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) text.pop_back();  // not half a character
    if (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0xC0) text.pop_back();
  }
  return text + percent;
}

void ProgressLine::show(double fraction, std::string_view message) {
  const auto now = std::chrono::steady_clock::now();
  const std::lock_guard lock(mutex_);
  if (now - started_ < kBeforeShown || (shown_ && now - last_ < kBetween)) return;
  last_ = now;
  shown_ = true;
  static_cast<void>(write_all(fd_, std::string(kEraseLine) + progress_text(fraction, message, terminal_width(fd_, 80))));
}

void ProgressLine::clear() {
  const std::lock_guard lock(mutex_);
  if (shown_) static_cast<void>(write_all(fd_, kEraseLine));
  shown_ = false;
}

}  // namespace plumbline::cli
