#include "verbs/resolving/candidates.hpp"

#include <algorithm>
#include <iterator>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/pgindex/indexed_store.hpp"

namespace plumbline::verbs {

using registry::Kind;
using registry::pgindex::KnownEntry;

namespace {

constexpr std::size_t kOlderAtOnce = 32;
constexpr std::size_t kListingsAtMost = 3;

}  // namespace

Candidates::Candidates(const registry::Store& store, std::string_view family, std::string_view measurement,
                       Differences differences, const registry::PathLimits& limits)
    : store_(store),
      family_(family),
      measurement_(measurement),
      differences_(std::move(differences)),
      limits_(limits),
      index_(registry::pgindex::index_of(store)),
      records_(store, family, measurement, limits) {}

std::vector<core::Warning> Candidates::warnings() const {
  if (problem_) {
    return {{"index_unavailable", problem_->message + "; entries of " + family_ + "/" + measurement_ + " were read one by one"}};
  }
  if (unknown_count_ == 0) return {};
  return {{"index_stale", core::counted(unknown_count_, "entry", "entries") + " of " + family_ + "/" + measurement_ +
                              " not in the index " + core::cited_path(index_->shown()) +
                              " were read one by one: `plumbline index follow` adds them"}};
}

void Candidates::fall_back(const core::Error& error) {
  problem_ = error;
  index_ = nullptr;
}

// What the index knows, newest of each context first.
Status Candidates::ask() {
  const auto contexts = index_->contexts(family_, measurement_, limits_.stop);
  if (!contexts) return core::fail(contexts.error());
  std::vector<std::int64_t> fitting, others;
  std::size_t least = SIZE_MAX;
  for (const auto& one : *contexts) {
    const std::size_t differences = differences_(one.context);
    if (differences == 0) {
      fitting.push_back(one.id);
    } else if (differences <= least) {
      if (differences < least) others.clear();
      least = differences;
      others.push_back(one.id);
    }
  }
  const auto newest = index_->newest_of(family_, measurement_, fitting, limits_.stop);
  if (!newest) return core::fail(newest.error());
  for (const KnownEntry& entry : *newest) known_[entry.context_id].push_back(entry);
  const auto near = index_->newest_of(family_, measurement_, others, limits_.stop);
  if (!near) return core::fail(near.error());
  others_ = *near;
  return {};
}

// What the store lists and what the index knows, from `since` on. The index is asked first: what it is told of in between is
// read, and not missed.
Status Candidates::list_from(const std::string& since) {
  if (known_since_ <= since) return {};
  // Whoever asks again and again is asking for all of them.
  const std::string from = ++listings_ > kListingsAtMost ? std::string() : since;
  auto known = index_->slugs(Kind::entry, family_, measurement_, from, limits_.stop);
  if (!known) return core::fail(known.error());
  auto names = store_.names(Kind::entry, family_, measurement_, from);
  if (!names) return core::fail(names.error());
  in_index_.insert(std::make_move_iterator(known->begin()), std::make_move_iterator(known->end()));
  for (auto slug = names->rbegin(); slug != names->rend(); ++slug) {
    if (*slug >= known_since_) continue;
    listed_slugs_.insert(*slug);
    ahead_.push_back(std::move(*slug));
  }
  known_since_ = from;
  return {};
}

// Reads what the index does not know, from the newest on, as far as something that is still to be read could be meant before what
// the index names, or before the newest that was read: what is measured at a moment is registered then or later.
Status Candidates::look_at_new(const std::string& since) {
  if (auto ok = list_from(since); !ok) return ok;
  while (!ahead_.empty() && ahead_.front() >= since && (unknown_.empty() || unknown_.top().first <= ahead_.front())) {
    const std::string slug = std::move(ahead_.front());
    ahead_.pop_front();
    if (in_index_.contains(slug)) continue;
    if (++read_count_ > kScanAtMost)
      return core::fail(ErrorCode::limit_exceeded,
                        "it lacks more than " + std::to_string(kScanAtMost) + " entries of " + family_ + "/" + measurement_);
    static_cast<void>(store_.bring({Kind::entry, family_, measurement_, slug, false, true}));
    const auto record = records_.read(slug);
    if (record) ++unknown_count_;  // one that cannot be read is in no index
    unknown_.emplace(record ? registry::measured_slug(*record, slug) : slug, slug);
  }
  return {};
}

// Behind the last one of a context that was given come those before it; most questions end before that is asked.
Status Candidates::go_on_behind_given() {
  for (const KnownEntry& given : std::exchange(used_up_, {})) {
    const auto older = index_->older_than(family_, measurement_, given, kOlderAtOnce, limits_.stop);
    if (!older) return core::fail(older.error());
    known_[given.context_id].assign(older->begin(), older->end());
  }
  return {};
}

// Of the contexts with the fewest differences the newest entries that are still there.
Status Candidates::find_nearest() {
  for (KnownEntry entry : std::exchange(others_, {})) {
    while (!listed_slugs_.contains(entry.slug)) {
      const auto older = index_->older_than(family_, measurement_, entry, 1, limits_.stop);
      if (!older) return core::fail(older.error());
      if (older->empty()) break;
      entry = older->front();
    }
    if (!listed_slugs_.contains(entry.slug)) continue;
    static_cast<void>(store_.bring({Kind::entry, family_, measurement_, entry.slug, false, true}));
    nearest_.push_back(entry.slug);
  }
  return {};
}

const KnownEntry* Candidates::best_known() const {
  const KnownEntry* best = nullptr;
  for (const auto& [context, waiting] : known_) {
    if (waiting.empty()) continue;
    const KnownEntry& first = waiting.front();
    if (best == nullptr || Place(first.measured, first.slug) > Place(best->measured, best->slug)) best = &first;
  }
  return best;
}

Expected<std::optional<std::string>> Candidates::next_known() {
  for (;;) {
    if (auto ok = go_on_behind_given(); !ok) return core::fail(ok.error());
    const KnownEntry* best = best_known();
    if (auto ok = look_at_new(best == nullptr ? std::string() : best->measured); !ok) return core::fail(ok.error());
    if (!unknown_.empty() && (best == nullptr || unknown_.top() > Place(best->measured, best->slug))) {
      std::string slug = unknown_.top().second;
      unknown_.pop();
      return std::optional(std::move(slug));
    }
    if (best == nullptr) {
      if (auto ok = find_nearest(); !ok) return core::fail(ok.error());
      return std::optional<std::string>();
    }
    const KnownEntry given = *best;
    auto& waiting = known_[given.context_id];
    waiting.pop_front();
    if (waiting.empty()) used_up_.push_back(given);
    // Else it was removed since, or was read before the index was told of it.
    if (listed_slugs_.contains(given.slug) && !given_.contains(given.slug)) return std::optional(given.slug);
  }
}

Expected<std::optional<std::string>> Candidates::next_listed() {
  if (!all_) all_.emplace(store_, family_, measurement_, limits_);
  for (;;) {
    auto slug = all_->next();
    if (!slug || !*slug) return slug;
    if (given_.contains(**slug)) continue;
    if (problem_ && ++scanned_ > kScanAtMost) {
      return core::fail(ErrorCode::limit_exceeded,
                        "none of the newest " + std::to_string(kScanAtMost) + " entries of " + family_ + "/" + measurement_ +
                            " fits, and no more are read one by one: " + problem_->message,
                        problem_->hint);
    }
    return slug;
  }
}

Expected<std::optional<std::string>> Candidates::next() {
  if (index_ != nullptr) {
    auto asked = std::exchange(asked_, true) ? Status() : ask();
    auto slug = asked ? next_known() : Expected<std::optional<std::string>>(core::fail(asked.error()));
    if (slug) {
      if (*slug) {
        given_.insert(**slug);
        static_cast<void>(store_.bring({Kind::entry, family_, measurement_, **slug, false, true}));
      }
      return slug;
    }
    if (slug.error().code == ErrorCode::cancelled) return slug;
    nearest_.clear();
    fall_back(slug.error());
  }
  return next_listed();
}

}  // namespace plumbline::verbs
