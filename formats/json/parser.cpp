#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include "core/text.hpp"
#include "formats/json/document.hpp"

namespace plumbline::formats::json {
namespace {

constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
constexpr std::uint64_t kHighs = 0x8080808080808080ULL;

// High bit of each byte of `word` that is zero (exact for the lowest such byte, which is all that is used).
constexpr std::uint64_t zero_bytes(std::uint64_t word) { return (word - kOnes) & ~word & kHighs; }

constexpr std::array<double, 23> kPowersOfTen = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'; }

bool matches_no_case(const char* p, const char* end, std::string_view lower) {
  if (static_cast<std::size_t>(end - p) < lower.size()) return false;
  for (std::size_t i = 0; i < lower.size(); ++i) {
    if ((p[i] | 0x20) != lower[i]) return false;
  }
  return true;
}

// A number that from_chars calls out of range: infinity or zero, by the decimal exponent of its first non-zero digit.
double out_of_range_value(std::string_view text) {
  const bool negative = !text.empty() && text.front() == '-';
  const std::size_t e = text.find_first_of("eE");
  std::string_view mantissa = text.substr(0, e);
  if (negative) mantissa.remove_prefix(1);
  std::string_view exponent_text = e == std::string_view::npos ? std::string_view("0") : text.substr(e + 1);
  const bool negative_exponent = !exponent_text.empty() && exponent_text.front() == '-';
  if (!exponent_text.empty() && (exponent_text.front() == '+' || exponent_text.front() == '-')) exponent_text.remove_prefix(1);
  constexpr long long kFar = 4'000'000'000'000LL;
  long long exponent = 0;
  for (const char c : exponent_text) exponent = std::min(exponent * 10 + (c - '0'), kFar);
  if (negative_exponent) exponent = -exponent;
  const std::size_t dot = mantissa.find('.');
  const auto whole = static_cast<long long>(dot == std::string_view::npos ? mantissa.size() : dot);
  long long position = 0;  // of the first non-zero digit, counted without the dot
  bool found = false;
  for (const char c : mantissa) {
    if (c == '.') continue;
    if (c != '0') {
      found = true;
      break;
    }
    ++position;
  }
  double value = 0;
  if (found && exponent + whole - position > 0) value = std::numeric_limits<double>::infinity();
  return negative ? -value : value;
}

}  // namespace

class Parser {
 public:
  Parser(std::string_view text, std::string_view name, const ParseOptions& options)
      : begin_(text.data()), p_(text.data()), end_(text.data() + text.size()), name_(name), options_(options) {
    document_.text_ = text;
  }

  core::Expected<Document> run();

 private:
  bool value();  // one whole top-level value
  bool string(const char* what);
  bool escaped_string(const char* start);
  bool number();
  bool literal();
  bool non_finite(double magnitude, std::size_t length, const char* start);

