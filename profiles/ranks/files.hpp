// The files of a folder that are captures of ranks, told by their names alone: whoever lists the folder finds the same ones. So
// tasks that share a folder need not talk to one another about who takes which (Shard).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/readers/open_file.hpp"

namespace plumbline::profiles {

inline constexpr std::int64_t kMaxRank = 999'999'999;

// The number behind the word "rank" in a file's name; nullopt without one.
[[nodiscard]] std::optional<std::int64_t> rank_in_name(std::string_view file_name);

struct RankFile {
  std::string name;
  std::optional<std::int64_t> rank;  // as the name says
};
struct RankFiles {
  std::vector<RankFile> list;        // by rank, then by name
  std::vector<std::string> unnamed;  // left out: they name no rank, and others do
};
// Files of the folder that may be captures: those that name a rank, if any does, else all. A report of Nsight Systems beside its
// own export is none of them, and neither are records of failures (failures.hpp).
[[nodiscard]] RankFiles rank_files(const OpenFile& folder);
// The ending that tells a capture, ".json.gz"; "" for none. `lower`: the name in small letters.
[[nodiscard]] std::string_view capture_suffix(std::string_view lower);

// Names that give one rank twice do not give the job's rank ("tp_rank0_dp_rank1" counts within a group): then what captures say
// inside decides, for all of them.
struct NamedTwice {
  std::int64_t rank = 0;
  std::string a, b;
};
[[nodiscard]] std::optional<NamedTwice> named_twice(const std::vector<RankFile>& files);

// One of `count` tasks that share the captures of a folder.
struct Shard {
  std::uint32_t index = 0, count = 1;
};
// By the rank in the file's name, where there is none by the name itself: what else is in the folder changes nothing, so tasks
// that look at different times agree.
[[nodiscard]] bool is_of(const RankFile& file, const Shard& shard);

}  // namespace plumbline::profiles
