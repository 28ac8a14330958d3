// The one place that makes a store: the tree on a file system, or an address of one that many machines share.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "registry/store.hpp"

namespace plumbline::registry {

struct StoreWish {
  std::string root;     // of the registry on this machine's file system
  std::string address;  // "": the root's own; an absolute path: a registry there; "s3://BUCKET[/PREFIX]"
  PathLimits limits;
  std::string cache_folder;  // of a file system's index, "": none; a shared store's copy has its place by `environment`
  std::function<std::optional<std::string>(std::string_view)> environment;
};

// What a store is called wherever it is asked from: the real path of a folder, or a shared store's address with its server. ""
// for one that could not be opened.
[[nodiscard]] std::string identity_of(const Store& store,
                                      const std::function<std::optional<std::string>(std::string_view)>& environment);

// What cannot be opened is a store that says why to whoever asks it for anything.
[[nodiscard]] std::unique_ptr<Store> open_store(StoreWish wish);

// Of a store that is no file system.
[[nodiscard]] bool is_shared_address(std::string_view address);
// The folder of its copy on this machine, which a confined caller has to allow.
[[nodiscard]] core::Expected<std::string> copy_folder(
    const std::string& address, const std::function<std::optional<std::string>(std::string_view)>& environment);

// What lies in a bucket and is no registry, brought into `folder`: the path of its folder there, or of its one file. See
// s3/fetching.hpp.
[[nodiscard]] core::Expected<std::string> fetch(const std::string& address, const std::string& folder,
                                                const std::function<std::optional<std::string>(std::string_view)>& environment,
                                                const PathLimits& limits);

}  // namespace plumbline::registry
