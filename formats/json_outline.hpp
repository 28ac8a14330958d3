// Which keys stand where in a JSON text, for detection: a key that says something of a tool's file says it at its place and
// nowhere else ("mean" under "results" is hyperfine's, "mean" anywhere is everybody's). Made in one pass without building a
// document, over the first few megabytes or thousands of keys, leniently: comments, trailing commas and a text that breaks off
// are no matter here.
// A path is written "results/command"; arrays on the way are passed through, so records, and the lines of JSON lines, are
// looked at together; "*" is any one key. Private to formats/. Does not look into the text after it is made.
#pragma once

#include <array>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/string_pool.hpp"
#include "formats/format.hpp"

namespace plumbline::formats {

class JsonOutline {
 public:
  explicit JsonOutline(std::string_view text);
  JsonOutline(const JsonOutline&) = delete;
  JsonOutline& operator=(const JsonOutline&) = delete;
  JsonOutline(JsonOutline&&) = default;
  JsonOutline& operator=(JsonOutline&&) = default;
  ~JsonOutline() = default;

  // '{' or '['; 0 where the text is not JSON.
  [[nodiscard]] char root() const { return root_; }
  // Values one after another, as far as was looked.
  [[nodiscard]] std::size_t values() const { return values_; }
  [[nodiscard]] bool has(std::string_view path) const;

 private:
  static constexpr std::size_t kDeepest = 8;
  [[nodiscard]] bool add(std::string_view path);

  char root_ = 0;
  std::size_t values_ = 0;
  // Keys joined by line feeds, which no key has raw.
  std::unique_ptr<core::StringPool> paths_ = std::make_unique<core::StringPool>();
  std::array<std::vector<core::Id>, kDeepest> by_depth_;  // the same, for paths with any key in them
};

// The outline of the input's text, which starts with its JSON: the one that was made for all formats, else one made in `own`.
[[nodiscard]] const JsonOutline& outline_of(const Input& input, std::vector<JsonOutline>& own);

// Whether all these paths are there; each becomes a line of evidence. The text is JSON from its beginning, or, for body_has_keys,
// from the first line that starts with a brace.
[[nodiscard]] bool has_keys(const JsonOutline& outline, std::span<const std::string_view> paths, Detection& detection);
[[nodiscard]] bool has_keys(const Input& input, std::span<const std::string_view> paths, Detection& detection);
[[nodiscard]] bool body_has_keys(const Input& input, std::span<const std::string_view> paths, Detection& detection);
[[nodiscard]] inline bool has_keys(const Input& input, std::initializer_list<std::string_view> paths, Detection& detection) {
  return has_keys(input, std::span(paths.begin(), paths.size()), detection);
}
[[nodiscard]] inline bool body_has_keys(const Input& input, std::initializer_list<std::string_view> paths, Detection& detection) {
  return body_has_keys(input, std::span(paths.begin(), paths.size()), detection);
}

}  // namespace plumbline::formats
