#include "verbs/resolving/known_formats.hpp"

#include "systems/table.hpp"

namespace plumbline::verbs {

std::span<const formats::Format* const> known_formats() {
  static const std::vector<const formats::Format*> kKnown = formats::joined(formats::table(), systems::readers());
  return kKnown;
}

}  // namespace plumbline::verbs
