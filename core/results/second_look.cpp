#include "core/results/second_look.hpp"

#include <algorithm>
#include <array>

namespace plumbline::core {

std::string_view to_string(SecondAnswer answer) {
  static constexpr std::array<std::string_view, 4> kNames = {"confirmed", "undecided", "gone", "not_confirmed"};
  return kNames[static_cast<std::size_t>(answer)];
}

std::uint64_t SecondAnswers::count(SecondAnswer answer) const {
  return static_cast<std::uint64_t>(std::count(rows.begin(), rows.end(), answer));
}

}  // namespace plumbline::core
