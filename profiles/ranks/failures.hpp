// What is left of a rank whose capture could not be digested: a small file in the place of its digest, so that whoever merges the
// others can say which rank is missing, and why.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/results/profile_ranks.hpp"
#include "profiles/profile.hpp"

namespace plumbline::profiles {

inline constexpr std::string_view kFailureSuffix = ".failed.json";
inline constexpr std::string_view kFailureSchema = "plumbline.rank-failure.v1";

// The file's name: "rank3.failed.json", or where nothing says the rank "trace.json.gz.failed.json".
[[nodiscard]] std::string failure_name(const core::RankFailure& failure);
[[nodiscard]] std::string failure_text(const core::RankFailure& failure);
[[nodiscard]] core::Expected<core::RankFailure> parse_failure(std::string_view text, const std::string& path);

// All records of a folder, by rank, those of unknown ranks first, then by file.
[[nodiscard]] core::Expected<std::vector<core::RankFailure>> read_failures(const std::string& folder, const Opener& open);

}  // namespace plumbline::profiles
