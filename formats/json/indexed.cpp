// The same tree from a text whose structure is known beforehand (structure.hpp): no byte of a string is looked at twice, and
// arrays nobody needs are checked without becoming nodes. Whatever is not strictly right ends the attempt without a word; the
// lenient parser then reads the text from its start and says what there is to say.
#include <cstring>

#include "formats/json/parser.hpp"

namespace plumbline::formats::json {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// The first backslash, or `close`. Most strings are a word or two of eight bytes; `end` is the text's.
const char* backslash_in(const char* at, const char* close, const char* end) {
  constexpr std::ptrdiff_t kShort = 48;
  if (close - at > kShort) {
    const void* found = std::memchr(at, '\\', static_cast<std::size_t>(close - at));
    return found == nullptr ? close : static_cast<const char*>(found);
  }
  for (; at < close; at += 8) {
    if (end - at < 8) break;
    const std::uint64_t zero = zero_bytes(word_at(at) ^ (kOnes * '\\'));
    if (zero != 0) return std::min(at + __builtin_ctzll(zero) / 8, close);
  }
  while (at < close && *at != '\\') ++at;
  return std::min(at, close);
}

const char* after_digits(const char* at, const char* end) {
  while (end - at >= 8 && are_digits(word_at(at))) at += 8;
  while (at != end && is_digit(*at)) ++at;
  return at;
}

// The end of a number of RFC 8259; null where there is none.
const char* after_number(const char* at, const char* end) {
  if (*at == '-') ++at;
  if (at == end || !is_digit(*at)) return nullptr;
  if (*at == '0') {
    if (++at != end && is_digit(*at)) return nullptr;
  } else {
    at = after_digits(at, end);
  }
  if (at != end && *at == '.') {
    const char* fraction = ++at;
    at = after_digits(at, end);
    if (at == fraction) return nullptr;
  }
  if (at != end && (*at == 'e' || *at == 'E')) {
    ++at;
    if (at != end && (*at == '+' || *at == '-')) ++at;
    const char* exponent = at;
    at = after_digits(at, end);
    if (at == exponent) return nullptr;
  }
  return at;
}

// Escapes of a string that is not kept. Surrogates are left to who can tell pairs from lone ones.
bool are_plain_escapes(const char* at, const char* close) {
  for (;;) {
    const void* found = std::memchr(at, '\\', static_cast<std::size_t>(close - at));
    if (found == nullptr) return true;
    at = static_cast<const char*>(found) + 1;
    if (at == close) return false;
    if (*at == 'u') {
      if (close - at < 5) return false;
      unsigned code = 0;
      for (int i = 1; i <= 4; ++i) {
        const char c = at[i];
        const int digit = is_digit(c)              ? c - '0'
                          : (c >= 'a' && c <= 'f') ? c - 'a' + 10
                          : (c >= 'A' && c <= 'F') ? c - 'A' + 10
                                                   : -1;
        if (digit < 0) return false;
        code = code * 16 + static_cast<unsigned>(digit);
      }
      if (code >= 0xD800 && code < 0xE000) return false;
      at += 5;
    } else if (std::string_view("\"\\/bfnrt").find(*at) != std::string_view::npos) {
      ++at;
    } else {
      return false;
    }
  }
}

}  // namespace

// Of the string at offset i: its closing quote is the last byte before what follows, blanks apart. Null: it is not so.
const char* Parser::close_of(std::size_t i) const {
  const char* const start = base_ + offsets_[i];
  const char* close = base_ + offsets_[i + 1] - 1;
  while (is_blank(*close)) --close;  // ends at the opening quote at the latest
  return *close == '"' && close > start ? close : nullptr;
}

bool Parser::indexed_string(std::size_t i) {
  const char* const start = base_ + offsets_[i] + 1;
  const char* const close = close_of(i);
  if (close == nullptr) return false;
  p_ = backslash_in(start, close, end_);
  if (p_ != close) return escaped_string(start) && p_ == close + 1;
  Node* node = push(Kind::string, start - 1);
  if (node == nullptr) return false;
  node->s = start;
  node->length = static_cast<std::uint32_t>(close - start);
  return true;
}

// p_ stands behind a number or a word: what follows must be the next of the structure, or a blank before it.
bool Parser::indexed_scalar_ends(std::size_t i) const { return p_ == base_ + offsets_[i + 1] || (p_ != end_ && is_blank(*p_)); }

bool Parser::indexed_scalar(std::size_t i) {
  p_ = base_ + offsets_[i];
  return (*p_ == '-' || is_digit(*p_) ? number() : literal()) && indexed_scalar_ends(i);
}

