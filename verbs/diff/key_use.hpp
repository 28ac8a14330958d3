// What became of the keys that flags name: a --direction, --tolerance or --headline whose KEY names rows, and none of them
// judged, would change nothing in silence. A key that names no row at all is an error of the call (check_keys); one that names
// rows without effect is a warning, for the same words may mean judged rows of another case or another day.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/comparison.hpp"
#include "core/tolerance.hpp"

namespace plumbline::verbs {

class KeyUse {
 public:
  explicit KeyUse(const std::vector<core::KeyRule>& rules);

  // Decided rows of one comparison; of a suite, of each of its cases: a KEY may name the case before a colon ("decode*:ttft_ms").
  void see(const core::Comparison& comparison, std::string_view case_id = {});
  // One warning of each key that named rows, and no judged one.
  [[nodiscard]] std::vector<core::Warning> warnings() const;

 private:
  struct Key {
    std::string flag, glob;
    bool judges = false;  // a direction, or the call to be a headline: as a whole key it makes a row of context judged
    bool direction = false;
    std::uint64_t context = 0, noise = 0, empty = 0, judged = 0;
    std::string first;  // of the rows that are not judged
  };
  std::vector<Key> keys_;
};

// Another system's policy has rules of its own: keys are told to change nothing under it. Empty where there are none.
[[nodiscard]] std::vector<core::Warning> keys_without_effect(const std::vector<core::KeyRule>& rules, std::string_view policy);

}  // namespace plumbline::verbs
