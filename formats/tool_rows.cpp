#include "formats/tool_rows.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "core/citing.hpp"
#include "core/large_block.hpp"
#include "core/short_text.hpp"
#include "core/text.hpp"
#include "formats/decimal.hpp"
#include "formats/plain_text.hpp"

namespace plumbline::formats {
namespace {
constexpr std::size_t kLongestValue = 200;  // of a dimension
}  // namespace

LogLines::LogLines(std::string_view text) : text_(text) {
  if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
}

bool LogLines::next(std::string_view& line) {
  if (at_ >= text_.size()) return false;
  ++number_;
  const std::size_t end = text_.find('\n', at_);
  cut_ = end == std::string_view::npos;
  line = text_.substr(at_, cut_ ? std::string_view::npos : end - at_);
  at_ = cut_ ? text_.size() : end + 1;
  while (line.ends_with('\r')) line.remove_suffix(1);
  // rfind() goes byte by byte: of a text without line feeds that is long.
  if (const void* over = ::memrchr(line.data(), '\r', line.size()); over != nullptr)
    line.remove_prefix(static_cast<std::size_t>(static_cast<const char*>(over) - line.data()) + 1);
  if (line.find('\x1B') != std::string_view::npos) {
    std::string& plain = plain_.emplace_back();
    append_without_colours(plain, line);
    line = plain;
  }
  line = without_launcher(line);
  return true;
}

void split_blanks(std::string_view line, std::vector<std::string_view>& fields) {
  fields.clear();
  const char* at = line.data();
  const char* const end = at + line.size();
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  for (;;) {
    while (at != end && is_blank(*at)) ++at;
    if (at == end) return;
    const char* const start = at;
    while (at != end && !is_blank(*at)) ++at;
    fields.emplace_back(start, static_cast<std::size_t>(at - start));
  }
}

std::optional<Leaf> cell(std::string_view text) {
  if (double plain = 0; plain_decimal(text, plain)) return Leaf{core::ValueState::number, plain, true, {}};
  text = core::trim(text);
  if (text == "N/A" || text == "n/a") return Leaf{core::ValueState::null, 0, false, text};
  const auto value = core::parse_double(text);
  if (!value) return std::nullopt;
  if (!std::isfinite(*value)) return Leaf{core::ValueState::not_finite, 0, false, text};
  return Leaf{core::ValueState::number, *value, true, {}};
}

ToolRows::ToolRows(const Input& input, const ReadOptions& options, std::string_view tool)
    : writer(options), input_(input), options_(options), tool_(tool) {
  points_.emplace_back();
}

std::uint32_t ToolRows::point(std::string_view subject, std::span<const Dim> dims, std::span<const Dim> told) {
  spelled_.assign(subject);
  char before = '[';
  for (const auto& [name, value] : dims) {
    if (value.empty()) continue;
    spelled_.push_back(before);
    spelled_.append(name).push_back('=');
    spelled_.append(value.substr(0, kLongestValue));
    before = ',';
  }
  if (before == ',') spelled_.push_back(']');
  // Tables repeat the order of the table before.
  last_point_ = texts_.intern(spelled_, last_point_ + 1);
  if (uses_.size() < texts_.size()) uses_.resize(texts_.size());
  Use& use = uses_[last_point_];
  if (use.times > 0 && use.section == section_) {
    at(use.point);
    return point_;
  }
  if (use.times == 0) {
    intern_dims(told, dims);
  } else {  // as they were called then
    core::Row first;
    first.dims = points_[use.first].dims;
    const auto ids = writer.out.dims(first);
    ids_.assign(ids.begin(), ids.end());
  }
  use.section = section_;
  ++use.times;
  use.point = static_cast<std::uint32_t>(points_.size());
  if (use.times == 1) use.first = use.point;
  if (use.times > 1) {
    if (repeated_++ == 0) repeated_example_ = spelled_;
    ids_.emplace_back(writer.pool().intern("section"), writer.pool().intern(std::to_string(use.times)));
  }
  if (points_.size() == points_.capacity()) core::reserve_large(points_, 2 * points_.size() + 16);
  Point& made = points_.emplace_back();
  made.text = last_point_;
  made.times = use.times;
  made.has_dims = before == ',';
  made.dims = writer.out.add_dims(ids_);
  if (use.times > 1) ids_.pop_back();
  at(use.point);
  return point_;
}

// What stood at the same place of the point before is a good guess at names and most values.
void ToolRows::intern_dims(std::span<const Dim> told, std::span<const Dim> dims) {
  std::size_t at_dim = 0;
  for (const std::span<const Dim> some : {told, dims}) {
    for (const auto& [name, given] : some) {
      if (given.empty()) continue;
      const std::string_view value = given.substr(0, kLongestValue);
      if (at_dim == ids_.size()) ids_.emplace_back(0, 0);
      auto& [name_id, value_id] = ids_[at_dim++];
      name_id = writer.pool().intern(name, name_id);
      value_id = writer.pool().intern(value, value_id);
    }
  }
  ids_.resize(at_dim);
}

void ToolRows::append_prefix(std::string& into, const Point& point) const {
  into.append(texts_.view(point.text));
  if (point.times == 1) return;
  if (point.has_dims) into.pop_back();
  into.append(point.has_dims ? ",section=" : "[section=");
  std::array<char, 12> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), point.times).ptr;
  into.append(digits.data(), end).push_back(']');
}

