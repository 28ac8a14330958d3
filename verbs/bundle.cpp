#include "verbs/bundle.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "reports/reports.hpp"

namespace plumbline::verbs {

namespace {

constexpr std::uint64_t kSnapshotLimit = 64ULL << 20;

Status publish(const BundlePlace& place, std::unique_ptr<registry::Staging> staging, std::string& dir, std::string& sha,
               std::vector<core::FileRef>& files, std::vector<core::Warning>& warnings, const Context& context) {
  if (context.stop_asked()) return core::fail(cancelled_error());
  auto published = place.store->publish(std::move(staging), place.now);
  if (!published) return core::fail(published.error());
  dir = published->path;
  sha = published->sha256;
  files = published->files;
  warnings.insert(warnings.end(), published->warnings.begin(), published->warnings.end());
  return {};
}

}  // namespace

Status publish_diff(const BundlePlace& place, const std::vector<LoadedSource>& sources, const std::string& snapshot_option,
                    core::DiffResult& result, const Context& context) {
  auto staging = place.store->stage(registry::Kind::bundle, place.family, place.measurement);
  if (!staging) return core::fail(staging.error());
  registry::Staging& stage = **staging;

  std::uint64_t total = 0;
  for (const LoadedSource& source : sources) total += source.source.bytes;
  const bool copy = snapshot_option == "copy" || (snapshot_option != "reference" && total <= kSnapshotLimit);
  if (copy) {
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const LoadedSource& loaded = sources[i];
      const std::string name = snapshot_name("current-snapshot", loaded.source, i);
      for (std::size_t f = 0; f < loaded.source.files.size(); ++f) {
        const std::string at = loaded.source.is_directory ? name + "/" + loaded.source.files[f].relative : name;
        if (auto ok = stage.add(at, loaded.bytes[f].view()); !ok) return ok;
      }
    }
  } else {
    result.warnings.push_back({"snapshot_referenced", "the bundle holds the current measurement's digest and path, not a copy"});
  }
  if (auto ok = stage.add("baseline-ref.txt", result.baseline.path + "\n"); !ok) return ok;
  auto rows = stage.add_stream("deltas.jsonl", [&](const std::function<Status(std::string_view)>& write) {
    if (context.stop_asked()) return Status(core::fail(cancelled_error()));
    return reports::write_deltas(result, write);
  });
  if (!rows) return rows;
  if (auto ok = stage.add("diff.json", reports::diff_json(result)); !ok) return ok;
  if (auto ok = stage.add("diff.md", reports::diff_markdown(result)); !ok) return ok;
  if (auto ok = stage.add("diff.html", reports::diff_html(result)); !ok) return ok;
  return publish(place, std::move(*staging), result.diff_dir, result.bundle_sha256, result.files, result.warnings, context);
}

Status publish_profile(const BundlePlace& place, core::ProfileDiff& profile, core::DiffResult* as_diff, const Context& context) {
  auto staging = place.store->stage(registry::Kind::bundle, place.family, place.measurement);
  if (!staging) return core::fail(staging.error());
  registry::Staging& stage = **staging;
  if (auto ok = stage.add("baseline-ref.txt", (as_diff != nullptr ? as_diff->baseline.path : profile.baseline.path) + "\n"); !ok)
    return ok;
  if (auto ok = stage.add("profile-diff.json", reports::profile_json(profile)); !ok) return ok;
  if (auto ok = stage.add("profile-diff.md", reports::profile_markdown(profile)); !ok) return ok;
  if (as_diff != nullptr) {
    if (auto ok = stage.add("diff.json", reports::diff_json(*as_diff)); !ok) return ok;
    if (auto ok = stage.add("diff.md", reports::diff_markdown(*as_diff)); !ok) return ok;
    if (auto ok = stage.add("diff.html", reports::diff_html(*as_diff)); !ok) return ok;
  }
  if (auto ok =
          publish(place, std::move(*staging), profile.diff_dir, profile.bundle_sha256, profile.files, profile.warnings, context);
      !ok) {
    return ok;
  }
  if (as_diff != nullptr) {
    as_diff->diff_dir = profile.diff_dir;
    as_diff->bundle_sha256 = profile.bundle_sha256;
    as_diff->files = profile.files;
  }
  return {};
}

Status write_report(const std::string& path, std::string_view text, const Context& context) {
  if (auto ok = registry::check_allowed(path, path_limits(context)); !ok) return ok;
  const std::string temporary = path + ".tmp-" + std::to_string(::getpid());
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (fd < 0)
    return core::fail(ErrorCode::environment, "cannot write " + path + ": " + std::strerror(errno),
                      "choose a folder that exists and is writable");
  int problem = 0;
  while (!text.empty() && problem == 0) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      problem = errno;
    } else {
      text.remove_prefix(static_cast<std::size_t>(n));
    }
  }
  if (problem == 0 && ::fsync(fd) != 0 && errno != EINVAL && errno != ENOTSUP) problem = errno;
  if (::close(fd) != 0 && problem == 0) problem = errno;
  if (problem == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) problem = errno;
  if (problem == 0) return {};
  ::unlink(temporary.c_str());
  return core::fail(ErrorCode::environment, "cannot write " + path + ": " + std::strerror(problem));
}

Status check_out_folder(const std::string& folder, const Context& context) {
  if (auto ok = registry::check_allowed(folder, path_limits(context)); !ok) return ok;
  std::error_code error;
  if (!std::filesystem::exists(folder, error)) {
    const std::filesystem::path parent = std::filesystem::path(folder).parent_path();
    if (std::filesystem::is_directory(parent, error)) return {};
    return core::fail(ErrorCode::not_found, "--out: the folder " + parent.string() + " does not exist", "make it first");
  }
  if (!std::filesystem::is_directory(folder, error)) {
    return core::fail(ErrorCode::already_exists, "--out " + folder + " is a file", "name a new folder; nothing is ever replaced");
  }
  if (!std::filesystem::is_empty(folder, error)) {
    return core::fail(ErrorCode::already_exists, "--out " + folder + " is not empty",
                      "name a new folder; nothing is ever replaced");
  }
  return {};
}

Status copy_bundle(const std::vector<core::FileRef>& files, const std::string& bundle, const std::string& folder,
                   const Context& context) {
  if (auto ok = check_out_folder(folder, context); !ok) return ok;
  std::error_code error;
  std::vector<std::string> names = {"SHA256SUMS"};
  for (const core::FileRef& file : files) {
    if (file.name != "SHA256SUMS") names.push_back(file.name);
  }
  for (const std::string& name : names) {
    const std::filesystem::path to = std::filesystem::path(folder) / name;
    std::filesystem::create_directories(to.parent_path(), error);
    if (!error) std::filesystem::copy_file(std::filesystem::path(bundle) / name, to, std::filesystem::copy_options::none, error);
    if (error) return core::fail(ErrorCode::environment, "cannot write " + to.string() + ": " + error.message());
  }
  return {};
}

}  // namespace plumbline::verbs
