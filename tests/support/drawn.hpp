// What properties of the arithmetic are drawn from: values as measurements have them, trials, and whole rows. All values are
// multiples of 1/64 below 2^20, so that sums and differences of them are exact and a property need not forgive rounding.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>  // uses GoogleTest and does not include it

#include <string>
#include <vector>

#include "tests/support/measurements.hpp"

namespace plumbline::testing {

inline rc::Gen<double> value() {
  return rc::gen::map(rc::gen::inRange(1, 64 << 20), [](int count) { return count / 64.0; });
}

inline rc::Gen<std::vector<double>> trials(std::size_t fewest, std::size_t most) {
  return rc::gen::mapcat(rc::gen::inRange(fewest, most + 1),
                         [](std::size_t n) { return rc::gen::container<std::vector<double>>(n, value()); });
}

// Trials of one truth: each within a few percent of a common level.
inline rc::Gen<std::vector<double>> quiet_trials(std::size_t n) {
  return rc::gen::mapcat(rc::gen::inRange(64, 1 << 16), [n](int level) {
    return rc::gen::container<std::vector<double>>(
        n, rc::gen::map(rc::gen::inRange(-40, 41), [level](int off) { return level * (1000 + off) / 1000.0; }));
  });
}

inline rc::Gen<core::Direction> known_direction() {
  return rc::gen::element(core::Direction::lower, core::Direction::higher, core::Direction::two_sided);
}

}  // namespace plumbline::testing
