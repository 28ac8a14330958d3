// What the operator of a server reads on standard error: `plumbline: LEVEL: text`, one line each. Texts may hold anything a
// client sent: control characters, bytes that are no UTF-8 and characters that rearrange a terminal's line come out as \xNN.
// What is filtered costs one comparison. spdlog carries the lines to a sink of ours (log.cpp). Thread-safe.
#pragma once

#include <fmt/core.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "core/error.hpp"

namespace spdlog {
class logger;
}

namespace plumbline::server {

class Log {
 public:
  enum class Level : std::uint8_t { debug, info, warning, error, off };

  explicit Log(Level level = Level::info, int fd = 2);

  // --log-level; the error names the nearest level.
  [[nodiscard]] static core::Expected<Level> parse(std::string_view text);

  void set(Level level) { level_.store(level, std::memory_order_relaxed); }
  [[nodiscard]] bool shows(Level level) const { return level >= level_.load(std::memory_order_relaxed); }

  template <class... Args>
  void debug(fmt::format_string<Args...> format, Args&&... args) const {
    if (shows(Level::debug)) write(Level::debug, fmt::format(format, std::forward<Args>(args)...));
  }
  template <class... Args>
  void info(fmt::format_string<Args...> format, Args&&... args) const {
    if (shows(Level::info)) write(Level::info, fmt::format(format, std::forward<Args>(args)...));
  }
  template <class... Args>
  void warning(fmt::format_string<Args...> format, Args&&... args) const {
    if (shows(Level::warning)) write(Level::warning, fmt::format(format, std::forward<Args>(args)...));
  }
  template <class... Args>
  void error(fmt::format_string<Args...> format, Args&&... args) const {
    if (shows(Level::error)) write(Level::error, fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  void write(Level level, std::string_view text) const;

  std::atomic<Level> level_;
  const std::shared_ptr<spdlog::logger> logger_;
};

}  // namespace plumbline::server
