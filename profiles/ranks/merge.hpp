// Profiles of the ranks of one job -> one Profile of the side. Takes the ranks one after another and lets each go.
//
// Exact: counts, totals, minima and maxima by name, sums of ranges, launches and collectives. Medians and standard deviations as
// rows.hpp says (warning merged_medians). Devices stay apart: a rank with one device gives it
// the rank's number, one with several rank * kDevicesPerRank + device; the name says both. Clocks of ranks are not compared: the
// span is the longest rank's, and a step is that of the rank that took longest for it. Waiting: waiting.hpp.
#pragma once

#include <memory>

#include "profiles/profile.hpp"
#include "profiles/ranks/job.hpp"
#include "profiles/ranks/rows.hpp"

namespace plumbline::profiles {

inline constexpr std::int64_t kDevicesPerRank = 1000;

class RankMerge {
 public:
  // The number in the merged profile of a rank's device.
  [[nodiscard]] static std::int64_t device_number(std::int64_t rank, std::int64_t device, bool several) {
    return several ? rank * kDevicesPerRank + device % kDevicesPerRank : rank;
  }

  // Keep::all for a Job that is to be merged further; Profiles read with ReadOptions::digest.
  explicit RankMerge(Keep keep = Keep::bounded);
  ~RankMerge();
  RankMerge(RankMerge&&) noexcept;
  RankMerge& operator=(RankMerge&&) noexcept;

  // `rank` not negative, each once. Read with collective_instances, else nothing is known about waiting.
  // `several`: the rank has further devices that the profile was read without.
  void add(Profile&& profile, std::int64_t rank, bool several = false);
  void add(Job&& job);
  void add(std::vector<core::RankFailure>&& failed);
  // Once, after at least one rank. Error: the ranks' times add up to more than 73 years.
  [[nodiscard]] core::Expected<Job> take(const std::string& path);
  // The same as a Profile.
  [[nodiscard]] core::Expected<Profile> finish(const std::string& path);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The job as a comparison takes it.
[[nodiscard]] Profile profile_of(Job&& job);

}  // namespace plumbline::profiles
