// --measured-at and --commit: what was measured before it is recorded, and of which commit.
#pragma once

#include <chrono>

#include "verbs/verb.hpp"

namespace plumbline::verbs {

struct GivenProvenance {
  std::string measured_at_utc, commit;  // "" where not given
};
// Usage errors for what is no time, a time that has not come yet, and what is no commit.
[[nodiscard]] Expected<GivenProvenance> given_provenance(const Arguments& arguments, std::chrono::system_clock::time_point now);

// 7 to 64 hexadecimal digits.
[[nodiscard]] bool is_commit(std::string_view text);
// With microseconds where it has a fraction: two points of one second stay in order.
[[nodiscard]] std::string measured_text(std::chrono::system_clock::time_point time);

}  // namespace plumbline::verbs