std::string ToolRows::key(std::string_view metric) const {
  std::string made;
  append_prefix(made, points_[point_]);
  if (!made.empty()) made.push_back('.');
  return made.append(metric);
}

std::uint32_t ToolRows::index_of(const ToolMetric& metric) {
  if (last_metric_ < metrics_.size() && metrics_[last_metric_].metric == &metric) return last_metric_;
  const auto [known, fresh] = index_of_metric_.try_emplace(&metric, static_cast<std::uint32_t>(metrics_.size()));
  last_metric_ = known->second + 1;  // metrics come in turn
  if (!fresh) return known->second;
  const core::Share by_name = writer.names().guess(metric.name, metric.unit).share;
  core::MetricClass declared = class_of_declared(metric, writer.pool(), writer.pool().intern(tool_), by_name);
  declared.direction_source = core::Source::format;  // that a direction is not known is the format's word too
  declared.exact = declared.share == core::Share::none && (metric.exact || metric.role == core::Role::gate);
  metrics_.push_back({&metric, writer.pool().intern(metric.name), writer.out.intern_class(declared)});
  return known->second;
}

// The rows of a point are added in the same order each time: the next one is nearly always the one.
ToolRows::Row& ToolRows::row(const ToolMetric& metric) {
  Point& point = points_[point_];
  const std::uint32_t expected = cursor_ == kNone ? point.first : rows_[cursor_].next;
  if (expected != kNone && metrics_[rows_[expected].metric].metric == &metric) return rows_[cursor_ = expected];
  const std::uint32_t index = index_of(metric);
  if (point.first != kNone) {
    const std::uint32_t found = find_row(point, metrics_[index].name);
    if (found != kNone) return rows_[cursor_ = found];
  }
  cursor_ = static_cast<std::uint32_t>(rows_.size());
  if (rows_.size() == rows_.capacity()) core::reserve_large(rows_, 2 * rows_.size() + 64);
  Row& made = rows_.emplace_back();
  made.metric = index;
  made.point = point_;
  (point.last == kNone ? point.first : rows_[point.last].next) = cursor_;
  point.last = cursor_;
  if (point.looked_up) row_of_.emplace(std::uint64_t{point_} << 32U | metrics_[index].name, cursor_);
  return made;
}

// Two declarations of one name are one row.
std::uint32_t ToolRows::find_row(Point& point, core::Id name) {
  constexpr int kFew = 24;
  const auto place = [&](core::Id of) { return std::uint64_t{point_} << 32U | of; };
  if (!point.looked_up) {
    std::uint32_t at = point.first;
    for (int looked = 0; at != kNone && looked < kFew; ++looked, at = rows_[at].next) {
      if (metrics_[rows_[at].metric].name == name) return at;
    }
    if (at == kNone) return kNone;
    point.looked_up = true;
    for (at = point.first; at != kNone; at = rows_[at].next) row_of_.emplace(place(metrics_[rows_[at].metric].name), at);
  }
  const auto known = row_of_.find(place(name));
  return known == row_of_.end() ? kNone : known->second;
}

void ToolRows::add_trial(Row& at, double value) {
  if (at.odd != kNone) return;  // spoiled
  if (!at.has_value) {
    at.value = value;
    at.has_value = true;
    return;
  }
  if (at.more == kNone) {
    at.more = static_cast<std::uint32_t>(more_.size());
    more_.emplace_back();
  }
  more_[at.more].push_back(value);
}

void ToolRows::add(const ToolMetric& metric, double value) { add_trial(row(metric), value); }

