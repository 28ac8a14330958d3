// What every profile of stacks boils down to: each function's own cost and the cost of the stacks it is in. A function that calls
// itself counts once per stack in its total. Names are interned twice: as they are written (the hot path: one hash and one
// compare per frame) and as canonical_frame() has them (once per distinct spelling). One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profiles/profile.hpp"

namespace plumbline::profiles {

class FrameNames {
 public:
  // Beyond these a new name counts as kOther.
  static constexpr std::size_t kMostNames = 2'000'000;
  static constexpr std::size_t kMostBytes = std::size_t{192} << 20;
  static constexpr std::string_view kOther = "[further functions]";

  explicit FrameNames(std::size_t most_names = kMostNames);
  // The function's id, dense from 0; "" is kUnknownFrame.
  std::uint32_t id(std::string_view written);
  [[nodiscard]] const std::string& text(std::uint32_t id) const { return *texts_[id]; }
  [[nodiscard]] std::size_t size() const { return texts_.size(); }
  [[nodiscard]] std::uint64_t refused() const { return refused_; }  // frames that count as kOther

 private:
  struct Slot {
    std::uint64_t hash = 0;  // 0: free
    const char* text = nullptr;
    std::uint32_t length = 0, function = 0;
  };
  std::uint32_t insert(std::string_view written, std::uint64_t hash);
  std::uint32_t function(std::string name);
  void grow();

  std::size_t most_names_;
  std::vector<Slot> slots_;
  std::size_t used_ = 0, bytes_ = 0;
  std::vector<std::unique_ptr<char[]>> arenas_;
  std::size_t arena_at_ = 0, arena_room_ = 0;
  std::unordered_map<std::string, std::uint32_t> functions_;
  std::vector<const std::string*> texts_;  // into functions_, whose nodes do not move
  std::uint64_t refused_ = 0;
};

class StackSums {
 public:
  // `frames` in any order, none missing; `leaf` is one of them. `cost` is not negative.
  void add(std::span<const std::uint32_t> frames, std::uint32_t leaf, std::int64_t cost) {
    ++stacks_;
    if (__builtin_add_overflow(sum_, cost, &sum_)) {
      overflown_ = true;
      return;
    }
    for (const std::uint32_t frame : frames) {
      Sums& one = room_for(frame);
      if (one.stack == stacks_) continue;
      one.stack = stacks_;
      one.total += cost;
    }
    each_[leaf].self += cost;
  }
  // The same in parts, for whoever follows calls (call_walk.hpp). False when all costs no longer fit: nothing was added.
  bool add_self(std::uint32_t frame, std::int64_t cost) {
    ++stacks_;
    std::int64_t sum = 0;
    if (__builtin_add_overflow(sum_, cost, &sum)) {
      overflown_ = true;
      return false;
    }
    sum_ = sum;
    room_for(frame).self += cost;
    return true;
  }
  void add_total(std::uint32_t frame, std::int64_t cost) { room_for(frame).total += cost; }
  [[nodiscard]] std::int64_t sum() const { return sum_; }
  [[nodiscard]] std::uint64_t stacks() const { return stacks_; }
  [[nodiscard]] bool overflown() const { return overflown_; }  // costs add up to more than an int64 holds
  // Functions by own cost, then by total, then by name; those that cost nothing are left out.
  [[nodiscard]] std::vector<Frame> frames(const FrameNames& names) const;

 private:
  struct Sums {
    std::int64_t self = 0, total = 0;
    std::uint64_t stack = 0;  // the last that counted
  };
  Sums& room_for(std::uint32_t frame) {
    if (frame >= each_.size()) each_.resize(frame + std::size_t{1});
    return each_[frame];
  }
  std::vector<Sums> each_;
  std::int64_t sum_ = 0;
  std::uint64_t stacks_ = 0;
  bool overflown_ = false;
};

// The frames into the profile; errors: no cost at all ("a capture bug until proven otherwise"), costs beyond an int64.
[[nodiscard]] core::Expected<Profile> stack_profile(const FrameNames& names, const StackSums& sums, std::string format,
                                                    std::string unit, const std::string& name);

}  // namespace plumbline::profiles
