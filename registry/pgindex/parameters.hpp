// Values on their way to PostgreSQL: always bound, never part of a statement. Its texts hold neither NUL nor what is not UTF-8;
// arrays are given in its text form.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::registry::pgindex {

// Valid UTF-8 without NUL: every byte that is neither becomes U+FFFD.
[[nodiscard]] std::string clean(std::string_view text);
[[nodiscard]] bool is_clean(std::string_view text);

// One array, element by element.
class Array {
 public:
  void add(std::string_view text);  // cleaned
  void add_number(std::int64_t number);
  void add_number(double number);  // finite, in the shortest text that reads back the same
  void add_bytes(std::string_view bytes);
  void add_null();
  [[nodiscard]] std::string take();

 private:
  void next();
  std::string text_ = "{";
  bool first_ = true;
};

// What a statement is given; nullopt is NULL.
using Parameters = std::vector<std::optional<std::string>>;

// "\x00ff" of the server's text form, and back; nullopt for what is no such text.
[[nodiscard]] std::string hex_bytes(std::string_view bytes);
[[nodiscard]] std::optional<std::string> bytes_of(std::string_view hex);

// A text as a pattern of LIKE that matches itself alone.
[[nodiscard]] std::string like_literal(std::string_view text);

}  // namespace plumbline::registry::pgindex
