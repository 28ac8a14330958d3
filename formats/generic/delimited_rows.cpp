// The lines of a table as rows: which lines are one point, what tells points apart, and the value of each cell. Pools and rows of
// long tables are far larger than the caches, so places in them are fetched some lines ahead.
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "core/large_block.hpp"
#include "core/short_text.hpp"
#include "core/units.hpp"
#include "formats/generic/delimited_table.hpp"
#include "formats/generic/repeats.hpp"
#include "formats/tail.hpp"

namespace plumbline::formats::delimited {

using core::ValueState;

// "size=8,dtype=float", or of a table of names "[task=a].latency", the name alone where nothing else tells lines apart.
void Table::spell_label(std::string& into, std::size_t line) const {
  if (name_column_ == kNone) {
    spell_dimensions(into, line);
    return;
  }
  const std::size_t start = into.size();
  into.push_back('[');
  spell_dimensions(into, line);
  if (into.size() == start + 1) {
    into.pop_back();
  } else {
    into.append("].");
  }
  into.append(cell(line, name_column_));
}

void Table::spell_dimensions(std::string& into, std::size_t line) const {
  const std::size_t start = into.size();
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (!columns_[c].is_dimension || is_empty(line, c)) continue;
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
  core::StringPool& pool = writer_.pool();
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    Column& column = columns_[c];
    if (!column.is_dimension || is_empty(line, c)) continue;
    if (column.id == 0) column.id = pool.intern(column.name);
    // The value of the line before, or a new one as that was.
    if (pool.view(column.last) != cell(line, c)) column.last = pool.intern(cell(line, c), column.last + 1);
    into.emplace_back(column.id, column.last);
  }
}

// What all plain numbers of a column share.
const RowWriter::Metric& Table::metric(Column& column) {
  if (!column.row)
    column.row = writer_.metric(column.name, RowWriter::kRootShape, {.unit = column.unit, .direction = column.direction});
  return *column.row;
}

// The rows of one column at one point: `lines` are its trials.
void Table::value(std::span<const std::uint32_t> lines, std::size_t c, std::string_view key, std::uint32_t dims) {
  Column& column = columns_[c];
  const bool by_name = name_column_ != kNone;
  const Field& first = field(lines.front(), c);
  if (lines.size() == 1 && is_plain(first, column)) {
    writer_.add_known(key, metric(column), dims, {&first.value, 1});
    return;
  }
  const std::string_view name = by_name ? cell(lines.front(), name_column_) : std::string_view(column.name);
  if (!column.is_metric && !by_name) {
    // A text that changes from run to run is told once, where it is one.
    const std::string_view text = cell(lines.front(), c);
    if (lines.size() == 1 && !text.empty()) {
      writer_.add(key, name, RowWriter::kRootShape, dims, {ValueState::text, 0, false, text}, {});
    }
    return;
  }
  Explicit said;
  said.direction = column.direction;
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
  constexpr std::size_t kAtOnce = 32;
  std::string block;
  std::array<std::size_t, kAtOnce + 1> ends{};
  std::array<std::string_view, kAtOnce> texts;
  std::array<core::Id, kAtOnce> ids{};
  core::reserve_large(label_of_line_, line_count());
  bool single = true, nameless = false;
  for (std::size_t first = 0; first < line_count() && !writer_.halted(); first += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, line_count() - first);
    block.clear();
    for (std::size_t i = 0; i < count; ++i) {
      spell_label(block, first + i);
      ends[i + 1] = block.size();
    }
    for (std::size_t i = 0; i < count; ++i) texts[i] = std::string_view(block).substr(ends[i], ends[i + 1] - ends[i]);
    std::size_t known = labels.size();
    labels.intern_all(std::span(texts).first(count), ids, label_of_line_.empty() ? core::kNoId : label_of_line_.back() + 1);
    for (std::size_t i = 0; i < count; ++i) {
      const core::Id id = ids[i];
      single = single && (id == known || (id == 0 && !nameless));  // a new one has the next number
      if (id == known) ++known;
      nameless = nameless || id == 0;
      label_of_line_.push_back(id);
    }
  }
  return single;
}

