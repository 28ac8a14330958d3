#include "core/string_pool.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/large_block.hpp"
#include "core/short_text.hpp"

namespace plumbline::core {
namespace {

constexpr std::size_t kFirstSlots = 64;
constexpr std::size_t kFirstChunk = std::size_t{1} << 20U;
constexpr std::size_t kLargestChunk = std::size_t{16} << 20U;
constexpr std::size_t kLargePage = std::size_t{2} << 20U;
constexpr std::size_t kAtOnce = 64;  // a handful of texts: the places of all are under way before the first is needed

// A slot holds an id in its low bits, as many as the table's size needs, and bits of the text's hash in the others: a
// stranger on the probe's way is told by the slot alone, without a look at its text. No id has all its bits set (the table
// is never full), so kNoId stays free for "free".
struct Hash {
  std::size_t start;  // where the probe begins
  Id tag;             // the hash bits of the slot

  Hash(std::uint64_t bits, std::size_t mask)
      : start(static_cast<std::size_t>(bits) & mask), tag(static_cast<Id>(bits >> 32U) & ~static_cast<Id>(mask)) {}
};
std::uint64_t hash_of(std::string_view text) { return XXH3_64bits(text.data(), text.size()); }

// Linear probing stays short up to a load of 0.6.
constexpr bool is_full(std::size_t texts, std::size_t slots) { return texts * 5 > slots * 3; }

}  // namespace

StringPool::StringPool() : slots_(kFirstSlots, kNoId) { intern(std::string_view{}); }

Id StringPool::intern(std::string_view text) {
  const Id id = add(text, hash_of(text));
  if (is_full(views_.size(), slots_.size())) grow(slots_.size() * 2);
  return id;
}

Id StringPool::add(std::string_view text, std::uint64_t bits) {
  const std::size_t mask = slots_.size() - 1;
  const Id id_bits = static_cast<Id>(mask);
  const Hash hash(bits, mask);
  std::size_t slot = hash.start;
  for (; slots_[slot] != kNoId; slot = (slot + 1) & mask) {
    if ((slots_[slot] & ~id_bits) == hash.tag && views_[slots_[slot] & id_bits] == text) return slots_[slot] & id_bits;
  }
  const Id id = static_cast<Id>(views_.size());
  if (views_.size() == views_.capacity()) reserve_large(views_, 2 * views_.size() + kFirstSlots);
  views_.push_back(store(text));
  slots_[slot] = hash.tag | id;
  return id;
}

void StringPool::intern_all(std::span<const std::string_view> texts, std::span<Id> ids, Id guess) {
  std::array<std::uint64_t, kAtOnce> hashes;
  std::array<std::uint32_t, kAtOnce> asked;  // those that were not where they were guessed
  for (std::size_t first = 0; first < texts.size(); first += kAtOnce) {
    const std::size_t end = std::min(first + kAtOnce, texts.size());
    std::size_t count = 0;
    for (std::size_t i = first; i < end; ++i, guess += guess == kNoId ? 0 : 1) {
      if (guess < views_.size() && views_[guess] == texts[i]) {
        ids[i] = guess;
      } else {
        asked[count++] = static_cast<std::uint32_t>(i - first);
      }
    }
    if (count == 0) continue;
    // Room for all of them first: places must not move between being fetched and being taken.
    std::size_t slots = slots_.size();
    while (is_full(views_.size() + count, slots)) slots *= 2;
    if (slots != slots_.size()) grow(slots);
    const std::size_t mask = slots - 1;
    for (std::size_t i = 0; i < count; ++i) {
      hashes[i] = hash_of(texts[first + asked[i]]);
      __builtin_prefetch(&slots_[Hash(hashes[i], mask).start], 1);
    }
    for (std::size_t i = 0; i < count; ++i) ids[first + asked[i]] = add(texts[first + asked[i]], hashes[i]);
    guess = ids[end - 1] + 1;
  }
}

Id StringPool::find(std::string_view text) const {
  const std::size_t mask = slots_.size() - 1;
  const Id id_bits = static_cast<Id>(mask);
  const Hash hash(hash_of(text), mask);
  for (std::size_t slot = hash.start; slots_[slot] != kNoId; slot = (slot + 1) & mask) {
    if ((slots_[slot] & ~id_bits) == hash.tag && views_[slots_[slot] & id_bits] == text) return slots_[slot] & id_bits;
  }
  return kNoId;
}

void StringPool::prefetch(std::string_view text) const {
  __builtin_prefetch(&slots_[Hash(hash_of(text), slots_.size() - 1).start], 1);
}

void StringPool::reserve(std::size_t texts) {
  reserve_large(views_, texts);
  std::size_t slots = slots_.size();
  while (is_full(texts, slots)) slots *= 2;
  if (slots != slots_.size()) grow(slots);
}

void StringPool::grow(std::size_t slots) {
  // Hashes are computed again rather than kept: texts lie in the arena in id order, so this is one sequential read.
  std::vector<Id>().swap(slots_);  // the old ones first: a large table is not held twice
  reserve_large(slots_, slots);
  slots_.assign(slots, kNoId);
  const std::size_t mask = slots - 1;
  std::array<std::pair<std::size_t, Id>, kAtOnce> hashes;  // start and tag
  for (std::size_t first = 0; first < views_.size(); first += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, views_.size() - first);
    for (std::size_t i = 0; i < count; ++i) {
      const Hash hash(hash_of(views_[first + i]), mask);
      hashes[i] = {hash.start, hash.tag};
      __builtin_prefetch(&slots_[hash.start], 1);
    }
    for (std::size_t i = 0; i < count; ++i) {
      std::size_t slot = hashes[i].first;
      while (slots_[slot] != kNoId) slot = (slot + 1) & mask;
      slots_[slot] = hashes[i].second | static_cast<Id>(first + i);
    }
  }
}

std::string_view StringPool::store(std::string_view text) {
  if (text.empty()) return {};
  if (text.size() > chunk_free_) {
    if (text.size() > kFirstChunk / 4) {  // its own chunk: the current one goes on being filled
      chunks_.push_back(std::make_unique_for_overwrite<char[]>(text.size()));
      std::memcpy(chunks_.back().get(), text.data(), text.size());
      return {chunks_.back().get(), text.size()};
    }
    const std::size_t size = std::min(kLargestChunk, kFirstChunk << std::min<std::size_t>(chunks_.size(), 4));
    // Large pages begin at multiples of their size. A chunk that begins between two would have hundreds of small ones at its
    // ends; what is asked for besides is never touched.
    std::size_t room = size < kLargePage ? size : size + kLargePage;
    chunks_.push_back(std::make_unique_for_overwrite<char[]>(room));
    void* begin = chunks_.back().get();
    if (room > size) std::align(kLargePage, size, begin, room);
    chunk_next_ = static_cast<char*>(begin);
    chunk_free_ = size;
    prefer_large_pages(chunk_next_, size);
  }
  char* const at = chunk_next_;
  copy_short(at, text.data(), text.size());
  chunk_next_ += text.size();
  chunk_free_ -= text.size();
  return {at, text.size()};
}

}  // namespace plumbline::core
