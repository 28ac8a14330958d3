#include "base/spawn.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
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

// What posix_spawn cannot say: PR_SET_PDEATHSIG. Between vfork and exec the child lives in this process's memory, so all it
// needs is made beforehand and it makes system calls alone; no handler of ours runs in it, since signals are blocked until its
// own state is set.
int spawn_bound(const Program& program, pid_t& child) {
  std::vector<char*> argv = pointers(program.argv);
  std::vector<char*> own = program.environment != nullptr ? pointers(*program.environment) : std::vector<char*>();
  char* const* const volatile environment = own.empty() ? environ : own.data();
  const std::array<std::pair<int, int>, 3> streams{
      {{program.in, STDIN_FILENO}, {program.out, STDOUT_FILENO}, {program.err, STDERR_FILENO}}};
  sigset_t all, none, before;
  sigfillset(&all);
  sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t parent = ::getpid();
  volatile int error = 0;
  const pid_t started = ::vfork();  // NOLINT(clang-analyzer-security.insecureAPI.vfork)
  // The analyzer wants nothing but exec and _exit here, which could not set up anything.
  // NOLINTBEGIN(clang-analyzer-unix.Vfork)
  if (started == 0) {
    const auto check = [&error](int result) {
      if (result >= 0) return;
      error = errno;
      ::_exit(127);
    };
    if (program.own_group) check(::setpgid(0, 0));
    check(::prctl(PR_SET_PDEATHSIG, SIGKILL));
    if (::getppid() != parent) ::_exit(127);  // it was too late to ask
    for (const auto& [from, to] : streams) {
      const int given = from >= 0 ? from : ::open("/dev/null", to == STDIN_FILENO ? O_RDONLY : O_WRONLY);
      check(given);
      check(given == to ? ::fcntl(to, F_SETFD, 0) : ::dup2(given, to));
      if (from < 0 && given > STDERR_FILENO) ::close(given);
    }
    if (!program.folder.empty()) check(::chdir(program.folder.c_str()));
    for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGCHLD}) ::signal(signal, SIG_DFL);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::execve(argv.front(), argv.data(), environment);
    error = errno;
    ::_exit(127);
  }
  // NOLINTEND(clang-analyzer-unix.Vfork)
  const int failed = started < 0 ? errno : error;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (started >= 0 && failed != 0) {
    int status = 0;
    while (::waitpid(started, &status, 0) < 0 && errno == EINTR) {
    }
  }
  if (failed == 0) child = started;
  return failed;
}

}  // namespace

int spawn(const Program& program, pid_t& child) {
  if (program.ends_with_us) return spawn_bound(program, child);
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
