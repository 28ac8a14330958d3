// The derived index brought to what its store holds, or held against it.
#pragma once

#include <string>

#include "core/results/index.hpp"
#include "registry/store.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {

enum class IndexAction : std::uint8_t { check, follow, rebuild, drop };

// check: what differs, by name. follow: adds what the store has and the index lacks, and removes what is gone. rebuild: drops all
// and follows.
struct IndexWish {
  IndexAction action = IndexAction::check;
  bool by_force = false;  // rebuild, drop: an index of another registry, too
  bool whole = false;     // follow: all that the store lists, where its journal would do
};

// Errors are those of the database and of the store; a publication that cannot be read is counted.
[[nodiscard]] Expected<core::IndexResult> derived_index(const registry::Store& store, const std::string& root,
                                                        const IndexWish& wish, const Context& context);

}  // namespace plumbline::verbs
