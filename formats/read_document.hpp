// The way through a tool's JSON: a document whose root the reader makes into rows. Private to formats/.
#pragma once

#include <utility>

#include "formats/readers.hpp"

namespace plumbline::formats {

// `rows_of` gives an error where the structure is not that tool's (kOtherStructure) or holds no result; its place is the file.
template <core::Status (*rows_of)(const json::Value& root, RowWriter& writer)>
[[nodiscard]] core::Expected<core::Measurement> read_document(const Input& input, const ReadOptions& options) {
  const auto document = parse_json(input, options);
  if (!document) return core::fail(document.error());
  RowWriter writer(options);
  take_notes(*document, writer);
  if (auto made = rows_of(document->root(), writer); !made) {
    core::Error error = std::move(made.error());
    if (error.where.empty()) error.where = input.name;
    return core::fail(std::move(error));
  }
  return writer.finish(input.name);
}

}  // namespace plumbline::formats
