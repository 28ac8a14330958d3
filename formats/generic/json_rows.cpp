// What every JSON reader shares: bounds, notes, and what one JSON value is as the value of a row.
#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "formats/parsed_ahead.hpp"
#include "formats/readers.hpp"

namespace plumbline::formats {

namespace {
constexpr std::uint32_t kDeepest = 1024;  // rows are made by recursion: the stack bounds what an option may ask for
constexpr std::int64_t kTwoTo53 = 9007199254740992;
}  // namespace

std::string_view json_head(const Input& input) {
  std::string_view text = input.bytes;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  return start == std::string_view::npos ? std::string_view() : text.substr(start, kHead);
}

bool has_extension(std::string_view name, std::string_view extension) {
  return name.size() >= extension.size() && core::to_lower(name.substr(name.size() - extension.size())) == extension;
}

core::Expected<json::Document> parse_json(const Input& input, const ReadOptions& options,
                                          bool (*unneeded)(std::string_view key)) {
  if (input.ahead != nullptr) {
    if (auto document = input.ahead->take(input.bytes)) return std::move(*document);
  }
  json::ParseOptions parse;
  parse.max_depth = std::min(options.max_depth, kDeepest);
  parse.stop = options.stop;
  parse.unneeded = unneeded;
  return json::parse(input.bytes, input.name, parse);
}

void take_notes(const json::Document& document, RowWriter& writer) {
  const json::Notes& notes = document.notes();
  const auto place = [&](std::size_t offset) {
    const json::Place at = json::place_of(document.text(), offset);
    return "line " + std::to_string(at.line) + ", column " + std::to_string(at.column);
  };
  if (notes.byte_order_mark) writer.find(Finding::byte_order_mark, {});
  if (notes.lines) writer.find(Finding::json_lines, {}, document.root().size());
  const auto take = [&](const json::Note& note, Finding finding) {
    if (note.count > 0) writer.find(finding, place(note.first), note.count);
  };
  take(notes.trailing_commas, Finding::trailing_comma);
  take(notes.control_characters, Finding::control_characters);
  take(notes.invalid_utf8, Finding::invalid_utf8);
  take(notes.lone_surrogates, Finding::invalid_utf8);
}

std::vector<json::Value> documents_of(const json::Document& document) {
  const json::Value root = document.root();
  if (!document.notes().lines) return {root};
  std::vector<json::Value> values;
  for (const json::Value value : root.elements()) values.push_back(value);
  return values;
}

Leaf leaf_of(const json::Value& value) {
  const json::Node& node = value.node();
  switch (node.kind) {
    case json::Kind::integer:
      if (node.i > kTwoTo53 || node.i < -kTwoTo53)
        return {core::ValueState::big_integer, static_cast<double>(node.i), true, value.text()};
      return {core::ValueState::number, static_cast<double>(node.i), true, {}};
    case json::Kind::unsigned_integer:
      return {core::ValueState::big_integer, static_cast<double>(node.u), true, value.text()};
    case json::Kind::real:
      if ((node.flags & json::kNotFinite) != 0) return {core::ValueState::not_finite, 0, false, value.text()};
      if ((node.flags & json::kBeyondInteger) != 0) return {core::ValueState::big_integer, node.d, true, value.text()};
      return {core::ValueState::number, node.d, true, {}};
    case json::Kind::boolean:
      return {core::ValueState::boolean, node.u != 0 ? 1.0 : 0.0, true, value.text()};
    case json::Kind::string: {
      const std::string_view text(node.s, node.length);
      const Leaf leaf = leaf_of_text(text);
      // Digits in quotes are a number when they could be one: hashes and commits ("3481e4074", forty zeros) are names.
      const bool digits = !text.empty() && text.find_first_of("0123456789") != std::string_view::npos;
      if (digits && (leaf.state == core::ValueState::not_finite || (leaf.state != core::ValueState::text && text.size() > 24))) {
        return {core::ValueState::text, 0, false, text};
      }
      return leaf;
    }
    default:
      return {core::ValueState::null, 0, false, {}};
  }
}

}  // namespace plumbline::formats
