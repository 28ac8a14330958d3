// A bare number, with a unit if it has one: "310 GB/s".
#include <cmath>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "formats/readers.hpp"

namespace plumbline::formats {
namespace {

constexpr std::size_t kLongest = 200;

struct Scalar {
  std::string_view number, unit;
};

std::optional<Scalar> scalar_in(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  text = core::trim(text);
  if (text.empty() || text.size() > kLongest || text.find('\n') != std::string_view::npos) return std::nullopt;
  if (core::parse_double(text)) return Scalar{text, {}};
  // The number ends at the first blank, or where letters start: "310 GB/s", "310GB/s", "17.2%".
  std::size_t end = text.find_first_of(" \t");
  if (end == std::string_view::npos) {
    end = text.find_first_not_of("+-.0123456789");
    if (end != std::string_view::npos && end + 1 < text.size() && (text[end] == 'e' || text[end] == 'E') &&
        text.find_first_of("0123456789", end) != std::string_view::npos) {
      end = text.find_first_not_of("+-0123456789", end + 1);
    }
  }
  if (end == std::string_view::npos || end == 0) return std::nullopt;
  const std::string_view number = text.substr(0, end);
  const std::string_view unit = core::trim(text.substr(end));
  if (!core::parse_double(number) || unit.empty() || unit.size() > 30 ||
      unit.find_first_of(" \t,;:\"'{}[]<>=") != std::string_view::npos) {
    return std::nullopt;
  }
  const char c = unit.front();
  if ((c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-' || c == '+' || c == '/') return std::nullopt;
  // Without a blank a unit is one that is known: "310GB/s", never the rest of "0x1F" or "9f8e7d".
  const bool joined = unit.data() == text.data() + end;
  if (joined && core::parse_unit(unit).quantity == core::Quantity::unknown) return std::nullopt;
  return Scalar{number, unit};
}

}  // namespace

Detection detect_scalar_text(const Input& input) {
  Detection detection;
  if (input.is_directory || input.bytes.size() > kLongest) return detection;
  if (const auto scalar = scalar_in(input.bytes)) {
    detection.score = 0.95;
    detection.evidence.push_back(scalar->unit.empty() ? std::string("one number")
                                                      : "one number with the unit '" + std::string(scalar->unit) + "'");
  }
  return detection;
}

core::Expected<core::Measurement> read_scalar_text(const Input& input, const ReadOptions& options) {
  const auto scalar = scalar_in(input.bytes);
  if (!scalar) {
    const std::string_view seen = core::trim(input.bytes).substr(0, 40);
    return core::fail(core::ErrorCode::invalid_input, "not one number: " + core::cited(seen),
                      "a scalar file holds a number and at most a unit: 310 GB/s", input.name);
  }
  RowWriter writer(options);
  Leaf leaf = leaf_of_text(scalar->number);
  if (leaf.state == core::ValueState::numeric_string) leaf.state = core::ValueState::number;  // in a text file nothing is quoted
  if (input.bytes.starts_with("\xEF\xBB\xBF")) writer.find(Finding::byte_order_mark, {});
  Explicit said;
  said.unit = scalar->unit;
  writer.add("value", "value", RowWriter::kRootShape, 0, leaf, said);
  writer.out.shape = core::Shape::scalar;
  return writer.finish(input.name);
}

extern const Format scalar_text_format = {
    .name = "scalar-text",
    .title = "a bare number with an optional unit",
    .replication = core::Replication::run,
    .detect = detect_scalar_text,
    .read = read_scalar_text,
    .about = {.group = Group::generic,
              .file = "text",
              .produce = "echo '1234.5 tok/s' > result.txt",
              .judged = "one number, alone in a file",
              .key = "`value`",
              .trials = "one value; several files are trials",
              .context = "none",
              .limits = "the direction must be given, or goes by the unit",
              .recognised = "the whole text is one number"},
};

}  // namespace plumbline::formats
