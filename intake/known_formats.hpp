// Every format that is told apart: the tools' (formats/) and those of other systems (systems/).
#pragma once

#include <span>

#include "formats/format.hpp"

namespace plumbline::intake {

[[nodiscard]] std::span<const formats::Format* const> known_formats();

}  // namespace plumbline::intake
