#include "profiles/readers/bytes/json_text.hpp"

#include <cstring>

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace plumbline::profiles {
namespace {

// Bit i of the result: whether an odd number of bits of `bits` stand at or below i.
std::uint64_t parity_from_below(std::uint64_t bits) {
  for (unsigned shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

// Which bytes of a block an odd run of backslashes stands before. Backslashes are rare, so they are taken one by one.
std::uint64_t escaped_by(std::uint64_t backslashes, bool& carried) {
  std::uint64_t escaped = carried ? 1 : 0;
  carried = false;
  backslashes &= ~escaped;
  while (backslashes != 0) {
    const unsigned at = static_cast<unsigned>(std::countr_zero(backslashes));
    if (at == 63) {
      carried = true;
      break;
    }
    escaped |= std::uint64_t{2} << at;
    backslashes &= ~(std::uint64_t{3} << at);
  }
  return escaped;
}

}  // namespace

JsonBlock json_block_portable(const char* bytes) {
  JsonBlock block{};
  for (unsigned i = 0; i < 64; ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    switch (bytes[i]) {
      case '"':
        block.quotes |= bit;
        break;
      case '\\':
        block.backslashes |= bit;
        break;
      case '{':
      case '}':
        block.braces |= bit;
        [[fallthrough]];
      case '[':
      case ']':
      case ':':
      case ',':
        block.structure |= bit;
        break;
      default:
        break;
    }
  }
  return block;
}

#ifdef __SSE2__
namespace {
// '[' and '{' differ in this bit only, and so do ']' and '}'. Masks are made of each byte's highest bit.
constexpr char kBracketBit = 0x20;
constexpr int kToTop = 2;  // shifts that bit there
}  // namespace

JsonBlock json_block(const char* bytes) {
  JsonBlock block{};
  const auto all = [](char c) { return _mm_set1_epi8(c); };
  for (unsigned i = 0; i < 64; i += 16) {
    const __m128i part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + i));
    const auto mask = [i](__m128i hits) {
      return static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(hits))) << i;
    };
    const __m128i folded = _mm_or_si128(part, all(kBracketBit));
    const __m128i brackets = _mm_or_si128(_mm_cmpeq_epi8(folded, all('{')), _mm_cmpeq_epi8(folded, all('}')));
    const __m128i points = _mm_or_si128(_mm_cmpeq_epi8(part, all(':')), _mm_cmpeq_epi8(part, all(',')));
    block.quotes |= mask(_mm_cmpeq_epi8(part, all('"')));
    block.backslashes |= mask(_mm_cmpeq_epi8(part, all('\\')));
    block.structure |= mask(_mm_or_si128(brackets, points));
    block.braces |= mask(_mm_and_si128(brackets, _mm_slli_epi16(part, kToTop)));
  }
  return block;
}
#else
JsonBlock json_block(const char* bytes) { return json_block_portable(bytes); }
#endif

namespace {

// Makes marks of blocks, one after the other.
class Marker {
 public:
  Marker(std::uint64_t* marks, std::uint64_t* braces, JsonState state)
      : marks_(marks), braces_(braces), inside_(state.in_string ? ~std::uint64_t{0} : 0), escaped_(state.escaped) {}
  // `valid`: which bytes of the block are of the text.
  [[gnu::always_inline]] void add(JsonBlock block, std::uint64_t valid = ~std::uint64_t{0}) {
    block.backslashes &= valid;
    if (block.backslashes != 0 || escaped_) block.quotes &= ~escaped_by(block.backslashes, escaped_);
    block.quotes &= valid;
    const std::uint64_t strings = parity_from_below(block.quotes) ^ inside_;
    inside_ = static_cast<std::uint64_t>(static_cast<std::int64_t>(strings) >> 63);
    *marks_++ = ((block.structure & ~strings) | block.quotes) & valid;
    *braces_++ = block.braces & ~strings & valid;
  }
  [[nodiscard]] JsonState state() const { return {inside_ != 0, escaped_}; }

