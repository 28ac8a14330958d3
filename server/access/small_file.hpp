// Small files that the operator names: tokens, keys. Read whole, regular files only, and only when nobody else could have read
// or written them as far as their purpose asks; the mode is that of the file opened, not of a name that may change.
#pragma once

#include <cstddef>
#include <string>

#include "core/error.hpp"

namespace plumbline::server::access {

enum class Privacy {
  secret,   // nobody but the owner may read or write it
  trusted,  // nobody but the owner may write it
  own       // the same, and the owner is this account or root
};

inline constexpr std::size_t kSmallFileBytes = 1U << 20;

[[nodiscard]] core::Expected<std::string> read_small_file(const std::string& path, Privacy privacy);

}  // namespace plumbline::server::access
