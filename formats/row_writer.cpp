#include "formats/row_writer.hpp"

#include <algorithm>
#include <cmath>

#include "core/citing.hpp"
#include "core/privacy.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "formats/drawn.hpp"
#include "formats/moments.hpp"
#include "formats/stamps.hpp"

namespace plumbline::formats {
namespace {

constexpr std::uint32_t kContainer = 0x80000000U;
constexpr std::uint32_t kFreeSlot = 0xFFFFFFFFU;

struct Text {
  core::WarningCode code;
  std::string_view one, many;  // after the count: "key appears", "keys appear"
  std::string_view rest;
};
// In the order of Finding. The message is "<count> <one|many> <rest>, the first at <example>".
constexpr Text kTexts[] = {
    {"duplicate_key", "key appears", "keys appear", "more than once: these rows are invalid, neither value is taken"},
    {"boolean_values", "value is", "values are", "true or false: read as 1 and 0, never judged unless the name is a check"},
    {"null_values", "value is", "values are", "null: kept as rows without a value"},
    {"numeric_strings", "number is", "numbers are", "in quotes: read as numbers"},
    {"big_integers", "integer is", "integers are", "beyond 2^53: the exact text is kept"},
    {"non_finite", "value is", "values are", "not finite: these rows are invalid"},
    {"trailing_comma", "trailing comma", "trailing commas", "read over"},
    {"byte_order_mark", "byte order mark", "byte order marks", "at the start, read over"},
    {"json_lines", "value", "values", "one after another (JSON lines): read as records of one array"},
    {"control_characters", "raw control character", "raw control characters", "inside strings, kept"},
    {"invalid_utf8", "text is", "texts are", "not valid UTF-8: shown with U+FFFD"},
    {"environment_in_source", "field of an environment was", "fields of an environment were",
     "left out: only an allow-list is read; the source itself still holds them (record --redact removes them)"},
    {"index_keyed_records", "record has", "records have",
     "no field that tells it apart: keyed by position, so a change of order shows as a change"},
    {"mixed_units", "metric has", "metrics have", "more than one unit within the file"},
    {"empty_containers", "empty object or array", "empty objects or arrays", "kept as rows without a value"},
    {"mixed_array", "array mixes", "arrays mix", "numbers with other things: its elements are keyed by position"},
    {"extra_members", "field is", "fields are", "beside \"value\": kept as context, never judged"},
    {"nulls_in_trials", "null", "nulls", "among trials: left out"},
    {"grouped_digits", "number is", "numbers are", "written with grouping or a decimal comma: not read as numbers"},
    {"unread_numbers", "value begins", "values begin",
     "like a number under a name that is judged, and cannot be read as one: invalid"},
    {"ragged_lines", "line has", "lines have", "another number of fields than the header"},
    {"unnamed_columns", "column has", "columns have", "no name: named by position"},
    {"comment_lines", "comment line", "comment lines", "skipped"},
    {"unequal_repeats", "point is", "points are",
     "measured again, but not all equally often: these rows are invalid as duplicates"},
    {"unread_file", "file could", "files could", "not be read"},
};
static_assert(std::size(kTexts) == static_cast<std::size_t>(Finding::count_));

}  // namespace

RowWriter::RowWriter(const ReadOptions& options)
    : out(options.pool ? options.pool : std::make_shared<core::StringPool>()),
      options_(options),
      pool_(out.shared_pool()),
      names_(options.names ? options.names : configs::MetricNames::builtin()) {
  shapes_.emplace_back();
  core::MetricClass text;
  text.role = core::Role::context;
  text.direction_note = pool_->intern("text");
  text_class_ = out.intern_class(text);
  core::MetricClass boolean;
  boolean.role = core::Role::context;
  boolean.exact = true;
  boolean.direction_note = pool_->intern("true or false");
  boolean_class_ = out.intern_class(boolean);
  boolean.role = core::Role::gate;
  boolean.direction = core::Direction::higher;
  boolean.direction_source = core::Source::name_rule;
  boolean.direction_note = pool_->intern("a check that must hold");
  boolean_gate_ = out.intern_class(boolean);
}

std::uint32_t RowWriter::shape(std::uint32_t parent, std::string_view name) {
  if (const std::uint32_t* known = child_shapes_.find(parent, name)) return *known;
  const auto id = static_cast<std::uint32_t>(shapes_.size());
  std::string path = shapes_[parent];
  if (!path.empty()) path.push_back('.');
  // Four levels are asked at most: a longer path need not be carried.
  path.append(name.substr(0, 200));
  if (path.size() > 600) path.erase(0, path.size() - 600);
  shapes_.push_back(std::move(path));
  child_shapes_.put(parent, name, id);
  return id;
}

// Shapes are their own scopes; with a unit, a direction or a role from the file there is one more for each combination.
std::uint32_t RowWriter::scope_of(std::uint32_t shape, const Explicit& said) {
  if (said.unit.empty() && said.direction == core::Direction::unknown && !said.context) return shape;
  scratch_.assign(reinterpret_cast<const char*>(&shape), sizeof shape);
  scratch_.push_back(static_cast<char>('0' + static_cast<int>(said.direction) + (said.context ? 4 : 0)));
  scratch_.append(said.unit);
  constexpr std::uint32_t kBeyondShapes = 0x80000000U;
  return scopes_.try_emplace(scratch_, kBeyondShapes | static_cast<std::uint32_t>(scopes_.size())).first->second;
}

// A metric that the file gives in milliseconds here and in seconds there: rows stay right, a reader of a table may not.
// "value" is no metric's name but the place of one.
void RowWriter::note_unit(std::string_view name, std::uint32_t shape, core::Id unit) {
  if (unit == 0 || name == "value") return;
  scratch_.assign(reinterpret_cast<const char*>(&shape), sizeof shape);
  scratch_.append(name.substr(0, 200));
  UnitSeen& seen = units_.try_emplace(scratch_).first->second;
  if (seen.unit == 0) seen.unit = unit;
  if (seen.unit == unit || seen.mixed) return;
  // Two spellings of one unit are one.
  if (core::conversion_factor(pool_->view(seen.unit), pool_->view(unit)) == 1.0) return;
  seen.mixed = true;
  find(Finding::mixed_units, name);
}

std::uint32_t RowWriter::guessed_class(std::string_view name, std::uint32_t shape, const Explicit& said) {
  const std::uint32_t scope = scope_of(shape, said);
  if (const std::uint32_t* known = classes_.find(scope, name)) return *known;
  std::string path = shapes_[shape];
  if (!path.empty()) path.push_back('.');
  path.append(name.substr(0, 400));
  const configs::MetricGuess guess = names_->guess(path, said.unit);
  core::MetricClass metric_class;
  metric_class.unit = pool_->intern(guess.unit);
  metric_class.unit_source = !said.unit.empty()   ? core::Source::file
                             : guess.unit.empty() ? core::Source::defaulted
                                                  : core::Source::name_rule;
  metric_class.direction = guess.direction;
  metric_class.direction_source = guess.note.empty() ? core::Source::defaulted : guess.direction_source;
  metric_class.direction_note = pool_->intern(guess.note);
  metric_class.role = guess.role;
  metric_class.exact = guess.exact;
  metric_class.share = guess.share;
  if (said.direction != core::Direction::unknown) {
    metric_class.direction = said.direction;
    metric_class.direction_source = core::Source::file;
    metric_class.direction_note = pool_->intern("the file says so");
    if (metric_class.role == core::Role::context) metric_class.role = core::Role::judged;
  }
  if (said.context) metric_class.role = core::Role::context;
  const std::uint32_t index = out.intern_class(metric_class);
  classes_.put(scope, name, index);
  if (!said.unit.empty()) note_unit(name, shape, metric_class.unit);
  return index;
}

std::uint32_t RowWriter::class_of(std::string_view name, std::uint32_t shape, const Leaf& leaf, const Explicit& said) {
  if (leaf.state == core::ValueState::text) return text_class_;
  if (leaf.state == core::ValueState::boolean) return !said.context && is_check(name) ? boolean_gate_ : boolean_class_;
  return guessed_class(name, shape, said);
}

std::uint32_t& RowWriter::slot(core::Id key) {
  if (key >= row_of_key_.size()) {
    core::reserve_large(row_of_key_, std::max<std::size_t>(pool_->size(), key + std::size_t{1}));
    row_of_key_.resize(row_of_key_.capacity(), kFreeSlot);
  }
  return row_of_key_[key];
}

void RowWriter::map_rows() {
  for (; mapped_ < out.rows().size(); ++mapped_) slot(out.rows()[mapped_].key) = static_cast<std::uint32_t>(mapped_);
}

void RowWriter::mark_duplicate(std::uint32_t row, core::Id key) {
  core::Row& first = out.rows()[row];
  if (first.state == core::ValueState::duplicate) return;
  first.state = core::ValueState::duplicate;
  find(Finding::duplicate_key, pool_->view(key));
}

// Whether rows of this key are there already: they are duplicates then.
bool RowWriter::is_taken(core::Id key) {
  if (key > highest_key_) {
    highest_key_ = key;
    return false;
  }
  map_rows();
  const std::uint32_t at = slot(key);
  if (at == kFreeSlot) return false;
  if ((at & kContainer) == 0) {
    mark_duplicate(at, key);
  } else {
    find(Finding::duplicate_key, pool_->view(key));
    for (std::uint32_t row = containers_[at & ~kContainer].first; row < containers_[at & ~kContainer].end; ++row) {
      out.rows()[row].state = core::ValueState::duplicate;
    }
  }
  return true;
}

// One number is what most rows are: told in registers, so that nothing is read back that was only just written.
void RowWriter::place_number(core::Id key, core::Id metric, std::uint32_t metric_class, std::uint32_t dims, double value) {
  if (is_taken(key)) return;
  core::Row& row = out.append({&value, 1});
  row.key = key;
  row.metric = last_metric_ = metric;
  row.metric_class = metric_class;
  row.dims = dims;
  if (duplicate_depth_ > 0) row.state = core::ValueState::duplicate;
}

void RowWriter::place(core::Id key, core::Id metric, std::uint32_t metric_class, std::uint32_t dims, core::ValueState state,
                      core::Id text, std::span<const double> values) {
  if (is_taken(key)) return;
  core::Row& row = out.append(values);
  row.key = key;
  row.metric = last_metric_ = metric;
  row.metric_class = metric_class;
  row.dims = dims;
  row.text = text;
  row.state = duplicate_depth_ > 0 ? core::ValueState::duplicate : state;
}

core::Id RowWriter::intern_key(std::string_view key) {
  const std::size_t known = pool_->size();
  const core::Id id = pool_->intern(key, last_key_ + 1);
  repeats_ = id == last_key_ + 1 && id < known;
  last_key_ = id;
  return id;
}

core::Id RowWriter::add_known(std::span<const std::string_view> keys, std::span<const Number> rows, core::Id guess) {
  if (keys.empty()) return last_key_;
  const std::size_t known = pool_->size();
  key_ids_.resize(std::max(key_ids_.size(), keys.size()));
  pool_->intern_all(keys, key_ids_, guess);
  last_key_ = key_ids_[keys.size() - 1];
  repeats_ = last_key_ - guess == keys.size() - 1 && last_key_ < known;
  numbers_ += keys.size();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const core::Id metric = rows[i].metric.name == core::kNoId ? key_ids_[i] : rows[i].metric.name;
    place_number(key_ids_[i], metric, rows[i].metric.metric_class, rows[i].dims, rows[i].value);
  }
  return last_key_;
}

