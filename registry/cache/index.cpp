#include "registry/cache/index.hpp"

#include "registry/cache/place.hpp"

namespace plumbline::registry::cache {

using core::fail;

bool is_small(const Stamp& stamp) { return stamp.links >= 2 && stamp.links < kWorthKeeping; }

bool is_all(const Listing& listing, const Stamp& stamp) {
  return listing.hidden_folders == 0 && stamp.counts(listing.slugs.size() + listing.folders);
}

Index::Index(const std::string& folder, const std::string& root) : file_(folder.empty() ? std::string() : file(folder, root)) {}

Database* Index::database(bool make) {
  if (file_.empty()) return nullptr;
  if (!database_ && (!tried_ || (make && !tried_making_))) {
    database_ = Database::open(file_, make);
    tried_ = true;
    tried_making_ = tried_making_ || make;
  }
  return database_.get();
}

core::Expected<KnownLine> Index::look(int folder, const std::string& line, const std::string& path, std::size_t at_least) {
  const auto before = stamp_of(folder);
  if (before && !is_small(*before)) {
    if (auto found = known(line, *before, at_least)) return std::move(*found);
  }
  auto listing = list_line(folder, path);
  if (!listing) return fail(listing.error());
  if (before && stamp_of(folder) == before) keep(line, *before, *listing);
  return KnownLine{listing->slugs.size(), listing->folders, listing->slugs.last(at_least)};
}

std::optional<KnownLine> Index::known(const std::string& line, const Stamp& stamp, std::size_t at_least) {
  const std::lock_guard lock(mutex_);
  Database* const opened = database(false);
  return opened != nullptr ? opened->read(line, stamp, at_least) : std::nullopt;
}

void Index::keep(const std::string& line, const Stamp& stamp, const Listing& listing) {
  if (listing.slugs.size() < kWorthKeeping || (!is_all(listing, stamp) && !stamp.settled())) return;
  const std::lock_guard lock(mutex_);
  if (Database* const opened = database(true)) opened->write(line, stamp, listing.folders, listing.slugs);
}

void Index::keep_added(const std::string& line, const Stamp& was, const Stamp& now, const SlugList& newer) {
  const std::lock_guard lock(mutex_);
  if (Database* const opened = database(false)) opened->append(line, was, now, newer);
}

std::optional<std::string> Index::record(const std::string& line, const std::string& slug, const Stamp& stamp) {
  const std::lock_guard lock(mutex_);
  Database* const opened = database(false);
  return opened != nullptr ? opened->record(line, slug, stamp) : std::nullopt;
}

void Index::keep_records(const std::string& line, const std::vector<KeptRecord>& records) {
  const std::lock_guard lock(mutex_);
  if (Database* const opened = database(false)) opened->keep_records(line, records);
}

}  // namespace plumbline::registry::cache
