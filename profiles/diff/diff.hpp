// Two profiles -> what they show: rows, buckets, steps, findings. What is to be thought of it verdict/captures.hpp says.
#pragma once

#include "profiles/diff/frames.hpp"
#include "profiles/diff/wall.hpp"
#include "profiles/profile.hpp"

namespace plumbline::profiles {

struct CaptureEvidence {
  core::ProfileDiff diff;  // nothing in it is judged
  Wall wall;
  FramesComparison frames;
};
[[nodiscard]] CaptureEvidence diff(const Profile& baseline, const Profile& candidate, const DiffOptions& options);

}  // namespace plumbline::profiles
