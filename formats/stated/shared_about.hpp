// What a tool's text and its JSON have in common is said once.
#pragma once

#include <string_view>

#include "formats/format.hpp"

namespace plumbline::formats::stated {

// `shared` with what is of one of the files alone.
[[nodiscard]] constexpr About about_file(const About& shared, std::string_view file, std::string_view produce,
                                         std::string_view recognised) {
  About made = shared;
  made.file = file;
  made.produce = produce;
  made.recognised = recognised;
  return made;
}

}  // namespace plumbline::formats::stated
