// What the ranks of a job add up to, before it is told as one Profile: all that a merge with further ranks needs. Two jobs of
// different ranks merge into the same one whatever the order and the brackets (merge.hpp), and a digest of ranks is one of these
// written down (digest/digest.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/profile.hpp"
#include "profiles/ranks/waiting.hpp"

namespace plumbline::profiles {

// How many ranks a capture says its job has. Of a job's ranks the largest that any says is kept in the context, also where they
// disagree, so that who is missing can be told.
inline constexpr std::string_view kWorldSize = "environment.world_size";
inline constexpr std::int64_t kMaxWorld = 1 << 24;  // who says more is not believed

struct Said {  // a warning of one rank or several
  core::WarningCode code;
  std::string message;
  std::int64_t place = 0;  // among the warnings of the lowest rank that says it
  std::vector<std::int64_t> ranks = {};
};

struct Job {
  // info.ranks says which; nothing of what is made of the rest (bandwidths, waiting). Warnings are of the folder that they lie
  // in, sorted. Devices have their numbers and names in the job. A step is that of the rank that took longest for it.
  Profile sum;
  std::vector<Said> said;                     // by lowest rank, then by place
  std::vector<std::string> disagreeing;       // context keys that the ranks do not say the same of, sorted
  std::map<std::string, std::uint64_t> gpus;  // ranks by the text of hardware.gpu
  std::uint64_t gpu_count = 0;                // sum of hardware.gpu_count
  bool steps_correspond = true;               // all ranks have as many, found the same way; else sum has none
  Steps slowest;                              // of the rank with the longest median step, for where they do not
  std::int64_t slowest_rank = 0;
  Meetings meetings;
  std::vector<core::RankFailure> failed;  // ranks whose captures could not be read: by rank, then by file
};

}  // namespace plumbline::profiles
