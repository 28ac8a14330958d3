// A store with a derived index beside it: the same store in every other way.
#pragma once

#include <memory>

#include "registry/pgindex/index.hpp"
#include "registry/store.hpp"

namespace plumbline::registry::pgindex {

[[nodiscard]] std::unique_ptr<Store> with_index(std::unique_ptr<Store> store, std::shared_ptr<Index> index);

// Null where a store has none.
[[nodiscard]] Index* index_of(const Store& store);
// The store itself, without the index.
[[nodiscard]] const Store& store_of(const Store& store);

}  // namespace plumbline::registry::pgindex
