// The parser behind json::parse(): parser.cpp walks the structure and words the errors, number.cpp reads numbers and the
// words that stand for values, string.cpp reads strings. Private to formats/json/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "formats/json/document.hpp"

namespace plumbline::formats::json {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'; }
// Whether the text at p starts with `lower`, letters of either case taken as the same.
inline bool matches_no_case(const char* p, const char* end, std::string_view lower) {
  if (static_cast<std::size_t>(end - p) < lower.size()) return false;
  for (std::size_t i = 0; i < lower.size(); ++i) {
    if ((p[i] | 0x20) != lower[i]) return false;
  }
  return true;
}

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
  core::Error error_;
};

}  // namespace plumbline::formats::json
