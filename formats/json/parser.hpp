// The parser behind json::parse(): parser.cpp walks the structure and words the errors, number.cpp reads numbers and the
// words that stand for values, string.cpp reads strings, indexed.cpp is the quick way for large texts and second_half.cpp its
// other thread. Private to formats/json/.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/characters.hpp"
#include "core/error.hpp"
#include "formats/json/document.hpp"
#include "formats/json/structure.hpp"

namespace plumbline::formats::json {

using base::is_digit;
inline bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'; }
// Whether the text at p starts with `lower`, letters of either case taken as the same.
inline bool matches_no_case(const char* p, const char* end, std::string_view lower) {
  if (static_cast<std::size_t>(end - p) < lower.size()) return false;
  for (std::size_t i = 0; i < lower.size(); ++i) {
    if ((p[i] | 0x20) != lower[i]) return false;
  }
  return true;
}

inline constexpr std::size_t kMostBytes = 0xFFFFFFF0U;  // of a text whose places are 32 bits

// Eight bytes of a text at once.
inline constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
inline constexpr std::uint64_t kHighs = 0x8080808080808080ULL;
inline std::uint64_t word_at(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}
// High bit of each byte of `word` that is zero (exact for the lowest such byte, which is all that is used).
constexpr std::uint64_t zero_bytes(std::uint64_t word) { return (word - kOnes) & ~word & kHighs; }
constexpr bool are_digits(std::uint64_t word) {
  constexpr std::uint64_t kUpper = kOnes * 0xF0, kZeros = kOnes * '0';
  return (word & kUpper) == kZeros && ((word + kOnes * 0x06) & kUpper) == kZeros;
}
// Their number, the first byte being the first digit (little endian): pairs, then fours, then all eight.
constexpr std::uint64_t eight_digits(std::uint64_t word) {
  word -= kOnes * '0';
  word = word * 10 + (word >> 8U);
  constexpr std::uint64_t kPairs = 0x000000FF000000FFULL;
  return (((word & kPairs) * 0x000F424000000064ULL) + (((word >> 16U) & kPairs) * 0x0000271000000001ULL)) >> 32U;
}

class Parser {
 public:
  Parser(std::string_view text, std::string_view name, const ParseOptions& options)
      : begin_(text.data()), p_(text.data()), end_(text.data() + text.size()), name_(name), options_(options) {
    document_.text_ = text;
  }

  core::Expected<Document> run();
  // The quick way for texts that are strictly right (indexed.cpp). False: run() has to look at it, in a parser of its own.
  bool indexed();
  // The same of a flat object alone (second_half.cpp).
  bool flat();
  [[nodiscard]] bool stopped() const { return error_.code == core::ErrorCode::cancelled; }
  [[nodiscard]] core::Error take_error() { return std::move(error_); }
  [[nodiscard]] Document take() { return std::move(document_); }

 private:
  bool indexed_value(std::size_t& i);
  bool indexed_string(std::size_t i);
  bool indexed_scalar(std::size_t i);
  [[nodiscard]] bool indexed_scalar_ends(std::size_t i) const;
  [[nodiscard]] const char* close_of(std::size_t i) const;
  bool skip_array(std::size_t& i, std::uint64_t& elements);
  // The second half of a large flat object is read on another thread (second_half.cpp).
  struct SecondHalf;
  [[nodiscard]] bool looks_flat() const;
  std::shared_ptr<SecondHalf> begin_second_half();
  bool take_second_half();
  void leave_second_half();
  bool plain_members(std::size_t i);
  void end_roots(std::uint64_t roots) {
    nodes_[0].count = roots;
    nodes_[0].next = count_;
    document_.notes_.lines = roots > 1;
    document_.node_count_ = count_;
  }

  bool value();  // one whole top-level value
  bool string(const char* what);
  bool escaped_string(const char* start);
  bool number();
  bool literal();
  bool non_finite(double magnitude, std::size_t length, const char* start);

  void skip_blanks() {
    while (p_ != end_ && (*p_ == ' ' || *p_ == '\n' || *p_ == '\r' || *p_ == '\t')) ++p_;
  }
  // Asked before each value; the caller is asked once a mebibyte.
  bool may_go_on(const char* at) {
    if (offset_of(at) < next_stop_check_) return true;
    next_stop_check_ = offset_of(at) + (1U << 20U);
    if (!options_.stop || !options_.stop()) return true;
    error_ = {core::ErrorCode::cancelled, "stopped while reading", {}, std::string(name_)};
    return false;
  }
  [[nodiscard]] std::size_t offset_of(const char* at) const { return static_cast<std::size_t>(at - begin_); }
  static void note(Note& note, std::size_t at) {
    if (note.count++ == 0) note.first = at;
  }

  Node* push(Kind kind, const char* at) {
    if (count_ == capacity_ && !grow()) return nullptr;
    Node* node = nodes_ + count_++;
    node->u = 0;
    node->next = count_;
    node->length = 0;
    node->offset = static_cast<std::uint32_t>(at - begin_);
    node->kind = kind;
    node->flags = 0;
    return node;
  }
  bool grow(std::size_t first = 0);  // `first`: how many nodes at the start, 0 for a guess
  char* arena(std::size_t bytes);

  bool error(std::string message, const char* at, std::string hint = {}, core::ErrorCode code = core::ErrorCode::invalid_input);
  bool unexpected(std::string_view expected);
  bool unexpected_at(const char* at, std::string_view expected) {
    p_ = at;
    return unexpected(expected);
  }

  const char* begin_;
  const char* p_;
  const char* end_;
  std::string_view name_;
  const ParseOptions& options_;
  Document document_;
  Node* nodes_ = nullptr;  // owned by document_.nodes_
  std::uint32_t count_ = 0;
  std::uint32_t capacity_ = 0;
  char* arena_next_ = nullptr;
  std::size_t arena_free_ = 0;
  std::vector<std::uint32_t> open_;  // containers around p_
  std::size_t next_stop_check_ = 0;
  const char* base_ = nullptr;              // what offsets_ count from
  std::span<const std::uint32_t> offsets_;  // of the structure
  std::vector<char> skipped_;               // closing brackets of containers that are skipped
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::size_t half_ = kNone;           // where in offsets_ the second half begins, while it is read elsewhere
  SecondHalf* second_half_ = nullptr;  // its thread ends before the structure and the nodes do
  core::Error error_;
};

}  // namespace plumbline::formats::json
