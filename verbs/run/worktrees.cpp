#include "verbs/run/worktrees.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "verbs/calling/wording.hpp"
#include "verbs/resolving/session.hpp"

namespace plumbline::verbs {
namespace {

namespace fs = std::filesystem;

// The last line of what a program said.
std::string said(const machine::CommandRun& run) {
  const std::string_view text =
      core::trim(run.error_tail.empty() ? std::string_view(run.output) : std::string_view(run.error_tail));
  const std::size_t at = text.rfind('\n');
  return core::cited(one_line(at == std::string_view::npos ? text : text.substr(at + 1), 200));
}

}  // namespace

Expected<Worktrees> Worktrees::open(std::string_view flag, const Context& context) {
  const auto git = find_program("git", context);
  if (!git) return core::fail(ErrorCode::missing_helper, std::string(flag) + " needs git, which is not on PATH");
  const machine::Command top{.argv = {*git, "rev-parse", "--show-toplevel"}, .environment = {}, .folder = context.cwd};
  const auto found = machine::run_command(top, context.cancelled);
  if (!found) return core::fail(found.error());
  if (!found->ok()) {
    return core::fail(ErrorCode::not_found, "no git work tree encloses " + core::cited_path(context.cwd),
                      std::string(flag) + " works on the repository that it is called in");
  }
  auto scratch = ScratchFolder::make(context);
  if (!scratch) return core::fail(scratch.error());
  const std::string repository(core::trim(found->output));
  const std::string below = fs::path(context.cwd).lexically_relative(repository).string();
  return Worktrees(std::move(*scratch), *git, repository, below == "." ? "" : "/" + below);
}

Expected<std::string> Worktrees::git(std::vector<std::string> arguments, const Context& context) const {
  arguments.insert(arguments.begin(), {git_, "-C", repository_});
  const machine::Command command{.argv = arguments, .environment = {}, .folder = {}};
  const auto ran = machine::run_command(command, context.cancelled);
  if (!ran) return core::fail(ran.error());
  if (!ran->ok())
    return core::fail(ErrorCode::invalid_input,
                      "git " + arguments[3] + " " + machine::ending_text(*ran, command) + ": " + said(*ran));
  return std::string(core::trim(ran->output));
}

Expected<std::string> Worktrees::check_out(const std::string& revision, const Context& context) {
  const std::string tree = scratch_.path() + "/" + std::to_string(trees_.size() + 1);
  const machine::Command add{.argv = {git_, "-C", repository_, "worktree", "add", "--detach", "--quiet", tree, revision},
                             .environment = {},
                             .folder = {}};
  const auto added = machine::run_command(add, context.cancelled);
  if (!added) return core::fail(added.error());
  if (!added->ok()) {
    return core::fail(ErrorCode::not_found, "git cannot check out " + core::cited(revision) + ": " + said(*added),
                      "`git rev-parse " + one_line(revision, 80) + "` shows what it is");
  }
  trees_.push_back(tree);
  return tree;
}

Status Worktrees::build(const std::string& tree, const std::string& revision, const std::string& line, double limit_s,
                        const Context& context) {
  if (line.empty()) return {};
  const machine::Command command{.argv = {"/bin/sh", "-c", line}, .environment = {}, .folder = tree, .timeout_s = limit_s};
  const auto built = machine::run_command(command, context.cancelled);
  if (!built) return core::fail(built.error());
  if (built->ended == machine::Ended::stopped) return core::fail(cancelled_error());
  if (built->ok()) return {};
  if (built->ended == machine::Ended::timed_out) {
    return core::fail(ErrorCode::invalid_input,
                      "--build of " + core::cited(revision) + " took what is left of --budget, " +
                          core::short_number(limit_s, 3) + " s, and was ended",
                      "give more by --budget");
  }
  return core::fail(
      ErrorCode::invalid_input,
      "--build of " + core::cited(revision) + " " + machine::ending_text(*built, command) + "; it said: " + said(*built),
      "build that revision by hand: `git worktree add /tmp/tree " + one_line(revision, 80) + "`");
}

void Worktrees::move_into(const std::string& tree, machine::Command& command) const {
  command.folder = tree + below_;
  std::string& program = command.argv.front();
  if (program.find('/') != std::string::npos && program.front() != '/') program = command.folder + "/" + program;
}

Worktrees::~Worktrees() {
  for (const std::string& tree : trees_) {
    const machine::Command remove{
        .argv = {git_, "-C", repository_, "worktree", "remove", "--force", tree}, .environment = {}, .folder = {}};
    (void)machine::run_command(remove, nullptr);
  }
}

Expected<Worktrees> make_revisions(RunRequest& request, const Context& context) {
  auto trees = Worktrees::open("--ab-rev", context);
  if (!trees) return trees;
  const auto began = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < request.sides.size(); ++i) {
    show_progress(context, 0, "building " + request.revisions[i]);
    auto tree = trees->check_out(request.revisions[i], context);
    if (!tree) return core::fail(tree.error());
    const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    const double left = request.budget_s > 0 ? std::max(request.budget_s - spent, 0.001) : 0;
    if (auto ok = trees->build(*tree, request.revisions[i], request.build, left, context); !ok) return core::fail(ok.error());
    trees->move_into(*tree, request.sides[i].start);
  }
  return trees;
}

}  // namespace plumbline::verbs
