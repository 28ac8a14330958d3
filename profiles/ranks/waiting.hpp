// How much of the time of collectives was waiting for another rank, and for which.
//
// The instances of one collective are found by type, process group and sequence number; where a kind has no numbers by their
// order, if every rank saw as many of the kind and its group is not known to be smaller than the job. The rank that arrives last
// waits for nobody, so the shortest of the ranks' times is what the transfer took: transfer_ns is the shortest once per rank,
// wait_ns what the ranks took longer. The two sum to the time of those instances that were found on two ranks or more.
// slowest_rank is the rank that was last most often; where two were equally often, none. Sends and receives, and communication of
// unknown kind, are not matched: a capture does not say which of them belong together.
//
// Where there are more instances than are kept one by one, one in 2^level is, told by its number: every rank keeps the same ones
// without knowing of the others, and of two levels the higher holds. Of a job, whose groups each have collectives of their own,
// at most kMostMeetings are kept. Single ranks' arrivals have a level of their own, so that of all of them together at most
// kMostArrivals are kept. Both are the lowest levels at which they are, whatever came first.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profiles/profile.hpp"

namespace plumbline::profiles {

// A rank in one collective: when it came out of it, on its own clock, and how long it had been by itself before (see
// CollectiveInstance).
struct Arrival {
  std::uint32_t rank = 0;
  std::int64_t end = 0, own = -1;
  bool operator==(const Arrival&) const = default;
};

// The ranks in one collective.
struct Meeting {
  struct Part {  // of the ranks: those that call it one kind
    std::uint32_t kind = 0, ranks = 0;
    std::int64_t time = 0;
  };
  std::uint32_t stream = 0;      // of those that have numbers: index into Meetings::streams
  std::int64_t sequence = -1;    // -1: found by its order among those of its kind
  std::uint32_t occurrence = 0;  // see CollectiveInstance
  std::int64_t shortest = 0;
  std::uint32_t last_rank = 0;  // that took the shortest; of several the lowest
  bool tie = false;             // another rank was as short
  Part part;
  std::vector<Part> others = {};  // ranks that move unlike amounts (all_to_all) call it different kinds
  // Of which step it is a part, as the rank says that counts the fewest before it; -1: of none.
  std::int64_t step = -1;
  std::vector<Arrival> arrivals = {};  // by rank; of those meetings alone that Meetings::arrivals_level keeps
};

// All of them, and what tells whether those without numbers can be matched. `kind` is an index into Profile::collectives.
struct Meetings {
  struct Stream {
    std::string type, group;
  };
  struct InOrder {  // instances of a kind without numbers
    std::uint32_t kind = 0, ranks = 0;
    std::uint64_t instances = 0;  // that each rank saw
    bool even = true;             // every rank saw as many
  };
  std::vector<Stream> streams;  // sorted
  std::vector<Meeting> list;    // those with numbers by stream, sequence, occurrence, then the others by kind and occurrence
  std::vector<InOrder> in_order;
  std::uint32_t level = 0, arrivals_level = 0;
};

inline constexpr std::size_t kMostMeetings = std::size_t{1} << 18;  // with the further kinds that ranks call them
inline constexpr std::size_t kMostArrivals = std::size_t{1} << 17;  // of all ranks together

// Whether the instance is one of those kept at this level.
[[nodiscard]] bool is_kept(const CollectiveInstance& instance, std::uint32_t level);

class Waiting {
 public:
  // One rank's instances; `kinds` gives for each of its collectives the index in the merged list.
  void add(const Profile& profile, std::span<const std::uint32_t> kinds, std::int64_t rank);
  void add(Meetings&& meetings, std::span<const std::uint32_t> kinds);
  // `places`: where each of the merged list goes.
  [[nodiscard]] Meetings take(std::span<const std::uint32_t> places);

 private:
  struct Key {
    std::uint32_t stream = 0;  // kByKind + kind for those without numbers
    std::int64_t sequence = 0;
    std::uint32_t occurrence = 0;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      std::uint64_t sum = (std::uint64_t{key.stream} << 32U) ^ key.occurrence;
      sum = (sum ^ static_cast<std::uint64_t>(key.sequence)) * 0x9E3779B97F4A7C15U;
      return static_cast<std::size_t>(sum ^ (sum >> 31U));
    }
  };
  static constexpr std::uint32_t kByKind = 0x80000000;

  [[nodiscard]] std::uint32_t stream_of(const std::string& type, const std::string& group);
  void keep_at(std::uint32_t level);
  void keep_arrivals_at(std::uint32_t level);
  void bound();
  void meet(Meeting&& more);
  void count(const Meetings::InOrder& more);

  std::map<std::pair<std::string, std::string>, std::uint32_t> streams_;
  std::unordered_map<Key, std::uint32_t, Hash> places_;
  std::vector<Meeting> meetings_;
  std::map<std::uint32_t, Meetings::InOrder> in_order_;  // by kind
  std::uint32_t level_ = 0, arrivals_level_ = 0;
  std::size_t others_ = 0, arrivals_ = 0;  // of all meetings
};

// Of which kinds the instances without numbers are matched by their order.
[[nodiscard]] std::vector<bool> matched_by_order(const Meetings& meetings, std::size_t ranks,
                                                 const std::vector<CollectiveGroup>& groups);

// Into the collectives of `ranks` ranks. True where some were matched by their order alone.
bool tell_waiting(const Meetings& meetings, std::size_t ranks, std::vector<CollectiveGroup>& groups);

}  // namespace plumbline::profiles
