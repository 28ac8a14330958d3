#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "base/descriptor.hpp"
#include "base/spawn.hpp"
#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/store.hpp"
#include "verbs/environment.hpp"
#include "verbs/import/points.hpp"
#include "verbs/record/redact.hpp"
#include "verbs/resolving/session.hpp"

namespace plumbline::verbs {
namespace {

constexpr std::size_t kLogAtMost = 256U << 20;
constexpr std::uint64_t kVersionsAtMost = 2ULL << 30;  // bytes of all versions together
constexpr int kLogMilliseconds = 600'000;

struct Version {
  std::string commit, path;  // of the file in that commit, from the top of the work tree
  std::chrono::system_clock::time_point committed;
};

tl::unexpected<Error> no_history(const std::string& path, std::string hint) {
  return core::fail(ErrorCode::invalid_input, "git knows no history of " + core::cited_path(path), std::move(hint), path);
}

// "\x01HASH\tDATE", then the path as it was called in that commit.
Expected<std::vector<Version>> parse_log(std::string_view log, const std::string& path) {
  std::vector<Version> versions;
  for (const std::string_view line : core::split(log, '\n')) {
    if (line.starts_with('\x01')) {
      const auto tab = line.find('\t');
      const auto time = tab == std::string_view::npos ? std::nullopt : registry::parse_time(line.substr(tab + 1));
      if (!time) return no_history(path, "git log answered something else than commits and dates");
      versions.push_back({std::string(line.substr(1, tab - 1)), {}, *time});
    } else if (!line.empty() && !versions.empty() && versions.back().path.empty()) {
      versions.back().path = std::string(line);
    }
  }
  return versions;
}

// What `git cat-file --batch` says of a list of objects, by files: no pipe can fill up. 0, or why not.
int cat_files(const std::string& git, const std::string& folder, const std::string& asked, const std::string& answered) {
  const base::Descriptor in(::open(asked.c_str(), O_RDONLY | O_CLOEXEC));
  const base::Descriptor out(::open(answered.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!in.valid() || !out.valid()) return errno;
  pid_t child = -1;
  if (const int error =
          base::spawn({.argv = {git, "-C", folder, "cat-file", "--batch"}, .in = in.get(), .out = out.get()}, child);
      error != 0)
    return error;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return errno;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : ECANCELED;
}

// "HASH blob SIZE\nBYTES\n" for each, or "NAME missing\n": of a commit that removed the file.
Expected<std::vector<Point>> points_in(std::string_view answer, const std::vector<Version>& versions, const std::string& path) {
  std::vector<Point> points;
  for (const Version& version : versions) {
    const auto end = answer.find('\n');
    if (end == std::string_view::npos) return no_history(path, "git cat-file ended too early");
    const std::string_view head = answer.substr(0, end);
    answer.remove_prefix(end + 1);
    if (head.ends_with(" missing")) continue;
    const auto words = core::split(head, ' ');
    const auto size = words.size() == 3 && words[1] == "blob" ? core::parse_int(words[2]) : std::nullopt;
    if (!size || *size < 0 || static_cast<std::uint64_t>(*size) >= answer.size())
      return no_history(path, "git cat-file answered something else than a file's content");
    Point point;
    point.measured = version.committed;
    point.commit = version.commit;
    point.origin = version.path + " at " + version.commit.substr(0, 12);
    point.name = version.path.substr(version.path.rfind('/') + 1);
    point.bytes = std::string(answer.substr(0, static_cast<std::size_t>(*size)));
    answer.remove_prefix(static_cast<std::size_t>(*size) + 1);
    points.push_back(std::move(point));
  }
  return points;
}

}  // namespace

Expected<std::vector<Point>> points_of_git(const std::string& given, const std::string& since, const Context& context) {
  const std::string path = absolute(context, given);
  const std::string folder = path.substr(0, path.rfind('/'));
  const auto git = find_program("git", context);
  if (!git) return core::fail(ErrorCode::environment, "git is not installed, and --git-history asks it", "install git");
  std::vector<std::string> argv = {
      *git,       "-c",          "core.fsmonitor=false",  "-c", "core.quotePath=false", "-C", folder, "log",
      "--follow", "--name-only", "--format=%x01%H%x09%cI"};
  if (!since.empty()) argv.push_back("--since=" + since);
  argv.insert(argv.end(), {"--", path});
  show_progress(context, 0.05, "asking git");
  const auto log = program_output(argv, kLogAtMost, kLogMilliseconds);
  if (!log) return no_history(given, "it is no file of a git work tree, or git refused");
  auto versions = parse_log(*log, given);
  if (!versions) return core::fail(versions.error());
  if (versions->empty())
    return no_history(given, since.empty() ? "commit it first" : "nothing was committed since " + core::cited(since));

  auto scratch = ScratchFolder::make(context);
  if (!scratch) return core::fail(scratch.error());
  std::string asked;
  for (const Version& version : *versions) asked += version.commit + ":" + version.path + "\n";
  if (auto ok = write_scratch(scratch->path() + "/asked", asked); !ok) return core::fail(ok.error());
  if (const int error = cat_files(*git, folder, scratch->path() + "/asked", scratch->path() + "/answer"); error != 0)
    return core::fail(ErrorCode::environment, "git cat-file failed for " + core::cited_path(given), "", given);
  registry::PathLimits limits = path_limits(context);
  limits.allowed_roots.clear();  // our own scratch
  limits.bytes = kVersionsAtMost;
  const auto answer = registry::read_file(scratch->path() + "/answer", limits);
  if (!answer) return core::fail(answer.error());
  return points_in(answer->view(), *versions, given);
}

}  // namespace plumbline::verbs
