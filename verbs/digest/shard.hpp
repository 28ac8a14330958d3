// digest --shard: one task's share of a folder of captures, each into a digest of its own. Private to verbs/digest/.
#pragma once

#include <string>

#include "core/results/digest.hpp"
#include "profiles/profile.hpp"
#include "profiles/ranks/files.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {

struct ShardRequest {
  std::string source, out;  // absolute paths of folders
  profiles::Shard shard;
  profiles::ReadOptions options;
};
// A capture that cannot be read leaves a record of its failure in its digest's place and ends nothing. Error: what concerns all
// of them, as a folder that cannot be written or a helper that is not there.
[[nodiscard]] Expected<core::ShardResult> digest_shard(const ShardRequest& request, const Context& context);

}  // namespace plumbline::verbs
