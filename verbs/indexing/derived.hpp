// The derived index brought to what its store holds, or held against it.
#pragma once

#include <string>

#include "core/results/index.hpp"
#include "registry/store.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {

enum class IndexAction : std::uint8_t { check, follow, rebuild, drop };

// check: what differs, by name. follow: adds what the store has and the index lacks, and removes what is gone. rebuild: drops all
// and follows; one of another registry only `by_force`. Errors are those of the database and of the store; a publication that
// cannot be read is counted.
[[nodiscard]] Expected<core::IndexResult> derived_index(const registry::Store& store, const std::string& root, IndexAction action,
                                                        bool by_force, const Context& context);

}  // namespace plumbline::verbs
