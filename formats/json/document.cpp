#include "formats/json/document.hpp"

#include <algorithm>
#include <cmath>

#include "core/large_block.hpp"
#include "core/text.hpp"

namespace plumbline::formats::json {

Place place_of(std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const auto line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  const std::size_t line_start = before.rfind('\n');
  return {line, line_start == std::string_view::npos ? offset + 1 : offset - line_start};
}

void Document::forget_before(std::uint32_t index) {
  constexpr std::uint32_t kWorthIt = (8U << 20U) / sizeof(Node);
  if (index < forgotten_ || index - forgotten_ < kWorthIt) return;
  core::give_back_pages(nodes_.get() + forgotten_, (index - forgotten_) * sizeof(Node));
  // The last page may be only half behind us: it goes the next time.
  forgotten_ = index - static_cast<std::uint32_t>((2U << 20U) / sizeof(Node));
}

double Value::number() const {
  if (document_ == nullptr) return 0;
  const Node& n = node();
  switch (n.kind) {
    case Kind::integer:
      return static_cast<double>(n.i);
    case Kind::unsigned_integer:
      return static_cast<double>(n.u);
    case Kind::real:
      return n.d;
    default:
      return 0;
  }
}

std::string_view Value::text() const {
  if (document_ == nullptr) return {};
  const Node& n = node();
  switch (n.kind) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return n.u != 0 ? "true" : "false";
    case Kind::integer:
    case Kind::unsigned_integer:
    case Kind::real:
      return document_->text().substr(n.offset, n.length);
    case Kind::string:
      return {n.s, n.length};
    default:
      return {};
  }
}

Value Value::find(std::string_view key) const {
  if (!is_object()) return {};
  const std::uint32_t end = node().next;
  for (std::uint32_t i = index_ + 1; i < end; i = document_->node(i + 1).next) {
    const Node& name = document_->node(i);
    if (same_text({name.s, name.length}, key)) return {document_, i + 1};
  }
  return {};
}

Value Value::at_path(std::string_view path) const {
  Value value = *this;
  while (value) {
    const std::size_t dot = path.find('.');
    value = value.find(path.substr(0, dot));
    if (dot == std::string_view::npos) break;
    path.remove_prefix(dot + 1);
  }
  return value;
}

std::optional<double> Value::find_number(std::string_view key) const {
  const Value value = find(key);
  std::optional<double> number;
  if (value.is_number()) number = value.number();
  if (value.is_string()) number = core::parse_double(value.string());
  if (number && !std::isfinite(*number)) number.reset();
  return number;
}

}  // namespace plumbline::formats::json
