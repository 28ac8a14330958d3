// links: server registry core
// Uploads in any order, by several clients, whole, in parts, cut off, of something else than they say, while time passes and the
// server starts again. The input is a script of bytes; what is left of it is read as heads. Whatever comes: no crash, what is
// kept whole has the digest that it is called by, nobody keeps more than its quota, and what is refused changes nothing that was
// whole.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "registry/files.hpp"
#include "server/blobs/door.hpp"
#include "server/blobs/store.hpp"

namespace {

namespace fs = std::filesystem;
namespace blobs = plumbline::server::blobs;
using plumbline::registry::sha256_hex;

constexpr std::uint64_t kQuota = 4096, kQuotaEach = 1500;
constexpr std::size_t kSteps = 40;

void check(bool good) {
  if (!good) std::abort();
}

class Script {
 public:
  explicit Script(std::string_view bytes) : rest_(bytes) {}
  std::uint8_t next() {
    if (rest_.empty()) return 0;
    const auto byte = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return byte;
  }
  [[nodiscard]] bool ended() const { return rest_.empty(); }
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

std::string content_of(std::uint8_t which) { return std::string(which % 8 * 199U, static_cast<char>('a' + which % 8)); }

class World {
 public:
  World() {
    std::string pattern = (fs::temp_directory_path() / "plumbline-fuzz-uploads-XXXXXX").string();
    check(::mkdtemp(pattern.data()) != nullptr);
    root_ = pattern;
    open();
  }
  ~World() {
    store_.reset();
    fs::remove_all(root_);
  }

  void open() {
    store_.reset();
    blobs::StoreOptions options;
    options.folder = root_ + "/blobs";
    options.quota = kQuota;
    options.quota_each = kQuotaEach;
    options.ttl = std::chrono::hours(1);
    options.uploads = 3;
    options.uploads_each = 2;
    options.now = [this] { return now_; };
    auto opened = blobs::Store::open(std::move(options));
    check(opened.has_value());
    store_ = std::move(*opened);
  }

  void step(Script& script) {
    const std::string client(1, static_cast<char>('A' + script.next() % 3));
    switch (const std::uint8_t what = script.next(); what % 8) {
      case 0:
        now_ += std::chrono::minutes(script.next());
        return store_->tidy();
      case 1:
        under_way_ = {};
        return open();
      case 2:
        return under_way_.reset();  // its client leaves
      case 3:
        return go_on(script);
      default:
        return send(script, client);
    }
  }

  // Of what is whole, by name.
  void look() {
    std::uint64_t all = 0;
    for (const auto& file : fs::recursive_directory_iterator(root_)) {
      const std::string name = file.path().filename().string();
      if (!file.is_regular_file() || name == ".gitignore") continue;
      all += file.file_size();
      check(file.file_size() <= kQuotaEach);
      if (name.ends_with(".part")) continue;
      std::ifstream in(file.path(), std::ios::binary);
      check(sha256_hex(std::string(std::istreambuf_iterator<char>(in), {})) == name);
    }
    check(all <= kQuota);
  }

 private:
  void send(Script& script, const std::string& client) {
    const std::string content = content_of(script.next());
    const std::string digest = script.next() % 8 == 0 ? sha256_hex("something else") : sha256_hex(content);
    const std::uint64_t from = std::min<std::uint64_t>(script.next() * 8U, content.size());
    const bool was_whole = is_whole(client, digest);
    auto upload = store_->begin(client, digest, from, content.size());
    if (!upload) return check(!was_whole);
    if (*upload == nullptr) return check(was_whole);
    check((*upload)->have() == from);
    under_way_ = std::move(*upload);
    left_ = content.substr(from);
    if (script.next() % 4 != 0) go_on(script);
  }
  void go_on(Script& script) {
    if (under_way_ == nullptr) return;
    const std::size_t most = script.next() % 4 == 0 ? script.next() : left_.size();
    const std::string piece = left_.substr(0, most);
    left_.erase(0, piece.size());
    if (!under_way_->write(piece)) static_cast<void>(under_way_->finish());
    under_way_.reset();
  }
  bool is_whole(const std::string& client, const std::string& digest) {
    const auto standing = store_->look(client, digest);
    return standing && standing->whole;
  }

  std::string root_, left_;
  std::chrono::system_clock::time_point now_ = std::chrono::system_clock::now();
  std::unique_ptr<blobs::Store> store_;
  std::unique_ptr<blobs::Upload> under_way_;  // ends before the store does
};

void read_heads(std::string_view text) {
  if (const auto digest = blobs::digest_in(text)) check("/blobs/sha256/" + *digest == text);
  if (const auto range = blobs::parse_content_range(text)) check(range->from <= range->to && range->to < range->total);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  read_heads(input);
  Script script(input);
  World world;
  for (std::size_t step = 0; step < kSteps && !script.ended(); ++step) {
    world.step(script);
    world.look();
  }
  read_heads(script.rest());
  return 0;
}
