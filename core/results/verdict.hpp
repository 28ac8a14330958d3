#pragma once

#include <cstdint>
#include <string_view>

namespace plumbline::core {

enum class Verdict : std::uint8_t { green, yellow, red };
[[nodiscard]] std::string_view to_string(Verdict verdict);  // "GREEN" "YELLOW" "RED"

}  // namespace plumbline::core
