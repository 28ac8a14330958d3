// JSON as tools write it: a compact read-only tree over a text, lenient where files in the wild are (byte order mark, NaN and
// Infinity, trailing commas, raw control characters, several values one after another) and saying so in notes(). Everything
// else that RFC 8259 forbids is an error with its place. Nodes are 24 bytes on one tape in document order: an object is its
// node, then key, value, key, value; `next` of a node is the first node after its subtree. Strings are views into the text;
// those with escapes live in an arena. The text must outlive the document; values are cheap handles, valid as long as it.
// Duplicate keys are kept, all of them: who reads decides. No recursion: depth is bounded by an option, not by the stack.
// Not thread-safe while parsing; reading is.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace plumbline::formats::json {

enum class Kind : std::uint8_t { null, boolean, integer, unsigned_integer, real, string, array, object };

enum NodeFlag : std::uint8_t {
  kNotFinite = 1,      // NaN, Infinity, or a number beyond double's range
  kBeyondInteger = 2,  // an integer literal that 64 bits cannot hold: `real` is its nearest double
  kInvalidUtf8 = 4,    // bytes or a lone surrogate that are not UTF-8; kept as they stand
};

struct Node {
  union {
    std::int64_t i;
    std::uint64_t u;
    double d;
    const char* s;
    std::uint64_t count;  // members of an object, elements of an array (see ParseOptions::unneeded)
  };
  std::uint32_t next;    // node after this subtree
  std::uint32_t length;  // bytes: of a string's content, of a number's text
  std::uint32_t offset;  // where it stands in the text
  Kind kind;
  std::uint8_t flags;
};
static_assert(sizeof(Node) <= 24);

// Whether two short texts are the same, as keys mostly are that are compared at all: without a call.
[[nodiscard]] inline bool same_text(std::string_view a, std::string_view b) {
  const std::size_t size = a.size();
  if (size != b.size()) return false;
  const char* const x = a.data();
  const char* const y = b.data();
  if (size >= 8 && size <= 16) {
    std::uint64_t words[4];
    std::memcpy(&words[0], x, 8);
    std::memcpy(&words[1], y, 8);
    std::memcpy(&words[2], x + size - 8, 8);
    std::memcpy(&words[3], y + size - 8, 8);
    return ((words[0] ^ words[1]) | (words[2] ^ words[3])) == 0;
  }
  if (size >= 4 && size < 8) {
    std::uint32_t words[4];
    std::memcpy(&words[0], x, 4);
    std::memcpy(&words[1], y, 4);
    std::memcpy(&words[2], x + size - 4, 4);
    std::memcpy(&words[3], y + size - 4, 4);
    return ((words[0] ^ words[1]) | (words[2] ^ words[3])) == 0;
  }
  return a == b;
}

struct Place {
  std::size_t line = 1, column = 1;  // from 1; the column counts bytes
};
[[nodiscard]] Place place_of(std::string_view text, std::size_t offset);

// Each leniency used, how often, and where first (offset into the text).
struct Note {
  std::uint64_t count = 0;
  std::size_t first = 0;
};
struct Notes {
  bool byte_order_mark = false;
  bool lines = false;  // several values one after another
  Note trailing_commas, non_finite_literals, control_characters, invalid_utf8, lone_surrogates;
};

struct ParseOptions {
  std::uint32_t max_depth = 512;
  std::function<bool()> stop;  // asked about once a mebibyte
  // Says of a member's key that an array under it will not be looked at. Such an array may keep its size() and have no elements;
  // it is checked like the rest of the text.
  bool (*unneeded)(std::string_view key) = nullptr;
  // From so many bytes on the structure is looked up first. The tree is the same either way.
  std::size_t index_from = std::size_t{32} * 1024;
  // From so many bytes on a flat object is read by two threads. The tree is the same either way.
  std::size_t halves_from = std::size_t{8} * 1024 * 1024;
};

class Document;

// A handle to one node; false when there is none (find() of a key that is not there).
class Value {
 public:
  Value() = default;
  Value(const Document* document, std::uint32_t index) : document_(document), index_(index) {}
  explicit operator bool() const { return document_ != nullptr; }
  [[nodiscard]] inline const Node& node() const;
  [[nodiscard]] std::uint32_t index() const { return index_; }

  [[nodiscard]] Kind kind() const { return node().kind; }
  [[nodiscard]] bool is(Kind kind) const { return document_ != nullptr && node().kind == kind; }
  [[nodiscard]] bool is_object() const { return is(Kind::object); }
  [[nodiscard]] bool is_array() const { return is(Kind::array); }
  [[nodiscard]] bool is_string() const { return is(Kind::string); }
  [[nodiscard]] bool is_container() const { return document_ != nullptr && node().kind >= Kind::array; }
  [[nodiscard]] bool is_null() const { return is(Kind::null); }
  [[nodiscard]] bool is_boolean() const { return is(Kind::boolean); }
  [[nodiscard]] bool is_number() const {
    return document_ != nullptr && node().kind >= Kind::integer && node().kind <= Kind::real;
  }
  // The nearest double of a number (NaN and infinities as they are); 0 for anything else.
  [[nodiscard]] double number() const;
  [[nodiscard]] bool boolean() const { return is_boolean() && node().u != 0; }
  [[nodiscard]] std::string_view string() const {  // "" unless a string
    return is_string() ? std::string_view(node().s, node().length) : std::string_view();
  }
  // A number as it was written; a string's content; "null", "true", "false"; "" for containers.
  [[nodiscard]] std::string_view text() const;
  [[nodiscard]] std::uint64_t size() const { return is_container() ? node().count : 0; }
  [[nodiscard]] inline Place place() const;
  // What stands behind this value will be asked for soon: nodes of large subtrees are not near each other.
  inline void prefetch_next() const;

