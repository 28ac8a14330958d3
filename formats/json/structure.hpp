// Where the structure of a JSON text stands: brackets, braces, colons, commas, opening quotes and the first bytes of numbers and
// words, found by simdjson's first stage several gigabytes a second, strings and their escapes seen for what they are. Nothing is
// said of a text that the strict rules refuse (bytes that are not UTF-8, raw control characters in strings, a string without an
// end): that is for the lenient parser. Private to formats/json/.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace plumbline::formats::json {

class Structure {
 public:
  Structure();
  Structure(const Structure&) = delete;
  Structure& operator=(const Structure&) = delete;
  ~Structure();

  // False where there is none to be had. The text needs no padding behind it.
  [[nodiscard]] bool find(std::string_view text);
  // Offsets in rising order; the last element is the text's length.
  [[nodiscard]] std::span<const std::uint32_t> offsets() const;

 private:
  struct Stage;
  std::unique_ptr<Stage> stage_;
};

// The double nearest to digits * 10^exponent, correctly rounded; digits at most 19 of them and not zero. False in the rare case
// that needs more than 128 bits to tell, and far from 1.
[[nodiscard]] bool nearest_double(std::uint64_t digits, int exponent, bool negative, double& value);

}  // namespace plumbline::formats::json
