#include "base/spawn.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <array>
#include <csignal>

extern char** environ;

namespace plumbline::base {
namespace {

// For posix_spawn, which does not change what it is given.
std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

}  // namespace

int spawn(const Program& program, pid_t& child) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  const std::array<std::pair<int, int>, 3> streams{
      {{program.in, STDIN_FILENO}, {program.out, STDOUT_FILENO}, {program.err, STDERR_FILENO}}};
  for (const auto& [from, to] : streams) {
    if (from >= 0) {
      ::posix_spawn_file_actions_adddup2(&actions, from, to);
    } else {
      ::posix_spawn_file_actions_addopen(&actions, to, "/dev/null", to == STDIN_FILENO ? O_RDONLY : O_WRONLY, 0);
    }
  }
  if (!program.folder.empty()) ::posix_spawn_file_actions_addchdir_np(&actions, program.folder.c_str());
  sigset_t none, defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGCHLD}) sigaddset(&defaults, signal);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  const int group = program.own_group ? POSIX_SPAWN_SETPGROUP : 0;
  ::posix_spawnattr_setflags(&attributes, static_cast<short>(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group));
  std::vector<char*> argv = pointers(program.argv);
  std::vector<char*> own = program.environment != nullptr ? pointers(*program.environment) : std::vector<char*>();
  const int error = ::posix_spawn(&child, argv.front(), &actions, &attributes, argv.data(), own.empty() ? environ : own.data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace plumbline::base