RowWriter::Findings RowWriter::findings() const { return {findings_}; }

void RowWriter::start_again(const Findings& before) {
  findings_ = before.counts;
  numbers_ = texts_ = nulls_ = empties_ = 0;
  out.clear_rows();
  row_of_key_.clear();
  containers_.clear();
  classes_ = NameMemo();  // what is found out about a class is found again
  units_.clear();
  mapped_ = 0;
  highest_key_ = last_key_ = 0;
}

void RowWriter::put(std::string_view key, std::string_view name, std::uint32_t metric_class, std::uint32_t dims,
                    core::ValueState state, std::string_view text, std::span<const double> values) {
  const core::Id id = intern_key(key);
  place(id, metric_id(name, key, id), metric_class, dims, state, text.empty() ? 0 : pool_->intern(text), values);
}

// A text in the place of a result: "true" of a check is the check's value; "1,234 req/s" or "1m30s" under a name that is judged
// is a result that nobody could read, and must not pass for a remark.
void RowWriter::judge_text(Leaf& leaf, std::string_view key, std::string_view name, const Explicit& said) {
  const std::string_view text = core::trim(leaf.text);
  if (text.empty() || text.size() > 64) return;
  if (text.size() <= 5 && is_check(name)) {
    const std::string lower = core::to_lower(text);
    if (lower == "true" || lower == "false") leaf = {core::ValueState::boolean, lower == "true" ? 1.0 : 0.0, true, leaf.text};
    return;
  }
  const std::size_t sign = text.front() == '-' || text.front() == '+' ? 1 : 0;
  if (text.size() <= sign || text[sign] < '0' || text[sign] > '9') return;
  constexpr std::size_t kTimeOfDay = 12;  // without a date it may be how long something took
  if (text.size() > kTimeOfDay && is_moment(text)) return;
  const configs::MetricGuess guess = names_->guess(name, said.unit);
  if (guess.role != core::Role::judged || guess.direction == core::Direction::unknown) return;
  leaf.state = core::ValueState::failed;
  find(text.find(',') != std::string_view::npos ? Finding::grouped_digits : Finding::unread_numbers, key);
}

