#include "verbs/run/worktrees.hpp"

#include <filesystem>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "verbs/calling/wording.hpp"
#include "verbs/resolving/session.hpp"

namespace plumbline::verbs {
namespace {

namespace fs = std::filesystem;

std::string said(const machine::CommandRun& run) {
  std::string_view text = core::trim(run.error_tail.empty() ? std::string_view(run.output) : std::string_view(run.error_tail));
  const std::size_t at = text.rfind('\n');
  return core::cited(one_line(at == std::string_view::npos ? text : text.substr(at + 1), 200));
}

}  // namespace

Expected<Worktrees> Worktrees::make(RunRequest& request, const Context& context) {
  const auto git = find_program("git", context);
  if (!git) return core::fail(ErrorCode::missing_helper, "--ab-rev needs git, which is not on PATH");
  const machine::Command top{.argv = {*git, "rev-parse", "--show-toplevel"}, .environment = {}, .folder = context.cwd};
  const auto found = machine::run_command(top, context.cancelled);
  if (!found) return core::fail(found.error());
  if (!found->ok()) {
    return core::fail(ErrorCode::not_found, "no git work tree encloses " + core::cited_path(context.cwd),
                      "--ab-rev compares two revisions of the repository it is called in");
  }
  auto scratch = ScratchFolder::make(context);
  if (!scratch) return core::fail(scratch.error());
  Worktrees out(std::move(*scratch), *git, std::string(core::trim(found->output)));
  const std::string below = fs::path(context.cwd).lexically_relative(out.repository_).string();
  for (std::size_t i = 0; i < request.sides.size(); ++i) {
    show_progress(context, 0, "building " + request.revisions[i]);
    std::string tree;
    if (auto ok = out.add(request.revisions[i], request.build, context, tree); !ok) return core::fail(ok.error());
    RunRequest::Side& side = request.sides[i];
    side.build_folder = tree;
    side.start.folder = below == "." ? tree : tree + "/" + below;
    std::string& program = side.start.argv.front();
    if (program.find('/') != std::string::npos && program.front() != '/') program = side.start.folder + "/" + program;
  }
  return out;
}

Status Worktrees::add(const std::string& revision, const std::string& build, const Context& context, std::string& tree) {
  tree = scratch_.path() + "/" + std::to_string(trees_.size() + 1);
  const machine::Command add{.argv = {git_, "-C", repository_, "worktree", "add", "--detach", "--quiet", tree, revision},
                             .environment = {},
                             .folder = {}};
  const auto added = machine::run_command(add, context.cancelled);
  if (!added) return core::fail(added.error());
  if (!added->ok())
    return core::fail(ErrorCode::not_found, "git cannot check out " + core::cited(revision) + ": " + said(*added),
                      "`git rev-parse " + one_line(revision, 80) + "` shows what it is");
  trees_.push_back(tree);
  if (build.empty()) return {};
  const machine::Command command{.argv = {"/bin/sh", "-c", build}, .environment = {}, .folder = tree};
  const auto built = machine::run_command(command, context.cancelled);
  if (!built) return core::fail(built.error());
  if (built->ok()) return {};
  return core::fail(
      ErrorCode::invalid_input,
      "--build of " + core::cited(revision) + " " + machine::ending_text(*built, command) + "; it said: " + said(*built),
      "build that revision by hand: `git worktree add /tmp/tree " + one_line(revision, 80) + "`");
}

Worktrees::~Worktrees() {
  for (const std::string& tree : trees_) {
    const machine::Command remove{
        .argv = {git_, "-C", repository_, "worktree", "remove", "--force", tree}, .environment = {}, .folder = {}};
    (void)machine::run_command(remove, nullptr);
  }
}

}  // namespace plumbline::verbs
