// A piece of JSON text with its structure marked, and walks over it. Marks are bitmaps, a bit a byte: one of quotes and of
// { } [ ] : , outside strings, one of braces alone, by which an object is passed over hundreds of bytes at a step. Unlike a
// parser this makes no judgement of the whole: raw control characters, bytes that are not UTF-8, NaN and a cut end are the
// caller's to take as they come, and traces have them all. The state at the end of a piece can be carried to the next. No
// allocation but the bitmaps', no recursion; text and marks are only read by walks.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace plumbline::profiles {

struct JsonState {  // between two bytes
  bool in_string = false, escaped = false;
};

// 64 bytes at `bytes`: quotes, backslashes, { } [ ] : , and of them { }.
struct JsonBlock {
  std::uint64_t quotes, backslashes, structure, braces;
};
[[nodiscard]] JsonBlock json_block(const char* bytes);
[[nodiscard]] JsonBlock json_block_portable(const char* bytes);  // the same by plain C++
[[nodiscard]] JsonBlock json_block_wide(const char* bytes);      // the same by AVX2: only where json_has_wide()
[[nodiscard]] bool json_has_wide();

class JsonText {
 public:
  static constexpr std::size_t kPadding = 64;  // readable bytes that must stand behind the text
  // `text` must stay until the next call.
  void mark(std::string_view text, JsonState state = {});
  [[nodiscard]] JsonState end_state() const { return end_state_; }
  [[nodiscard]] const char* bytes() const { return bytes_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool marked(std::size_t at) const { return ((marks_[at / 64] >> (at % 64)) & 1U) != 0; }

 private:
  friend class JsonCursor;
  friend std::size_t json_end(const JsonText& text, std::size_t at);
  const char* bytes_ = nullptr;
  std::size_t size_ = 0;
  JsonState end_state_;
  std::vector<std::uint64_t> marks_, braces_;  // each with two words of ones behind the text
};

// From mark to mark, by windows of 64 bytes that begin anywhere.
class JsonCursor {
 public:
  JsonCursor(const JsonText& text, std::size_t at) : marks_(text.marks_.data()) { move(at); }
  // The next mark's place; text.size() or more at the end, up to 64 times.
  std::size_t next() {
    while (window_ == 0) move(from_ + 64);
    const std::size_t at = from_ + static_cast<std::size_t>(std::countr_zero(window_));
    window_ &= window_ - 1;
    return at;
  }
  void move(std::size_t at) {  // at most text.size()
    const std::size_t word = at / 64, shift = at % 64;
    from_ = at;
    window_ = (marks_[word] >> shift) | ((marks_[word + 1] << 1U) << (63 - shift));
  }

 private:
  const std::uint64_t* marks_;
  std::uint64_t window_ = 0;
  std::size_t from_ = 0;
};

enum class JsonKind : std::uint8_t { none, string, object, array, scalar };

struct JsonValue {
  JsonKind kind = JsonKind::none;
  std::size_t at = 0, end = 0;  // in the text; a string's with its quotes
  std::string_view text;        // a string's without its quotes, escapes as they stand; of others all of it
};

enum class JsonWalk : std::uint8_t { done, stopped, cut, malformed };

inline constexpr std::size_t kJsonCut = SIZE_MAX;
// Behind the value that begins at `at` (its first byte); kJsonCut where the text ends before it does. Of a scalar that reaches
// the text's end nobody can tell, so it is cut too.
[[nodiscard]] std::size_t json_end(const JsonText& text, std::size_t at);
// What kind of value begins with this byte.
[[nodiscard]] inline JsonKind json_kind(char first) {
  return first == '"' ? JsonKind::string : first == '{' ? JsonKind::object : first == '[' ? JsonKind::array : JsonKind::scalar;
}
[[nodiscard]] inline bool is_json_space(char c) { return static_cast<unsigned char>(c) <= 0x20; }

// Calls visit(std::string_view key, const JsonValue&) -> bool (false stops) for every member of the object at `at`, in order,
// repeated keys and all. `end` is set to behind the object when it is done.
template <class Visit>
JsonWalk json_members(const JsonText& text, std::size_t at, Visit&& visit, std::size_t* end = nullptr) {
  const char* const bytes = text.bytes();
  const std::size_t size = text.size();
  JsonCursor cursor(text, at + 1);
  std::size_t mark = cursor.next();
  JsonValue value;
  for (;;) {
    if (mark >= size) return JsonWalk::cut;
    if (bytes[mark] == '}') break;
    if (bytes[mark] == ',') {
      mark = cursor.next();
      continue;
    }
    if (bytes[mark] != '"') return JsonWalk::malformed;
    cursor.move(mark + 1);  // a window for each member, which few are longer than: a processor cannot foresee where windows end
    const std::size_t key_end = cursor.next();
    const std::size_t colon = cursor.next();
    if (colon >= size) return JsonWalk::cut;
    if (bytes[colon] != ':') return JsonWalk::malformed;
    const std::string_view key(bytes + mark + 1, key_end - mark - 1);
    mark = cursor.next();
    if (mark >= size) return JsonWalk::cut;
    switch (bytes[mark]) {
      case '"': {
        const std::size_t close = cursor.next();
        if (close >= size) return JsonWalk::cut;
        value = {JsonKind::string, mark, close + 1, {bytes + mark + 1, close - mark - 1}};
        mark = cursor.next();
        break;
      }
      case '{':
      case '[': {
        const std::size_t past = json_end(text, mark);
        if (past == kJsonCut) return JsonWalk::cut;
        value = {bytes[mark] == '{' ? JsonKind::object : JsonKind::array, mark, past, {bytes + mark, past - mark}};
        cursor.move(past);
        mark = cursor.next();
        break;
      }
      case ',':
      case '}': {
        std::size_t from = colon + 1, to = mark;
        while (from < to && is_json_space(bytes[from])) ++from;
        while (to > from && is_json_space(bytes[to - 1])) --to;
        value = {JsonKind::scalar, from, to, {bytes + from, to - from}};
        break;
      }
      default:
        return JsonWalk::malformed;
    }
    if (!visit(key, value)) return JsonWalk::stopped;
    if (mark >= size) return JsonWalk::cut;
    if (bytes[mark] != ',' && bytes[mark] != '}') return JsonWalk::malformed;
  }
  if (end != nullptr) *end = mark + 1;
  return JsonWalk::done;
}

// The same for the elements of an array: visit(const JsonValue&) -> bool.
template <class Visit>
JsonWalk json_elements(const JsonText& text, std::size_t at, Visit&& visit) {
  const char* const bytes = text.bytes();
  const std::size_t size = text.size();
  for (std::size_t i = at + 1;;) {
    while (i < size && (is_json_space(bytes[i]) || bytes[i] == ',')) ++i;
    if (i >= size) return JsonWalk::cut;
    if (bytes[i] == ']') return JsonWalk::done;
    if (bytes[i] == '}' || bytes[i] == ':') return JsonWalk::malformed;
    const std::size_t past = json_end(text, i);
    if (past == kJsonCut) return JsonWalk::cut;
    const JsonKind kind = json_kind(bytes[i]);
    const bool quoted = kind == JsonKind::string;
    if (!visit(JsonValue{kind, i, past, {bytes + i + (quoted ? 1 : 0), past - i - (quoted ? 2 : 0)}})) return JsonWalk::stopped;
    i = past;
  }
}

}  // namespace plumbline::profiles
