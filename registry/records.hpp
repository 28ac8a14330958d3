// What baseline.json of many entries says, for listing, searching and ordering them; never for judging. Of a large measurement
// the index keeps the part that these ask for, and gives it as long as stat says that the file is the same: inode, size and
// times. Everything else is read from the file, and kept for the next time.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/results/baseline.hpp"
#include "registry/store.hpp"

namespace plumbline::registry {

// One caller's; not shared by threads.
class Records {
 public:
  Records(const Store& store, std::string_view family, std::string_view measurement, const PathLimits& limits);
  ~Records();  // keeps what was read anew
  Records(const Records&) = delete;
  Records& operator=(const Records&) = delete;

  // These fields, whether or not they come from the index: registered_at_utc measured_at_utc label reason notes unit supersedes
  // git_commit source_path source_sha256 format.name tier value context headline, and the row keys of sol.
  [[nodiscard]] core::Expected<core::BaselineRecord> read(const std::string& slug);
  // index_unavailable, index_stale: of a derived index that was asked for all of them.
  [[nodiscard]] std::vector<core::Warning> warnings() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace plumbline::registry
