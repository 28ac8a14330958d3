// --ab-rev: a git work tree for each revision, built, and removed when this goes. The repository's own work tree is not touched.
// Private to verbs/run/.
#pragma once

#include <string>
#include <vector>

#include "verbs/environment.hpp"
#include "verbs/run/request.hpp"

namespace plumbline::verbs {

class Worktrees {
 public:
  // Checks out and builds, and lets each side of the request run in its tree: in the folder that corresponds to the caller's, its
  // program taken from there where it is named by a relative path.
  [[nodiscard]] static Expected<Worktrees> make(RunRequest& request, const Context& context);
  Worktrees(Worktrees&&) = default;
  Worktrees& operator=(Worktrees&&) = delete;
  Worktrees(const Worktrees&) = delete;
  Worktrees& operator=(const Worktrees&) = delete;
  ~Worktrees();

 private:
  Worktrees(ScratchFolder scratch, std::string git, std::string repository)
      : scratch_(std::move(scratch)), git_(std::move(git)), repository_(std::move(repository)) {}
  Status add(const std::string& revision, const std::string& build, const Context& context, std::string& tree);

  ScratchFolder scratch_;
  std::string git_, repository_;
  std::vector<std::string> trees_;
};

}  // namespace plumbline::verbs
