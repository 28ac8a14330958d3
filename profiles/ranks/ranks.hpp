// One side of a comparison may be a folder with one capture per rank of a distributed job, in any form that read() takes. The
// rank comes from the file's name ("rank0.json.gz", "trace_rank_3.json", "host.rank-7.sqlite") or, where names have none or give
// one twice ("tp_rank0_dp_rank1"), from the capture itself (distributedInfo.rank of a PyTorch trace). Captures are read one after
// another and merged (merge.hpp): one Profile of a rank is in memory at a time. Folders inside the folder are not looked into.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "profiles/digest/digest.hpp"
#include "profiles/profile.hpp"
#include "profiles/ranks/files.hpp"
#include "profiles/readers/open_file.hpp"

namespace plumbline::profiles {

inline constexpr std::size_t kMaxRankFiles = 65536;

// A folder whose files are such captures: those that name a rank, or, when none does, all that end like a capture. The first few
// are looked into, so that a folder of measurements named by rank is not taken for one.
[[nodiscard]] bool is_rank_folder(const OpenFile& folder, const std::string& path, const Opener& open);
// Where a folder holds captures and others that would have to be: the first of the others, with its path.
[[nodiscard]] std::optional<std::string> stray_among_ranks(const OpenFile& folder, const std::string& path, const Opener& open);
// Of files that are left out because they name no rank, and others do: those that are captures. nullopt for none.
[[nodiscard]] std::optional<core::Warning> unnamed_captures(const RankFiles& files, const std::string& path, const Opener& open);
// options.rank chooses one of the ranks, or "all". Of one capture in two forms (report.nsys-rep and report.sqlite) the SQLite
// export is read. Errors: invalid_input when two files are of one rank or a file does not say its rank, usage for a rank that is
// not there; what a single capture's reader says, with its path.
[[nodiscard]] core::Expected<Profile> read_ranks(const OpenFile& folder, const std::string& path, const ReadOptions& options);
// The same as a digest, with options.digest.
[[nodiscard]] core::Expected<Digest> digest_ranks(const OpenFile& folder, const std::string& path, const ReadOptions& options);

// options.rank beside a single capture: "all", or the capture's own rank. Else usage.
[[nodiscard]] core::Status check_rank(const Profile& profile, const ReadOptions& options);

}  // namespace plumbline::profiles
