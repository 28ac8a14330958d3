// The lines of a table as rows: which lines are one point, what tells points apart, and the value of each cell. Pools and rows of
// long tables are far larger than the caches, so places in them are fetched some lines ahead.
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "core/large_block.hpp"
#include "core/units.hpp"
#include "formats/generic/delimited_table.hpp"
#include "formats/tail.hpp"

namespace plumbline::formats::delimited {

using core::ValueState;

// "size=8,dtype=float", or the name of a table of names.
void Table::spell_label(std::string& into, std::size_t line) const {
  if (name_column_ != kNone) {
    into.append(cell(line, name_column_));
    return;
  }
  const std::size_t start = into.size();
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (!columns_[c].is_dimension || field(line, c).length == 0) continue;
    if (into.size() > start) into.push_back(',');
    into.append(columns_[c].as_dimension).append(cell(line, c));
  }
}

void Table::spell_key(std::string& into, std::string_view label, std::size_t column) const {
  if (name_column_ != kNone) {
    into.append(label);
    return;
  }
  if (!label.empty()) into.append("[").append(label).append("].");
  into.append(columns_[column].name);
}

void Table::intern_dims(std::size_t line, std::vector<std::pair<core::Id, core::Id>>& into) {
  if (name_column_ != kNone) return;
  core::StringPool& pool = writer_.pool();
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    Column& column = columns_[c];
    if (!column.is_dimension || field(line, c).length == 0) continue;
    if (column.id == 0) column.id = pool.intern(column.name);
    // The value of the line before, or a new one as that was.
    if (pool.view(column.last) != cell(line, c)) column.last = pool.intern(cell(line, c), column.last + 1);
    into.emplace_back(column.id, column.last);
  }
}

// The rows of one column at one point: `lines` are its trials.
void Table::value(std::span<const std::uint32_t> lines, std::size_t c, std::string_view key, std::uint32_t dims) {
  Column& column = columns_[c];
  const bool by_name = name_column_ != kNone;
  const Field& first = field(lines.front(), c);
  double plain = 0;
  const bool usual = lines.size() == 1 && column.is_metric && !by_name && first.kind == Cell::number;
  if (usual && plain_decimal(first.text(), plain)) {
    if (!column.row) column.row = writer_.metric(column.name, RowWriter::kRootShape, {.unit = column.unit});
    writer_.add_known(key, *column.row, dims, {&plain, 1});
    return;
  }
  const std::string_view name = by_name ? cell(lines.front(), name_column_) : std::string_view(column.name);
  if (!column.is_metric && !by_name) {
    // A text that changes from run to run is told once, where it is one.
    if (lines.size() == 1 && first.length > 0) {
      writer_.add(key, name, RowWriter::kRootShape, dims, {ValueState::text, 0, false, first.text()}, {});
    }
    return;
  }
  Explicit said;
  said.unit = unit_column_ != kNone ? cell(lines.front(), unit_column_) : std::string_view(column.unit);
  values_.clear();
  ValueState state = ValueState::number;
  std::string_view text;
  std::uint64_t nulls = 0;
  for (const std::uint32_t line : lines) {
    const std::string_view content = cell(line, c);
    switch (field(line, c).kind) {
      case Cell::absent:
        ++nulls;
        break;
      case Cell::grouped:
        writer_.find(Finding::grouped_digits, content);
        state = ValueState::failed;
        text = content;
        break;
      case Cell::cut:
        state = ValueState::failed;
        cut_ = cut_value(content);
        text = cut_;
        break;
      case Cell::text:
        if (state != ValueState::failed) state = ValueState::text;
        text = content;
        break;
      case Cell::number: {
        const Leaf leaf = leaf_of_text(content);
        if (leaf.state == ValueState::not_finite) {
          if (state == ValueState::number) state = ValueState::not_finite;
          text = content;
          break;
        }
        if (leaf.state == ValueState::big_integer && lines.size() == 1) {
          state = ValueState::big_integer;
          text = content;
        }
        if (!leaf.unit.empty() && said.unit.empty()) said.unit = leaf.unit;  // the value of a name has its own unit
        const auto factor = leaf.unit.empty() ? 1.0 : core::conversion_factor(leaf.unit, said.unit);
        if (!factor) {
          state = ValueState::failed;
          text = content;
          writer_.find(Finding::mixed_units, key);
          break;
        }
        values_.push_back(leaf.value * *factor);
        break;
      }
    }
  }
  if (values_.empty() && state == ValueState::number) {
    writer_.add(key, name, RowWriter::kRootShape, dims, {ValueState::null, 0, false, {}}, said);
    return;
  }
  if (state == ValueState::text || state == ValueState::failed) {
    // A word where numbers stand ("FAILED"): the row is there and invalid.
    writer_.add(key, name, RowWriter::kRootShape, dims, {ValueState::failed, 0, false, text}, said);
    return;
  }
  if (nulls > 0) writer_.find(Finding::nulls_in_trials, key, nulls);
  writer_.add_trials(key, name, RowWriter::kRootShape, dims, values_, state, text, said);
}

void Table::point(std::span<const std::uint32_t> lines, std::string_view label, std::uint32_t dims) {
  std::string key;
  for (const std::size_t c : shown_) {
    key.clear();
    spell_key(key, label, c);
    value(lines, c, key, dims);
  }
}

