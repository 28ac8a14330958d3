#include "profiles/diff/words.hpp"

#include <array>
#include <cmath>
#include <utility>

#include "core/citing.hpp"
#include "core/text.hpp"

namespace plumbline::profiles {

std::string short_name(std::string name) {
  for (const std::string_view noise : {"<unnamed>::", "(anonymous namespace)::"}) {
    for (std::size_t at; (at = name.find(noise)) != std::string::npos;) name.erase(at, noise.size());
  }
  if (name.starts_with("void ")) name.erase(0, 5);
  const std::size_t cut = name.find_first_of("<(");
  if (cut != std::string::npos && cut > 0) name.erase(cut);
  return core::cited(name, 80);
}

std::string time_text(double nanoseconds) {
  constexpr std::array<std::pair<double, std::string_view>, 3> kUnits = {{{1e9, " s"}, {1e6, " ms"}, {1e3, " us"}}};
  for (const auto& [factor, unit] : kUnits) {
    if (std::abs(nanoseconds) >= factor) return core::short_number(nanoseconds / factor, 4) + std::string(unit);
  }
  return core::short_number(nanoseconds, 4) + " ns";
}

}  // namespace plumbline::profiles
