// Few rules for many keys: globs that give each key the tolerance it needs, and no key another one. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace plumbline::core {

struct KeyTolerance {
  std::string key;
  double percent = 0;
};

struct CalibratedRule {
  std::string glob;    // "" = the whole measurement
  double percent = 0;  // the widest that its keys need
  std::uint64_t keys = 0;
};

// Keys of one metric (the last part of their names) whose tolerances lie within a factor of three share the widest of them: ten
// to twenty runs know no spread better than that. A glob is proposed only where it matches no key of another tolerance.
[[nodiscard]] std::vector<CalibratedRule> rules_for_keys(std::span<const KeyTolerance> keys);

}  // namespace plumbline::core