// Gives every line the number of its label. Whether no two lines have the same.
bool Table::number_labels(core::StringPool& labels) {
  constexpr std::size_t kAtOnce = 16;  // their places in the pool are fetched while the next are spelled
  std::string block;
  std::array<std::size_t, kAtOnce + 1> ends{};
  labels.reserve(line_count() + 1);  // and the empty one
  core::reserve_large(label_of_line_, line_count());
  bool single = true, nameless = false;
  core::Id last = 0;
  for (std::size_t first = 0; first < line_count() && !writer_.halted(); first += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, line_count() - first);
    block.clear();
    for (std::size_t i = 0; i < count; ++i) {
      spell_label(block, first + i);
      ends[i + 1] = block.size();
    }
    const auto label = [&](std::size_t i) { return std::string_view(block).substr(ends[i], ends[i + 1] - ends[i]); };
    for (std::size_t i = 0; i < count; ++i) labels.prefetch(label(i));
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t known = labels.size();
      last = labels.intern(label(i), last + 1);
      single = single && (last >= known || (last == 0 && !nameless));
      nameless = nameless || last == 0;
      label_of_line_.push_back(last);
    }
  }
  return single;
}

// Every line a point of its own.
void Table::single_points(const core::StringPool& labels) {
  constexpr std::size_t kAtOnce = 16;  // as above, in the pool of the rows
  std::string keys;
  std::vector<std::size_t> ends, dims_ends;
  const std::size_t forget = (std::size_t{8} << 20U) / (columns_.size() * sizeof(Field)) + 1;
  std::size_t forgotten = 0;
  std::vector<std::pair<core::Id, core::Id>> dims;
  for (std::size_t first = 0; first < line_count(); first += kAtOnce) {
    const std::size_t end = std::min(first + kAtOnce, line_count());
    if (first - forgotten >= forget) {  // nobody looks back: rows can take the memory of what they were made from
      core::give_back_pages(&cells_[forgotten * columns_.size()], (first - forgotten) * columns_.size() * sizeof(Field));
      forgotten = first;
    }
    keys.clear();
    ends.assign(1, 0);
    for (std::size_t line = first; line < end; ++line) {
      for (const std::size_t c : shown_) {
        spell_key(keys, labels.view(label_of_line_[line]), c);
        ends.push_back(keys.size());
      }
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        if (columns_[c].is_dimension) writer_.expect(cell(line, c));
      }
    }
    const auto key = [&](std::size_t i) { return std::string_view(keys).substr(ends[i], ends[i + 1] - ends[i]); };
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) writer_.expect(key(i));
    dims.clear();
    dims_ends.assign(1, 0);
    for (std::size_t line = first; line < end; ++line) {
      intern_dims(line, dims);
      dims_ends.push_back(dims.size());
    }
    std::size_t next = 0;
    for (std::size_t line = first; line < end; ++line) {
      if (writer_.halted()) return;
      const std::size_t from = dims_ends[line - first];
      const std::uint32_t set = writer_.out.add_dims(std::span(dims).subspan(from, dims_ends[line - first + 1] - from));
      const auto number = static_cast<std::uint32_t>(line);
      for (const std::size_t c : shown_) value({&number, 1}, c, key(next++), set);
    }
  }
}

// Lines of one point are trials where every point has as many of them.
void Table::repeated_points(const core::StringPool& labels) {
  struct Point {
    std::uint32_t first = 0, last = 0, count = 0;
  };
  std::vector<Point> points(labels.size());
  std::vector<std::uint32_t> order;                        // of labels
  std::vector<std::uint32_t> next(label_of_line_.size());  // line of the same point
  for (std::uint32_t line = 0; line < label_of_line_.size(); ++line) {
    Point& at = points[label_of_line_[line]];
    if (at.count++ == 0) {
      at.first = line;
      order.push_back(label_of_line_[line]);
    } else {
      next[at.last] = line;
    }
    at.last = line;
  }
  const std::size_t repeats = points[order.front()].count;
  const bool even = std::all_of(order.begin(), order.end(), [&](std::uint32_t one) { return points[one].count == repeats; });
  std::vector<std::pair<core::Id, core::Id>> dims;
  std::vector<std::uint32_t> lines;
  for (const std::uint32_t number : order) {
    if (writer_.halted()) return;
    const Point& one = points[number];
    lines.clear();
    for (std::uint32_t line = one.first; lines.size() < one.count; line = next[line]) lines.push_back(line);
    dims.clear();
    intern_dims(one.first, dims);
    const std::uint32_t set = writer_.out.add_dims(dims);
    if (even) {
      point(lines, labels.view(number), set);
      continue;
    }
    if (one.count > 1) writer_.find(Finding::unequal_repeats, labels.view(number));
    // The second of a kind marks the first as duplicate.
    for (const std::uint32_t line : lines) point({&line, 1}, labels.view(number), set);
  }
}

void Table::rows() {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    columns_[c].as_dimension = columns_[c].name + "=";
    if (name_column_ != kNone ? c == value_column_ : !columns_[c].is_dimension) shown_.push_back(c);
  }
  core::StringPool labels;
  const bool single = number_labels(labels);
  writer_.reserve(labels.size() * (shown_.size() + 1));  // and texts of dimensions
  if (single) {
    single_points(labels);
  } else {
    repeated_points(labels);
  }
}

}  // namespace plumbline::formats::delimited