void RowWriter::add(std::string_view key, std::string_view name, std::uint32_t shape, std::uint32_t dims, const Leaf& given,
                    const Explicit& said) {
  // Nearly all there is. A leaf that was just made is quickly asked for its parts, but not quickly copied.
  if (given.state == core::ValueState::number && given.has_value && given.unit.empty()) {
    const double value = given.value;
    const std::uint32_t metric_class = guessed_class(name, shape, said);
    ++numbers_;
    const core::Id id = intern_key(key);
    place_number(id, metric_id(name, key, id), metric_class, dims, value);
    return;
  }
  // A text under a name that sounds like a secret is a row like any other, but its value goes nowhere.
  const bool from_text = given.state == core::ValueState::text || given.state == core::ValueState::numeric_string ||
                         given.state == core::ValueState::big_integer || given.state == core::ValueState::not_finite ||
                         given.state == core::ValueState::failed;
  const bool secret = from_text && core::sounds_secret(name);
  Leaf leaf = secret ? Leaf{core::ValueState::text, 0, false, "[redacted]"} : given;
  if (leaf.state == core::ValueState::text && !secret) judge_text(leaf, key, name, said);
  Explicit own = said;
  if (!leaf.unit.empty()) {
    if (said.unit.empty()) {
      own.unit = leaf.unit;
    } else if (const auto factor = core::conversion_factor(leaf.unit, said.unit)) {
      leaf.value *= *factor;
    } else {  // "10 ms" beside "unit": "GB/s": nobody can tell what was measured
      leaf = {core::ValueState::failed, 0, false, leaf.text};
      find(Finding::mixed_units, key);
    }
  }
  std::string_view text;
  switch (leaf.state) {
    case core::ValueState::number:
      ++numbers_;
      break;
    case core::ValueState::numeric_string:
      ++numbers_;
      find(Finding::numeric_strings, key);
      break;
    case core::ValueState::big_integer:
      ++numbers_;
      find(Finding::big_integers, key);
      text = leaf.text;
      break;
    case core::ValueState::not_finite:
      ++numbers_;
      find(Finding::non_finite, key);
      text = leaf.text.substr(0, 200);
      break;
    case core::ValueState::boolean:
      ++numbers_;
      find(Finding::boolean_values, key);
      break;
    case core::ValueState::null:
      text = leaf.text;
      if (text.empty()) {
        ++nulls_;
        find(Finding::null_values, key);
      } else {
        ++empties_;
      }
      break;
    default:
      ++texts_;
      text = leaf.text.substr(0, 4096);
      break;
  }
  const std::uint32_t metric_class = class_of(name, shape, leaf, own);
  put(key, name, metric_class, dims, leaf.state, text,
      leaf.has_value ? std::span<const double>(&leaf.value, 1) : std::span<const double>());
}

