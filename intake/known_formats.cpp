#include "intake/known_formats.hpp"

#include "systems/table.hpp"

namespace plumbline::intake {

std::span<const formats::Format* const> known_formats() {
  static const std::vector<const formats::Format*> kKnown = formats::joined(formats::table(), systems::readers());
  return kKnown;
}

}  // namespace plumbline::intake
