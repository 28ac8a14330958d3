#include "formats/tool_rows.hpp"

#include <algorithm>
#include <cmath>

#include "core/large_block.hpp"
#include "core/text.hpp"
#include "formats/decimal.hpp"
#include "formats/plain_text.hpp"

namespace plumbline::formats {
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
  if (line.ends_with('\r')) line.remove_suffix(1);
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

std::uint32_t ToolRows::point(std::string_view subject, std::span<const Dim> dims) {
  constexpr std::size_t kLongestValue = 200;
  spelled_.assign(subject);
  spelled_point_ = kNone;
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
  use.section = section_;
  ++use.times;
  use.point = static_cast<std::uint32_t>(points_.size());
  Point made;
  made.prefix = texts_.view(last_point_);
  // What stood at the same place of the point before is a good guess at names and most values.
  std::size_t at_dim = 0;
  const auto intern = [&](std::string_view name, std::string_view value) {
    const auto guess = at_dim < ids_.size() ? ids_[at_dim] : std::pair<core::Id, core::Id>(0, 0);
    const std::pair<core::Id, core::Id> ids(writer.pool().intern(name, guess.first), writer.pool().intern(value, guess.second));
    if (at_dim < ids_.size()) {
      ids_[at_dim] = ids;
    } else {
      ids_.push_back(ids);
    }
    ++at_dim;
  };
  for (const auto& [name, value] : dims) {
    if (!value.empty()) intern(name, value.substr(0, kLongestValue));
  }
  if (use.times > 1) {
    if (repeated_++ == 0) repeated_example_ = spelled_;
    const std::string times = std::to_string(use.times);
    if (before == ',') spelled_.pop_back();
    spelled_.push_back(before);
    spelled_.append("section=").append(times).push_back(']');
    made.prefix = sectioned_.emplace_back(spelled_);
    intern("section", times);
  }
  ids_.resize(at_dim);
  made.dims = writer.out.add_dims(ids_);
  points_.push_back(made);
  at(static_cast<std::uint32_t>(points_.size() - 1));
  return point_;
}

std::string ToolRows::key(std::string_view metric) const {
  const std::string_view prefix = points_[point_].prefix;
  return prefix.empty() ? std::string(metric) : std::string(prefix) + "." + std::string(metric);
}

std::uint32_t ToolRows::index_of(const ToolMetric& metric) {
  const auto [known, fresh] = index_of_metric_.try_emplace(&metric, static_cast<std::uint32_t>(metrics_.size()));
  if (!fresh) return known->second;
  core::MetricClass declared = class_of_declared(metric, writer.pool(), writer.pool().intern(tool_));
  declared.direction_source = core::Source::format;  // that a direction is not known is the format's word too
  declared.exact = metric.exact || metric.role == core::Role::gate;
  metrics_.push_back({&metric, writer.pool().intern(metric.name), writer.out.intern_class(declared)});
  return known->second;
}

// The rows of a point are added in the same order each time: the next one is nearly always the one.
ToolRows::Row& ToolRows::row(const ToolMetric& metric, bool& again) {
  constexpr int kNear = 24;
  Point& point = points_[point_];
  again = true;
  std::uint32_t at = cursor_ == kNone ? point.first : rows_[cursor_].next;
  for (int looked = 0; at != kNone && looked < kNear; ++looked, at = rows_[at].next) {
    if (metrics_[rows_[at].metric].metric == &metric) {
      cursor_ = at;
      return rows_[at];
    }
  }
  return row_by_key(metric, again);
}

ToolRows::Row& ToolRows::row_by_key(const ToolMetric& metric, bool& again) {
  Point& point = points_[point_];
  if (spelled_point_ != point_) {
    spelled_.assign(point.prefix);
    if (!point.prefix.empty()) spelled_.push_back('.');
    spelled_point_ = point_;
  }
  const std::size_t length = point.prefix.empty() ? 0 : point.prefix.size() + 1;
  spelled_.resize(length);
  spelled_.append(metric.name);
  last_key_ = writer.pool().intern(spelled_, last_key_ + 1);
  if (row_of_key_.size() <= last_key_) {
    const std::size_t size = std::max<std::size_t>(writer.pool().size(), row_of_key_.size() + row_of_key_.size() / 2);
    core::reserve_large(row_of_key_, size);
    row_of_key_.resize(size, kNone);
  }
  std::uint32_t& known = row_of_key_[last_key_];
  again = known != kNone;
  if (again) {
    cursor_ = kNone;
    return rows_[known];
  }
  known = static_cast<std::uint32_t>(rows_.size());
  Row& made = rows_.emplace_back();
  made.key = last_key_;
  made.metric = index_of(metric);
  made.dims = point.dims;
  if (point.last == kNone) {
    point.first = known;
  } else {
    rows_[point.last].next = known;
  }
  point.last = cursor_ = known;
  return made;
}

void ToolRows::add(const ToolMetric& metric, double value) {
  bool again = false;
  Row& at = row(metric, again);
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

void ToolRows::add(const ToolMetric& metric, const Leaf& leaf) {
  if (leaf.state == core::ValueState::number && leaf.has_value) {
    add(metric, leaf.value);
    return;
  }
  bool again = false;
  Row& at = row(metric, again);
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

void ToolRows::add_trials(const ToolMetric& metric, std::vector<double> values) {
  for (const double value : values) add(metric, value);
}

void ToolRows::note(std::string_view context_key, std::string_view value) {
  value = core::trim(value).substr(0, 500);
  if (value.empty()) return;
  const auto [known, fresh] = notes_.try_emplace(std::string(context_key), value);
  if (!fresh && known->second != value) known->second.clear();
}

void ToolRows::incomplete(std::string what) { incomplete_.push_back(std::move(what)); }

bool ToolRows::halted() {
  if (rows_.size() > options_.max_rows) write();
  return writer.halted();
}

void ToolRows::write() {
  if (written_) return;
  written_ = true;
  writer.out.reserve(rows_.size(), rows_.size());
  std::vector<double> trials;
  for (const Row& row : rows_) {
    if (writer.halted()) return;
    const Metric& metric = metrics_[row.metric];
    if (row.odd == kNone) {
      if (row.more == kNone) {
        writer.add_known(row.key, metric.name, metric.metric_class, row.dims, {&row.value, 1});
      } else {
        trials.assign(1, row.value);
        trials.insert(trials.end(), more_[row.more].begin(), more_[row.more].end());
        writer.add_known(row.key, metric.name, metric.metric_class, row.dims, trials);
      }
      continue;
    }
    const Leaf& leaf = odd_[row.odd];
    const std::size_t before = writer.out.rows().size();
    writer.add(writer.pool().view(row.key), metric.metric->name, RowWriter::kRootShape, row.dims, leaf);
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
                        core::quoted(repeated_example_));
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

JsonBody::JsonBody(const Input& input) : input_(input) {
  const std::string_view from = head(input);
  if (from.empty() || from.data() == json_head(input).data()) return;
  own_ = std::string(input.bytes);
  for (std::size_t i = 0; i < static_cast<std::size_t>(from.data() - input.bytes.data()); ++i) {
    if (own_[i] != '\n') own_[i] = ' ';
  }
  input_.bytes = own_;
}

}  // namespace plumbline::formats
