// What the index of a registry knows, and whether that is so.
#pragma once

#include "core/results/common.hpp"

namespace plumbline::core {

struct IndexResult {
  std::string root, action, path;    // of the index; "" where none is kept
  std::uint64_t lines = 0;           // measurements' folders, of entries and of diffs
  std::uint64_t publications = 0;    // in them
  std::uint64_t kept = 0;            // lines large enough to be in the index
  std::uint64_t right = 0, old = 0;  // of those: as the folder is now; or from before its last change, and not used
  std::vector<std::string> wrong;    // said to be as the folder is now, and not so
  bool dropped = false;
  std::uint64_t bytes = 0;

  // Of a derived index in a database (registry/pgindex/): `kept` counts what it knows, `right` what was found as it is in the
  // store.
  bool derived = false;
  bool by_journal = false;  // followed by the store's journal: `publications` and `lines` are what it named
  std::uint64_t points = 0, added = 0, removed = 0;
  std::uint64_t unreadable = 0;   // publications that cannot be read, which it does not know
  std::uint64_t differences = 0;  // of which `wrong` has the first
};

}  // namespace plumbline::core
