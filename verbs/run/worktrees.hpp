// Work trees of revisions, built, and removed when this goes. The repository's own work tree is not touched. For `run --ab-rev`
// and bisect.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "verbs/environment.hpp"
#include "verbs/run/request.hpp"

namespace plumbline::verbs {

class Worktrees {
 public:
  // Of the repository that encloses the call's folder; `flag` asked for it, for messages.
  [[nodiscard]] static Expected<Worktrees> open(std::string_view flag, const Context& context);
  Worktrees(Worktrees&& other) noexcept = default;
  Worktrees& operator=(Worktrees&&) = delete;
  Worktrees(const Worktrees&) = delete;
  Worktrees& operator=(const Worktrees&) = delete;
  ~Worktrees();

  // Checks a revision out into a tree of its own. The error of one that git does not know is not_found.
  [[nodiscard]] Expected<std::string> check_out(const std::string& revision, const Context& context);
  // Runs a line of shell at the top of a tree; invalid_input where it fails, or takes longer than `limit_s` (0: no limit).
  [[nodiscard]] Status build(const std::string& tree, const std::string& revision, const std::string& line, double limit_s,
                             const Context& context);
  // Lets a command run in the folder of the tree that corresponds to the caller's, its program taken from there where it is named
  // by a relative path.
  void move_into(const std::string& tree, machine::Command& command) const;
  // What git prints, without the last line break; errors of git are invalid_input.
  [[nodiscard]] Expected<std::string> git(std::vector<std::string> arguments, const Context& context) const;

 private:
  Worktrees(ScratchFolder scratch, std::string git, std::string repository, std::string below)
      : scratch_(std::move(scratch)), git_(std::move(git)), repository_(std::move(repository)), below_(std::move(below)) {}

  ScratchFolder scratch_;
  std::string git_, repository_, below_;
  std::vector<std::string> trees_;
};

// --ab-rev: each side of the request in the tree of its revision.
[[nodiscard]] Expected<Worktrees> make_revisions(RunRequest& request, const Context& context);

}  // namespace plumbline::verbs
