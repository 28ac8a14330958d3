// The names of what the server offers to read, and nothing about what stands behind them:
//   plumbline://baselines/{family}/{measurement}/{slug}         an entry: its baseline.json
//   plumbline://baselines/{family}/{measurement}/{slug}/{file}  a file of it
//   plumbline://diffs/{family}/{measurement}/{slug}             a bundle: the list of its files
//   plumbline://diffs/{family}/{measurement}/{slug}/{file}      a file of it
//   plumbline://ceilings, plumbline://schemas/{name}
// A slug is also `newest`, and for entries `accepted`; a file may lie in a folder (`current-snapshot/rank0.json`). `?offset=`
// and `&length=` (bytes) choose a part. Reading is strict, because a name becomes a path (RFC 3986): every part is decoded
// exactly once, after it was cut at its slashes, and what then is "..", holds a slash or NUL, or is no safe path segment is
// refused. Scheme and kind may be written in any case. Pure: no file is looked at.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/error.hpp"

namespace plumbline::server::mcp {

inline constexpr std::string_view kNewest = "newest", kAccepted = "accepted";
inline constexpr std::uint64_t kLengthByDefault = 64U << 10, kLengthAtMost = 1U << 20;  // bytes of one read

struct ResourceUri {
  enum class Kind : std::uint8_t { entry, bundle, ceilings, schema };
  Kind kind = Kind::ceilings;
  std::string family, measurement, slug;  // of entries and bundles
  std::string file;                       // with '/', "" = the publication itself; the name of a schema
  std::uint64_t offset = 0;
  std::uint64_t length = kLengthByDefault;
};

[[nodiscard]] core::Expected<ResourceUri> parse_resource_uri(std::string_view text);
// Without offset and length.
[[nodiscard]] std::string to_text(const ResourceUri& uri);

// The URI of a file or folder (absolute path, links resolved) inside the registry of `root`; nothing for what is no
// publication or lies elsewhere. The baseline.json of an entry is the entry.
[[nodiscard]] std::optional<std::string> resource_uri(std::string_view path, const std::string& root);

}  // namespace plumbline::server::mcp
