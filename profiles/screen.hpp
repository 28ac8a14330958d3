// What must not come out again of a capture: secrets that stand in its texts (core/privacy.hpp). All captures pass here, so no
// reader needs rules of its own: the names of events before anything is made of them (a range's name loses its numbers, and a
// token without them might not be told), and every text of the finished Profile. What is left out is counted in the warning
// secret_in_source. Names that differed in nothing but a secret stay apart by a number (" #2"), so that all sums stay. Cost: one
// look at each distinct name.
#pragma once

#include "core/error.hpp"
#include "profiles/capture.hpp"
#include "profiles/profile.hpp"

namespace plumbline::profiles {

void screen(Capture& capture);
void screen(Profile& profile);
[[nodiscard]] core::Error screened(core::Error error);

}  // namespace plumbline::profiles
