#include "registry/open_store.hpp"

#include <algorithm>

#include "base/characters.hpp"
#include "core/citing.hpp"
#include "registry/s3/fetching.hpp"
#include "registry/s3/open.hpp"
#include "registry/s3/settings.hpp"

namespace plumbline::registry {

using core::ErrorCode;
using core::fail;

// "SCHEME://…": a path may have that in the middle of it.
bool is_shared_address(std::string_view address) {
  const auto end = address.find("://");
  if (end == std::string_view::npos || end == 0) return false;
  const std::string_view scheme = address.substr(0, end);
  return std::all_of(scheme.begin(), scheme.end(), base::is_alphanumeric);
}

core::Expected<std::string> copy_folder(const std::string& address,
                                        const std::function<std::optional<std::string>(std::string_view)>& environment) {
  return s3::copy_folder(address, environment);
}

core::Expected<std::string> fetch(const std::string& address, const std::string& folder,
                                  const std::function<std::optional<std::string>(std::string_view)>& environment,
                                  const PathLimits& limits) {
  auto fetched = s3::fetch(address, folder, environment, limits);
  if (!fetched) return fail(std::move(fetched.error()));
  return std::move(fetched->path);
}

std::string identity_of(const Store& store, const std::function<std::optional<std::string>(std::string_view)>& environment) {
  const std::string root = store.root();
  if (root.empty()) return {};
  std::string address = store.address_of(root);
  if (!is_shared_address(address)) return address;
  const auto settings = s3::settings_of(address, environment);
  if (!settings) return address;
  // Two servers may have buckets of one name; a name in front of the server's is the bucket's once more.
  std::string server = settings->endpoint.authority;
  if (!settings->path_style) server.erase(0, settings->address.bucket.size() + 1);
  return address + " at " + server;
}

std::unique_ptr<Store> open_store(StoreWish wish) {
  if (wish.address.empty()) return posix_store(wish.root, std::move(wish.limits), wish.cache_folder);
  if (wish.address.starts_with('/')) {
    if (path_kind(wish.address, wish.limits) != PathKind::folder) {
      return absent_store({ErrorCode::not_found, "the store " + core::cited_path(wish.address) + " is not there",
                           "name a folder that exists, or s3://BUCKET/PREFIX", wish.address});
    }
    return posix_store(wish.address, std::move(wish.limits), wish.cache_folder);
  }
  auto shared = s3::open(wish);
  if (!shared) return absent_store(std::move(shared.error()));
  return std::move(*shared);
}

core::Expected<std::string> Store::path_of(const std::string& address) const {
  return fail(ErrorCode::not_found, core::cited(address) + " is in no store that is in use here",
              "`--store s3://BUCKET/PREFIX` names the one that it is in", address);
}

}  // namespace plumbline::registry
