// links: registry core
// baseline.json and SHA256SUMS as a hostile registry could hold them: any text gives a record or an error, and what is
// accepted keeps what the rest of the house relies on (safe names, finite values, manifests that write back the same).
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "registry/manifest/parts.hpp"
#include "registry/store.hpp"

using namespace plumbline;

namespace {
void require(bool good) {
  if (!good) std::abort();
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto record = registry::parse_baseline(text, "baseline.json")) {
    require(registry::check_segment("family", record->family).has_value());
    require(registry::check_segment("measurement", record->measurement).has_value());
    require(!record->value || std::isfinite(*record->value));
    require(record->snapshot_path.empty() || registry::check_relative_name(record->snapshot_path).has_value());
    require(!registry::index_markdown({*record}, {"20261120T150359221206Z"}).empty());
  } else {
    require(record.error().message.rfind("invalid baseline metadata", 0) == 0);
  }
  if (const auto lines = registry::parse_manifest(text, "SHA256SUMS")) {
    require(registry::manifest_text(*lines) == text);
    for (const auto& [name, parts] : registry::files_in_parts(*lines)) {
      require(parts.size() > 1 && parts.front().offset == 0);
      registry::PartChecker checker(name, parts);
      checker.update(text);
      require(checker.wrong().size() <= parts.size());
    }
  }
  return 0;
}
