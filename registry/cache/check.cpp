#include "registry/cache/check.hpp"

#include <sys/stat.h>

#include <cstdint>

#include "registry/cache/database.hpp"
#include "registry/cache/place.hpp"
#include "registry/io.hpp"
#include "registry/verification.hpp"

namespace plumbline::registry::cache {

using core::fail;

namespace {

core::Status check_line(const Line& line, const std::string& root, Database* database, const PathLimits& limits,
                        core::IndexResult& result) {
  const auto folder = io::open_folder(line.directory, limits);
  if (!folder) return fail(folder.error());
  const auto stamp = stamp_of(folder->get());
  const auto listing = list_line(folder->get(), line.directory);
  if (!listing) return fail(listing.error());
  ++result.lines;
  result.publications += listing->slugs.size();
  if (listing->slugs.size() < kWorthKeeping) return {};
  ++result.kept;
  const std::string inside = line.directory.substr(root == "/" ? 1 : root.size() + 1);
  const auto known = database != nullptr && stamp ? database->read(inside, *stamp, SIZE_MAX) : std::nullopt;
  if (!known || stamp_of(folder->get()) != stamp) {
    ++result.old;
  } else if (known->newest.packed() == listing->slugs.packed() && known->count == listing->slugs.size()) {
    ++result.right;
  } else {
    result.wrong.push_back(line.shown);
  }
  return {};
}

}  // namespace

core::Expected<core::IndexResult> check(const std::string& root, const std::string& cache_folder, const PathLimits& limits) {
  core::IndexResult result;
  result.root = absolute_path(root, "", limits);
  if (!cache_folder.empty()) result.path = file(cache_folder, result.root);
  const auto database = result.path.empty() ? nullptr : Database::open(result.path, false);
  struct stat info {};
  if (database && ::stat(result.path.c_str(), &info) == 0) result.bytes = static_cast<std::uint64_t>(info.st_size);
  const auto lines = lines_in(result.root, limits);
  if (!lines) return fail(lines.error());
  if (!*lines) return result;
  for (const Line& line : (*lines)->lines) {
    if (limits.stop && limits.stop()) return fail(core::ErrorCode::cancelled, "stopped");
    if (auto done = check_line(line, result.root, database.get(), limits, result); !done) return fail(done.error());
  }
  return result;
}

}  // namespace plumbline::registry::cache
