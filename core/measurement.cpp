#include "core/measurement.hpp"

#include <algorithm>

#include "core/large_block.hpp"
#include "core/text.hpp"

namespace plumbline::core {

std::string_view to_string(Direction direction) {
  switch (direction) {
    case Direction::unknown:
      return "unknown";
    case Direction::higher:
      return "higher-is-better";
    case Direction::lower:
      return "lower-is-better";
    case Direction::two_sided:
      return "two-sided";
  }
  return "unknown";
}

std::optional<Direction> parse_direction(std::string_view text) {
  std::string word = to_lower(trim(text));
  std::replace(word.begin(), word.end(), '_', '-');
  if (word == "higher-is-better" || word == "higher") return Direction::higher;
  if (word == "lower-is-better" || word == "lower") return Direction::lower;
  if (word == "two-sided") return Direction::two_sided;
  return std::nullopt;
}

std::string_view to_string(Role role) {
  switch (role) {
    case Role::judged:
      return "judged";
    case Role::gate:
      return "gate";
    case Role::context:
      return "context";
    case Role::noise:
      return "noise";
  }
  return "judged";
}

std::string_view to_string(Source source) {
  switch (source) {
    case Source::flag:
      return "flag";
    case Source::project:
      return "project";
    case Source::entry:
      return "entry";
    case Source::file:
      return "file";
    case Source::format:
      return "format";
    case Source::name_rule:
      return "name";
    case Source::unit:
      return "unit";
    case Source::defaulted:
      return "default";
  }
  return "default";
}

std::string_view to_string(ValueState state) {
  switch (state) {
    case ValueState::number:
      return "number";
    case ValueState::numeric_string:
      return "numeric_string";
    case ValueState::boolean:
      return "boolean";
    case ValueState::big_integer:
      return "big_integer";
    case ValueState::null:
      return "null";
    case ValueState::text:
      return "text";
    case ValueState::not_finite:
      return "not_finite";
    case ValueState::duplicate:
      return "duplicate";
    case ValueState::failed:
      return "failed";
  }
  return "number";
}

std::string_view to_string(Shape shape) {
  switch (shape) {
    case Shape::scalar:
      return "scalar";
    case Shape::structured:
      return "structured";
    case Shape::profile:
      return "profile";
    case Shape::suite:
      return "suite";
  }
  return "structured";
}

std::string_view to_string(Replication replication) {
  switch (replication) {
    case Replication::run:
      return "run";
    case Replication::in_process:
      return "in_process";
    case Replication::unknown:
      return "unknown";
  }
  return "unknown";
}

namespace {

std::uint64_t class_hash(const MetricClass& metric_class) {
  const auto mix = [](std::uint64_t h, std::uint64_t part) {
    h = (h ^ part) * 0x9E3779B97F4A7C15ULL;
    return h ^ (h >> 29U);
  };
  std::uint64_t h = mix(0, (std::uint64_t{metric_class.unit} << 32U) | metric_class.direction_note);
  return mix(h, (static_cast<std::uint64_t>(metric_class.direction) << 32U) |
                    (static_cast<std::uint64_t>(metric_class.share) << 40U) |
                    (static_cast<std::uint64_t>(metric_class.role) << 24U) |
                    (static_cast<std::uint64_t>(metric_class.unit_source) << 16U) |
                    (static_cast<std::uint64_t>(metric_class.direction_source) << 8U) | (metric_class.exact ? 1U : 0U));
}

}  // namespace

std::uint32_t Measurement::intern_class(const MetricClass& metric_class) {
  // Rows of one metric come in runs or in turn: the last few classes answer nearly always.
  const std::size_t recent = std::min<std::size_t>(classes_.size(), 8);
  for (std::size_t back = 1; back <= recent; ++back) {
    if (classes_[classes_.size() - back] == metric_class) return static_cast<std::uint32_t>(classes_.size() - back);
  }
  // The index is a hint: classes() may have been edited since, so what it names is compared before it is believed.
  auto& hint = class_index_.try_emplace(class_hash(metric_class), kNoId).first->second;
  if (hint < classes_.size() && classes_[hint] == metric_class) return hint;
  hint = static_cast<std::uint32_t>(classes_.size());
  classes_.push_back(metric_class);
  return hint;
}

std::uint32_t Measurement::add_dims(std::span<const std::pair<Id, Id>> dims) {
  if (dims.empty()) return 0;
  const auto [first, count] = dim_sets_.back();
  if (count == dims.size() && std::equal(dims.begin(), dims.end(), dims_.begin() + first)) {
    return static_cast<std::uint32_t>(dim_sets_.size() - 1);
  }
  if (dim_sets_.size() == dim_sets_.capacity()) reserve_large(dim_sets_, 2 * dim_sets_.size() + 16);
  if (dims_.size() + dims.size() > dims_.capacity()) reserve_large(dims_, 2 * (dims_.size() + dims.size()) + 16);
  dim_sets_.emplace_back(static_cast<std::uint32_t>(dims_.size()), static_cast<std::uint32_t>(dims.size()));
  dims_.insert(dims_.end(), dims.begin(), dims.end());
  return static_cast<std::uint32_t>(dim_sets_.size() - 1);
}

void Measurement::make_room(std::size_t rows, std::size_t values) {
  constexpr std::size_t kFew = 16;
  if (rows > 0) reserve_large(rows_, 2 * rows + kFew);
  if (values > 0) reserve_large(values_, 2 * values + kFew);
}

void Measurement::reserve(std::size_t rows, std::size_t values) {
  reserve_large(rows_, rows);
  reserve_large(values_, values);
}

}  // namespace plumbline::core