void RowWriter::add_trials(std::string_view key, std::string_view name, std::uint32_t shape, std::uint32_t dims,
                           std::span<const double> values, core::ValueState state, std::string_view text, const Explicit& said) {
  ++numbers_;
  if (state == core::ValueState::not_finite) find(Finding::non_finite, key);
  if (state == core::ValueState::numeric_string) find(Finding::numeric_strings, key);
  if (state == core::ValueState::big_integer) find(Finding::big_integers, key);
  if (state == core::ValueState::boolean) find(Finding::boolean_values, key);
  Leaf leaf;
  leaf.state = state;
  put(key, name, class_of(name, shape, leaf, said), dims, state, text, values);
}

void RowWriter::open_container(std::string_view path) {
  const core::Id id = pool_->intern(path);
  map_rows();
  highest_key_ = std::max(highest_key_, id);
  std::uint32_t& at = slot(id);
  const auto rows = static_cast<std::uint32_t>(out.rows().size());
  if (at == kFreeSlot) {
    at = kContainer | static_cast<std::uint32_t>(containers_.size());
    containers_.push_back({rows, rows, false});
    return;
  }
  find(Finding::duplicate_key, path);
  ++duplicate_depth_;
  if ((at & kContainer) == 0) {
    out.rows()[at].state = core::ValueState::duplicate;
    at = kContainer | static_cast<std::uint32_t>(containers_.size());
    containers_.push_back({rows, rows, true});
    return;
  }
  Range& range = containers_[at & ~kContainer];
  for (std::uint32_t row = range.first; row < range.end; ++row) out.rows()[row].state = core::ValueState::duplicate;
  range.repeated = true;
}

