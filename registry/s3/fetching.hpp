// What lies in a bucket and is no registry: the digests or captures that the ranks of a job left below a prefix, brought into a
// folder on this machine.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "registry/s3/settings.hpp"
#include "registry/store.hpp"

namespace plumbline::registry::s3 {

struct Fetched {
  std::string path;  // of the folder, or of the one object that has the address itself
  std::size_t objects = 0;
};
// `address`: "s3://BUCKET/PREFIX", read as a folder; the object of that name where there is one. `folder` exists. Names below the
// prefix become paths in the folder. Errors: not_found where nothing is there; limit_exceeded beyond `limits.bytes` for an object
// or 100,000 objects; usage for a key that is no path (`a/../b`).
[[nodiscard]] core::Expected<Fetched> fetch(const std::string& address, const std::string& folder, const Environment& environment,
                                            const PathLimits& limits);

}  // namespace plumbline::registry::s3
