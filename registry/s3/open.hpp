// The store in a bucket, see store.hpp of this room.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "registry/open_store.hpp"

namespace plumbline::registry::s3 {

// Nothing is asked of the server before it is needed.
[[nodiscard]] core::Expected<std::unique_ptr<Store>> open(const StoreWish& wish);
[[nodiscard]] core::Expected<std::string> copy_folder(
    const std::string& address, const std::function<std::optional<std::string>(std::string_view)>& environment);

}  // namespace plumbline::registry::s3