// Lines that are points of their own, a handful at a time: their keys are spelled side by side and interned together, and so are
// the texts of their dimensions before.
class Table::Points {
 public:
  explicit Points(Table& table) : table_(table) {
    for (std::size_t c = 0; c < table.columns_.size(); ++c) {
      if (table.columns_[c].is_dimension) dimensions_.push_back({c});
    }
    for (const std::size_t c : table.shown_) names_ += table.columns_[c].name.size();
  }
  void add(std::size_t first, std::size_t end) {
    intern_dims(first, end);
    auto dims = dims_.begin();
    while (first < end && !table_.writer_.halted()) {
      const std::size_t next = spell_points(first, end);
      std::size_t begin = 0;
      for (std::size_t line = first; line < next; ++line) {
        set_.clear();
        for (const Dimension& dimension : dimensions_) {
          if (const core::Id value = *dims++; value != core::kNoId) set_.emplace_back(dimension.name, value);
        }
        const std::size_t behind = ends_[line - first];
        rows_of(line, {points_.data() + begin, behind - begin}, table_.writer_.out.add_dims(set_));
        begin = behind;
      }
      add_numbers();
      first = next;
    }
  }

 private:
  static constexpr std::size_t kAround = 3;  // "[" or ",", and "].", around what is said of a point
  static constexpr std::size_t kKnown = 32;
  static constexpr std::size_t kRoom = std::size_t{64} << 10U;  // for a handful of lines, unless they are very long
  struct Dimension {
    std::size_t column = 0;
    core::Id name = core::kNoId;
    struct Known {
      std::string_view text;
      core::Id id = 0;  // the empty text's, at first
    };
    std::array<Known, kKnown> known = {};  // values of late, by place_of()
  };
  static std::size_t place_of(std::string_view text) {
    return (text.size() * 5 + static_cast<unsigned char>(text.back()) * std::size_t{3} +
            static_cast<unsigned char>(text.front())) %
           kKnown;
  }

  // dims_ becomes the values' ids, line by line.
  void intern_dims(std::size_t first, std::size_t end) {
    dims_.clear();
    texts_.clear();
    asked_.clear();
    for (std::size_t line = first; line < end; ++line) {
      for (Dimension& dimension : dimensions_) {
        const std::string_view text = table_.cell(line, dimension.column);
        core::Id id = core::kNoId;
        if (!text.empty()) {
          if (dimension.name == core::kNoId)
            dimension.name = table_.writer_.pool().intern(table_.columns_[dimension.column].name);
          const Dimension::Known& known = dimension.known[place_of(text)];
          if (core::same_short(known.text, text)) {
            id = known.id;
          } else {
            texts_.push_back(text);
            asked_.push_back(static_cast<std::uint32_t>(dims_.size()));
          }
        }
        dims_.push_back(id);
      }
    }
    if (texts_.empty()) return;
    ids_.resize(std::max(ids_.size(), texts_.size()));
    table_.writer_.pool().intern_all(texts_, ids_, guess_);
    guess_ = ids_[texts_.size() - 1] + 1;
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      dims_[asked_[i]] = ids_[i];
      dimensions_[asked_[i] % dimensions_.size()].known[place_of(texts_[i])] = {texts_[i], ids_[i]};
    }
  }

  static char* put(char* to, std::string_view text) {
    core::copy_short(to, text.data(), text.size());
    return to + text.size();
  }

  // "[size=8,dtype=float]." of the lines from `first` on, one behind the other, where there is something to say. All of them
  // before any key: what was written a moment ago is slow to be read. Gives the line behind the last: very long ones come alone.
  std::size_t spell_points(std::size_t first, std::size_t end) {
    ends_.clear();
    std::size_t size = 0, line = first;
    for (; line < end && size < kRoom; ++line) {
      std::size_t most = size + kAround;
      for (const Dimension& dimension : dimensions_)
        most += 1 + table_.columns_[dimension.column].as_dimension.size() + table_.cell(line, dimension.column).size();
      if (points_.size() < most) points_.resize(2 * most + kRoom);
      char* const begin = points_.data() + size;
      char* to = begin;
      for (const Dimension& dimension : dimensions_) {
        const std::string_view text = table_.cell(line, dimension.column);
        if (text.empty()) continue;
        *to = to == begin ? '[' : ',';
        to = put(put(to + 1, table_.columns_[dimension.column].as_dimension), text);
      }
      if (to != begin) to = put(to, "].");
      size += static_cast<std::size_t>(to - begin);
      ends_.push_back(size);
    }
    const std::size_t keys = size * table_.shown_.size() + names_ * (line - first);
    if (keys_room_.size() < keys) keys_room_.resize(2 * keys);
    next_ = keys_room_.data();
    return line;
  }

  void rows_of(std::size_t line, std::string_view point, std::uint32_t dims) {
    const auto number = static_cast<std::uint32_t>(line);
    if (table_.name_column_ != kNone) {
      key_.clear();
      table_.spell_label(key_, line);
      for (const std::size_t c : table_.shown_) table_.value({&number, 1}, c, key_, dims);
      return;
    }
    for (const std::size_t c : table_.shown_) {
      Column& column = table_.columns_[c];
      char* const begin = next_;
      next_ = put(put(next_, point), column.name);
      const std::string_view key(begin, static_cast<std::size_t>(next_ - begin));
      const Field& field = table_.field(line, c);
      if (table_.is_plain(field, column)) {
        keys_.push_back(key);
        numbers_.push_back({table_.metric(column), dims, field.value});
      } else {
        add_numbers();  // what stands before it comes before it
        table_.value({&number, 1}, c, key, dims);
      }
    }
  }
  void add_numbers() {
    if (keys_.empty()) return;
    guess_ = table_.writer_.add_known(keys_, numbers_, guess_) + 1;
    keys_.clear();
    numbers_.clear();
  }
  Table& table_;
  std::vector<Dimension> dimensions_;
  std::size_t names_ = 0;  // bytes of all metrics' names
  std::vector<core::Id> dims_, ids_;
  core::Id guess_ = core::kNoId;  // where the next text would be in a file like the one read before
  std::vector<std::string_view> texts_, keys_;
  std::vector<std::uint32_t> asked_;
  std::vector<std::pair<core::Id, core::Id>> set_;
  std::vector<RowWriter::Number> numbers_;
  std::string key_;                       // of a table of names
  std::vector<char> points_, keys_room_;  // as they are spelled, of a handful of lines
  std::vector<std::size_t> ends_;         // of each line's in points_
  char* next_ = nullptr;                  // in keys_room_
};

