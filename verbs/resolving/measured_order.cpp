#include "verbs/resolving/measured_order.hpp"

namespace plumbline::verbs {

NewestMeasuredFirst::NewestMeasuredFirst(const registry::Store& store, std::string_view family, std::string_view measurement,
                                         const registry::PathLimits& limits)
    : registered_(store, registry::Kind::entry, family, measurement), records_(store, family, measurement, limits) {}

Expected<std::optional<std::string>> NewestMeasuredFirst::next() {
  // Nothing is measured after it is registered: once the best that waits is no older than the next slug, it is the newest. Most
  // were measured when they were registered: then the next need not be known.
  while (waiting_.empty() || waiting_.top().first < last_) {
    if (!ahead_) {
      auto slug = registered_.next();
      if (!slug) return core::fail(slug.error());
      ahead_ = std::move(*slug);
    }
    if (!ahead_ || (!waiting_.empty() && waiting_.top().first >= *ahead_)) break;
    const auto record = records_.read(*ahead_);
    waiting_.emplace(record ? registry::measured_slug(*record, *ahead_) : *ahead_, *ahead_);
    last_ = std::move(*ahead_);
    ahead_.reset();
  }
  if (waiting_.empty()) return std::optional<std::string>();
  std::string slug = waiting_.top().second;
  waiting_.pop();
  return std::optional(std::move(slug));
}

Expected<std::string> newest_measured(const registry::Store& store, std::string_view family, std::string_view measurement,
                                      const registry::PathLimits& limits) {
  auto first = NewestMeasuredFirst(store, family, measurement, limits).next();
  if (!first) return core::fail(first.error());
  return first->value_or(std::string());
}

}  // namespace plumbline::verbs
