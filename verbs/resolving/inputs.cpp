#include "verbs/resolving/inputs.hpp"

namespace plumbline::verbs {
namespace {

std::string name_of(const registry::Entry& entry) { return entry.family + "/" + entry.measurement + "@" + entry.slug; }

}  // namespace

void Inputs::note_entry(const registry::Entry& entry, bool accepted) {
  const std::scoped_lock lock(mutex_);
  UsedEntry& one = entries_[entry.path];
  one = {entry.path, entry.family, entry.measurement, entry.slug, accepted || one.accepted};
}

void Inputs::note_rules(const std::string& path, std::string_view text) {
  const std::scoped_lock lock(mutex_);
  rules_.try_emplace(path, text);
}

void Inputs::note_history(const registry::Entry& entry, UsedHistory history) {
  const std::scoped_lock lock(mutex_);
  history_.insert_or_assign(name_of(entry), std::move(history));
}

std::string Inputs::day(std::chrono::system_clock::time_point now) {
  const std::scoped_lock lock(mutex_);
  if (day_.empty()) day_ = registry::utc_text(now).substr(0, 10);
  return day_;
}

void Inputs::give_day(std::string day) { day_ = std::move(day); }

void Inputs::give_history(const std::string& name, UsedHistory history) { given_.insert_or_assign(name, std::move(history)); }

const UsedHistory* Inputs::given_history(const registry::Entry& entry) const {
  const auto found = given_.find(name_of(entry));
  return found == given_.end() ? nullptr : &found->second;
}

}  // namespace plumbline::verbs
