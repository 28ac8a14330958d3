// What clients have uploaded, by its SHA-256, until it expires: a private folder with a folder for each client, in which a
// file is called by its digest, or by its digest and ".part" as long as it has not come whole. The folder is the truth: it is
// read again at every question, so that several processes may share it, and a new one goes on where the last one ended. A part is
// locked (flock) while it is written to: one of them takes it at a time.
//
// Where the registry is in a bucket, `shared` is the place beside it to which clients send large files themselves, with a permit
// of ours. One that was permitted leaves a file of its name and ".shared" and its size, which counts as the file would; its
// object goes when that expires. What lies there is brought here when a call wants it, and is what its name says from then on.
//
// Whoever knows a digest may use what has it: it is a name that cannot be guessed from outside. What is stored counts for
// whoever sent it first. What is there whole is not taken again; of two clients that send the same at once each leaves a copy.
//
// Functions block for as long as the disk takes; any thread. An Upload is used by one thread at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "core/error.hpp"
#include "registry/handed/shared_files.hpp"

namespace plumbline::server::blobs {

inline constexpr std::uint64_t kSentDirectly = 64ULL << 20;  // and more, where the registry is in a bucket

struct StoreOptions {
  std::string folder;                             // absolute; made with the first upload
  std::uint64_t quota = 16ULL << 30;              // bytes of all clients together, and what is under way
  std::uint64_t quota_each = 4ULL << 30;          // of one client; no blob has more
  std::chrono::seconds ttl{24 * 60 * 60};         // after it came whole, its last part came, or it was last used
  std::size_t uploads = 64;                       // under way at once
  std::size_t uploads_each = 8;                   // of one client
  std::shared_ptr<registry::SharedFiles> shared;  // null: the registry is on this machine, or clients do not reach its bucket
  std::function<std::chrono::system_clock::time_point()> now = [] { return std::chrono::system_clock::now(); };
};

// Why something is not taken.
struct Refused {
  enum class Why : std::uint8_t {
    offset,     // bytes are missing, or have come already: `have` says where to go on
    under_way,  // another connection is sending it, here or to another server on the same folder
    digest,     // what came is something else; nothing of it is kept
    too_large,
    quota,
    disk_full,  // nothing of it is kept
    busy,
    failed
  };
  Why why = Why::failed;
  std::string text;
  std::uint64_t have = 0;
};

class Store;

// One blob on its way. When it goes without finish(), what has come is kept for whoever resumes.
class Upload {
 public:
  Upload(Store& store, const std::string& client, std::string digest, std::uint64_t have, std::uint64_t total);
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;
  ~Upload();

  [[nodiscard]] std::optional<Refused> write(std::string_view bytes);
  // With the last byte the digest is checked: true when the blob is there now, false when more is to come.
  [[nodiscard]] tl::expected<bool, Refused> finish();
  [[nodiscard]] std::uint64_t have() const;

 private:
  friend class Store;
  struct State;
  Store& store_;
  const std::shared_ptr<State> state_;
};

struct Standing {
  bool whole = false;
  std::uint64_t bytes = 0;  // that have come

  bool operator==(const Standing&) const = default;
};

class Store {
 public:
  [[nodiscard]] static core::Expected<std::unique_ptr<Store>> open(StoreOptions options);
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  ~Store();

  // Nothing of it is there: nullopt. A whole one is whoever's, a part the client's own.
  [[nodiscard]] std::optional<Standing> look(const std::string& client, const std::string& digest);
  // Where the client may put one that is not there yet; nothing: it is to be sent here.
  [[nodiscard]] tl::expected<std::optional<registry::UploadPermit>, Refused> permit(const std::string& client,
                                                                                    const std::string& digest,
                                                                                    std::uint64_t total);
  // `from` 0 begins anew; else it must be what has come. Null: it is there already.
  [[nodiscard]] tl::expected<std::unique_ptr<Upload>, Refused> begin(const std::string& client, const std::string& digest,
                                                                     std::uint64_t from, std::uint64_t total);
  // A further name for a whole one, in calls_folder(); false when there is none. It counts as used. Errors are those of the
  // bucket: environment where it does not answer, invalid_input for something else than the name says, limit_exceeded.
  [[nodiscard]] core::Expected<bool> link(const std::string& digest, const std::string& path,
                                          const std::function<bool()>& stop = {});
  // Where calls keep what they were handed, on the same file system; "" as long as nothing was ever uploaded.
  [[nodiscard]] std::string calls_folder() const;
  // Removes what has expired, and what calls that never ended left.
  void tidy();

  [[nodiscard]] const StoreOptions& options() const { return options_; }

 private:
  friend class Upload;
  explicit Store(StoreOptions options);
  struct Used {
    std::uint64_t all = 0, each = 0;
  };
  [[nodiscard]] core::Status make_folders() const;
  [[nodiscard]] std::string client_folder(const std::string& client) const;
  [[nodiscard]] std::optional<std::string> find_whole(const std::string& digest) const;
  [[nodiscard]] std::optional<Standing> look_here(const std::string& client, const std::string& digest);
  void touch(const std::string& path) const;
  [[nodiscard]] bool expired(const std::string& path) const;
  [[nodiscard]] Used used(const std::string& folder) const;
  [[nodiscard]] std::optional<Refused> check_room(const std::string& folder, std::uint64_t total, std::uint64_t more);
  [[nodiscard]] core::Expected<bool> bring(const std::string& digest, const std::function<bool()>& stop);
  [[nodiscard]] bool drop_brought(std::uint64_t wanted);
  [[nodiscard]] bool is_marked(const std::string& digest) const;
  [[nodiscard]] std::optional<Refused> claim(const std::shared_ptr<Upload::State>& state, bool resumes,
                                             std::shared_ptr<Upload::State>& older);
  [[nodiscard]] std::optional<Refused> take(const std::shared_ptr<Upload::State>& state, bool resumes);
  void let_go(const Upload::State& state);

  const StoreOptions options_;
  const std::string calls_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Upload::State>, std::less<>> under_way_;  // by the part's path
};

}  // namespace plumbline::server::blobs
