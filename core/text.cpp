#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "core/unicode.hpp"

namespace plumbline::core {
namespace {

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
constexpr bool is_continuation(unsigned char c) { return (c & 0xC0U) == 0x80U; }

struct Sequence {
  std::size_t length = 1;  // bytes: of the character, or of the bad part that one U+FFFD replaces
  bool valid = false;
};

// One UTF-8 sequence at the start of `text` (Unicode 15, table 3-7); a bad one is as long as its longest valid beginning.
Sequence utf8_sequence(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {1, true};
  std::size_t length = 0;
  unsigned char low = 0x80, high = 0xBF;  // of the second byte
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) low = 0xA0;   // overlong
    if (lead == 0xED) high = 0x9F;  // surrogates
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) low = 0x90;   // overlong
    if (lead == 0xF4) high = 0x8F;  // beyond U+10FFFF
  } else {
    return {1, false};
  }
  if (text.size() < 2 || byte(1) < low || byte(1) > high) return {1, false};
  for (std::size_t i = 2; i < length; ++i) {
    if (i >= text.size() || !is_continuation(byte(i))) return {i, false};
  }
  return {length, true};
}

// \uXXXX; beyond U+FFFF as a pair of surrogates (RFC 8259 section 7).
void append_unicode_escape(std::string& out, char32_t c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  if (c > 0xFFFF) {
    append_unicode_escape(out, 0xD800 + ((c - 0x10000) >> 10U));
    c = 0xDC00 + ((c - 0x10000) & 0x3FFU);
  }
  out += "\\u";
  for (const unsigned shift : {12U, 8U, 4U, 0U}) out += kHex[(c >> shift) & 0xFU];
}

void append_escape(std::string& out, unsigned char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\r':
      out += "\\r";
      return;
    default:
      append_unicode_escape(out, c);
  }
}

}  // namespace

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  std::size_t copied = 0;  // everything before is already in `out`
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c < 0x7F && c != '"' && c != '\\') {
      ++i;
      continue;
    }
    if (c < 0x80) {
      out.append(text, copied, i - copied);
      append_escape(out, c);
      copied = ++i;
      continue;
    }
    const Sequence sequence = utf8_sequence(text.substr(i));
    std::size_t at = i;
    const char32_t code_point = sequence.valid ? next_code_point(text, at) : 0;
    if (!sequence.valid) {
      out.append(text, copied, i - copied);
      out += "\xEF\xBF\xBD";
      copied = i + sequence.length;
    } else if (is_deceptive(code_point)) {
      out.append(text, copied, i - copied);
      append_unicode_escape(out, code_point);
      copied = i + sequence.length;
    }
    i += sequence.length;
  }
  out.append(text, copied, text.size() - copied);
  out += '"';
}

std::string quoted(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 2);
  append_quoted(out, text);
  return out;
}

bool is_valid_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    if (static_cast<unsigned char>(text[i]) < 0x80) {
      ++i;
      continue;
    }
    const Sequence sequence = utf8_sequence(text.substr(i));
    if (!sequence.valid) return false;
    i += sequence.length;
  }
  return true;
}

std::string to_lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), lower);
  return out;
}

bool starts_with_no_case(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() &&
         std::equal(prefix.begin(), prefix.end(), text.begin(), [](char a, char b) { return lower(a) == lower(b); });
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t from = 0;;) {
    const std::size_t at = text.find(separator, from);
    parts.push_back(text.substr(from, at == std::string_view::npos ? at : at - from));
    if (at == std::string_view::npos) return parts;
    from = at + 1;
  }
}

bool glob_match(std::string_view pattern, std::string_view text) {
  constexpr std::size_t kNone = std::string_view::npos;
  // A '?' takes a whole UTF-8 character, so that "?s" matches "µs".
  const auto after_character = [&](std::size_t at) {
    const bool multibyte = static_cast<unsigned char>(text[at]) >= 0xC0;
    ++at;
    while (multibyte && at < text.size() && is_continuation(static_cast<unsigned char>(text[at]))) ++at;
    return at;
  };
  std::size_t p = 0, t = 0;
  std::size_t star = kNone, retry = 0;  // the last '*' and where in the text its run may end next
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = t;
    } else if (p < pattern.size() && pattern[p] == '?') {
      ++p;
      t = after_character(t);
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != kNone) {
      p = star + 1;
      t = ++retry;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

int glob_specificity(std::string_view pattern) {
  const auto wildcards = std::count_if(pattern.begin(), pattern.end(), [](char c) { return c == '*' || c == '?'; });
  if (wildcards == 0) return std::numeric_limits<int>::max();
  return static_cast<int>(std::min<std::size_t>(pattern.size() - static_cast<std::size_t>(wildcards), 1'000'000));
}

int edit_distance(std::string_view a, std::string_view b) {
  // Optimal string alignment: insert, delete, replace, swap of neighbours; three rows of the table suffice.
  std::vector<int> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replace = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  const std::size_t limit = std::max<std::size_t>(1, word.size() / 3);
  const std::string wanted = to_lower(word);
  std::string_view best;
  int best_distance = static_cast<int>(limit) + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t difference =
        candidate.size() > word.size() ? candidate.size() - word.size() : word.size() - candidate.size();
    if (difference > limit) continue;
    const int distance = edit_distance(wanted, to_lower(candidate));
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string counted(std::uint64_t n, std::string_view singular, std::string_view plural) {
  std::string out;
  append_number(out, n);
  out += ' ';
  if (n == 1) {
    out += singular;
  } else if (!plural.empty()) {
    out += plural;
  } else {
    out += singular;
    out += 's';
  }
  return out;
}

std::string listed(std::span<const std::string> items, std::size_t at_most) {
  const std::size_t shown = std::min(items.size(), at_most);
  const std::size_t more = items.size() - shown;
  std::string out;
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) out += i + 1 == shown && more == 0 ? " and " : ", ";
    out += items[i];
  }
  if (more > 0) {
    if (shown > 0) out += " and ";
    append_number(out, static_cast<std::uint64_t>(more));
    if (shown > 0) out += " more";
  }
  return out;
}

}  // namespace plumbline::core