  void skip_blanks() {
    while (p_ != end_ && (*p_ == ' ' || *p_ == '\n' || *p_ == '\r' || *p_ == '\t')) ++p_;
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
  bool grow();
  char* arena(std::size_t bytes);

  bool error(std::string message, const char* at, std::string hint = {}, core::ErrorCode code = core::ErrorCode::invalid_input);
  bool unexpected(std::string_view expected);

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
  core::Error error_;
};

bool Parser::grow() {
  // 1/12 node a byte is what benchmark files have; a denser text doubles. Pages that stay untouched cost nothing.
  const std::size_t wanted = capacity_ == 0 ? document_.text_.size() / 12 + 64 : std::size_t{capacity_} * 2;
  const std::size_t bounded = std::min<std::size_t>(wanted, 0xFFFFFFF0U);
  if (bounded <= capacity_) return error("more than 4294967280 JSON values in one file", p_, {}, core::ErrorCode::limit_exceeded);
  Node* old = document_.nodes_.release();
  void* bigger = std::realloc(static_cast<void*>(old), bounded * sizeof(Node));
  if (bigger == nullptr) {
    document_.nodes_.reset(old);
    return error("not enough memory for this JSON text", p_, {}, core::ErrorCode::environment);
  }
  nodes_ = static_cast<Node*>(bigger);
  document_.nodes_.reset(nodes_);
  capacity_ = static_cast<std::uint32_t>(bounded);
  return true;
}

char* Parser::arena(std::size_t bytes) {
  if (bytes > arena_free_) {
    const std::size_t size = std::max<std::size_t>(bytes, 64 * 1024);
    document_.arena_.push_back(std::make_unique_for_overwrite<char[]>(size));
    arena_next_ = document_.arena_.back().get();
    arena_free_ = size;
  }
  return arena_next_;
}

bool Parser::error(std::string message, const char* at, std::string hint, core::ErrorCode code) {
  const Place place = place_of(document_.text_, offset_of(at));
  error_ = {code, std::move(message), std::move(hint),
            std::string(name_) + ":" + std::to_string(place.line) + ":" + std::to_string(place.column)};
  return false;
}

bool Parser::unexpected(std::string_view expected) {
  if (p_ == end_) {
    std::string message = "the file ends here, in the middle of ";
    if (open_.empty()) {
      message += "a value";
    } else {
      const Node& inner = nodes_[open_.back()];
      const Place place = place_of(document_.text_, inner.offset);
      message += std::string(inner.kind == Kind::object ? "the object" : "the array") + " opened at line " +
                 std::to_string(place.line) + ", column " + std::to_string(place.column);
    }
    return error(std::move(message), p_, "the file is truncated: its writer stopped before the end, or the copy is incomplete");
  }
  std::string hint;
  const char c = *p_;
  if (c == '/' || c == '#') hint = "JSON has no comments: remove it";
  if (c == '\'') hint = "JSON strings and keys stand in double quotes";
  if (c == '+') hint = "JSON numbers have no leading '+'";
  if (c == '.') hint = "JSON numbers have a digit before the point";
  if (is_name_start(c)) {
    if (matches_no_case(p_, end_, "true") || matches_no_case(p_, end_, "false")) {
      hint = "JSON writes true and false in lower case";
    } else if (matches_no_case(p_, end_, "none")) {
      hint = "JSON writes null for nothing (this is Python's None)";
    } else {
      hint = "JSON strings and keys stand in double quotes";
    }
  }
  return error("expected " + std::string(expected), p_, std::move(hint));
}

bool Parser::non_finite(double magnitude, std::size_t length, const char* start) {
  p_ += length;
  Node* node = push(Kind::real, start);
  if (node == nullptr) return false;
  node->d = magnitude;
  node->flags = kNotFinite;
  node->length = static_cast<std::uint32_t>(p_ - start);
  note(document_.notes_.non_finite_literals, offset_of(start));
  return true;
}

// true, false, null, and NaN / Infinity as Python, JavaScript and printf write them.
bool Parser::literal() {
  const char* start = p_;
  const auto left = static_cast<std::size_t>(end_ - p_);
  const auto word = [&](std::string_view text) { return left >= text.size() && std::memcmp(p_, text.data(), text.size()) == 0; };
  const auto ends = [&](std::size_t length) { return left == length || (!is_name_start(p_[length]) && !is_digit(p_[length])); };
  if (word("true") && ends(4)) {
    p_ += 4;
    Node* node = push(Kind::boolean, start);
    if (node == nullptr) return false;
    node->u = 1;
    return true;
  }
  if (word("false") && ends(5)) {
    p_ += 5;
    return push(Kind::boolean, start) != nullptr;
  }
  if (word("null") && ends(4)) {
    p_ += 4;
    return push(Kind::null, start) != nullptr;
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (matches_no_case(p_, end_, "nan") && ends(3)) return non_finite(std::numeric_limits<double>::quiet_NaN(), 3, start);
  if (matches_no_case(p_, end_, "infinity") && ends(8)) return non_finite(kInfinity, 8, start);
  if (matches_no_case(p_, end_, "inf") && ends(3)) return non_finite(kInfinity, 3, start);
  return unexpected("a value");
}

bool Parser::number() {
  const char* start = p_;
  const bool negative = *p_ == '-';
  if (negative) {
    ++p_;
    if (p_ != end_ && (matches_no_case(p_, end_, "inf") || matches_no_case(p_, end_, "nan"))) {
      const bool is_nan = (*p_ | 0x20) == 'n';
      const std::size_t length = is_nan ? 3 : matches_no_case(p_, end_, "infinity") ? 8 : 3;
      constexpr double kInfinity = std::numeric_limits<double>::infinity();
      return non_finite(is_nan ? std::numeric_limits<double>::quiet_NaN() : -kInfinity, length, start);
    }
  }
  if (p_ == end_ || !is_digit(*p_)) return unexpected("a digit");
  if (*p_ == '0' && p_ + 1 != end_ && is_digit(p_[1])) {
    return error("a number with a leading zero", start, "write it without the zero, or in quotes if it is a name");
  }
  std::uint64_t mantissa = 0;
  const char* digits = p_;
  while (p_ != end_ && is_digit(*p_)) mantissa = mantissa * 10 + static_cast<std::uint64_t>(*p_++ - '0');
  auto digit_count = static_cast<std::size_t>(p_ - digits);
  bool integer = true;
  int exponent = 0;
  if (p_ != end_ && *p_ == '.') {
    integer = false;
    const char* fraction = ++p_;
    while (p_ != end_ && is_digit(*p_)) mantissa = mantissa * 10 + static_cast<std::uint64_t>(*p_++ - '0');
    if (p_ == fraction) return unexpected("a digit after the decimal point");
    digit_count += static_cast<std::size_t>(p_ - fraction);
    exponent = -static_cast<int>(std::min<std::ptrdiff_t>(p_ - fraction, 100000));
  }
  if (p_ != end_ && (*p_ | 0x20) == 'e') {
    integer = false;
    ++p_;
    const bool negative_exponent = p_ != end_ && *p_ == '-';
    if (p_ != end_ && (*p_ == '+' || *p_ == '-')) ++p_;
    const char* exponent_digits = p_;
    int written = 0;
    while (p_ != end_ && is_digit(*p_)) written = std::min(written * 10 + (*p_++ - '0'), 100000);
    if (p_ == exponent_digits) return unexpected("a digit in the exponent");
    exponent += negative_exponent ? -written : written;
  }
  Node* node = push(Kind::real, start);
  if (node == nullptr) return false;
  node->length = static_cast<std::uint32_t>(p_ - start);
  if (integer && digit_count <= 19 && !(negative && mantissa == 0)) {  // 19 digits fit 64 bits; "-0" stays a double
    if (mantissa <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      node->kind = Kind::integer;
      node->i = negative ? -static_cast<std::int64_t>(mantissa) : static_cast<std::int64_t>(mantissa);
      return true;
    }
    if (!negative) {
      node->kind = Kind::unsigned_integer;
      node->u = mantissa;
      return true;
    }
  }
  // Clinger's fast path: both factors exact, one rounding.
  if (!integer && digit_count <= 19 && mantissa <= (1ULL << 53U) && exponent >= -22 && exponent <= 22) {
    const double exact = static_cast<double>(mantissa);
    const double value = exponent < 0 ? exact / kPowersOfTen[static_cast<std::size_t>(-exponent)]
                                      : exact * kPowersOfTen[static_cast<std::size_t>(exponent)];
    node->d = negative ? -value : value;
    return true;
  }
  if (integer) {
    std::int64_t smallest = 0;
    std::uint64_t big = 0;
    if (std::from_chars(start, p_, smallest).ec == std::errc() && !(negative && mantissa == 0)) {
      node->kind = Kind::integer;
      node->i = smallest;
      return true;
    }
    if (!negative && std::from_chars(start, p_, big).ec == std::errc()) {
      node->kind = Kind::unsigned_integer;
      node->u = big;
      return true;
    }
    if (digit_count > 1) node->flags |= kBeyondInteger;
  }
  double value = 0;
  if (std::from_chars(start, p_, value).ec == std::errc::result_out_of_range) {
    value = out_of_range_value({start, static_cast<std::size_t>(p_ - start)});
  }
  node->d = value;
  if (!std::isfinite(value)) node->flags |= kNotFinite;
  return true;
}

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

bool Parser::value() {
  const std::size_t floor = open_.size();
  bool in_object = false;
  for (;;) {
    // A value stands here.
    if (p_ == end_) return unexpected("a value");
    if (offset_of(p_) >= next_stop_check_) {
      next_stop_check_ = offset_of(p_) + (1U << 20U);
      if (options_.stop && options_.stop()) {
        error_ = {core::ErrorCode::cancelled, "stopped while reading", {}, std::string(name_)};
        return false;
      }
    }
    const char c = *p_;
    if (c == '{' || c == '[') {
      if (open_.size() - floor >= options_.max_depth) {
        return error("nested deeper than " + std::to_string(options_.max_depth) + " levels", p_,
                     "the bound is max_depth; measurements are rarely deeper than ten levels", core::ErrorCode::limit_exceeded);
      }
      Node* node = push(c == '{' ? Kind::object : Kind::array, p_);
      if (node == nullptr) return false;
      open_.push_back(count_ - 1);
      ++p_;
      in_object = c == '{';
      skip_blanks();
      if (p_ != end_ && *p_ == (in_object ? '}' : ']')) goto close;
      if (!in_object) continue;
      goto key;
    }
    if (c == '"') {
      if (!string("a value")) return false;
    } else if (c == '-' || is_digit(c)) {
      if (!number()) return false;
    } else if (!literal()) {
      return false;
    }
  after_value:
    if (open_.size() == floor) return true;
    ++nodes_[open_.back()].count;
    skip_blanks();
    if (p_ == end_) return unexpected({});
    if (*p_ == ',') {
      const char* comma = p_++;
      skip_blanks();
      if (p_ != end_ && *p_ == (in_object ? '}' : ']')) {
        note(document_.notes_.trailing_commas, offset_of(comma));
        goto close;
      }
      if (in_object) goto key;
      continue;
    }
    if (*p_ != (in_object ? '}' : ']')) return unexpected(in_object ? "',' or '}' after a value" : "',' or ']' after a value");
  close:
    ++p_;
    nodes_[open_.back()].next = count_;
    open_.pop_back();
    in_object = !open_.empty() && nodes_[open_.back()].kind == Kind::object;
    goto after_value;
  key:
    if (!string("a key in double quotes")) return false;
    skip_blanks();
    if (p_ == end_ || *p_ != ':') return unexpected("':' after a key");
    ++p_;
    skip_blanks();
  }
}

core::Expected<Document> Parser::run() {
  if (document_.text_.size() > 0xFFFFFFF0U) {
    return core::fail(core::ErrorCode::limit_exceeded, "a JSON text of more than 4 GiB", "split it", std::string(name_));
  }
  if (!grow()) return core::fail(error_);
  if (document_.text_.starts_with("\xEF\xBB\xBF")) {
    document_.notes_.byte_order_mark = true;
    p_ += 3;
  }
  if (push(Kind::array, begin_) == nullptr) return core::fail(error_);
  skip_blanks();
  if (p_ == end_) return core::fail(core::ErrorCode::invalid_input, "the file is empty", {}, std::string(name_));
  std::uint64_t roots = 0;
  while (p_ != end_) {
    const char* start = p_;
    const Kind previous = roots == 0 ? Kind::object : nodes_[1].kind;
    if (roots > 0 && (previous < Kind::array || (*p_ != '{' && *p_ != '['))) {
      error("text after the end of the JSON value", start,
            roots == 1 ? "one file holds one value, or one object a line (JSON lines)" : "");
      return core::fail(error_);
    }
    if (!value()) return core::fail(error_);
    ++roots;
    skip_blanks();
  }
  nodes_[0].count = roots;
  nodes_[0].next = count_;
  document_.notes_.lines = roots > 1;
  document_.node_count_ = count_;
  return std::move(document_);
}

core::Expected<Document> parse(std::string_view text, std::string_view name, const ParseOptions& options) {
  return Parser(text, name, options).run();
}

}  // namespace plumbline::formats::json
