#include "profiles/readers/host/stacks.hpp"

#include <algorithm>
#include <cstring>

#include "core/text.hpp"
#include "profiles/names/frames.hpp"

namespace plumbline::profiles {
namespace {

std::uint64_t load(const char* at, std::size_t count) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, count);
  return word;
}

// Eight bytes at a time, folded by a 128-bit product: names of functions are short, and there are many of them.
std::uint64_t hash_of(std::string_view text) {
  constexpr std::uint64_t kFirst = 0x9E3779B97F4A7C15U, kSecond = 0xD6E8FEB86659FD93U;
  const auto fold = [](std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
  };
  std::uint64_t hash = kFirst ^ text.size();
  const char* at = text.data();
  std::size_t left = text.size();
  for (; left > 8; at += 8, left -= 8) hash = fold(hash ^ load(at, 8), kSecond);
  hash = fold(hash ^ load(at, left), kSecond);
  return hash == 0 ? 1 : hash;
}

}  // namespace

FrameNames::FrameNames(std::size_t most_names) : most_names_(most_names), slots_(std::size_t{1} << 12U) {
  function(std::string(kUnknownFrame));
}

std::uint32_t FrameNames::id(std::string_view written) {
  if (written.empty()) return 0;  // kUnknownFrame
  const std::uint64_t hash = hash_of(written);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask; slots_[at].hash != 0; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.hash == hash && slot.length == written.size() && std::memcmp(slot.text, written.data(), written.size()) == 0)
      return slot.function;
  }
  return insert(written, hash);
}

std::uint32_t FrameNames::insert(std::string_view written, std::uint64_t hash) {
  if (used_ >= most_names_ || written.size() > kMostBytes - bytes_) {
    ++refused_;
    return function(std::string(kOther));
  }
  if (written.size() > arena_room_ - arena_at_ || arenas_.empty()) {
    constexpr std::size_t kArena = std::size_t{256} * 1024;
    arena_room_ = std::max(kArena, written.size());
    arenas_.push_back(std::make_unique_for_overwrite<char[]>(arena_room_));
    arena_at_ = 0;
  }
  char* text = arenas_.back().get() + arena_at_;
  std::memcpy(text, written.data(), written.size());
  arena_at_ += written.size();
  bytes_ += written.size();
  if (++used_ * 2 > slots_.size()) grow();
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at].hash != 0) at = (at + 1) & mask;
  slots_[at] = {hash, text, static_cast<std::uint32_t>(written.size()), function(canonical_frame(written))};
  return slots_[at].function;
}

void FrameNames::grow() {
  std::vector<Slot> larger(slots_.size() * 2);
  const std::size_t mask = larger.size() - 1;
  for (const Slot& slot : slots_) {
    if (slot.hash == 0) continue;
    std::size_t at = slot.hash & mask;
    while (larger[at].hash != 0) at = (at + 1) & mask;
    larger[at] = slot;
  }
  slots_ = std::move(larger);
}

std::uint32_t FrameNames::function(std::string name) {
  const auto [at, is_new] = functions_.try_emplace(std::move(name), static_cast<std::uint32_t>(texts_.size()));
  if (is_new) texts_.push_back(&at->first);
  return at->second;
}

std::vector<Frame> StackSums::frames(const FrameNames& names) const {
  std::vector<Frame> frames;
  for (std::uint32_t id = 0; id < each_.size(); ++id) {
    if (each_[id].total != 0) frames.push_back({names.text(id), each_[id].self, each_[id].total});
  }
  std::sort(frames.begin(), frames.end(), [](const Frame& a, const Frame& b) {
    if (a.self != b.self) return a.self > b.self;
    if (a.total != b.total) return a.total > b.total;
    return a.name < b.name;
  });
  return frames;
}

core::Expected<Profile> stack_profile(const FrameNames& names, const StackSums& sums, std::string format, std::string unit,
                                      const std::string& name) {
  if (sums.overflown()) {
    return core::fail(core::ErrorCode::invalid_input, "the costs of the stacks add up to more than 2^63: the profile is damaged",
                      "export or record it again", name);
  }
  if (sums.sum() == 0) {
    return core::fail(core::ErrorCode::invalid_input,
                      "the profile holds no samples: a capture bug until proven otherwise; it holds " +
                          core::counted(sums.stacks(), "stack") + " that cost nothing",
                      "record it again while the program is at work", name);
  }
  Profile profile;
  profile.info.path = name;
  profile.info.format = std::move(format);
  profile.frames_unit = std::move(unit);
  profile.frames = sums.frames(names);
  if (names.refused() > 0) {
    profile.warnings.push_back(
        {"frames_lumped", core::counted(names.refused(), "frame") + " beyond " + std::to_string(FrameNames::kMostNames) +
                              " different names count as one function, " + std::string(FrameNames::kOther)});
  }
  return profile;
}

}  // namespace plumbline::profiles
