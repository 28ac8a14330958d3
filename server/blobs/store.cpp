#include "server/blobs/store.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/descriptor.hpp"
#include "core/text.hpp"
#include "registry/files.hpp"
#include "server/access/seal.hpp"

namespace plumbline::server::blobs {

using base::Descriptor;
using core::ErrorCode;
using core::fail;

namespace {

constexpr std::string_view kPart = ".part";
constexpr std::string_view kShared = ".shared";
constexpr std::string_view kBrought = "\nbrought";  // no client's name: whose folder has what was brought from the bucket
constexpr std::chrono::hours kPermitAtMost{1};
constexpr std::uint64_t kLeast = 4096;        // what a file counts, however small it is
constexpr std::chrono::hours kCallAtMost{2};  // a call is told to stop after one
constexpr std::size_t kBlock = 1U << 20;

bool is_client_folder(std::string_view name) {
  return name.size() == 16 && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// Of a folder, without "." and ".."; nothing for one that is not there.
std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    names.push_back(at->path().filename().string());
  return names;
}

std::optional<struct stat> look_at(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return std::nullopt;
  return info;
}

std::chrono::system_clock::time_point last_used(const struct stat& info) {
  return std::chrono::system_clock::from_time_t(std::max(info.st_mtim.tv_sec, info.st_atim.tv_sec));
}

bool make_private(const std::string& folder) {
  if (::mkdir(folder.c_str(), 0700) == 0) return true;
  const int error = errno;
  const auto info = look_at(folder);
  if (error != EEXIST || !info || !S_ISDIR(info->st_mode)) {
    errno = error;
    return false;
  }
  return true;
}

// Whether a file is still what its name leads to.
bool is_named(const Descriptor& file, const std::string& path) {
  struct stat info {};
  const auto named = look_at(path);
  return named && ::fstat(file.get(), &info) == 0 && named->st_dev == info.st_dev && named->st_ino == info.st_ino;
}

// But for a part that another server is writing to.
void remove_idle(const std::string& path) {
  Descriptor part;
  if (path.ends_with(kPart)) {
    part.reset(::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (part.valid() && (::flock(part.get(), LOCK_EX | LOCK_NB) != 0 || !is_named(part, path))) return;
  }
  ::unlink(path.c_str());
}

// Of a mark of a file in the bucket.
std::optional<std::string> shared_digest(std::string_view name) {
  if (!name.ends_with(kShared)) return std::nullopt;
  name.remove_suffix(kShared.size());
  return registry::is_sha256_hex(name) ? std::optional<std::string>(name) : std::nullopt;
}

bool is_full(int error) { return error == ENOSPC || error == EDQUOT || error == EFBIG; }

Refused failure(int error) {
  if (is_full(error)) return {Refused::Why::disk_full, "the server's disk is full: nothing of this upload is kept", 0};
  return {Refused::Why::failed, std::string("the server cannot keep this upload: ") + std::strerror(error), 0};
}

}  // namespace

struct Upload::State {
  std::string client_folder, part, whole, digest;
  std::uint64_t total = 0;

  std::atomic<bool> superseded = false;  // nothing more is written: a newer connection goes on with it, or it is at its end
  std::atomic<std::uint64_t> have = 0;

  // Of whoever works on what follows: its own connection for a block at most, or the newer one that closes the file.
  std::mutex mutex;
  Descriptor file;  // locked while it is open: of several servers on one folder one writes to a part
  registry::Sha256 sha;

  // The part with `from` bytes, else nothing is open.
  [[nodiscard]] std::optional<Refused> open(std::uint64_t from) {
    auto refused = open_locked(from);
    if (refused) close();
    return refused;
  }
  void close() {
    // A child of this process that is just being made may still have the file, and would keep the lock for a moment.
    if (file.valid()) ::flock(file.get(), LOCK_UN);
    file.reset();
  }

  [[nodiscard]] Refused taken_over() const {
    return {Refused::Why::under_way, "another connection goes on with this upload", have};
  }

