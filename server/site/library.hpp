// What the pages ask of the registry, with what they remember of it. Publications never change, so what was read of one is kept;
// everything kept is bounded. Thread-safe; the functions block and belong on a worker.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/results/baseline.hpp"
#include "registry/bundle_heads.hpp"
#include "server/mcp/publications.hpp"
#include "server/site/overview.hpp"
#include "verbs/verb.hpp"

namespace plumbline::server::site {

// A map that forgets everything when it is full: what it holds can be had again.
template <class Value>
class Kept {
 public:
  explicit Kept(std::size_t most) : most_(most) {}
  [[nodiscard]] std::optional<Value> find(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto at = values_.find(key);
    return at == values_.end() ? std::nullopt : std::optional(at->second);
  }
  void keep(const std::string& key, Value value) {
    const std::lock_guard lock(mutex_);
    if (values_.size() >= most_) values_.clear();
    values_.insert_or_assign(key, std::move(value));
  }

 private:
  const std::size_t most_;
  std::mutex mutex_;
  std::unordered_map<std::string, Value> values_;
};

// What a list shows of an entry.
struct EntryFacts {
  std::optional<double> value;
  std::string unit, label, registered_at_utc, problem;
  core::Tier tier = core::Tier::draft;
};

// What was concluded of a publication by looking at all of its bytes.
struct Verified {
  bool ok = false, is_signed = false, trusted = false;
  std::uint64_t files = 0;
  std::string sha256;
  std::vector<std::string> problems, warnings;
  std::string failure;  // why nothing can be said
};

// How long a page may still read what it does not know yet.
class Budget {
 public:
  explicit Budget(std::chrono::milliseconds time) : until_(std::chrono::steady_clock::now() + time) {}
  [[nodiscard]] bool left() const { return std::chrono::steady_clock::now() < until_; }

 private:
  std::chrono::steady_clock::time_point until_;
};

class Library {
 public:
  Library(ServeOptions options, transport::Executor& executor);

  [[nodiscard]] core::Expected<std::string> root() const { return mcp::served_root(options_); }
  // For a page: it outlives the store.
  [[nodiscard]] core::Expected<std::unique_ptr<registry::Store>> open(const std::atomic<bool>& cancelled) const;
  [[nodiscard]] registry::PathLimits limits(const std::atomic<bool>& cancelled) const;
  [[nodiscard]] verbs::Context context(const std::atomic<bool>& cancelled) const;
  [[nodiscard]] Overview& overview() { return *overview_; }
  [[nodiscard]] mcp::KnownDigests& digests() { return digests_; }

  // Nothing when it is not known and the time is up.
  [[nodiscard]] std::optional<EntryFacts> facts(const registry::Store& store, const mcp::Place& place, const Budget& budget);
  // Nothing when the time is up; without a verdict when the bundle cannot be read.
  [[nodiscard]] std::optional<registry::BundleHead> head(const registry::Store& store, const mcp::Place& place,
                                                         const Budget& budget);
  // The newest values of a measurement of numbers, oldest first; nothing when the time is up.
  [[nodiscard]] std::optional<std::vector<double>> values(const registry::Store& store, const Line& line, const Budget& budget);

  using Slugs = std::shared_ptr<const std::vector<std::string>>;
  // As Store::slugs gives them; kept until the folder changes, of a shared store for at most ten seconds.
  [[nodiscard]] core::Expected<Slugs> slugs(const registry::Store& store, registry::Kind kind, const std::string& family,
                                            const std::string& measurement);

  using History = std::shared_ptr<const core::HistoryResult>;
  // Of the newest 500 entries; kept until an entry, an acceptance or a bundle is added, of a shared store for at most ten
  // seconds.
  [[nodiscard]] core::Expected<History> history(const registry::Store& store, const std::string& family,
                                                const std::string& measurement, const verbs::Context& context);

  // Kept until a file in the folder, or the project file that says whose signatures hold, changes.
  [[nodiscard]] Verified verify(const std::string& folder, const verbs::Context& context);
  [[nodiscard]] std::optional<Verified> verified_before(const std::string& folder);

  Kept<std::shared_ptr<const std::string>> comparisons{16};  // pages by what was compared, and by which rules
  // Another text as soon as plumbline.yaml is another; nothing where it changed so lately that it may change unseen.
  [[nodiscard]] std::optional<std::string> rules_stamp() const;

 private:
  [[nodiscard]] std::string stamp_of(const std::string& folder) const;

  const ServeOptions options_;
  const std::shared_ptr<Overview> overview_;
  mcp::KnownDigests digests_;
  Kept<EntryFacts> facts_{100'000};
  Kept<registry::BundleHead> heads_{20'000};
  Kept<std::vector<double>> values_{20'000};
  Kept<std::pair<std::string, Slugs>> slugs_{32};  // with the stamp that they hold for
  Kept<std::pair<std::string, History>> histories_{64};
  Kept<std::pair<std::string, Verified>> verified_{10'000};
};

}  // namespace plumbline::server::site
