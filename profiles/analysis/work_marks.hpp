// What a capture's ranges say of how much work its steps do (names/work_marks.hpp), over all of them: the mean step.
#pragma once

#include "profiles/capture.hpp"
#include "profiles/profile.hpp"

namespace plumbline::profiles {

// Of ranges that people or engines mark, operators and functions aside. A capture of which nine tenths of the marked steps are of
// one phase is of that phase, else mixed. Nothing where no range says anything.
[[nodiscard]] std::optional<MarkedWork> marked_work(const Capture& capture);

// Adds another rank's.
void add_marked_work(std::optional<MarkedWork>& into, const std::optional<MarkedWork>& from);

}  // namespace plumbline::profiles
