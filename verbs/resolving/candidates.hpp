// The entries that a bare name may mean, in the order in which they are looked at: the newest measured first. Where the store has
// a derived index, only those are given whose context fits by what it knows, and every one that it does not know; so what is
// chosen is what reading all of them would choose. Where it cannot be asked, they are given as the store lists them, up to a
// bound, with a warning.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "registry/pgindex/index.hpp"
#include "verbs/resolving/measured_order.hpp"

namespace plumbline::verbs {

// Entries that are read one by one where the index is not there.
inline constexpr std::size_t kScanAtMost = 100'000;

class Candidates {
 public:
  // How many differences forbid to compare with an entry of that context; 0: it fits.
  using Differences = std::function<std::size_t(const core::Context& context)>;
  Candidates(const registry::Store& store, std::string_view family, std::string_view measurement, Differences differences,
             const registry::PathLimits& limits);

  // A slug; nullopt after the last.
  [[nodiscard]] Expected<std::optional<std::string>> next();
  // After the last: those that do not fit and are the nearest, by what the index knows. Nothing without one: all were given.
  [[nodiscard]] const std::vector<std::string>& nearest() const { return nearest_; }
  // index_unavailable, index_stale
  [[nodiscard]] std::vector<core::Warning> warnings() const;

 private:
  using Place = std::pair<std::string, std::string>;  // measured, slug
  [[nodiscard]] core::Status ask();
  [[nodiscard]] core::Status list_from(const std::string& since);
  [[nodiscard]] core::Status look_at_new(const std::string& since);
  [[nodiscard]] core::Status go_on_behind_given();
  [[nodiscard]] core::Status find_nearest();
  [[nodiscard]] const registry::pgindex::KnownEntry* best_known() const;
  [[nodiscard]] Expected<std::optional<std::string>> next_known();
  [[nodiscard]] Expected<std::optional<std::string>> next_listed();
  void fall_back(const core::Error& error);

  const registry::Store& store_;
  std::string family_, measurement_;
  Differences differences_;
  registry::PathLimits limits_;
  registry::pgindex::Index* index_;
  bool asked_ = false;
  std::optional<core::Error> problem_;  // of the index

  // By the index: the newest of each fitting context that were not given yet, and what it does not know.
  std::map<std::int64_t, std::deque<registry::pgindex::KnownEntry>> known_;
  std::vector<registry::pgindex::KnownEntry> used_up_;  // the last given of contexts of which more are to be asked for
  std::priority_queue<Place> unknown_;
  std::size_t unknown_count_ = 0, read_count_ = 0;
  std::vector<registry::pgindex::KnownEntry> others_;  // the newest of contexts that do not fit and are the nearest
  std::vector<std::string> nearest_;
  std::unordered_set<std::string> in_index_, listed_slugs_;
  std::string known_since_ = "~";  // both hold what there is from here on; "~": nothing yet
  std::size_t listings_ = 0;
  std::deque<std::string> ahead_;  // listed and not looked at, newest first
  registry::Records records_;

  // Without it.
  std::optional<NewestMeasuredFirst> all_;
  std::size_t scanned_ = 0;
  std::set<std::string> given_;
};

}  // namespace plumbline::verbs
