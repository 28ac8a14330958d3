#include "systems/msmodeling/model.hpp"

#include <array>
#include <cstdio>

namespace plumbline::systems::msmodeling {

namespace {

std::string printed(const char* format, double value) {
  std::array<char, 400> text{};  // "%.3f" of the largest double has 313 characters
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

}  // namespace

// Multiplied before it is rounded, as that tool does: the product may round differently.
std::string milliseconds_text(double seconds) { return printed("%.3fms", seconds * 1000); }
std::string percent_text(double fraction) { return printed("%+.2f%%", fraction * 100); }

}  // namespace plumbline::systems::msmodeling
