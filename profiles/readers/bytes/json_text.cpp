#include "profiles/readers/bytes/json_text.hpp"

#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
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
JsonBlock json_block(const char* bytes) {
  JsonBlock block{};
  const auto all = [](char c) { return _mm_set1_epi8(c); };
  for (unsigned i = 0; i < 4; ++i) {
    const __m128i part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + i * 16));
    const auto mask = [shift = i * 16](__m128i equal) {
      return static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(equal))) << shift;
    };
    // '[' and '{' differ in the bit 0x20 only, and so do ']' and '}'.
    const __m128i folded = _mm_or_si128(part, all(0x20));
    const __m128i brackets = _mm_or_si128(_mm_cmpeq_epi8(folded, all('{')), _mm_cmpeq_epi8(folded, all('}')));
    const __m128i points = _mm_or_si128(_mm_cmpeq_epi8(part, all(':')), _mm_cmpeq_epi8(part, all(',')));
    block.quotes |= mask(_mm_cmpeq_epi8(part, all('"')));
    block.backslashes |= mask(_mm_cmpeq_epi8(part, all('\\')));
    block.structure |= mask(_mm_or_si128(brackets, points));
    block.braces |= mask(_mm_or_si128(_mm_cmpeq_epi8(part, all('{')), _mm_cmpeq_epi8(part, all('}'))));
  }
  return block;
}
#else
JsonBlock json_block(const char* bytes) { return json_block_portable(bytes); }
#endif

void JsonText::mark(std::string_view text, JsonState state) {
  bytes_ = text.data();
  size_ = text.size();
  const std::size_t words = (size_ + 63) / 64;
  if (marks_.size() < words + 2) {
    marks_.resize(words + 2);
    braces_.resize(words + 2);
  }
  // ... of strings, from the opening quote to before the closing one: all ones when a block begins inside.
  std::uint64_t inside = state.in_string ? ~std::uint64_t{0} : 0;
  bool carried = state.escaped;
  for (std::size_t i = 0; i < words; ++i) {
    JsonBlock block = json_block(bytes_ + i * 64);
    const std::size_t left = size_ - i * 64;
    const std::uint64_t valid = left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
    block.backslashes &= valid;
    if (block.backslashes != 0 || carried) block.quotes &= ~escaped_by(block.backslashes, carried);
    block.quotes &= valid;
    const std::uint64_t strings = parity_from_below(block.quotes) ^ inside;
    inside = static_cast<std::uint64_t>(static_cast<std::int64_t>(strings) >> 63);
    marks_[i] = ((block.structure & ~strings) | block.quotes) & valid;
    braces_[i] = block.braces & ~strings & valid;
  }
  end_state_ = {inside != 0, carried};
  if (size_ % 64 != 0) {  // the last block's own end
    std::size_t run = 0;
    while (run < size_ && bytes_[size_ - 1 - run] == '\\') ++run;
    end_state_.escaped = run % 2 == 1 && (run < size_ || !state.escaped);
    if (run == size_ && state.escaped) end_state_.escaped = run % 2 == 0;
  }
  // A word of ones behind the text ends every search, wherever in the last word the text does.
  if (size_ % 64 != 0) {
    const std::uint64_t behind = ~((std::uint64_t{1} << (size_ % 64)) - 1);
    marks_[words - 1] |= behind;
    braces_[words - 1] |= behind;
  }
  marks_[words] = braces_[words] = ~std::uint64_t{0};
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
