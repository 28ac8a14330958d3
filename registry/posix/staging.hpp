// A publication being written on a POSIX file system. Internal to the registry room.
// The sequence: a folder ".tmp-<host>-<pid>-<random>" (0700) beside the final name; files O_EXCL, 0444; everything synced;
// SHA256SUMS last; folders synced; one rename that replaces nothing; the parent synced. Whatever fails before the rename
// leaves nothing behind, the folders made on the way included. Published files are 0444 and folders 0755: immutable by
// convention and by verification, not by mode (a 0555 folder would only make `rm -rf` fail for its owner).
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "registry/cache/stamp.hpp"
#include "registry/io.hpp"
#include "registry/manifest/parts.hpp"
#include "registry/store.hpp"

namespace plumbline::registry {

class PosixStaging final : public Staging {
 public:
  // `top` is the registry's root folder, `inside` the path of the parent folder below it. Nothing is made yet.
  PosixStaging(Kind kind, std::string top, std::string inside, PathLimits limits);
  ~PosixStaging() override;

  core::Status add(std::string_view relative, std::string_view bytes) override;
  core::Expected<core::FileRef> add_copy(std::string_view relative, const SourceFile& file, const PathLimits& limits) override;
  core::Status add_stream(
      std::string_view relative,
      const std::function<core::Status(const std::function<core::Status(std::string_view)>&)>& write) override;
  [[nodiscard]] std::optional<std::string> digest_of(std::string_view relative) const override;
  [[nodiscard]] std::string manifest() const override;
  void attest(attest::Signing signing) override;
  void in_batch() override { batch_ = true; }
  // Who is to keep it takes no larger pieces: files above that are listed in parts (registry/manifest/parts.hpp).
  void set_part_bytes(std::uint64_t bytes) { part_bytes_ = bytes; }
  // Those of a staged file; none: it is in one piece.
  [[nodiscard]] const FileParts& parts_of(std::string_view relative) const;

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool is_in_batch() const { return batch_; }
  // The folder of the line, by its path below the root.
  [[nodiscard]] const std::string& line() const { return inside_; }
  // Over the folder of the line, since before the first thing was staged.
  [[nodiscard]] cache::Watch& watch() { return watch_; }
  [[nodiscard]] const PathLimits& limits() const { return limits_; }
  [[nodiscard]] std::string parent() const { return io::join(top_, inside_); }
  // Where its files are until they are published.
  [[nodiscard]] std::string folder() const { return io::join(parent(), name_); }
  [[nodiscard]] int parent_fd() const { return parent_.get(); }
  // How it is to be signed; null: not at all.
  [[nodiscard]] const attest::Signing* signing() const { return signing_.get(); }
  // SHA256SUMS, modes, everything on its disk (in a batch: written only). After this only attest/ and rename_to are left. Gives
  // the bundle id.
  core::Expected<std::string> seal();
  // The files of attest/, on their disk, in the place of those for a name that was taken.
  core::Status put_attestation(const std::vector<std::pair<std::string, std::string>>& files);
  // 0, EEXIST when the name is taken, or another errno.
  int rename_to(const std::string& slug);
  // After a rename that worked: syncs the parent, and the parents of folders made here.
  void confirm(std::vector<core::Warning>& warnings);
  [[nodiscard]] std::vector<core::FileRef> files(const std::string& path) const;

 private:
  struct File {
    std::string sha256;
    std::uint64_t bytes = 0;
    FileParts parts;    // more than one, or none
    io::Descriptor fd;  // of the first few: kept for the sync
  };
  // A folder made on the way, by the folder it is in: by its path it could be another one meanwhile.
  struct Made {
    io::Descriptor parent;
    std::string name;
  };
  class Writer;
  [[nodiscard]] int sync(int fd);
  core::Status open_parent();
  core::Status begin();
  core::Status folders_of(const std::string& relative);
  void abort();

  core::Status sync_attestation();
  Kind kind_;
  std::unique_ptr<attest::Signing> signing_;
  std::string top_, inside_;
  PathLimits limits_;  // of top_
  io::Descriptor parent_, folder_;
  std::string name_;                        // of the temporary folder
  std::vector<Made> made_;                  // outermost first
  std::vector<std::string> inner_folders_;  // inside the temporary folder, outermost first
  mutable std::mutex adding_;  // files are added by several threads: guards the folders on the way to them, files_ and kept_
  std::map<std::string, File, std::less<>> files_;
  std::size_t kept_ = 0;
  cache::Watch watch_;
  std::uint64_t part_bytes_ = UINT64_MAX;
  bool batch_ = false;
  bool confirmed_ = true;  // every fsync was a real one
  bool published_ = false;
};

}  // namespace plumbline::registry
