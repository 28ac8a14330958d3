#include "verbs/profile_diff/fetched_sides.hpp"

#include "core/citing.hpp"
#include "registry/open_store.hpp"
#include "verbs/resolving/session.hpp"

namespace plumbline::verbs {

Expected<std::string> FetchedSides::path_of(const std::string& given) {
  if (!given.starts_with("s3://")) return absolute(context_, given);
  registry::PathLimits limits = path_limits(context_);
  if (!limits.allowed_roots.empty()) {
    return core::fail(ErrorCode::path_not_allowed, "this server reads its own folders, and no bucket: " + core::cited(given),
                      "bring it into one of them first, or ask the command line", given);
  }
  auto folder = ScratchFolder::make(context_);
  if (!folder) return core::fail(std::move(folder.error()));
  show_progress(context_, 0, "fetching " + given);
  auto path = registry::fetch(given, folder->path(), context_.environment, limits);
  if (!path) return core::fail(std::move(path.error()));
  std::string address = given;
  while (address.ends_with('/')) address.pop_back();
  names_.emplace_back(*path, std::move(address));
  folders_.push_back(std::move(*folder));
  return path;
}

std::string FetchedSides::named(std::string path) const {
  for (const auto& [here, address] : names_) {
    if (path == here || path.starts_with(here + "/")) return address + path.substr(here.size());
  }
  return path;
}

void FetchedSides::name(core::ProfileDiff& result) const {
  if (names_.empty()) return;
  for (core::ProfileSideInfo* side : {&result.baseline, &result.candidate}) {
    side->path = named(std::move(side->path));
    side->label = named(std::move(side->label));
    for (core::ProfileTrial& trial : side->trials) trial.path = named(std::move(trial.path));
  }
}

}  // namespace plumbline::verbs
