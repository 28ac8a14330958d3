// How much of the time of collectives was waiting for another rank, and for which.
//
// The instances of one collective are found by type, process group and sequence number; where a kind has no numbers by their
// order, if every rank saw as many of the kind and its group is not known to be smaller than the job. The rank that arrives last
// waits for nobody, so the shortest of the ranks' times is what the transfer took: transfer_ns is the shortest once per rank,
// wait_ns what the ranks took longer. The two sum to the time of those instances that were found on two ranks or more.
// slowest_rank is the rank that was last most often; where two were equally often, none. Sends and receives, and communication of
// unknown kind, are not matched: a capture does not say which of them belong together.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "profiles/profile.hpp"

namespace plumbline::profiles {

class Waiting {
 public:
  // One rank's instances; `kinds` gives for each of its collectives the index in the merged list.
  void add(const Profile& profile, std::span<const std::uint32_t> kinds, std::int64_t rank);
  // Into the merged list.
  void finish(std::vector<CollectiveGroup>& groups);
  [[nodiscard]] bool by_order() const { return by_order_; }  // after finish: some were matched by order alone

 private:
  struct Part {  // of the ranks: those that call it one kind
    std::uint32_t kind = 0, ranks = 0;
    std::int64_t time = 0;
  };
  struct Meeting {  // of the ranks in one collective
    std::int64_t shortest = 0;
    std::uint32_t last_rank = 0, ranks = 0;
    bool tie = false;  // another rank was as short
    Part part;         // ranks that move unlike amounts (all_to_all) call it different kinds: the others' parts stand aside
  };
  struct Numbered {
    std::uint32_t stream = 0;  // type and group
    std::int64_t sequence = 0;
    std::uint32_t occurrence = 0;  // of this number on one rank
    bool operator==(const Numbered&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Numbered& key) const {
      std::uint64_t sum = (std::uint64_t{key.stream} << 32U) ^ key.occurrence;
      sum = (sum ^ static_cast<std::uint64_t>(key.sequence)) * 0x9E3779B97F4A7C15U;
      return static_cast<std::size_t>(sum ^ (sum >> 31U));
    }
  };
  struct InOrder {  // instances of a kind without numbers
    std::vector<Meeting> meetings;
    std::size_t instances = 0;  // that the first rank saw
    std::uint32_t ranks = 0;
    bool even = true;  // every rank saw as many
  };

  void meet(const CollectiveInstance& instance, std::uint32_t stream, std::uint32_t kind, std::uint32_t rank,
            std::unordered_map<Numbered, std::uint32_t, Hash>& seen);
  static void arrive(Meeting& meeting, std::uint32_t rank, std::int64_t time);

  std::vector<std::int64_t> ranks_;  // in the order of add; others refer to them by index
  std::map<std::pair<std::string, std::string>, std::uint32_t> streams_;
  std::unordered_map<Numbered, std::uint32_t, Hash> places_;
  std::vector<Meeting> meetings_;
  std::unordered_map<std::uint32_t, std::vector<Part>> others_;  // by meeting
  std::map<std::uint32_t, InOrder> in_order_;                    // by kind
  bool by_order_ = false;
};

}  // namespace plumbline::profiles
