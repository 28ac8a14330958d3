// Rows on their way into the derived index: while the database takes some, the next ones are derived. One that it does not take
// keeps no other one out. Used by one thread.
#pragma once

#include <cstdint>
#include <future>
#include <vector>

#include "registry/pgindex/index.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {

class Sender {
 public:
  // Both outlive it.
  Sender(registry::pgindex::Index& index, const registry::pgindex::Stop& stop) : index_(index), stop_(stop) {}

  Status add(registry::pgindex::EntryRow row);
  Status add(registry::pgindex::BundleRow row);
  // Everything that was added is there, but what was refused.
  Status land();
  [[nodiscard]] std::uint64_t refused() const { return refused_; }

 private:
  [[nodiscard]] bool is_full() const;
  Status send();
  Status arrived();
  // How many were refused.
  template <class Row>
  Expected<std::uint64_t> put(const std::vector<Row>& rows);

  registry::pgindex::Index& index_;
  const registry::pgindex::Stop& stop_;
  std::vector<registry::pgindex::EntryRow> entries_;
  std::vector<registry::pgindex::BundleRow> bundles_;
  std::size_t bytes_ = 0;
  std::uint64_t refused_ = 0;
  std::future<Expected<std::uint64_t>> sending_;  // waits for it when it goes, too
};

}  // namespace plumbline::verbs
