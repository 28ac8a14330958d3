// The derived index brought up to date by what the store's journal says since the last time, instead of by all that the store
// lists.
#pragma once

#include "core/results/index.hpp"
#include "registry/journal.hpp"
#include "registry/pgindex/index.hpp"
#include "verbs/indexing/derive.hpp"

namespace plumbline::verbs {

// Adds what the index lacks of the lines since `before`, and keeps how far that went. What is gone is not noticed, nor what was
// never noted. `store` has an index.
[[nodiscard]] Status follow_journal(const registry::Journal& journal, const registry::Store& store, const Derivation& derivation,
                                    const registry::pgindex::Followed& before, core::IndexResult& result, const Context& context);

}  // namespace plumbline::verbs