// Every line a point of its own. False: some are not, and nothing was added; unless that may be.
bool Table::single_points(bool may_repeat) {
  constexpr std::size_t kAtOnce = 32;
  const RowWriter::Findings before = writer_.findings();
  const std::uint64_t repeated = writer_.found(Finding::duplicate_key);
  Points points(*this);
  for (std::size_t first = 0; first < line_count() && !writer_.halted(); first += kAtOnce) {
    points.add(first, std::min(first + kAtOnce, line_count()));
    if (may_repeat || writer_.found(Finding::duplicate_key) == repeated) continue;
    writer_.start_again(before);
    for (Column& column : columns_) column.row.reset();
    return false;
  }
  return true;
}

// What the lines of a point hold in a column.
void Table::tell(Repeats& repeats, std::size_t point, std::span<const std::uint32_t> lines, std::size_t column) const {
  std::vector<Leaf> held;
  for (const std::uint32_t line : lines) {
    if (field(line, column).kind != Cell::absent) held.push_back(leaf_of_text(cell(line, column)));
  }
  repeats.field(columns_[column].name, point, held, held.size() < lines.size());
}

// Lines that share a label, by its number.
struct Table::Repeated {
  struct Point {
    std::uint32_t first = 0, last = 0, count = 0;
  };
  std::vector<Point> points;
  std::vector<std::uint32_t> order;  // of labels
  std::vector<std::uint32_t> next;   // line of the same point
  bool even = false;                 // every point has as many lines
  std::string different;             // a column that makes the lines of a point different things

  void lines_of(const Point& one, std::vector<std::uint32_t>& lines) const {
    lines.clear();
    for (std::uint32_t line = one.first; lines.size() < one.count; line = next[line]) lines.push_back(line);
  }
};

Table::Repeated Table::repeated_of(const core::StringPool& labels) const {
  Repeated out;
  out.points.resize(labels.size());
  out.next.resize(label_of_line_.size());
  for (std::uint32_t line = 0; line < label_of_line_.size(); ++line) {
    Repeated::Point& at = out.points[label_of_line_[line]];
    if (at.count++ == 0) {
      at.first = line;
      out.order.push_back(label_of_line_[line]);
    } else {
      out.next[at.last] = line;
    }
    at.last = line;
  }
  const std::uint32_t repeats = out.points[out.order.front()].count;
  out.even = std::all_of(out.order.begin(), out.order.end(), [&](std::uint32_t one) { return out.points[one].count == repeats; });
  constexpr std::size_t kEnough = 1000;  // points that show what a column is
  Repeats same(writer_.names());
  std::vector<std::uint32_t> lines;
  std::size_t told = 0;
  for (const std::uint32_t number : out.order) {
    if (told == kEnough) break;
    if (out.points[number].count < 2) continue;
    out.lines_of(out.points[number], lines);
    for (const std::size_t c : shown_) tell(same, told, lines, c);
    ++told;
  }
  out.different = same.different();
  return out;
}

