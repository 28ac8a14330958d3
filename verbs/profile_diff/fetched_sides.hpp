// Sides of a comparison that lie in a bucket: `profile-diff s3://bucket/monday s3://bucket/tuesday` over the digests that the
// ranks of two jobs left there. They are read from a private folder, and go by their address in all that is said of them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/results/profile_diff.hpp"
#include "verbs/environment.hpp"

namespace plumbline::verbs {

class FetchedSides {
 public:
  explicit FetchedSides(const Context& context) : context_(context) {}

  // The path to read in place of `given`, which may be an address. Errors: path_not_allowed for an address in a call that is
  // confined to some folders; what fetching says.
  [[nodiscard]] Expected<std::string> path_of(const std::string& given);
  // Puts the addresses where the paths are.
  void name(core::ProfileDiff& result) const;

 private:
  [[nodiscard]] std::string named(std::string path) const;
  const Context& context_;
  std::vector<ScratchFolder> folders_;
  std::vector<std::pair<std::string, std::string>> names_;  // path, address
};

}  // namespace plumbline::verbs
