// Strings: views into the text, or decoded into the document's arena where there is a backslash.
#include <algorithm>
#include <cstring>

#include "core/text.hpp"
#include "formats/json/parser.hpp"

namespace plumbline::formats::json {

// p_ stands on the opening quote. Eight bytes at a time until a quote, a backslash or a control character.
bool Parser::string(const char* what) {
  if (p_ == end_ || *p_ != '"') return unexpected(what);
  const char* start = ++p_;
  std::uint64_t seen = 0;  // all bytes or-ed: tells whether any is beyond ASCII
  for (;;) {
    while (end_ - p_ >= 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, p_, 8);
      const std::uint64_t control = (word - kOnes * 0x20) & ~word & kHighs;
      const std::uint64_t stop = zero_bytes(word ^ (kOnes * '"')) | zero_bytes(word ^ (kOnes * '\\')) | control;
      if (stop != 0) {
        const int bytes = __builtin_ctzll(stop) / 8;
        if (bytes > 0) seen |= word << (64 - 8 * bytes);
        p_ += bytes;
        break;
      }
      seen |= word;
      p_ += 8;
    }
    if (p_ == end_) {
      return error("the file ends inside a string", start - 1,
                   "the file is truncated: its writer stopped before the end, or the copy is incomplete");
    }
    const char c = *p_;
    if (c == '"') break;
    if (c == '\\') return escaped_string(start);
    if (static_cast<unsigned char>(c) < 0x20) note(document_.notes_.control_characters, offset_of(p_));
    seen |= static_cast<unsigned char>(c);
    ++p_;
  }
  Node* node = push(Kind::string, start - 1);
  if (node == nullptr) return false;
  node->s = start;
  node->length = static_cast<std::uint32_t>(p_ - start);
  ++p_;
  if ((seen & kHighs) != 0 && !core::is_valid_utf8({start, node->length})) {
    node->flags |= kInvalidUtf8;
    note(document_.notes_.invalid_utf8, node->offset);
  }
  return true;
}

// The rare string with a backslash: decoded into the arena. A lone surrogate keeps its three bytes (as WTF-8 has it), so
// that two different ones stay different; writers of ours turn them into U+FFFD.
bool Parser::escaped_string(const char* start) {
  const char* close = p_;
  while (close != end_ && *close != '"') close += (*close == '\\' && close + 1 != end_) ? 2 : 1;
  if (close >= end_) {
    return error("the file ends inside a string", start - 1,
                 "the file is truncated: its writer stopped before the end, or the copy is incomplete");
  }
  char* const out_begin = arena(static_cast<std::size_t>(close - start));  // an escape never grows
  char* out = out_begin;
  const auto hex4 = [&](const char* at) -> int {
    if (close - at < 4) return -1;
    int code = 0;
    for (int i = 0; i < 4; ++i) {
      const char c = at[i];
      const int digit = is_digit(c)              ? c - '0'
                        : (c >= 'a' && c <= 'f') ? c - 'a' + 10
                        : (c >= 'A' && c <= 'F') ? c - 'A' + 10
                                                 : -1;
      if (digit < 0) return -1;
      code = code * 16 + digit;
    }
    return code;
  };
  const auto put = [&](unsigned code) {
    if (code < 0x80) {
      *out++ = static_cast<char>(code);
    } else if (code < 0x800) {
      *out++ = static_cast<char>(0xC0U | (code >> 6U));
      *out++ = static_cast<char>(0x80U | (code & 0x3FU));
    } else if (code < 0x10000) {
      *out++ = static_cast<char>(0xE0U | (code >> 12U));
      *out++ = static_cast<char>(0x80U | ((code >> 6U) & 0x3FU));
      *out++ = static_cast<char>(0x80U | (code & 0x3FU));
    } else {
      *out++ = static_cast<char>(0xF0U | (code >> 18U));
      *out++ = static_cast<char>(0x80U | ((code >> 12U) & 0x3FU));
      *out++ = static_cast<char>(0x80U | ((code >> 6U) & 0x3FU));
      *out++ = static_cast<char>(0x80U | (code & 0x3FU));
    }
  };
  bool raw_high = false;
  bool lone = false;
  for (const char* at = start; at < close;) {
    if (*at != '\\') {
      // Control characters before p_ were noted on the way to the first backslash.
      if (static_cast<unsigned char>(*at) < 0x20 && at >= p_) note(document_.notes_.control_characters, offset_of(at));
      raw_high = raw_high || (static_cast<unsigned char>(*at) & 0x80U) != 0;
      *out++ = *at++;
      continue;
    }
    const char* escape = at++;
    switch (*at++) {
      case '"':
        *out++ = '"';
        break;
      case '\\':
        *out++ = '\\';
        break;
      case '/':
        *out++ = '/';
        break;
      case 'b':
        *out++ = '\b';
        break;
      case 'f':
        *out++ = '\f';
        break;
      case 'n':
        *out++ = '\n';
        break;
      case 'r':
        *out++ = '\r';
        break;
      case 't':
        *out++ = '\t';
        break;
      case 'u': {
        const int code = hex4(at);
        if (code < 0) return error("\\u needs four hexadecimal digits", escape);
        at += 4;
        if (code >= 0xD800 && code < 0xDC00 && close - at >= 6 && at[0] == '\\' && at[1] == 'u') {
          const int low = hex4(at + 2);
          if (low >= 0xDC00 && low < 0xE000) {
            at += 6;
            put(0x10000U + (static_cast<unsigned>(code - 0xD800) << 10U) + static_cast<unsigned>(low - 0xDC00));
            break;
          }
        }
        if (code >= 0xD800 && code < 0xE000) {
          lone = true;
          note(document_.notes_.lone_surrogates, offset_of(escape));
        }
        put(static_cast<unsigned>(code));
        break;
      }
      default:
        return error("an unknown escape in a string", escape, "JSON knows \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX");
    }
  }
  Node* node = push(Kind::string, start - 1);
  if (node == nullptr) return false;
  node->s = out_begin;
  node->length = static_cast<std::uint32_t>(out - out_begin);
  arena_next_ = out;
  arena_free_ -= node->length;
  p_ = close + 1;
  if (raw_high && !lone && !core::is_valid_utf8({out_begin, node->length})) {
    node->flags |= kInvalidUtf8;
    note(document_.notes_.invalid_utf8, node->offset);
  }
  if (lone) node->flags |= kInvalidUtf8;
  return true;
}

}  // namespace plumbline::formats::json