// Whether a column of numbers may be what was chosen: no rule knows its name as something measured.
bool Table::is_parameter(std::size_t column) const {
  const Column& one = columns_[column];
  const configs::MetricGuess guess = writer_.names().guess(one.name, one.unit);
  const auto measures = [&](std::size_t c) { return c != column && columns_[c].is_metric; };
  if (!one.is_metric || one.direction != core::Direction::unknown || guess.direction != core::Direction::unknown) return false;
  if (std::none_of(shown_.begin(), shown_.end(), measures)) return false;
  for (std::size_t line = 0; line < line_count(); ++line) {
    if (!field(line, column).plain) return false;
  }
  return true;
}

// Whether a column of texts says what was worked on: a file, a query. Its texts may stand in another folder elsewhere, so it
// tells lines apart only where nothing else does.
bool Table::names_input(std::size_t column) const {
  constexpr std::string_view kInputs[] = {"file", "filename", "file name", "file_name", "path",
                                          "url",  "query",    "command",   "input"};
  const std::string name = core::to_lower(columns_[column].name);
  return !columns_[column].is_metric && columns_[column].texts > 0 &&
         std::find(std::begin(kInputs), std::end(kInputs), name) != std::end(kInputs);
}

void Table::tell_apart_by(std::size_t column) {
  columns_[column].is_metric = false;
  columns_[column].is_dimension = true;
  label_of_line_.clear();
  shown_.clear();
  rows();
}

// Lines of one point are trials where every point has as many of them, and nothing but what was measured differs.
void Table::repeated_points(const core::StringPool& labels, const Repeated& repeated) {
  const bool trials = repeated.even && repeated.different.empty();
  if (repeated.even && !trials) {
    DifferentRecords found;
    found.add(repeated.different, labels.view(repeated.order.front()));
    found.warn(writer_);
  }
  std::vector<std::pair<core::Id, core::Id>> dims;
  std::vector<std::uint32_t> lines;
  for (const std::uint32_t number : repeated.order) {
    if (writer_.halted()) return;
    const Repeated::Point& one = repeated.points[number];
    repeated.lines_of(one, lines);
    dims.clear();
    intern_dims(one.first, dims);
    const std::uint32_t set = writer_.out.add_dims(dims);
    if (trials) {
      point(lines, labels.view(number), set);
      continue;
    }
    if (one.count > 1 && !repeated.even) writer_.find(Finding::unequal_repeats, labels.view(number));
    // The second of a kind marks the first as duplicate.
    for (const std::uint32_t line : lines) point({&line, 1}, labels.view(number), set);
  }
}

void Table::rows() {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    columns_[c].as_dimension = columns_[c].name + "=";
    if (name_column_ != kNone ? c == value_column_ : !columns_[c].is_dimension) shown_.push_back(c);
  }
  writer_.reserve(line_count() * (shown_.size() + 1));  // and texts of dimensions
  // Most long tables repeat no point, which shows when their rows are made: no two have the same key. A line that measures
  // nothing may have no row to show it.
  const bool shows =
      name_column_ != kNone || std::any_of(shown_.begin(), shown_.end(), [&](std::size_t c) { return columns_[c].is_metric; });
  if (shows && single_points(false)) return;
  core::StringPool labels;
  if (number_labels(labels)) {
    single_points(true);
    return;
  }
  const Repeated repeated = repeated_of(labels);
  const auto parameter = std::find_if(shown_.begin(), shown_.end(), [&](std::size_t c) {
    return name_column_ == kNone && columns_[c].name == repeated.different && (is_parameter(c) || names_input(c));
  });
  if (parameter != shown_.end()) {
    tell_apart_by(*parameter);
  } else {
    repeated_points(labels, repeated);
  }
}

}  // namespace plumbline::formats::delimited
