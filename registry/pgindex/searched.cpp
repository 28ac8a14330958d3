#include "registry/pgindex/searched.hpp"

#include <nlohmann/json.hpp>

#include "core/text.hpp"
#include "registry/bundle_heads.hpp"
#include "registry/io.hpp"
#include "registry/json_text.hpp"

namespace plumbline::registry::pgindex {

using core::ErrorCode;
using core::fail;
using nlohmann::json;

namespace {

constexpr std::uint64_t kHeadAtMost = 16ULL << 20;

void each_text(const json& document, const char* list, const char* name, const KeySeen& seen) {
  const auto rows = document.find(list);
  if (rows == document.end() || !rows->is_array()) return;
  for (const auto& row : *rows) {
    if (const auto key = text_of(row, name)) seen(*key);
  }
}

// The fields one behind the other; no word that is looked for holds what stands between them.
class Collector {
 public:
  Collector(std::string_view family, std::string_view measurement) {
    add(family);
    add(measurement);
  }
  FieldSeen field() {
    return [this](const char* /*field*/, std::string_view text, double /*weight*/) { add(text); };
  }
  KeySeen key() {
    return [this](const std::string& key) {
      add(key);
      out_.keys.push_back(key);
    };
  }
  Searched take() { return std::move(out_); }

 private:
  void add(std::string_view text) {
    if (text.empty()) return;
    out_.words += core::to_lower(text);
    out_.words += '\x1f';
  }
  Searched out_;
};

}  // namespace

void look_through(const core::BaselineRecord& record, const FieldSeen& field, const KeySeen& key) {
  field("label", record.label, 2);
  field("notes", record.notes, 2);
  field("reason", record.reason, 2);
  field("format", record.format.name, 1);
  field("context", record.source_path, 0.5);
  for (const auto& [name, value] : record.context) field("context", value, 1);
  for (const auto& each : record.headline) key(each);
  if (record.scalar_sol) key(record.scalar_sol->row_key);
  for (const auto& sol : record.sol) key(sol.row_key);
  if (record.value) key(record.measurement);
}

void look_through(const json& bundle, const FieldSeen& field, const KeySeen& key) {
  field("verdict", text_or_empty(bundle, "verdict"), 2);
  for (const char* side : {"baseline", "current", "candidate"}) {
    if (const auto found = bundle.find(side); found != bundle.end()) field("label", text_or_empty(*found, "label"), 2);
  }
  each_text(bundle, "reasons", "message", [&](const std::string& message) { field("reason", message, 2); });
  each_text(bundle, "reasons", "code", [&](const std::string& code) { field("reason", code, 2); });
  each_text(bundle, "deltas_top20", "key", key);
  each_text(bundle, "contributors", "name", key);
}

Searched searched_of(const core::BaselineRecord& record, std::string_view family, std::string_view measurement) {
  Collector collector(family, measurement);
  core::BaselineRecord named = record;
  named.measurement = measurement;
  look_through(named, collector.field(), collector.key());
  return collector.take();
}

core::Expected<BundleDocument> bundle_document(const std::string& path, const PathLimits& limits) {
  const auto folder = io::open_folder(path, limits);
  if (!folder) return fail(folder.error());
  core::Expected<BundleDocument> out = fail(ErrorCode::not_found, "no document");
  for (const std::string_view each : kBundleDocuments) {
    const std::string name(each);
    auto text = io::read_text_at(folder->get(), name, io::join(path, name), kHeadAtMost);
    if (text) return BundleDocument{name, std::move(*text)};
    out = fail(text.error());
    if (text.error().code != ErrorCode::not_found) break;
  }
  return out;
}

core::Expected<BundleRow> bundle_row(const std::string& path, std::string_view family, std::string_view measurement,
                                     std::string_view slug, const PathLimits& limits) {
  const auto text = bundle_document(path, limits);
  if (!text) return fail(text.error());
  const auto document = parse_json(text->text);
  if (!document || !document->is_object())
    return fail(ErrorCode::invalid_input, io::join(path, text->name) + ": not an object", {}, path);
  BundleRow row;
  row.family = family;
  row.measurement = measurement;
  row.slug = slug;
  row.kind = text->name.substr(0, text->name.rfind(".json"));
  row.verdict = text_or_empty(*document, "verdict");
  row.tier = text_or_empty(*document, "tier");
  row.label = text_or_empty(*document, "label");
  for (const char* side : {"baseline", "current", "candidate"}) {
    const auto found = document->find(side);
    if (found == document->end() || !found->is_object()) continue;
    if (row.label.empty()) row.label = text_or_empty(*found, "label");
    if (side == std::string_view("baseline")) row.baseline_slug = text_or_empty(*found, "slug");
  }
  each_text(*document, "reasons", "code", [&](const std::string& code) { row.reasons.push_back(code); });
  each_text(*document, "reasons", "message", [&](const std::string& message) {
    if (row.reason.empty()) row.reason = message;
  });
  Collector collector(family, measurement);
  look_through(*document, collector.field(), collector.key());
  Searched searched = collector.take();
  row.words = std::move(searched.words);
  row.keys = std::move(searched.keys);
  if (const auto sums = read_file(io::join(path, "SHA256SUMS"), limits)) row.bundle_sha256 = sha256_hex(sums->view());
  return row;
}

}  // namespace plumbline::registry::pgindex
