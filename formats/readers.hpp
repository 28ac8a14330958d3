// What the readers share: those of formats/ and those of systems/.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "formats/format.hpp"
#include "formats/json/document.hpp"
#include "formats/json_outline.hpp"
#include "formats/row_writer.hpp"

namespace plumbline::formats {

// How much of an input detection looks at.
inline constexpr std::size_t kHead = std::size_t{64} * 1024;
[[nodiscard]] inline std::string_view head_of(const Input& input) { return input.bytes.substr(0, kHead); }
[[nodiscard]] inline std::string_view tail_of(const Input& input) {
  return input.bytes.substr(input.bytes.size() - std::min(input.bytes.size(), kHead));
}
// Whether the text holds every one of these; each becomes a line of evidence.
[[nodiscard]] inline bool has_all(std::string_view text, std::span<const std::string_view> wanted, Detection& detection) {
  for (const std::string_view one : wanted) {
    if (text.find(one) == std::string_view::npos) return false;
  }
  for (const std::string_view one : wanted) detection.evidence.push_back("has " + std::string(one));
  return true;
}
[[nodiscard]] inline bool has_all(std::string_view text, std::initializer_list<std::string_view> wanted, Detection& detection) {
  return has_all(text, std::span(wanted.begin(), wanted.size()), detection);
}
// The head without byte order mark and leading blanks.
[[nodiscard]] std::string_view json_head(const Input& input);
[[nodiscard]] bool has_extension(std::string_view name, std::string_view extension);  // lower-case, with the dot

// What a reader of one tool's JSON answers where the text is JSON but not built as that tool's. read() then asks the format that
// came next, unless the caller named this one, and no other room ever sees this code: it leaves as invalid_input.
inline constexpr core::ErrorCode kOtherStructure = core::ErrorCode::shape_mismatch;

// A reader that is made for one input.
template <class Reader>
[[nodiscard]] core::Expected<core::Measurement> read_with(const Input& input, const ReadOptions& options) {
  return Reader(input, options).read();
}

// Notes of the JSON reader as findings.
void take_notes(const json::Document& document, RowWriter& writer);
// parse() with the options' bounds.
// `unneeded`: arrays under these keys will not be looked at (json::ParseOptions).
[[nodiscard]] core::Expected<json::Document> parse_json(const Input& input, const ReadOptions& options,
                                                        bool (*unneeded)(std::string_view key) = nullptr);
// The values of a text that holds several one after another (two runs appended to one file), else the root alone.
[[nodiscard]] std::vector<json::Value> documents_of(const json::Document& document);
// What a JSON value is as the value of a row; containers must not be asked.
[[nodiscard]] Leaf leaf_of(const json::Value& value);

// A context in this program's own shape, {"hardware": {"gpu": "H100"}} or {"hardware.gpu": "H100"}: fields on the allow-list
// and fields that a severity rule names go to the context descriptor, of an environment the host name alone.
// Whether the field was taken; how many of an environment were left out.
bool take_context_field(std::string_view group, std::string_view field, const json::Value& value, RowWriter& writer);
std::uint64_t take_context_group(const json::Value& object, std::string_view group, RowWriter& writer);

// Flattens a whole document into rows (generic_json.cpp); the specialised JSON readers use it for what they do not know.
// `root` is the value to flatten, `path` the key prefix of its rows.
struct FlattenOptions {
  json::Document* consumed = nullptr;  // set: members of the root are forgotten once they are rows
  bool harvest_context = true;         // top-level context, metadata, config, environment, env objects
  bool repeats = false;                // records that repeat a point, all equally often, are its trials
};
void flatten_json(const json::Value& root, std::string_view path, RowWriter& writer, const FlattenOptions& options = {});

}  // namespace plumbline::formats
