// What `search` looks through, said once for the search of the store and for what the index keeps of each publication.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/results/baseline.hpp"
#include "registry/pgindex/rows.hpp"

namespace plumbline::registry::pgindex {

// `weight`: how much a word says that is found there.
using FieldSeen = std::function<void(const char* field, std::string_view text, double weight)>;
using KeySeen = std::function<void(const std::string& key)>;
void look_through(const core::BaselineRecord& record, const FieldSeen& field, const KeySeen& key);
// Of diff.json, profile-diff.json or outliers.json.
void look_through(const nlohmann::json& bundle, const FieldSeen& field, const KeySeen& key);

struct Searched {
  std::string words;  // all of it in lower case, field by field
  std::vector<std::string> keys;
};
[[nodiscard]] Searched searched_of(const core::BaselineRecord& record, std::string_view family, std::string_view measurement);

// The document that a bundle is known by, read as `search` reads it.
struct BundleDocument {
  std::string name, text;
};
[[nodiscard]] core::Expected<BundleDocument> bundle_document(const std::string& path, const PathLimits& limits);
// What the index keeps of the bundle in a folder.
[[nodiscard]] core::Expected<BundleRow> bundle_row(const std::string& path, std::string_view family, std::string_view measurement,
                                                   std::string_view slug, const PathLimits& limits);

}  // namespace plumbline::registry::pgindex
