// One suite that several jobs measured, each a folder of its own (a shard): the folders as one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "verbs/suite/suite.hpp"

namespace plumbline::verbs {

// The shards' files side by side; what was read of them moves over. The same file in two shards is there once where its bytes
// are equal, else it is an error that names both. `expected`: how many there should be.
[[nodiscard]] Expected<intake::Opened> unite_shards(std::vector<intake::Opened> shards, std::optional<std::int64_t> expected);
// Of files that turned out to be one case: an error where two of them are of different shards.
[[nodiscard]] Status check_one_shard(const std::string& id, const std::vector<std::string>& files,
                                     const std::vector<std::string>& shards);

}  // namespace plumbline::verbs