void RowWriter::close_container(std::string_view path) {
  Range& range = containers_[slot(pool_->find(path)) & ~kContainer];
  if (range.repeated) {
    --duplicate_depth_;
  } else {
    range.end = static_cast<std::uint32_t>(out.rows().size());
  }
}

void RowWriter::find(Finding finding, std::string_view example, std::uint64_t count) {
  if (count == 0) return;
  Count& entry = findings_[static_cast<std::size_t>(finding)];
  if (entry.count == 0) entry.example = std::string(example.substr(0, 200));
  entry.count += count;
}

core::Expected<core::Measurement> RowWriter::finish(std::string_view name) {
  if (halted_) {
    if (out.rows().size() > options_.max_rows) {
      return core::fail(core::ErrorCode::limit_exceeded, "more than " + std::to_string(options_.max_rows) + " rows",
                        "the bound is max_rows; split the file or leave out per-request data", std::string(name));
    }
    return core::fail(core::ErrorCode::cancelled, "stopped while reading", {}, std::string(name));
  }
  if (numbers_ == 0 && (!options_.allow_no_numbers || out.rows().empty())) {
    std::vector<std::string> seen;
    if (texts_ > 0) seen.push_back(core::counted(texts_, "text"));
    if (nulls_ > 0) seen.push_back(core::counted(nulls_, "null"));
    if (empties_ > 0) seen.push_back(core::counted(empties_, "empty object or array", "empty objects or arrays"));
    const auto failed = std::find_if(out.rows().begin(), out.rows().end(),
                                     [](const core::Row& row) { return row.state == core::ValueState::failed; });
    std::string found = "no number in it";
    if (!seen.empty()) found += ": only " + core::listed(seen);
    // "1m30s", "FAILED" among numbers: something was measured.
    if (failed != out.rows().end()) {
      found = "no valid result in it: " + core::cited(out.key(*failed));
      if (failed->text != 0) found += " is " + core::cited(pool_->view(failed->text));
    }
    return core::fail(core::ErrorCode::invalid_input, std::move(found), "a measurement holds at least one number",
                      std::string(name));
  }
  tell_stamps(out);
  tell_drawn(out);
  for (std::size_t i = 0; i < findings_.size(); ++i) {
    const Count& entry = findings_[i];
    if (entry.count == 0) continue;
    const Text& text = kTexts[i];
    std::string message =
        std::to_string(entry.count) + " " + std::string(entry.count == 1 ? text.one : text.many) + " " + std::string(text.rest);
    if (!entry.example.empty()) message += (entry.count == 1 ? ": " : ", the first is ") + core::cited(entry.example);
    out.warn(text.code, std::move(message));
  }
  return std::move(out);
}

}  // namespace plumbline::formats
