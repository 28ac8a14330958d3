// Interned strings: each text is stored once and named by a dense 32-bit id, so a million keys cost one arena, and two
// measurements read into one pool compare keys by id. Id 0 is the empty text. Views stay valid for the pool's life.
// Not thread-safe: one reader at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace plumbline::core {

using Id = std::uint32_t;
inline constexpr Id kNoId = 0xFFFFFFFFU;

class StringPool {
 public:
  StringPool();
  StringPool(const StringPool&) = delete;
  StringPool& operator=(const StringPool&) = delete;

  Id intern(std::string_view text);
  // As intern, but first tries `guess`: the second file of a pair mostly repeats the first one's order, and a compare
  // is several times cheaper than a hash and a probe. Any guess is safe.
  Id intern(std::string_view text, Id guess) {
    if (guess < views_.size() && views_[guess] == text) return guess;
    return intern(text);
  }
  // As intern() of each in turn, but cheaper for a handful: their places are fetched together, and each text is hashed once or
  // not at all. `guess` is the first one's, and those behind it are guessed to follow. `ids` is as long as `texts`.
  void intern_all(std::span<const std::string_view> texts, std::span<Id> ids, Id guess = kNoId);
  [[nodiscard]] Id find(std::string_view text) const;  // kNoId when absent
  // Fetches the place where `text` is or will be, without waiting for it: worth it a dozen texts ahead of intern().
  void prefetch(std::string_view text) const;
  [[nodiscard]] std::string_view view(Id id) const { return views_[id]; }
  [[nodiscard]] std::size_t size() const { return views_.size(); }
  void reserve(std::size_t texts);  // room for so many in all

  // Of the texts before this one somebody found that none holds a secret (formats/screen.cpp). The second file of a pair mostly
  // repeats the first one's texts, which need no second look.
  [[nodiscard]] Id clean_before() const { return clean_before_; }
  void set_clean_before(Id id) { clean_before_ = id; }

 private:
  void grow(std::size_t slots);
  Id add(std::string_view text, std::uint64_t hash);  // or the id that is there; `hash` is the text's
  std::string_view store(std::string_view text);

  std::vector<std::string_view> views_;
  std::vector<Id> slots_;  // open addressing, kNoId = free, else id and hash bits (see the .cpp)
  std::vector<std::unique_ptr<char[]>> chunks_;
  std::size_t chunk_free_ = 0;
  char* chunk_next_ = nullptr;
  Id clean_before_ = 0;
};

}  // namespace plumbline::core