  // The first member of that name, in document order. Linear: meant for a reader's handful of fields.
  [[nodiscard]] Value find(std::string_view key) const;
  // find() along "a.b.c"; keys holding dots cannot be reached this way.
  [[nodiscard]] Value at_path(std::string_view path) const;
  [[nodiscard]] std::optional<double> find_number(std::string_view key) const;  // a finite number or a numeric string
  [[nodiscard]] std::string_view find_string(std::string_view key) const { return find(key).string(); }

  struct Member;
  class Members;
  class Elements;
  [[nodiscard]] inline Members members() const;    // of an object; empty for anything else
  [[nodiscard]] inline Elements elements() const;  // of an array; empty for anything else

 private:
  const Document* document_ = nullptr;
  std::uint32_t index_ = 0;
};

class Document {
 public:
  Document(Document&&) noexcept = default;
  Document& operator=(Document&&) noexcept = default;

  // The one value; for several (JSON lines) an array that holds them.
  [[nodiscard]] Value root() const { return {this, notes_.lines ? 0U : 1U}; }
  [[nodiscard]] const Notes& notes() const { return notes_; }
  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] const Node& node(std::uint32_t index) const { return nodes_.get()[index]; }
  [[nodiscard]] std::uint32_t node_count() const { return node_count_; }
  // Nodes before this one (the root apart) will not be looked at again: their memory goes back to the system, so that rows can
  // take its place. Asked now and then while a large document is read from front to back.
  void forget_before(std::uint32_t index);
  // Members of all objects together: what a reader that makes rows of them has to expect.
  [[nodiscard]] std::uint32_t member_count() const { return member_count_; }

 private:
  friend class Parser;
  Document() = default;
  struct Free {
    void operator()(Node* nodes) const { std::free(nodes); }
  };
  std::string_view text_;
  std::unique_ptr<Node, Free> nodes_;                                // malloc: realloc moves pages, not bytes
  std::uint32_t node_count_ = 0, member_count_ = 0, forgotten_ = 2;  // 0 and 1 hold the root
  std::vector<std::unique_ptr<char[]>> arena_;
  Notes notes_;
};

// `name` is what messages call the text ("results.json:3:14").
[[nodiscard]] core::Expected<Document> parse(std::string_view text, std::string_view name, const ParseOptions& options = {});
// The same tree of a text that is one object of numbers, words and texts, and strictly right; nothing for any other, which a look
// at the structure mostly tells. Not worth it for small ones.
[[nodiscard]] std::optional<Document> parse_flat(std::string_view text, const ParseOptions& options = {});

struct Value::Member {
  std::string_view key;
  bool key_is_valid_utf8 = true;
  Value value;
};

class Value::Members {
 public:
  class Iterator {
   public:
    using value_type = Member;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    Iterator(const Document* document, std::uint32_t index) : document_(document), index_(index) {}
    Member operator*() const {
      const Node& key = document_->node(index_);
      return {{key.s, key.length}, (key.flags & kInvalidUtf8) == 0, Value(document_, index_ + 1)};
    }
    Iterator& operator++() {
      index_ = document_->node(index_ + 1).next;
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.index_ == b.index_; }

   private:
    const Document* document_ = nullptr;
    std::uint32_t index_ = 0;
  };
  Members(const Document* document, std::uint32_t begin, std::uint32_t end) : document_(document), begin_(begin), end_(end) {}
  [[nodiscard]] Iterator begin() const { return {document_, begin_}; }
  [[nodiscard]] Iterator end() const { return {document_, end_}; }

 private:
  const Document* document_;
  std::uint32_t begin_, end_;
};

class Value::Elements {
 public:
  class Iterator {
   public:
    using value_type = Value;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    Iterator(const Document* document, std::uint32_t index) : document_(document), index_(index) {}
    Value operator*() const { return {document_, index_}; }
    Iterator& operator++() {
      index_ = document_->node(index_).next;
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.index_ == b.index_; }

   private:
    const Document* document_ = nullptr;
    std::uint32_t index_ = 0;
  };
  Elements(const Document* document, std::uint32_t begin, std::uint32_t end) : document_(document), begin_(begin), end_(end) {}
  [[nodiscard]] Iterator begin() const { return {document_, begin_}; }
  [[nodiscard]] Iterator end() const { return {document_, end_}; }

 private:
  const Document* document_;
  std::uint32_t begin_, end_;
};

inline const Node& Value::node() const {
  return document_->node(index_);  // NOLINT(clang-analyzer-core.CallAndMessage): only asked of a value that is there
}
inline void Value::prefetch_next() const {
  constexpr std::uint32_t kLine = 64 / sizeof(Node);
  const std::uint32_t next = node().next;
  if (next + 4 * kLine >= document_->node_count()) return;
  for (std::uint32_t line = 0; line < 4; ++line) __builtin_prefetch(&document_->node(next + line * kLine));
}
inline Place Value::place() const { return place_of(document_->text(), node().offset); }
inline Value::Members Value::members() const {
  if (!is_object()) return {nullptr, 0, 0};
  return {document_, index_ + 1, node().next};
}
inline Value::Elements Value::elements() const {
  if (!is_array()) return {nullptr, 0, 0};
  return {document_, index_ + 1, node().next};
}

}  // namespace plumbline::formats::json
