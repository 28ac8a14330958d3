// What two readers need of XML whose elements they know: the text of an element, and text without entities. Private to formats/.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "core/text.hpp"

namespace plumbline::formats {

// "a &amp; b" as "a & b": the five entities that XML has by itself.
[[nodiscard]] inline std::string without_entities(std::string_view text) {
  static constexpr std::pair<std::string_view, char> kEntities[] = {
      {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}, {"&amp;", '&'}};
  std::string made;
  while (!text.empty()) {
    const auto* const entity =
        std::find_if(std::begin(kEntities), std::end(kEntities), [&](const auto& one) { return text.starts_with(one.first); });
    made.push_back(entity == std::end(kEntities) ? text.front() : entity->second);
    text.remove_prefix(entity == std::end(kEntities) ? 1 : entity->first.size());
  }
  return made;
}

// Of the first element "<name>…</name>" what is within it; elements of that name do not nest. Empty where there is none.
[[nodiscard]] inline std::string_view within_element(std::string_view text, std::string_view name) {
  const std::string open = "<" + std::string(name) + ">", close = "</" + std::string(name) + ">";
  const std::size_t begin = text.find(open);
  if (begin == std::string_view::npos) return {};
  const std::string_view rest = text.substr(begin + open.size());
  return rest.substr(0, std::min(rest.find(close), rest.size()));
}
[[nodiscard]] inline std::string text_of_element(std::string_view text, std::string_view name) {
  return without_entities(core::trim(within_element(text, name)));
}

// Calls `each(content)` for every element of the name.
template <class Each>
void for_each_element(std::string_view text, std::string_view name, Each each) {
  const std::string open = "<" + std::string(name) + ">";
  for (std::size_t at = text.find(open); at != std::string_view::npos; at = text.find(open, at + open.size())) {
    each(within_element(text.substr(at), name));
  }
}

}  // namespace plumbline::formats
