// The embedded store: folders on a POSIX file system. Internal to the registry room; others get it from posix_store().
// Safe for many processes at once: names are claimed by the file system, INDEX.md is derived until it is complete. What a
// folder holds is asked of the index (cache/), which lists it where it does not know.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "registry/cache/index.hpp"
#include "registry/io.hpp"
#include "registry/store.hpp"

namespace plumbline::registry {

class PosixStore final : public Store {
 public:
  PosixStore(const std::string& root, PathLimits limits, const std::string& cache_folder)
      : root_(absolute_path(root, "", limits)), limits_(std::move(limits)), index_(cache_folder, root_) {}

  std::string root() const override { return root_; }
  core::Expected<std::string> place(Kind kind, std::string_view family, std::string_view measurement,
                                    std::string_view slug) const override;
  core::Expected<std::unique_ptr<Staging>> stage(Kind kind, std::string_view family, std::string_view measurement) override;
  core::Expected<Published> publish(std::unique_ptr<Staging> staging, std::chrono::system_clock::time_point now) override;
  core::Expected<Published> publish_as(std::unique_ptr<Staging> staging, std::string_view slug) override;
  core::Expected<std::vector<Published>> publish_all(std::vector<std::unique_ptr<Staging>> stagings,
                                                     std::chrono::system_clock::time_point now) override;
  core::Expected<Entry> open(const std::string& directory, const PathLimits& limits) const override;
  core::Expected<std::vector<std::string>> slugs(Kind kind, std::string_view family, std::string_view measurement) const override;
  core::Expected<std::vector<std::string>> newest_slugs(Kind kind, std::string_view family, std::string_view measurement,
                                                        std::size_t at_most) const override;
  core::Expected<std::vector<std::pair<std::string, std::string>>> measurements(Kind kind) const override;
  std::string directory(Kind kind, std::string_view family, std::string_view measurement) const override;
  core::Expected<std::optional<core::Acceptance>> accepted(std::string_view family, std::string_view measurement) const override;
  core::Expected<std::vector<std::uint64_t>> open_claims(std::string_view family, std::string_view measurement) const override;
  core::Expected<std::string> accept(core::Acceptance acceptance, const std::function<std::string(const core::Acceptance&)>& text,
                                     const attest::Signing* signing) override;

  // For readers of many entries (records.hpp): the index, and how it calls a folder.
  [[nodiscard]] cache::Index& index() const { return index_; }
  [[nodiscard]] std::string line_of(Kind kind, std::string_view family, std::string_view measurement) const;

 private:
  // "experiments/artifacts/perf-baselines/<family>/<measurement>" after the checks of place().
  core::Expected<std::string> checked_inside(Kind kind, std::string_view family, std::string_view measurement) const;
  // A folder of the registry, opened through no link below the root; not valid when it does not exist.
  core::Expected<io::Descriptor> open_inside(const std::string& inside) const;
  std::string root_;
  PathLimits limits_;  // of the store's own reading and writing; open() is given its caller's
  mutable cache::Index index_;
};

// Slugs in an open measurement folder, oldest first.
[[nodiscard]] core::Expected<std::vector<std::string>> slugs_in(int folder, const std::string& path);
// An entry opened and verified: see Store::open.
[[nodiscard]] core::Expected<Entry> open_entry(const std::string& directory, const PathLimits& limits);

}  // namespace plumbline::registry