 private:
  std::uint64_t *marks_, *braces_;
  std::uint64_t inside_;  // ... of strings, from the opening quote to before the closing one: all ones when a block begins inside
  bool escaped_;
};

Marker mark_blocks(const char* bytes, std::size_t blocks, Marker marker) {
  for (std::size_t i = 0; i < blocks; ++i) marker.add(json_block(bytes + i * 64));
  return marker;
}

#if defined(__x86_64__) && defined(__GNUC__)

[[gnu::target("avx2")]] inline std::uint64_t mask_of(__m256i hits) {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(hits));
}
[[gnu::target("avx2")]] inline __m256i either(__m256i part, char one, char other) {
  return _mm256_or_si256(_mm256_cmpeq_epi8(part, _mm256_set1_epi8(one)), _mm256_cmpeq_epi8(part, _mm256_set1_epi8(other)));
}
// As json_block() does it, with vectors of twice the size.
[[gnu::target("avx2")]] inline JsonBlock wide_block(const char* bytes) {
  JsonBlock block{};
  for (unsigned i = 0; i < 64; i += 32) {
    const __m256i part = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes + i));
    const __m256i brackets = either(_mm256_or_si256(part, _mm256_set1_epi8(kBracketBit)), '{', '}');
    block.quotes |= mask_of(_mm256_cmpeq_epi8(part, _mm256_set1_epi8('"'))) << i;
    block.backslashes |= mask_of(_mm256_cmpeq_epi8(part, _mm256_set1_epi8('\\'))) << i;
    block.structure |= mask_of(_mm256_or_si256(brackets, either(part, ':', ','))) << i;
    block.braces |= mask_of(_mm256_and_si256(brackets, _mm256_slli_epi16(part, kToTop))) << i;
  }
  return block;
}
[[gnu::target("avx2")]] Marker mark_wide_blocks(const char* bytes, std::size_t blocks, Marker marker) {
  for (std::size_t i = 0; i < blocks; ++i) marker.add(wide_block(bytes + i * 64));
  return marker;
}

}  // namespace

bool json_has_wide() {
  static const bool kHas = __builtin_cpu_supports("avx2") != 0;
  return kHas;
}
[[gnu::target("avx2")]] JsonBlock json_block_wide(const char* bytes) { return wide_block(bytes); }

#else

Marker mark_wide_blocks(const char* bytes, std::size_t blocks, Marker marker) { return mark_blocks(bytes, blocks, marker); }

}  // namespace

bool json_has_wide() { return false; }
JsonBlock json_block_wide(const char* bytes) { return json_block(bytes); }

#endif

void JsonText::mark(std::string_view text, JsonState state) {
  bytes_ = text.data();
  size_ = text.size();
  const std::size_t words = (size_ + 63) / 64;
  if (marks_.size() < words + 2) {
    marks_.resize(words + 2);
    braces_.resize(words + 2);
  }
  Marker marker(marks_.data(), braces_.data(), state);
  marker = (json_has_wide() ? mark_wide_blocks : mark_blocks)(bytes_, size_ / 64, marker);
  if (size_ % 64 != 0) marker.add(json_block(bytes_ + size_ / 64 * 64), (std::uint64_t{1} << (size_ % 64)) - 1);
  end_state_ = marker.state();
  if (size_ % 64 != 0) {  // the last block's own end
    std::size_t run = 0;
    while (run < size_ && bytes_[size_ - 1 - run] == '\\') ++run;
    end_state_.escaped = run % 2 == 1 && (run < size_ || !state.escaped);
    if (run == size_ && state.escaped) end_state_.escaped = run % 2 == 0;
  }
  // Ones behind the text end every search, wherever in the last word the text does.
  if (size_ % 64 != 0) {
    const std::uint64_t behind = ~((std::uint64_t{1} << (size_ % 64)) - 1);
    marks_[words - 1] |= behind;
    braces_[words - 1] |= behind;
  }
  marks_[words] = marks_[words + 1] = braces_[words] = ~std::uint64_t{0};
}

std::size_t json_end(const JsonText& text, std::size_t at) {
  const char* const bytes = text.bytes();
  const std::size_t size = text.size();
  switch (bytes[at]) {
    case '"': {
      const std::size_t close = JsonCursor(text, at + 1).next();
      return close < size ? close + 1 : kJsonCut;
    }
    case '{': {
      std::size_t depth = 0, index = at / 64;
      std::uint64_t word = text.braces_[index] & (~std::uint64_t{0} << (at % 64));
      for (;;) {
        while (word == 0) word = text.braces_[++index];
        const std::size_t brace = index * 64 + static_cast<std::size_t>(std::countr_zero(word));
        if (brace >= size) return kJsonCut;
        word &= word - 1;
        if (bytes[brace] == '{') {
          ++depth;
        } else if (--depth == 0) {
          return brace + 1;
        }
      }
    }
    case '[': {
      JsonCursor cursor(text, at);
      std::size_t depth = 0;
      for (;;) {
        const std::size_t mark = cursor.next();
        if (mark >= size) return kJsonCut;
        const char c = bytes[mark];
        if (c == '[' || c == '{') {
          ++depth;
        } else if (c == ']' || c == '}') {
          if (--depth == 0) return mark + 1;
        }
      }
    }
    default: {
      std::size_t end = at;
      while (end < size && !is_json_space(bytes[end]) && bytes[end] != ',' && bytes[end] != ']' && bytes[end] != '}') ++end;
      return end < size ? (end > at ? end : at + 1) : kJsonCut;
    }
  }
}

}  // namespace plumbline::profiles
