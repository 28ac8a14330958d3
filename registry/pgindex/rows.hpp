// What the index is given of each publication. Derived from the store alone, so that whoever derives it gets the same.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/results/baseline.hpp"
#include "registry/store.hpp"

namespace plumbline::registry::pgindex {

// One row of a measurement: what its trials say together.
struct Point {
  std::string key, unit, direction;
  double value = 0;  // the median
  std::uint64_t n = 1;
  std::optional<double> sd;  // of three trials or more
};

struct EntryRow {
  std::string family, measurement, slug, entry_sha256;
  core::BaselineRecord record;
  std::vector<Point> points;
  std::uint64_t points_left_out = 0;
};

struct BundleRow {
  std::string family, measurement, slug, bundle_sha256;
  std::string kind, verdict, tier, label, baseline_slug;
  std::vector<std::string> reasons;  // codes
  std::string reason;                // the first one's sentence
  std::string words;                 // see searched.hpp
  std::vector<std::string> keys;
};

// What an entry's rows are kept under: of key, unit and direction.
[[nodiscard]] std::string series_sha256(const std::string& key, const std::string& unit, const std::string& direction);

// A context as bytes, and back; nullopt for what is none.
[[nodiscard]] std::string pack_context(const core::Context& context);
[[nodiscard]] std::optional<core::Context> unpack_context(std::string_view bytes);
// For people and dashboards: without secrets.
[[nodiscard]] std::string context_json(const core::Context& context);

// The SHA-256 of bytes as 32 bytes.
[[nodiscard]] std::string digest_bytes(std::string_view bytes);

}  // namespace plumbline::registry::pgindex
