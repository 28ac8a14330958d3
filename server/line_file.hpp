// Lines for people and log collectors: each is written by one write(2), so that lines of several threads and processes do not
// mix, and none ever waits: a reader that has stopped reading a pipe costs lines, not calls. Thread-safe.
#pragma once

#include <cstddef>
#include <string_view>

namespace plumbline::server {

// Longer ones may be torn apart by a pipe's other writers (POSIX promises no more than 4096 bytes on Linux).
inline constexpr std::size_t kLineBytes = 4096;

// `line` ends in its newline. How many bytes of it were written: all; none; or fewer, when a disk is full.
std::size_t write_line(int fd, std::string_view line);

}  // namespace plumbline::server
