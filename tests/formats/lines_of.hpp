// Of the listing of a text only the lines that a test is about.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

#include "tests/formats/listing.hpp"

namespace plumbline::formats {

// Those that hold one of the parts, in the order of the listing.
inline std::string lines_of(std::string_view text, std::initializer_list<std::string_view> parts) {
  const std::string all = listing_of(std::string(text));
  std::string out;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find('\n', at), all.size());
    const std::string_view line = std::string_view(all).substr(at, end - at);
    for (const std::string_view part : parts) {
      if (line.find(part) == std::string_view::npos) continue;
      out += std::string(line) + "\n";
      break;
    }
    at = end + 1;
  }
  return out;
}

}  // namespace plumbline::formats
