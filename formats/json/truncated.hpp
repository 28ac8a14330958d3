// A JSON text whose writer stopped in the middle, closed so that what is complete in it can be read. Only for formats whose tools
// write while they run: anywhere else a file that ends early is an error.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace plumbline::formats::json {

struct Closed {
  std::string text;     // up to the last whole value, with the brackets that are missing
  std::size_t cut = 0;  // where the whole values end, as an offset into the text given
};
// `depth`: values that lie deeper than so many brackets are whole only together with what holds them (2: the elements of a list
// in the root object). Nothing when the text is not open at its end, or nothing in it is whole.
[[nodiscard]] std::optional<Closed> close_truncated(std::string_view text, std::size_t depth);

}  // namespace plumbline::formats::json
