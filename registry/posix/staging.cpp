#include "registry/posix/staging.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <optional>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/attest/statement.hpp"
#include "registry/bundle_heads.hpp"

namespace plumbline::registry {

using core::ErrorCode;
using core::fail;

namespace {

constexpr std::size_t kKeptOpen = 48;  // files whose descriptors wait for the sync
constexpr std::size_t kStartWriteback = 8U << 20;
constexpr std::string_view kManifest = "SHA256SUMS";

std::string temporary_name() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  std::string safe;
  for (const char c : std::string_view(host.data()).substr(0, 64)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.';
    safe += plain ? c : '_';
  }
  return ".tmp-" + safe + "-" + std::to_string(::getpid()) + "-" + io::hex_random(16);
}

// What lists and signers fetch by its name, without SHA256SUMS: never in parts.
bool is_asked_for_alone(std::string_view name) {
  return name == "baseline.json" || name.starts_with("attest/") ||
         std::find(kBundleDocuments.begin(), kBundleDocuments.end(), name) != kBundleDocuments.end();
}

}  // namespace

// One file on its way: hashes each block while it is in the cache, then writes it.
class PosixStaging::Writer {
 public:
  Writer(PosixStaging& staging, std::string relative)
      : staging_(staging),
        relative_(std::move(relative)),
        part_bytes_(is_asked_for_alone(relative_) ? UINT64_MAX : staging.part_bytes_) {}
  ~Writer() {
    // Only after a failure: a half-written file must not be listed, and its name may be tried again.
    if (fd_.valid()) ::unlinkat(staging_.folder_.get(), relative_.c_str(), 0);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  core::Status open() {
    if (auto good = check_relative_name(relative_); !good) return good;
    if (is_part_name(relative_)) {
      return fail(ErrorCode::invalid_input, core::cited(relative_) + " is named as parts of large files are",
                  "`cat NAME.part-* > NAME && rm NAME.part-*` joins such parts; a file that is none wants another name",
                  relative_);
    }
    const std::scoped_lock adding(staging_.adding_);
    const auto reserved = relative_ == kManifest || relative_ == "attest/SHA256SUMS";
    if (reserved || staging_.files_.contains(relative_)) {
      return fail(ErrorCode::internal, relative_ + " is staged twice", {}, relative_);
    }
    if (auto begun = staging_.begin(); !begun) return begun;
    if (auto made = staging_.folders_of(relative_); !made) return made;
    fd_.reset(::openat(staging_.folder_.get(), relative_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0444));
    if (!fd_.valid()) return failed(errno);
    return {};
  }

  core::Status write(std::string_view bytes) {
    while (!bytes.empty()) {
      if (written_ - part_start_ == part_bytes_) end_part();
      const auto piece = bytes.substr(0, std::min<std::uint64_t>(io::kBlock, part_bytes_ - (written_ - part_start_)));
      sha_.update(piece);
      if (part_sha_) part_sha_->update(piece);
      if (const int error = io::write_all(fd_.get(), piece); error != 0) return failed(error);
      written_ += piece.size();
      if (written_ - started_ >= kStartWriteback) {
        // The disk starts while we go on hashing; seal() waits for it.
        ::sync_file_range(fd_.get(), static_cast<off_t>(started_), static_cast<off_t>(written_ - started_),
                          SYNC_FILE_RANGE_WRITE);
        started_ = written_;
      }
      bytes.remove_prefix(piece.size());
    }
    return {};
  }

  core::Status finish() {
    if (::fchmod(fd_.get(), 0444) != 0) return failed(errno);
    if (!parts_.empty()) end_part();
    File file{sha_.hex(), written_, std::move(parts_), {}};
    const std::scoped_lock adding(staging_.adding_);
    if (staging_.kept_ < kKeptOpen && !staging_.batch_) {
      file.fd = std::move(fd_);
      ++staging_.kept_;
    } else if (const int error = fd_.close_checked(); error != 0) {
      ::unlinkat(staging_.folder_.get(), relative_.c_str(), 0);
      return failed(error);
    }
    staging_.files_.emplace(relative_, std::move(file));
    return {};
  }

 private:
  [[nodiscard]] core::Status failed(int error) const { return fail(io::write_error(relative_, staging_.parent(), error)); }
  // The digest of the first part is that of all so far, so that only files of several parts are hashed twice.
  void end_part() {
    parts_.push_back({part_start_, (part_sha_ ? std::move(*part_sha_) : sha_.copy()).hex()});
    part_sha_.emplace();
    part_start_ = written_;
  }
  PosixStaging& staging_;
  std::string relative_;
  io::Descriptor fd_;
  Sha256 sha_;
  std::uint64_t written_ = 0, started_ = 0;
  std::uint64_t part_bytes_, part_start_ = 0;
  std::optional<Sha256> part_sha_;  // of the second part and those behind it
  FileParts parts_;
};

PosixStaging::PosixStaging(Kind kind, std::string top, std::string inside, PathLimits limits)
    : kind_(kind), top_(std::move(top)), inside_(std::move(inside)), limits_(std::move(limits)) {}

PosixStaging::~PosixStaging() { abort(); }

void PosixStaging::attest(attest::Signing signing) { signing_ = std::make_unique<attest::Signing>(std::move(signing)); }

core::Status PosixStaging::open_parent() {
  // Down from the registry's root, one component at a time and through no link: place() has resolved the path, so a link
  // that stands here now was put there meanwhile.
  auto top = io::open_folder(top_, limits_);
  if (!top) return fail(top.error());
  io::Descriptor here = std::move(*top);
  std::string path = top_;
  for (const auto part : core::split(inside_, '/')) {
    const std::string name(part);
    const std::string next_path = io::join(path, name);
    bool made = false;
    if (::mkdirat(here.get(), name.c_str(), 0755) == 0) {
      made = true;
    } else if (errno != EEXIST) {
      if (errno == ENOENT)
        return fail(ErrorCode::environment, path + " vanished while it was being written to", "repeat the call", path);
      return fail(io::write_error(name, path, errno));
    }
    io::Descriptor next(::openat(here.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!next.valid()) {
      struct stat info {};
      const int error = errno;
      const bool link = ::fstatat(here.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode);
      if (made) ::unlinkat(here.get(), name.c_str(), AT_REMOVEDIR);
      errno = error;
      if (link) return fail(ErrorCode::path_not_allowed, "artifact path escapes its registry root", {}, next_path);
      if (errno == ENOENT)
        return fail(ErrorCode::environment, next_path + " vanished while it was being written to", "repeat the call", next_path);
      return fail(io::write_error(name, path, errno));
    }
    if (made) {
      ::fchmod(next.get(), 0755);
      made_.push_back({std::move(here), name});
    }
    here = std::move(next);
    path = next_path;
  }
  parent_ = std::move(here);
  return {};
}

core::Status PosixStaging::begin() {
  if (folder_.valid()) return {};
  // A writer that gives up removes the folders it made; ours may go with them until our own temporary folder is inside.
  for (int attempt = 0;; ++attempt) {
    auto opened = open_parent();
    if (!opened) {
      struct stat info {};
      if (attempt < 20 && opened.error().hint == "repeat the call" && ::stat(top_.c_str(), &info) == 0) continue;
      return opened;
    }
    name_ = temporary_name();
    watch_.begin(parent_.get());
    if (::mkdirat(parent_.get(), name_.c_str(), 0700) == 0) break;
    if (errno == ENOENT && attempt < 20) continue;
    const int error = errno;
    name_.clear();
    return fail(io::write_error("a new folder", parent(), error));
  }
  watch_.after(parent_.get(), 1);
  folder_.reset(::openat(parent_.get(), name_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder_.valid()) return fail(io::write_error(name_, parent(), errno));
  return {};
}

core::Status PosixStaging::folders_of(const std::string& relative) {
  for (auto slash = relative.find('/'); slash != std::string::npos; slash = relative.find('/', slash + 1)) {
    const std::string inner = relative.substr(0, slash);
    if (std::find(inner_folders_.rbegin(), inner_folders_.rend(), inner) != inner_folders_.rend()) continue;
    if (::mkdirat(folder_.get(), inner.c_str(), 0755) != 0) return fail(io::write_error(inner, parent(), errno));
    inner_folders_.push_back(inner);
  }
  return {};
}

core::Status PosixStaging::add(std::string_view relative, std::string_view bytes) {
  Writer writer(*this, std::string(relative));
  if (auto opened = writer.open(); !opened) return opened;
  if (auto written = writer.write(bytes); !written) return written;
  return writer.finish();
}

const FileParts& PosixStaging::parts_of(std::string_view relative) const {
  static const FileParts kNone;
  const std::scoped_lock adding(adding_);
  const auto found = files_.find(relative);
  return found == files_.end() ? kNone : found->second.parts;
}

core::Expected<core::FileRef> PosixStaging::add_copy(std::string_view relative, const SourceFile& taken,
                                                     const PathLimits& limits) {
  const auto file = io::open_file(taken.path, limits);
  if (!file) return fail(file.error());
  if (static_cast<std::uint64_t>(file->info.st_size) != taken.bytes || io::mtime_ns(file->info) != taken.mtime_ns) {
    return fail(ErrorCode::invalid_input, taken.path + " changed while it was being read",
                "wait until its writer has finished, then repeat", taken.path);
  }
  Writer writer(*this, std::string(relative));
  if (auto opened = writer.open(); !opened) return fail(opened.error());
  auto copied = io::read_blocks(*file, limits, [&](std::string_view bytes) { return writer.write(bytes); });
  if (!copied) return fail(copied.error());
  if (auto finished = writer.finish(); !finished) return fail(finished.error());
  const std::scoped_lock adding(adding_);
  const auto& staged = files_.find(relative)->second;
  return core::FileRef{std::string(relative), {}, staged.bytes, staged.sha256};
}

core::Status PosixStaging::add_stream(
    std::string_view relative, const std::function<core::Status(const std::function<core::Status(std::string_view)>&)>& write) {
  Writer writer(*this, std::string(relative));
  if (auto opened = writer.open(); !opened) return opened;
  if (auto written = write([&](std::string_view bytes) { return writer.write(bytes); }); !written) return written;
  return writer.finish();
}

std::optional<std::string> PosixStaging::digest_of(std::string_view relative) const {
  const std::scoped_lock adding(adding_);
  const auto found = files_.find(relative);
  if (found == files_.end()) return std::nullopt;
  return found->second.sha256;
}

std::string PosixStaging::manifest() const {
  const std::scoped_lock adding(adding_);
  std::vector<ManifestLine> lines;
  lines.reserve(files_.size());
  for (const auto& [name, file] : files_) {
    if (name == kManifest || name.starts_with("attest/")) continue;
    if (file.parts.empty()) lines.push_back({file.sha256, name});
    for (const FilePart& part : file.parts) lines.push_back({part.sha256, part_name(name, part.offset)});
  }
  return manifest_text(std::move(lines));
}

// In a batch one sync of the file system, made by publish_all, is for all.
int PosixStaging::sync(int fd) { return batch_ ? 0 : io::sync(fd, &confirmed_); }

core::Expected<std::string> PosixStaging::seal() {
  const auto failed = [&](std::string_view what, int error) { return fail(io::write_error(std::string(what), parent(), error)); };
  const std::string text = this->manifest();
  if (text.empty()) return fail(ErrorCode::internal, "nothing was staged for publication");
  // With many files one sync of the file system is far cheaper than a journal commit a file; the fsyncs below then find
  // nothing left to do and only report.
  if (files_.size() > kKeptOpen && !batch_ && ::syncfs(folder_.get()) != 0 && errno != ENOSYS)
    return failed("the staged files", errno);
  for (auto& [name, file] : files_) {
    if (batch_) break;  // closed already
    if (!file.fd.valid()) {
      file.fd.reset(::openat(folder_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
      if (!file.fd.valid()) return failed(name, errno);
    }
    if (const int error = sync(file.fd.get()); error != 0) return failed(name, error);
    if (const int error = file.fd.close_checked(); error != 0) return failed(name, error);
  }
  const std::string manifest(kManifest);
  io::Descriptor fd(::openat(folder_.get(), manifest.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0444));
  if (!fd.valid()) return failed(manifest, errno);
  if (const int error = io::write_all(fd.get(), text); error != 0) return failed(manifest, error);
  if (::fchmod(fd.get(), 0444) != 0) return failed(manifest, errno);
  if (const int error = sync(fd.get()); error != 0) return failed(manifest, error);
  if (const int error = fd.close_checked(); error != 0) return failed(manifest, error);
  for (auto inner = inner_folders_.rbegin(); inner != inner_folders_.rend(); ++inner) {
    const io::Descriptor folder(::openat(folder_.get(), inner->c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder.valid() || ::fchmod(folder.get(), 0755) != 0) return failed(*inner, errno);
    if (const int error = sync(folder.get()); error != 0) return failed(*inner, error);
  }
  if (::fchmod(folder_.get(), 0755) != 0) return failed(name_, errno);
  if (const int error = sync(folder_.get()); error != 0) return failed(name_, error);
  const auto bundle = sha256_hex(text);
  files_.emplace(manifest, File{bundle, text.size(), {}, {}});
  return bundle;
}

core::Status PosixStaging::put_attestation(const std::vector<std::pair<std::string, std::string>>& files) {
  for (const auto& [name, bytes] : files) {
    const std::string relative = "attest/" + name;
    if (files_.erase(relative) != 0 && ::unlinkat(folder_.get(), relative.c_str(), 0) != 0)
      return fail(io::write_error(relative, parent(), errno));
    if (auto added = add(relative, bytes); !added) return added;
  }
  return sync_attestation();
}

core::Status PosixStaging::sync_attestation() {
  const auto failed = [&](const std::string& what, int error) { return fail(io::write_error(what, parent(), error)); };
  for (auto& [name, file] : files_) {
    if (!name.starts_with("attest/")) continue;
    if (!file.fd.valid()) file.fd.reset(::openat(folder_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (!file.fd.valid()) return failed(name, errno);
    if (const int error = io::sync(file.fd.get(), &confirmed_); error != 0) return failed(name, error);
    if (const int error = file.fd.close_checked(); error != 0) return failed(name, error);
  }
  const io::Descriptor inner(::openat(folder_.get(), "attest", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!inner.valid() || ::fchmod(inner.get(), 0755) != 0) return failed("attest", errno);
  if (const int error = io::sync(inner.get(), &confirmed_); error != 0) return failed("attest", error);
  if (const int error = io::sync(folder_.get(), &confirmed_); error != 0) return failed(name_, error);
  return {};
}

int PosixStaging::rename_to(const std::string& slug) {
  watch_.before(parent_.get());
  int error = io::rename_no_replace(parent_.get(), name_.c_str(), slug.c_str());
  if (error != 0) {
    // A lost reply of a network file system makes a rename fail that was done: is the folder there ours?
    struct stat ours {
    }, there{};
    if (::fstat(folder_.get(), &ours) == 0 && ::fstatat(parent_.get(), slug.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0 &&
        ours.st_ino == there.st_ino && ours.st_dev == there.st_dev) {
      error = 0;
    }
  }
  watch_.after(parent_.get(), 0);
  if (error == 0) published_ = true;
  return error;
}

void PosixStaging::confirm(std::vector<core::Warning>& warnings) {
  int error = io::sync(parent_.get(), &confirmed_);
  for (const auto& made : made_) {
    const int inner = io::sync(made.parent.get(), &confirmed_);
    if (error == 0) error = inner;
  }
  if (error == 0 && confirmed_) return;
  warnings.push_back(
      {"durability_not_confirmed", "the file system of " + parent() + " did not confirm that everything is on disk" +
                                       (error != 0 ? " (" + io::errno_text(error) + ")" : std::string(" (it has no fsync)")) +
                                       ": a power failure in the next seconds could lose the publication"});
}

std::vector<core::FileRef> PosixStaging::files(const std::string& path) const {
  std::vector<core::FileRef> refs;
  refs.reserve(files_.size());
  for (const auto& [name, file] : files_) refs.push_back({name, io::join(path, name), file.bytes, file.sha256});
  return refs;
}

void PosixStaging::abort() {
  if (published_) return;
  files_.clear();
  folder_.reset();
  if (!name_.empty()) io::remove_tree(parent_.get(), name_.c_str());
  parent_.reset();
  // Those that another writer uses meanwhile are not empty and stay.
  for (auto made = made_.rbegin(); made != made_.rend(); ++made) ::unlinkat(made->parent.get(), made->name.c_str(), AT_REMOVEDIR);
}

}  // namespace plumbline::registry