void ToolRows::add(const ToolMetric& metric, const Leaf& leaf) {
  if (leaf.state == core::ValueState::number && leaf.has_value) {
    add(metric, leaf.value);
    return;
  }
  Row& at = row(metric);
  if (at.odd == kNone) {
    at.odd = static_cast<std::uint32_t>(odd_.size());
    odd_.emplace_back();
  }
  // One trial without a number spoils the row: fewer trials than were run would flatter it.
  odd_[at.odd] = leaf;
  at.has_value = false;
  if (at.more != kNone) more_[at.more].clear();
}

bool ToolRows::add(const ToolMetric& metric, std::string_view printed) {
  const auto leaf = cell(printed);
  if (leaf) add(metric, *leaf);
  return leaf.has_value();
}

void ToolRows::add_trials(const ToolMetric& metric, const std::vector<double>& values) {
  for (const double value : values) add(metric, value);
}

void ToolRows::note(std::string_view context_key, std::string_view value) {
  value = core::trim(value).substr(0, 500);
  if (value.empty()) return;
  // Tables say the same of every line.
  auto& last = last_notes_[static_cast<unsigned char>(context_key.empty() ? '\0' : context_key.back()) % last_notes_.size()];
  if (last != nullptr && core::same_short(last->first, context_key) && core::same_short(last->second, value)) return;
  const auto [known, fresh] = notes_.try_emplace(std::string(context_key), value);
  if (!fresh && known->second != value) known->second.clear();
  last = &*known;
}

void ToolRows::incomplete(std::string what) { incomplete_.push_back(std::move(what)); }

bool ToolRows::halted() {
  if (rows_.size() > options_.max_rows) write();
  return writer.halted();
}

// Points of different words can have rows of the same key ("a" with "b.c", "a.b" with "c"): their trials belong together.
void ToolRows::merge(Row& into, const Row& from) {
  if (into.odd == kNone && from.odd != kNone) {
    into.odd = from.odd;
    into.has_value = false;
  }
  if (from.has_value) add_trial(into, from.value);
  if (from.more == kNone) return;
  const std::vector<double> trials = std::move(more_[from.more]);
  for (const double value : trials) add_trial(into, value);
}

// "all_reduce[size=8]." of a point, where there is something to say.
std::size_t ToolRows::spell_prefix(std::uint32_t point) {
  prefix_.clear();
  append_prefix(prefix_, points_[point]);
  if (!prefix_.empty()) prefix_.push_back('.');
  return prefix_.size();
}

// Ids of keys mostly rise, which tells that no row has them yet (see RowWriter): only other keys are looked for.
void ToolRows::settle_key(std::uint32_t index, core::Id key) {
  if (key > highest_key_) {
    highest_key_ = key;
    rows_[index].key = key;
    return;
  }
  row_of_key_.resize(std::max<std::size_t>(row_of_key_.size(), highest_key_ + std::size_t{1}), kNone);
  for (; mapped_ < index; ++mapped_) {
    if (rows_[mapped_].key != core::kNoId) row_of_key_[rows_[mapped_].key] = mapped_;
  }
  if (row_of_key_[key] == kNone) {
    rows_[index].key = key;
  } else {
    merge(rows_[row_of_key_[key]], rows_[index]);
  }
}

void ToolRows::spell_keys() {
  constexpr std::size_t kAtOnce = 32;
  core::StringPool& pool = writer.pool();
  if (pool.size() < rows_.size()) pool.reserve(pool.size() + rows_.size());
  std::vector<char> room;
  std::array<std::size_t, kAtOnce + 1> ends{};
  std::array<std::string_view, kAtOnce> keys;
  std::array<core::Id, kAtOnce> ids{};
  std::uint32_t spelled = kNone;  // point whose prefix stands in prefix_
  core::Id guess = core::kNoId;
  for (std::size_t first = 0; first < rows_.size() && !writer.halted(); first += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, rows_.size() - first);
    for (std::size_t i = 0; i < count; ++i) {
      const Row& row = rows_[first + i];
      const std::size_t before = spelled == row.point ? prefix_.size() : spell_prefix(spelled = row.point);
      const std::string_view name = metrics_[row.metric].metric->name;
      ends[i + 1] = ends[i] + before + name.size();
      if (room.size() < ends[i + 1]) room.resize(2 * ends[i + 1]);
      core::copy_short(room.data() + ends[i], prefix_.data(), before);
      core::copy_short(room.data() + ends[i] + before, name.data(), name.size());
    }
    for (std::size_t i = 0; i < count; ++i) keys[i] = {room.data() + ends[i], ends[i + 1] - ends[i]};
    pool.intern_all(std::span(keys).first(count), ids, guess);
    guess = ids[count - 1] + 1;
    for (std::size_t i = 0; i < count; ++i) settle_key(static_cast<std::uint32_t>(first + i), ids[i]);
  }
}

