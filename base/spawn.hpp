// Starts a program without a shell. The child has its own signal state: it does not inherit that a server ignores SIGPIPE or
// blocks signals. Whoever starts it waits for it.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace plumbline::base {

struct Program {
  std::vector<std::string> argv;                          // the first is the path
  const std::vector<std::string>* environment = nullptr;  // "NAME=value"; null: this process's own
  std::string folder = {};                                // where it runs; "" = here
  int in = -1, out = -1, err = -1;                        // -1: /dev/null
  bool own_group = false;                                 // its children can be ended with it: kill(-pid)
  bool ends_with_us = false;                              // killed when the thread that starts it ends, however that comes
};
// 0 and the child's id, or an errno.
[[nodiscard]] int spawn(const Program& program, pid_t& child);

}  // namespace plumbline::base
