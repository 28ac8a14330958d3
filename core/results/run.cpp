#include "core/results/run.hpp"

#include <array>

namespace plumbline::core {

std::string_view to_string(RunStop stop) {
  static constexpr std::array<std::string_view, 7> kNames = {"planned", "decided", "undecidable", "max_runs",
                                                             "budget",  "asked",   "no_doubt"};
  return kNames[static_cast<std::size_t>(stop)];
}

}  // namespace plumbline::core