void ToolRows::write() {
  if (written_) return;
  written_ = true;
  spell_keys();
  writer.reserve(rows_.size());
  std::vector<double> trials;
  for (const Row& row : rows_) {
    if (writer.halted()) return;
    if (row.key == core::kNoId) continue;
    const Metric& metric = metrics_[row.metric];
    const std::uint32_t dims = points_[row.point].dims;
    if (row.odd == kNone) {
      if (row.more == kNone) {
        writer.add_known(row.key, metric.name, metric.metric_class, dims, {&row.value, 1});
      } else {
        trials.assign(1, row.value);
        trials.insert(trials.end(), more_[row.more].begin(), more_[row.more].end());
        writer.add_known(row.key, metric.name, metric.metric_class, dims, trials);
      }
      continue;
    }
    const Leaf& leaf = odd_[row.odd];
    const std::size_t before = writer.out.rows().size();
    writer.add(writer.pool().view(row.key), metric.metric->name, RowWriter::kRootShape, dims, leaf);
    if (writer.out.rows().size() == before || leaf.state == core::ValueState::text) continue;
    writer.out.rows().back().metric_class = metric.metric_class;
  }
}

core::Expected<core::Measurement> ToolRows::finish() {
  write();
  if (repeated_ > 0) {
    writer.out.warn("repeated_sections",
                    core::counted(repeated_, "point was", "points were") +
                        " measured again in a later section of the file, which has rows of its own (section=2, …): " +
                        core::cited(repeated_example_));
  }
  if (!incomplete_.empty()) {
    writer.out.warn("run_incomplete",
                    core::counted(incomplete_.size(), "run has", "runs have") + " no end: " + incomplete_.front());
  }
  for (const auto& [name, value] : notes_) {
    if (!value.empty()) writer.out.context.emplace(name, value);
  }
  return writer.finish(input_.name);
}

core::Error ToolRows::error(std::string message, std::string hint, std::size_t line) const {
  core::Error made;
  made.code = core::ErrorCode::invalid_input;
  made.message = std::move(message);
  made.hint = std::move(hint);
  made.where = line == 0 ? input_.name : input_.name + ":" + std::to_string(line);
  return made;
}

std::string_view JsonBody::head(const Input& input) {
  const std::string_view head = json_head(input);
  if (head.starts_with('{')) return head;
  const std::size_t start = head.find("\n{");
  return start == std::string_view::npos ? std::string_view() : head.substr(start + 1);
}

namespace {
// The last line begins with a letter, as no line of a laid out document does.
bool ends_in_words(std::string_view text) {
  text = core::trim(text);
  const std::string_view line = core::trim(text.substr(std::min(text.rfind('\n') + 1, text.size())));
  return line.size() < text.size() && !line.empty() && ((line[0] >= 'A' && line[0] <= 'Z') || (line[0] >= 'a' && line[0] <= 'z'));
}
}  // namespace

JsonBody::JsonBody(const Input& input) : input_(input) {
  const std::string_view from = head(input);
  if (from.empty()) return;
  // Warnings may follow too: the one value that begins where the text's does, and nothing of a value that never ends.
  if (ends_in_words(input.bytes)) {
    const auto lines = std::count(input.bytes.data(), from.data(), '\n');
    auto embedded = embedded_json(input.bytes);
    if (embedded && embedded->values == 1 && embedded->first_line == static_cast<std::size_t>(lines) + 1) {
      own_ = std::move(embedded->text);
      input_.bytes = own_;
      return;
    }
  }
  if (from.data() == json_head(input).data()) return;
  if (auto embedded = embedded_json(input.bytes); embedded && embedded->values > 1) {  // runs that were appended
    own_ = std::move(embedded->text);
    input_.bytes = own_;
    return;
  }
  own_ = std::string(input.bytes);
  for (std::size_t i = 0; i < static_cast<std::size_t>(from.data() - input.bytes.data()); ++i) {
    if (own_[i] != '\n') own_[i] = ' ';
  }
  input_.bytes = own_;
}

}  // namespace plumbline::formats