 private:
  std::optional<Refused> open_locked(std::uint64_t from) {
    file.reset(::open(part.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC | (from == 0 ? O_CREAT : 0), 0600));
    if (!file.valid()) return from > 0 && errno == ENOENT ? elsewhere(0) : failure(errno);
    const bool locked = ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
    if (!locked && errno != EWOULDBLOCK) return failure(errno);
    struct stat info {};
    if (::fstat(file.get(), &info) != 0) return failure(errno);
    const auto there = static_cast<std::uint64_t>(info.st_size);
    // Of one that another server has made whole meanwhile the name is gone, and not a byte may be touched.
    if (!locked || !is_named(file, part)) {
      have = there;
      return Refused{Refused::Why::under_way, "another server is taking this upload", there};
    }
    if (from == 0) return ::ftruncate(file.get(), 0) == 0 ? std::nullopt : std::optional(failure(errno));
    return there == from ? std::nullopt : std::optional(elsewhere(there));
  }
  Refused elsewhere(std::uint64_t there) {
    have = there;
    return {Refused::Why::offset, fmt::format("{} bytes have come: go on there", there), there};
  }
};

Upload::Upload(Store& store, const std::string& client, std::string digest, std::uint64_t have, std::uint64_t total)
    : store_(store), state_(std::make_shared<State>()) {
  state_->client_folder = store.client_folder(client);
  state_->whole = state_->client_folder + "/" + digest;
  state_->part = state_->whole + std::string(kPart);
  state_->digest = std::move(digest);
  state_->have = have;
  state_->total = total;
}

Upload::~Upload() {
  {  // room that was set aside for what did not come
    const std::lock_guard lock(state_->mutex);
    if (state_->file.valid() && !state_->superseded && state_->have < state_->total) {
      static_cast<void>(::fallocate(state_->file.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                    static_cast<off_t>(state_->have), static_cast<off_t>(state_->total - state_->have)));
    }
    state_->close();
  }
  store_.let_go(*state_);
}

std::uint64_t Upload::have() const { return state_->have; }

std::optional<Refused> Upload::write(std::string_view bytes) {
  State& state = *state_;
  const std::lock_guard lock(state.mutex);
  if (state.superseded) return state.taken_over();
  if (bytes.size() > state.total - state.have)
    return Refused{Refused::Why::too_large, "more has come than was announced", state.have};
  for (std::string_view rest = bytes; !rest.empty();) {
    const ssize_t written = ::write(state.file.get(), rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      Refused refused = failure(written == 0 ? ENOSPC : errno);
      ::unlink(state.part.c_str());
      state.close();
      state.superseded = true;
      return refused;
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  state.sha.update(bytes);
  state.have += bytes.size();
  return std::nullopt;
}

tl::expected<bool, Refused> Upload::finish() {
  State& state = *state_;
  const std::lock_guard lock(state.mutex);
  if (state.superseded) return tl::unexpected(state.taken_over());
  if (state.have < state.total) return false;
  state.superseded = true;  // whatever comes of it, nothing more is written
  if (const std::string digest = state.sha.hex(); digest != state.digest) {
    ::unlink(state.part.c_str());
    return tl::unexpected(Refused{
        Refused::Why::digest, "what came has the SHA-256 " + digest + ", not " + state.digest + "; nothing of it is kept", 0});
  }
  // A name promises its content: it is given to what the disk has.
  if (::fdatasync(state.file.get()) != 0 && errno != EINVAL && errno != EROFS) {
    const int error = errno;
    ::unlink(state.part.c_str());
    return tl::unexpected(failure(error));
  }
  if (::rename(state.part.c_str(), state.whole.c_str()) != 0) return tl::unexpected(failure(errno));
  return true;
}

Store::Store(StoreOptions options) : options_(std::move(options)), calls_(options_.folder + "/calls") {}
Store::~Store() = default;

core::Expected<std::unique_ptr<Store>> Store::open(StoreOptions options) {
  std::unique_ptr<Store> store(new Store(std::move(options)));
  if (look_at(store->options_.folder)) {
    if (auto made = store->make_folders(); !made) return fail(std::move(made.error()));
    store->tidy();
  }
  return store;
}

core::Status Store::make_folders() const {
  const std::string& folder = options_.folder;
  const auto failed = [&](int error) {
    return fail(ErrorCode::environment, "cannot keep uploads in " + folder + ": " + std::strerror(error),
                "name a folder that can be written with --blob-dir", folder);
  };
  if (!make_private(folder)) return failed(errno);
  const auto info = look_at(folder);
  if (!info) return failed(errno);
  if (info->st_uid != ::geteuid() || (info->st_mode & 077) != 0) {
    return fail(ErrorCode::environment, folder + " is open to others: uploads are kept in a folder of the server's own account",
                "chmod 700 it, or name another with --blob-dir", folder);
  }
  if (!make_private(calls_)) return failed(errno);
  // Where the registry is a work tree, nobody is to commit uploads.
  const Descriptor ignore(::open((folder + "/.gitignore").c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (ignore.valid() && ::write(ignore.get(), "*\n", 2) != 2) return failed(errno);
  return {};
}

std::string Store::calls_folder() const {
  if (options_.shared != nullptr && !make_folders()) return {};
  return look_at(calls_) ? calls_ : std::string();
}

std::string Store::client_folder(const std::string& client) const {
  return options_.folder + "/" + registry::sha256_hex(client).substr(0, 16);
}

bool Store::expired(const std::string& path) const {
  const auto info = look_at(path);
  return !info || last_used(*info) + options_.ttl < options_.now();
}

// Whether a client of this folder still counts on what lies in the bucket.
bool Store::is_marked(const std::string& digest) const {
  const auto names = names_in(options_.folder);
  return std::any_of(names.begin(), names.end(), [&](const std::string& client) {
    return is_client_folder(client) && look_at(options_.folder + "/" + client + "/" + digest + std::string(kShared));
  });
}

std::optional<std::string> Store::find_whole(const std::string& digest) const {
  if (!registry::is_sha256_hex(digest)) return std::nullopt;
  for (const std::string& client : names_in(options_.folder)) {
    if (!is_client_folder(client)) continue;
    std::string path = options_.folder + "/" + client + "/" + digest;
    const auto info = look_at(path);
    if (info && S_ISREG(info->st_mode) && !expired(path)) return path;
  }
  return std::nullopt;
}

// The time of access alone: readers notice a file that was changed while they read by the other one.
void Store::touch(const std::string& path) const {
  const std::array<timespec, 2> times{timespec{options_.now().time_since_epoch() / std::chrono::seconds(1), 0},
                                      timespec{0, UTIME_OMIT}};
  ::utimensat(AT_FDCWD, path.c_str(), times.data(), AT_SYMLINK_NOFOLLOW);
}

std::optional<Standing> Store::look(const std::string& client, const std::string& digest) {
  auto here = look_here(client, digest);
  if ((here && here->whole) || options_.shared == nullptr || !registry::is_sha256_hex(digest)) return here;
  const auto size = options_.shared->size_of(digest);
  if (!size || !*size) return here;
  touch(client_folder(client) + "/" + digest + std::string(kShared));
  return Standing{true, **size};
}

std::optional<Standing> Store::look_here(const std::string& client, const std::string& digest) {
  if (const auto whole = find_whole(digest)) {
    touch(*whole);
    const auto info = look_at(*whole);
    return Standing{true, info ? static_cast<std::uint64_t>(info->st_size) : 0};
  }
  const std::string part = client_folder(client) + "/" + digest + std::string(kPart);
  const std::lock_guard lock(mutex_);
  if (const auto now = under_way_.find(part); now != under_way_.end()) return Standing{false, now->second->have};
  const auto info = look_at(part);
  if (!info || expired(part)) return std::nullopt;
  return Standing{false, static_cast<std::uint64_t>(info->st_size)};
}

// Of what lies there, and of what is still to come of uploads under way.
Store::Used Store::used(const std::string& folder) const {
  Used sum;
  for (const std::string& client : names_in(options_.folder)) {
    if (!is_client_folder(client)) continue;
    const std::string inner = options_.folder + "/" + client;
    for (const std::string& name : names_in(inner)) {
      const auto info = look_at(inner + "/" + name);
      if (!info || under_way_.contains(inner + "/" + name)) continue;
      const std::uint64_t bytes = std::max<std::uint64_t>(static_cast<std::uint64_t>(info->st_size), kLeast);
      sum.all += bytes;
      if (inner == folder) sum.each += bytes;
    }
  }
  for (const auto& [part, state] : under_way_) {
    sum.all += std::max(state->total, kLeast);
    if (state->client_folder == folder) sum.each += std::max(state->total, kLeast);
  }
  return sum;
}

std::optional<Refused> Store::check_room(const std::string& folder, std::uint64_t total, std::uint64_t more) {
  if (total > options_.quota_each || total > options_.quota) {
    return Refused{
        Refused::Why::too_large,
        fmt::format("{} bytes are more than one upload may have here: {}", total, std::min(options_.quota_each, options_.quota)),
        0};
  }
  more = std::max(more, kLeast);
  const Used now = used(folder);
  if (now.each + more > options_.quota_each) {
    return Refused{
        Refused::Why::quota,
        fmt::format("{} bytes more are beyond this client's quota: {} of {} are used; uploads expire {} s after their last use",
                    more, now.each, options_.quota_each, options_.ttl.count()),
        0};
  }
  if (now.all + more > options_.quota) {
    return Refused{
        Refused::Why::quota,
        fmt::format("{} bytes more are beyond the server's quota: {} of {} are used; uploads expire {} s after their last use",
                    more, now.all, options_.quota, options_.ttl.count()),
        0};
  }
  return std::nullopt;
}

// The part is this connection's from now on. The older one of an upload that is resumed is told so, and comes back for its file
// to be closed: it may be at work on that, which those who wait for the store are not to wait for.
std::optional<Refused> Store::claim(const std::shared_ptr<Upload::State>& state, bool resumes,
                                    std::shared_ptr<Upload::State>& older) {
  const std::lock_guard lock(mutex_);
  if (const auto other = under_way_.find(state->part); other != under_way_.end()) {
    if (!resumes) return Refused{Refused::Why::under_way, "another connection is sending this upload", other->second->have};
    older = other->second;
    older->superseded = true;
    under_way_.erase(other);
  }
  std::size_t each = 0;
  for (const auto& [part, other] : under_way_) each += other->client_folder == state->client_folder ? 1 : 0;
  if (under_way_.size() >= options_.uploads || each >= options_.uploads_each)
    return Refused{Refused::Why::busy, "too many uploads are under way: try again later", 0};
  if (auto no_room = check_room(state->client_folder, state->total, state->total - (resumes ? state->have.load() : 0)))
    return no_room;
  under_way_[state->part] = state;
  return std::nullopt;
}

// Claims it once more where room can be made.
std::optional<Refused> Store::take(const std::shared_ptr<Upload::State>& state, bool resumes) {
  const auto once = [&] {
    std::shared_ptr<Upload::State> older;
    auto refused = claim(state, resumes, older);
    if (older != nullptr) {
      const std::lock_guard lock(older->mutex);
      older->close();
    }
    return refused;
  };
  auto refused = once();
  if (!refused || refused->why != Refused::Why::quota) return refused;
  tidy();
  static_cast<void>(drop_brought(state->total));
  return once();
}

tl::expected<std::optional<registry::UploadPermit>, Refused> Store::permit(const std::string& client, const std::string& digest,
                                                                           std::uint64_t total) {
  if (options_.shared == nullptr || total < kSentDirectly || total > registry::kSharedFileAtMost) return std::nullopt;
  if (auto made = make_folders(); !made) return tl::unexpected(Refused{Refused::Why::failed, made.error().message, 0});
  const std::string folder = client_folder(client);
  const std::string mark = folder + "/" + digest + std::string(kShared);
  const auto set_mark = [&]() -> std::optional<Refused> {
    const std::lock_guard lock(mutex_);
    if (!make_private(folder)) return failure(errno);
    ::unlink(mark.c_str());  // of an earlier try
    if (auto no_room = check_room(folder, total, total)) return no_room;
    const Descriptor file(::open(mark.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file.valid() || ::ftruncate(file.get(), static_cast<off_t>(total)) != 0) return failure(errno);
    return std::nullopt;
  };
  auto refused = set_mark();
  if (refused && refused->why == Refused::Why::quota) {
    tidy();
    static_cast<void>(drop_brought(total));
    refused = set_mark();
  }
  if (refused) return tl::unexpected(std::move(*refused));
  auto permit = options_.shared->permit(digest, total, std::min<std::chrono::seconds>(options_.ttl, kPermitAtMost));
  if (permit) return std::move(*permit);
  ::unlink(mark.c_str());
  return std::nullopt;  // without credentials of its own the server can still take it
}

// Makes room for what is wanted now: what was brought lies in the bucket as well. The oldest go first.
bool Store::drop_brought(std::uint64_t wanted) {
  const std::string folder = client_folder(std::string(kBrought));
  const std::lock_guard lock(mutex_);
  std::uint64_t all = used(folder).all;
  std::vector<std::pair<std::chrono::system_clock::time_point, std::string>> brought;
  for (const std::string& name : names_in(folder)) {
    if (const auto info = look_at(folder + "/" + name)) brought.emplace_back(last_used(*info), folder + "/" + name);
  }
  std::sort(brought.begin(), brought.end());
  for (const auto& [time, path] : brought) {
    if (all + wanted <= options_.quota) break;
    const auto info = look_at(path);
    if (info && ::unlink(path.c_str()) == 0)
      all -= std::min(all, std::max<std::uint64_t>(static_cast<std::uint64_t>(info->st_size), kLeast));
  }
  return all + wanted <= options_.quota;
}

core::Expected<bool> Store::bring(const std::string& digest, const std::function<bool()>& stop) {
  const auto size = options_.shared->size_of(digest);
  if (!size) return fail(size.error());
  if (!*size) return false;
  if (**size > options_.quota_each || !drop_brought(**size)) {
    return fail(ErrorCode::limit_exceeded,
                fmt::format("blob:sha256:{} has {} bytes, for which this server has no room", digest, **size),
                "ask its operator: plumbline serve --blob-quota");
  }
  if (auto made = make_folders(); !made) return fail(made.error());
  const std::string there = calls_ + "/" + access::random_token() + ".brought";
  const auto lost = [&](int error) {
    ::unlink(there.c_str());
    return fail(ErrorCode::environment, fmt::format("cannot bring blob:sha256:{}: {}", digest, std::strerror(error)));
  };
  Descriptor file(::open(there.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.valid()) return lost(errno);
  if (const auto brought = options_.shared->bring(digest, file.get(), **size, stop); !brought) {
    ::unlink(there.c_str());
    if (brought.error().code == ErrorCode::not_found) return false;
    if (brought.error().code == ErrorCode::invalid_input) options_.shared->remove(digest);  // so that it can be sent again
    return fail(brought.error());
  }
  const std::string folder = client_folder(std::string(kBrought));
  const std::lock_guard lock(mutex_);  // tidy() removes empty folders
  if (!make_private(folder) || ::rename(there.c_str(), (folder + "/" + digest).c_str()) != 0) return lost(errno);
  return true;
}

void Store::let_go(const Upload::State& state) {
  const std::lock_guard lock(mutex_);
  const auto at = under_way_.find(state.part);
  if (at != under_way_.end() && at->second.get() == &state) under_way_.erase(at);
}

tl::expected<std::unique_ptr<Upload>, Refused> Store::begin(const std::string& client, const std::string& digest,
                                                            std::uint64_t from, std::uint64_t total) {
  if (look_here(client, digest).value_or(Standing{}).whole) return nullptr;
  if (auto made = make_folders(); !made) return tl::unexpected(Refused{Refused::Why::failed, made.error().message, 0});
  auto upload = std::make_unique<Upload>(*this, client, digest, from, total);
  const auto state = upload->state_;
  // Before it is claimed: from then on a newer connection can take over, and waits here until the file is open or left alone.
  const std::lock_guard lock(state->mutex);
  if (auto refused = take(state, from > 0)) return tl::unexpected(std::move(*refused));
  if (state->superseded) return tl::unexpected(state->taken_over());
  if (!make_private(state->client_folder)) return tl::unexpected(failure(errno));
  if (auto refused = state->open(from)) return tl::unexpected(std::move(*refused));
  if (from > 0) {  // the digest of what came before
    const auto block = std::make_unique_for_overwrite<char[]>(kBlock);
    for (std::uint64_t read = 0; read < from;) {
      if (state->superseded) return tl::unexpected(state->taken_over());
      const ssize_t got = ::read(state->file.get(), block.get(), kBlock);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) {
        const int error = got == 0 ? EIO : errno;
        state->close();
        return tl::unexpected(failure(error));
      }
      state->sha.update({block.get(), static_cast<std::size_t>(got)});
      read += static_cast<std::uint64_t>(got);
    }
  }
  // All of it, or nothing is begun. Where a file system cannot say, its last byte will.
  if (total > from &&
      ::fallocate(state->file.get(), FALLOC_FL_KEEP_SIZE, static_cast<off_t>(from), static_cast<off_t>(total - from)) != 0 &&
      is_full(errno)) {
    ::unlink(state->part.c_str());
    state->close();
    return tl::unexpected(failure(ENOSPC));
  }
  return upload;
}

core::Expected<bool> Store::link(const std::string& digest, const std::string& path, const std::function<bool()>& stop) {
  auto whole = find_whole(digest);
  if (!whole && options_.shared != nullptr && registry::is_sha256_hex(digest)) {
    const auto brought = bring(digest, stop);
    if (!brought) return fail(brought.error());
    whole = find_whole(digest);
  }
  if (!whole || ::link(whole->c_str(), path.c_str()) != 0) return false;
  touch(*whole);
  return true;
}

void Store::tidy() {
  std::vector<std::string> gone;  // from the bucket: asked for without the lock
  for (const std::string& client : names_in(options_.folder)) {
    if (!is_client_folder(client)) continue;
    const std::string folder = options_.folder + "/" + client;
    for (const std::string& name : names_in(folder)) {
      const std::string path = folder + "/" + name;
      const std::lock_guard lock(mutex_);
      if (under_way_.contains(path) || !expired(path)) continue;
      remove_idle(path);
      if (auto digest = shared_digest(name)) gone.push_back(std::move(*digest));
    }
    const std::lock_guard lock(mutex_);
    const bool wanted = std::any_of(under_way_.begin(), under_way_.end(),
                                    [&](const auto& upload) { return upload.second->client_folder == folder; });
    if (!wanted) ::rmdir(folder.c_str());  // where nothing is left
  }
  for (const std::string& name : names_in(calls_)) {
    const auto info = look_at(calls_ + "/" + name);
    std::error_code ignored;
    if (info && std::chrono::system_clock::from_time_t(info->st_mtim.tv_sec) + kCallAtMost < options_.now())
      std::filesystem::remove_all(calls_ + "/" + name, ignored);
  }
  for (const std::string& digest : gone) {
    if (options_.shared != nullptr && !is_marked(digest)) options_.shared->remove(digest);
  }
}

}  // namespace plumbline::server::blobs