// An array that nobody needs, from its bracket at offset i on; i becomes its closing bracket. Counts its elements.
bool Parser::skip_array(std::size_t& i, std::uint64_t& elements) {
  const std::size_t floor = skipped_.size();
  const std::size_t last = offsets_.size() - 1;
  bool in_object = false;
  elements = 0;
  for (;;) {
    // The bracket or brace of a container, just opened.
    if (open_.size() + skipped_.size() - floor >= options_.max_depth) return false;
    skipped_.push_back(in_object ? '}' : ']');
    if (++i >= last) return false;
    bool first = true;
    for (;;) {
      const char closing = skipped_.back();
      in_object = closing == '}';
      char c = base_[offsets_[i]];
      if (!may_go_on(base_ + offsets_[i])) return false;
      if (c == closing) {
        if (!first && base_[offsets_[i - 1]] == ',') return false;  // a trailing comma has to be noted
        skipped_.pop_back();
        if (skipped_.size() == floor) return true;
      } else {
        if (in_object) {
          if (c != '"') return false;
          const char* const close = close_of(i);
          if (close == nullptr || !are_plain_escapes(base_ + offsets_[i] + 1, close)) return false;
          if (i + 2 >= last || base_[offsets_[i + 1]] != ':') return false;
          i += 2;
          c = base_[offsets_[i]];
        }
        if (skipped_.size() == floor + 1) ++elements;
        if (c == '[' || c == '{') {
          in_object = c == '{';
          break;
        }
        if (c == '"') {
          const char* const close = close_of(i);
          if (close == nullptr || !are_plain_escapes(base_ + offsets_[i] + 1, close)) return false;
        } else if (c == '-' || is_digit(c)) {
          p_ = after_number(base_ + offsets_[i], end_);
          if (p_ == nullptr || !indexed_scalar_ends(i)) return false;
        } else {
          p_ = base_ + offsets_[i];
          const std::uint32_t before = count_;
          if (!literal() || !indexed_scalar_ends(i)) return false;
          count_ = before;
        }
      }
      // Behind a value.
      if (++i >= last) return false;
      first = false;
      c = base_[offsets_[i]];
      if (c == ',') {
        if (++i >= last) return false;
      } else if (c != skipped_.back()) {
        return false;
      }
    }
  }
}

bool Parser::indexed_value(std::size_t& i) {
  const std::size_t floor = open_.size();
  const std::size_t last = offsets_.size() - 1;
  bool in_object = false;
  for (;;) {
    if (i >= last) return false;
    const char* const at = base_ + offsets_[i];
    const char c = *at;
    if (!may_go_on(at)) return false;
    if (c == '{' || c == '[') {
      if (half_ != kNone && !open_.empty()) leave_second_half();
      if (open_.size() - floor >= options_.max_depth) return false;
      Node* node = push(c == '{' ? Kind::object : Kind::array, at);
      if (node == nullptr) return false;
      if (c == '[' && in_object && options_.unneeded != nullptr) {
        const Node& key = nodes_[count_ - 2];
        if (options_.unneeded({key.s, key.length})) {
          const std::uint32_t mine = count_ - 1;
          std::uint64_t elements = 0;
          if (!skip_array(i, elements)) return false;
          nodes_[mine].count = elements;
          goto after_value;
        }
      }
      open_.push_back(count_ - 1);
      in_object = c == '{';
      if (++i >= last) return false;
      if (base_[offsets_[i]] == (in_object ? '}' : ']')) goto close;
      if (!in_object) continue;
      goto key;
    }
    if (c == '"' ? !indexed_string(i) : !indexed_scalar(i)) return false;
  after_value:
    ++i;
    if (open_.size() == floor) return true;
    ++nodes_[open_.back()].count;
    if (i >= last) return false;
    if (const char next = base_[offsets_[i]]; next == ',') {
      if (++i >= last) return false;
      if (in_object) goto key;
      continue;
    } else if (next != (in_object ? '}' : ']')) {
      return false;
    }
  close:
    nodes_[open_.back()].next = count_;
    open_.pop_back();
    in_object = !open_.empty() && nodes_[open_.back()].kind == Kind::object;
    goto after_value;
  key:
    if (i == half_ && take_second_half()) {
      i = last - 1;
      goto close;
    }
    ++document_.member_count_;
    if (base_[offsets_[i]] != '"' || !indexed_string(i)) return false;
    if (i + 2 >= last || base_[offsets_[i + 1]] != ':') return false;
    i += 2;
  }
}

bool Parser::indexed() {
  if (document_.text_.starts_with("\xEF\xBB\xBF")) {
    document_.notes_.byte_order_mark = true;
    p_ += 3;
  }
  base_ = p_;
  Structure structure;
  if (!structure.find({base_, static_cast<std::size_t>(end_ - base_)})) return false;
  offsets_ = structure.offsets();
  if (!grow(offsets_.size() + 1) || push(Kind::array, begin_) == nullptr) return false;  // no value without a place there
  const std::shared_ptr<SecondHalf> other = begin_second_half();
  std::uint64_t roots = 0;
  for (std::size_t i = 0; i + 1 < offsets_.size();) {
    const char c = base_[offsets_[i]];
    if (roots > 0 && (nodes_[1].kind < Kind::array || (c != '{' && c != '['))) return false;
    if (!indexed_value(i)) return false;
    ++roots;
  }
  if (roots == 0) return false;
  end_roots(roots);
  return true;
}

}  // namespace plumbline::formats::json
