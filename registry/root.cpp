#include <sys/stat.h>

#include <cerrno>

#include "registry/io.hpp"
#include "registry/store.hpp"

namespace plumbline::registry {
namespace {

core::Expected<std::string> existing_folder(const std::string& given, const std::string& cwd, const std::string& from,
                                            const PathLimits& limits) {
  const std::string path = absolute_path(given, cwd, limits);
  if (given.empty()) return core::fail(core::ErrorCode::usage, from + " is empty", "name a folder", from);
  const auto info = io::look_at(path, limits);
  if (!info) {
    auto error = info.error();
    if (error.code == core::ErrorCode::path_not_allowed) return core::fail(std::move(error));
    error.message = from + ": " + error.message;
    error.where = from;
    return core::fail(std::move(error));
  }
  if (!S_ISDIR(info->st_mode)) {
    return core::fail(core::ErrorCode::usage,
                      from + ": " + path + " is " + std::string(io::kind_name(info->st_mode)) + ", not a folder", {}, from);
  }
  return path;
}

}  // namespace

core::Expected<std::optional<std::string>> find_root(
    const std::optional<std::string>& repo_root, const std::string& cwd,
    const std::function<std::optional<std::string>(std::string_view)>& environment, const PathLimits& limits) {
  if (repo_root) return existing_folder(*repo_root, cwd, "--repo-root", limits);
  for (const char* name : {"PLUMBLINE_ROOT", "PROFILE_AND_OPTIMIZE_REPO_ROOT"}) {
    const auto value = environment(name);
    if (value && !value->empty()) return existing_folder(*value, cwd, name, limits);
  }
  std::string folder = absolute_path(cwd, "");
  for (;;) {
    struct stat info {};
    // A folder in a plain clone, a file in linked work trees and submodules.
    if (::stat(io::join(folder, ".git").c_str(), &info) == 0 && (S_ISDIR(info.st_mode) || S_ISREG(info.st_mode))) {
      if (auto allowed = check_allowed(folder, limits); !allowed) return core::fail(std::move(allowed.error()));
      return std::optional<std::string>(std::move(folder));
    }
    if (folder == "/") break;
    folder = std::string(io::parent_of(folder));
  }
  return std::nullopt;
}

core::Error no_root(const std::string& cwd) {
  return {core::ErrorCode::usage, "cannot tell the repository root: no git work tree encloses " + absolute_path(cwd, ""),
          "--repo-root . keeps entries in this folder; in a git work tree they go to its root, and PLUMBLINE_ROOT or "
          "PROFILE_AND_OPTIMIZE_REPO_ROOT names another",
          ""};
}

core::Expected<std::string> resolve_root(const std::optional<std::string>& repo_root, const std::string& cwd,
                                         const std::function<std::optional<std::string>(std::string_view)>& environment,
                                         const PathLimits& limits) {
  auto root = find_root(repo_root, cwd, environment, limits);
  if (!root) return core::fail(std::move(root.error()));
  if (!*root) return core::fail(no_root(cwd));
  return std::move(**root);
}

core::Expected<std::vector<std::string>> resolve_allowed_roots(const std::vector<std::string>& given, const std::string& cwd) {
  std::vector<std::string> roots;
  for (const auto& root : given) {
    auto folder = existing_folder(root, cwd, "--allow-root", {});
    if (!folder) return core::fail(std::move(folder.error()));
    roots.push_back(std::move(*folder));
  }
  return roots;
}

}  // namespace plumbline::registry
