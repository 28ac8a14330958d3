// What a command is on a node: the words that a launcher gets.
#include <gtest/gtest.h>

#include "verbs/run/nodes.hpp"
#include "verbs/run/request.hpp"

namespace plumbline::verbs {
namespace {

using Words = std::vector<std::string>;

Words launched(const std::string& launcher, const Words& command) {
  const auto words = launched_on("n7", launcher, command, Context());
  EXPECT_TRUE(words) << words.error().message;
  return words.value_or(Words());
}

TEST(ShownCommand, IsWhatAShellTakesApartIntoTheSameWords) {
  EXPECT_EQ(shown_command({"./bench", "-n", "4", "--size=1k"}), "./bench -n 4 --size=1k");
  EXPECT_EQ(shown_command({"sh", "-c", "a; b"}), "sh -c 'a; b'");
  EXPECT_EQ(shown_command({"echo", "it's", "", "'"}), "echo 'it'\\''s' '' ''\\'''");
}

TEST(LaunchedOn, OnlySshHasAShellOnTheOtherSide) {
  const Words command = {"bench", "a b", "it's"};
  const std::string line = "bench 'a b' 'it'\\''s'";
  EXPECT_EQ(launched("/usr/bin/ssh {node}", command), (Words{"/usr/bin/ssh", "n7", line}));
  EXPECT_EQ(launched("/usr/bin/timeout 60 ssh -o BatchMode=yes {node}", command),
            (Words{"/usr/bin/timeout", "60", "ssh", "-o", "BatchMode=yes", "n7", line}));
  EXPECT_EQ(launched("/usr/bin/srun --nodelist={node}", command),
            (Words{"/usr/bin/srun", "--nodelist=n7", "bench", "a b", "it's"}));
  // A node may be called so.
  EXPECT_EQ(*launched_on("ssh", "/usr/bin/srun -w {node}", command, Context()),
            (Words{"/usr/bin/srun", "-w", "ssh", "bench", "a b", "it's"}));
}

}  // namespace
}  // namespace plumbline::verbs
