// Every format as the program tells them apart: the tools' and those of other systems.
#pragma once

#include <span>
#include <vector>

#include "formats/format.hpp"
#include "systems/table.hpp"

namespace plumbline::testing {

inline std::span<const formats::Format* const> known_formats() {
  static const std::vector<const formats::Format*> kKnown = formats::joined(formats::table(), systems::readers());
  return kKnown;
}

inline formats::ReadOptions reading_all() {
  formats::ReadOptions options;
  options.formats = known_formats();
  options.retell = &systems::retell;
  return options;
}

}  // namespace plumbline::testing
