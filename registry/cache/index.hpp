// What the lines of one registry hold: from the database where that is proven to be what is there, else from one listing,
// which the database then keeps. The door to this room: others know no stamp and no SQLite.
// May be asked by several threads.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "registry/cache/database.hpp"

namespace plumbline::registry::cache {

class Index {
 public:
  // `folder` is cache::folder()'s; "": every question is a listing. Nothing is opened before it is needed.
  Index(const std::string& folder, const std::string& root);

  // The newest publications of an open folder, at least `at_least` where there are so many. `line` is its path below the root,
  // `path` its path in errors.
  [[nodiscard]] core::Expected<KnownLine> look(int folder, const std::string& line, const std::string& path,
                                               std::size_t at_least);
  // As of a stamp that was taken before; nullopt: not known.
  [[nodiscard]] std::optional<KnownLine> known(const std::string& line, const Stamp& stamp, std::size_t at_least);
  // Keeps what a listing gave, if nothing can have hidden from it; `stamp` is the folder's as it was then and is now.
  void keep(const std::string& line, const Stamp& stamp, const Listing& listing);
  // What is kept of an entry's baseline.json that has this stamp.
  [[nodiscard]] std::optional<std::string> record(const std::string& line, const std::string& slug, const Stamp& stamp);
  void keep_records(const std::string& line, const std::vector<KeptRecord>& records);
  void keep_added(const std::string& line, const Stamp& was, const Stamp& now, const SlugList& newer);

 private:
  [[nodiscard]] Database* database(bool make);

  std::string file_;  // "" when there is to be none
  std::mutex mutex_;
  std::unique_ptr<Database> database_;
  bool tried_ = false, tried_making_ = false;
};

// By the number of links, where it counts: too few names for an index to be quicker.
[[nodiscard]] bool is_small(const Stamp& stamp);
// Nobody is publishing or removing, as far as can be told, so that the listing is all there is.
[[nodiscard]] bool is_all(const Listing& listing, const Stamp& stamp);

}  // namespace plumbline::registry::cache
