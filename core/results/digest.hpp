// What `digest` answers: the digest that was made, and what it holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/results/common.hpp"
#include "core/results/profile_ranks.hpp"

namespace plumbline::core {

struct DigestResult {
  std::string path;                  // of the file that was written; "" = none was
  std::vector<std::string> sources;  // captures, folders of ranks, digests
  std::uint64_t bytes = 0;           // of the digest, packed
  std::string sha256;
  std::string format;                                       // of what it is the digest of
  std::vector<std::int64_t> ranks;                          // empty: of a single capture that does not say its rank
  std::vector<std::pair<std::string, std::uint64_t>> rows;  // by table
  std::uint64_t kernels = 0, steps = 0, devices = 0;
  std::int64_t kernel_ns = 0;
  std::optional<ProfileRanksSide> job;  // of ranks together
  std::vector<Warning> warnings;
};

// What one task made of its share of a folder: `digest --shard`.
struct ShardResult {
  struct Written {
    std::int64_t rank = 0;
    std::string source, file;  // names, in the folder and in `path`
    std::uint64_t bytes = 0;
    std::string sha256;
  };
  std::string source, path;                           // folders: of captures, of digests
  std::uint64_t shard = 0, shards = 1, captures = 0;  // captures: in the whole folder
  std::vector<Written> digests;
  std::vector<RankFailure> failed;
  std::vector<Warning> warnings;
};

}  // namespace plumbline::core
