// Starting a program: its streams, its environment, its folder, its group; and the error of one that cannot be started.
#include "base/spawn.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "base/descriptor.hpp"

namespace plumbline::base {
namespace {

struct Ran {
  int error = 0, status = -1;
  std::string output;
};
Ran run(Program program) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  program.out = writing.get();
  Ran ran;
  pid_t child = -1;
  ran.error = spawn(program, child);
  writing.reset();
  if (ran.error != 0) return ran;
  std::array<char, 256> block{};
  for (ssize_t got = 0; (got = ::read(reading.get(), block.data(), block.size())) > 0;)
    ran.output.append(block.data(), static_cast<std::size_t>(got));
  EXPECT_EQ(::waitpid(child, &ran.status, 0), child);
  return ran;
}

TEST(Spawn, a_program_has_its_own_environment_and_folder_and_an_empty_input) {
  const std::vector<std::string> environment{"GREETING=hello"};
  const Ran ran = run({.argv = {"/bin/sh", "-c", "cat; echo $GREETING $(pwd)"}, .environment = &environment, .folder = "/"});
  EXPECT_EQ(ran.output, "hello /\n");
  EXPECT_EQ(ran.status, 0);
}
TEST(Spawn, a_program_that_ends_with_us_is_started_like_any_other) {
  const std::vector<std::string> environment{"GREETING=hello"};
  const Ran ran = run({.argv = {"/bin/sh", "-c", "cat; echo $GREETING $(pwd); exit 3"},
                       .environment = &environment,
                       .folder = "/",
                       .own_group = true,
                       .ends_with_us = true});
  EXPECT_EQ(ran.output, "hello /\n");
  EXPECT_EQ(WEXITSTATUS(ran.status), 3);
  EXPECT_EQ(run({.argv = {"/nowhere/at/all"}, .ends_with_us = true}).error, ENOENT);
  EXPECT_EQ(run({.argv = {"/bin/sh"}, .folder = "/nowhere/at/all", .ends_with_us = true}).error, ENOENT);
}
TEST(Spawn, a_program_that_cannot_be_started_is_an_errno) {
  EXPECT_EQ(run({.argv = {"/nowhere/at/all"}}).error, ENOENT);
  EXPECT_EQ(run({.argv = {"/etc/passwd"}}).error, EACCES);
}
TEST(Spawn, a_program_does_not_inherit_ignored_signals) {
  auto* const before = std::signal(SIGPIPE, SIG_IGN);
  const Ran ran = run({.argv = {"/bin/sh", "-c", "kill -PIPE $$; echo alive"}});
  (void)std::signal(SIGPIPE, before);
  EXPECT_TRUE(WIFSIGNALED(ran.status) && WTERMSIG(ran.status) == SIGPIPE) << ran.output;
}
TEST(Spawn, a_group_of_its_own_where_that_is_asked_for) {
  const std::string mine = std::to_string(::getpgrp());
  const auto group = [](bool own) {
    return run({.argv = {"/bin/sh", "-c", "cut -d' ' -f5 /proc/self/stat"}, .own_group = own}).output;
  };
  EXPECT_EQ(group(false), mine + "\n");
  EXPECT_NE(group(true), mine + "\n");
}

}  // namespace
}  // namespace plumbline::base
