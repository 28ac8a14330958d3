#include "formats/stated/collector.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "base/characters.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "formats/stated/pattern.hpp"

namespace plumbline::formats::stated {
namespace {

using base::is_digit;

// "1,234,567.8" without its commas; nothing where they do not group thousands.
std::optional<std::string> without_grouping(std::string_view text) {
  if (text.find(',') == std::string_view::npos) return std::nullopt;
  std::string made;
  std::size_t digits = 0;  // since the last comma
  bool grouped = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ',') {
      if (digits == 0 || digits > 3 || (grouped && digits != 3)) return std::nullopt;
      grouped = true;
      digits = 0;
    } else if (is_digit(c)) {
      ++digits;
      made.push_back(c);
    } else {
      if (grouped && digits != 3) return std::nullopt;
      return made.append(text.substr(i));
    }
  }
  if (grouped && digits != 3) return std::nullopt;
  return made;
}

// "27.5k" -> 27,500: the power that the letter stands for, 0 where it is none.
double power_of(char letter, Prefixes prefixes) {
  const double base = prefixes == Prefixes::binary ? 1024 : 1000;
  switch (letter) {
    case 'k':
    case 'K':
      return base;
    case 'M':
    case 'm':
      return base * base;
    case 'G':
    case 'g':
      return base * base * base;
    case 'T':
    case 't':
      return base * base * base * base;
    default:
      return 0;
  }
}

// What a number has to be multiplied by, from the text behind it.
std::optional<double> factor_of(const Field& field, std::string_view unit) {
  if (unit.empty() || unit == field.declared.unit) return 1;
  if (field.prefixes != Prefixes::none) {
    const double power = power_of(unit.front(), field.prefixes);
    std::string_view rest = unit.substr(1);
    if (rest.starts_with('i')) rest.remove_prefix(1);
    const std::string_view declared = field.declared.unit;
    if (power != 0 && rest == declared) return power;
    const bool scaled = !declared.empty() && std::string_view("kKMGT").find(declared.front()) != std::string_view::npos;
    if (power != 0 && rest.empty()) return scaled ? power / power_of(declared.front(), field.prefixes) : power;
  }
  return core::conversion_factor(unit, field.declared.unit);
}

constexpr std::string_view kNegative = "less than 0: a count overflowed, or a clock went back";

bool is_never_negative(const Declared& declared) {
  if (declared.direction != core::Direction::lower && declared.direction != core::Direction::higher) return false;
  const core::Quantity quantity = core::parse_unit(declared.unit).quantity;
  return quantity == core::Quantity::time || quantity == core::Quantity::bytes || quantity == core::Quantity::bytes_per_second ||
         quantity == core::Quantity::flops || quantity == core::Quantity::operations_per_second;
}

// "1m30.5s" -> 90.5 s, in the unit of the field. Nothing for a single number and unit but minutes and hours.
std::optional<double> time_of_go(const Field& field, std::string_view text) {
  const auto from_seconds = core::conversion_factor("s", field.declared.unit);
  if (!from_seconds) return std::nullopt;
  double sum = 0;
  std::size_t pieces = 0;
  bool minutes = false;  // or hours: no other unit is called so
  while (!text.empty()) {
    const std::size_t end = text.find_first_not_of(".0123456789");
    if (end == 0 || end == std::string_view::npos) return std::nullopt;
    const auto value = core::parse_double(text.substr(0, end));
    text.remove_prefix(end);
    const std::string_view unit = text.substr(0, text.find_first_of("0123456789"));
    minutes = minutes || unit == "h" || unit == "m";
    const auto seconds = unit == "h" ? 3600 : unit == "m" ? 60 : core::conversion_factor(unit, "s");
    if (!value || !seconds) return std::nullopt;
    sum += *value * *seconds;
    text.remove_prefix(unit.size());
    ++pieces;
  }
  return pieces > 1 || minutes ? std::optional(sum * *from_seconds) : std::nullopt;
}

bool is_usual_percentile(std::string_view name) {
  static constexpr std::array<std::string_view, 4> kUsual{"50", "90", "95", "99"};
  return std::find(kUsual.begin(), kUsual.end(), name.substr(name.rfind('p') + 1)) != kUsual.end();
}

// "-nanus": C writes it with whatever unit stands behind.
bool is_not_finite(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return text.starts_with("nan") && core::parse_unit(text.substr(3)).quantity != core::Quantity::unknown;
}

std::optional<Leaf> check_of(std::string_view text) {
  static constexpr std::array<std::string_view, 10> kYes{"true",  "yes",     "pass",       "passed", "ok",
                                                         "valid", "success", "successful", "y",      "match"};
  static constexpr std::array<std::string_view, 10> kNo{"false", "no", "fail",     "failed",    "invalid",
                                                        "error", "n",  "mismatch", "incorrect", "unsuccessful"};
  const std::string lower = core::to_lower(text);
  if (std::find(kYes.begin(), kYes.end(), lower) != kYes.end()) return Leaf{core::ValueState::number, 1, true, {}};
  if (std::find(kNo.begin(), kNo.end(), lower) != kNo.end()) return Leaf{core::ValueState::number, 0, true, {}};
  return std::nullopt;
}

}  // namespace

std::optional<Leaf> value_of(const Field& field, std::string_view text) {
  text = core::trim(text.substr(0, text.find(" \xC2\xB1 ")));  // its margin behind "±"
  if (text.empty()) return std::nullopt;
  const bool said_missing = text.front() == '[' && text.back() == ']';  // "[Not Supported]"
  const bool drawn = text.find_first_not_of('-') == std::string_view::npos && text.size() <= 3;
  if (drawn || text == "null" || said_missing) return Leaf{core::ValueState::null, 0, false, text};
  if (field.declared.role == core::Role::gate) {
    if (const auto check = check_of(text)) return check;
    const bool left_out = text == "not_verified" || text == "not_run" || text == "not_supported" || text == "skipped";
    if (left_out) return Leaf{core::ValueState::null, 0, false, text};
  }
  const auto plain = without_grouping(text);
  const std::string_view number = plain ? std::string_view(*plain) : text;
  if (const auto leaf = cell(number)) {
    if (leaf->has_value) return Leaf{core::ValueState::number, leaf->value * field.times, true, {}};
    return Leaf{leaf->state, 0, false, text};
  }
  if (is_not_finite(number)) return Leaf{core::ValueState::not_finite, 0, false, text};
  std::size_t end = number.find_first_not_of("+-.0123456789");
  if (end == std::string_view::npos || end == 0) return std::nullopt;
  if (end + 1 < number.size() && (number[end] == 'e' || number[end] == 'E') &&
      (is_digit(number[end + 1]) || number[end + 1] == '-' || number[end + 1] == '+')) {
    end = std::min(number.find_first_not_of("0123456789", end + 2), number.size());
  }
  if (const auto time = time_of_go(field, number)) return Leaf{core::ValueState::number, *time * field.times, true, {}};
  const auto value = core::parse_double(number.substr(0, end));
  if (!value || !std::isfinite(*value)) return std::nullopt;
  const auto factor = factor_of(field, core::trim(number.substr(end)));
  if (!factor) return std::nullopt;
  return Leaf{core::ValueState::number, *value * *factor * field.times, true, {}};
}

Collector::Collector(const Statement& statement, const Input& input, const ReadOptions& options)
    : statement_(statement), rows_(input, options, statement.tool), most_(options.max_rows), plain_(statement.fields.size()) {
  has_checks_ = std::any_of(statement.lines.begin(), statement.lines.end(),
                            [](const Line& line) { return line.turn == Turn::fails && !line.says.empty(); });
}

const Field* Collector::field(std::string_view name) const {
  const auto found = std::find_if(statement_.fields.begin(), statement_.fields.end(),
                                  [&](const Field& one) { return !name.empty() && one.name == name; });
  return found == statement_.fields.end() ? nullptr : &*found;
}

void Collector::set(Dims& dims, std::string name, std::string_view value) {
  const auto known = std::find_if(dims.begin(), dims.end(), [&](const auto& one) { return one.first == name; });
  if (known != dims.end()) {
    known->second = std::string(value);
  } else {
    dims.emplace_back(std::move(name), value);
  }
}

std::string Collector::fill(std::string_view text, std::span<const Given> given, const Given* own) const {
  return filled(text, [&](std::string_view name) -> std::string_view {
    if (own != nullptr && !own->hole.empty() && own->hole == name) return own->number;
    for (const Given& one : given) {
      if (one.name == name) return one.text;
    }
    for (const auto& [held, value] : held_) {
      if (held == name) return value;
    }
    return {};
  });
}

bool Collector::take(std::span<const Given> given, const Whose& whose) {
  struct Read {
    const Given* given;
    Leaf leaf;  // where it has no values of its own
    [[nodiscard]] std::span<const Leaf> values() const {
      return given->values.empty() ? std::span(&leaf, 1) : std::span(given->values);
    }
  };
  if (whose.of_last && values_.empty()) return false;
  std::vector<Read> metrics;
  metrics.reserve(given.size());
  for (const Given& one : given) {
    if (one.field == nullptr || one.field->holds != Holds::metric) continue;
    if (!one.values.empty()) {
      metrics.push_back({&one, {}});
    } else if (const auto value = value_of(*one.field, one.text)) {
      metrics.push_back({&one, *value});
    } else {
      return false;
    }
    const Leaf& first = metrics.back().values().front();
    if (!whose.busy.empty() && one.name == whose.busy && first.has_value && first.value == 0) return true;
  }
  Dims own = held_;
  for (const Given& one : given) {
    if (one.field == nullptr || one.field->holds == Holds::metric) continue;
    const std::string name = fill(one.field->as.empty() ? one.field->name : one.field->as, given);
    if (one.field->holds == Holds::context) {
      rows_.note(name, one.text);
    } else {
      set(own, name, one.text);
      if (metrics.empty()) set(held_, name, one.text);
    }
  }
  if (statement_.again_is_another_run && is_there(given, whose, own)) {
    Dims held = held_;
    end_run();
    held_ = std::move(held);
  }
  std::optional<std::uint32_t> at;  // of those that are of the line's point
  if (whose.of_last) at = values_.back().place;
  for (const Read& one : metrics) {
    const Field& field = *one.given->field;
    if (field.point.empty() && !at) at = place_at(whose.point, own, given);
    const std::uint32_t place = field.point.empty() ? *at : place_at(field.point, own, given);
    const ToolMetric& metric = metric_of(*one.given, given);
    for (Leaf leaf : one.values()) {
      if (!leaf.text.empty()) leaf.text = rows_.writer.pool().view(rows_.writer.pool().intern(leaf.text));  // outlives the line
      put(metric, field, place, leaf, has_checks_ ? one.given->text : std::string_view());
    }
  }
  return true;
}

const ToolMetric& Collector::metric_of(const Given& one, std::span<const Given> given) {
  const Field& field = *one.field;
  const auto index = static_cast<std::size_t>(&field - statement_.fields.data());
  if (plain_[index] != nullptr) return *plain_[index];
  const std::string_view as = field.as.empty() ? field.name : field.as;
  std::string name = fill(as, given, &one);
  if (field.as.empty() && !statement_.records.empty()) std::replace(name.begin(), name.end(), '/', '.');  // of a path
  const ToolMetric& made = metric(field, name, fill(field.declared.unit, given), false);
  if (as.find('{') == std::string_view::npos && field.declared.unit.find('{') == std::string_view::npos) plain_[index] = &made;
  return made;
}

// Whether one of the metrics has a value at its point in this run.
bool Collector::is_there(std::span<const Given> given, const Whose& whose, const Dims& own) {
  return std::any_of(given.begin(), given.end(), [&](const Given& one) {
    if (one.field == nullptr || one.field->holds != Holds::metric || one.field->several != Several::trials) return false;
    const std::uint32_t place = place_at(one.field->point.empty() ? whose.point : one.field->point, own, given);
    return courses_.contains({&metric_of(one, given), place});
  });
}

const Field* Collector::dimension_called(std::string_view name) const {
  const auto found = std::find_if(statement_.fields.begin(), statement_.fields.end(), [&](const Field& one) {
    return one.holds == Holds::dimension && (one.as.empty() ? one.name : one.as) == name;
  });
  return found == statement_.fields.end() ? nullptr : &*found;
}

void Collector::put_in_order(Dims& dims) const {
  const auto rank = [&](const auto& dim) {
    return std::find(statement_.dims.begin(), statement_.dims.end(), dim.first) - statement_.dims.begin();
  };
  std::stable_sort(dims.begin(), dims.end(), [&](const auto& one, const auto& other) { return rank(one) < rank(other); });
}

std::uint32_t Collector::place_at(std::string_view point, Dims dims, std::span<const Given> given) {
  std::string subject = fill(point, given);
  // What the subject says already is not said again beside it.
  Dims told;
  std::erase_if(dims, [&](const auto& dim) {
    if (point.find("{" + dim.first + "}") == std::string_view::npos) return false;
    const Field* const field = dimension_called(dim.first);
    if (field != nullptr && field->told) told.push_back(dim);
    return true;
  });
  if (!statement_.dims.empty()) put_in_order(dims);
  if (!subject.empty() && subject == statement_.together) subject.clear();
  if (subject.empty() && !dims.empty()) subject = std::string(statement_.subject);
  std::string spelled = subject;
  for (const auto& [name, value] : dims) spelled.append(1, '\n').append(name).append(1, '=').append(value);
  const auto [at, fresh] = place_of_.try_emplace(std::move(spelled), static_cast<std::uint32_t>(places_.size()));
  if (fresh) places_.push_back({std::move(subject), std::move(dims), std::move(told)});
  return at->second;
}

void Collector::put(const ToolMetric& metric, const Field& field, std::uint32_t place, const Leaf& leaf,
                    std::string_view printed) {
  if (field.several == Several::trials) {
    if (statement_.again_is_another_run) courses_.try_emplace({&metric, place}, Course{values_.size()});
    values_.push_back({&metric, &field, place, leaf, std::string(printed)});
    return;
  }
  const auto [known, fresh] = courses_.try_emplace({&metric, place}, Course{values_.size()});
  if (fresh) values_.push_back({&metric, &field, place, leaf});
  Course& course = known->second;
  Leaf& kept = values_[course.at].leaf;
  if (field.several == Several::first) return;
  if (field.several == Several::last) {
    kept = leaf;
  } else if (leaf.has_value) {
    course.sum += leaf.value;
    const bool most = field.several == Several::most;
    if (++course.count == 1 || (most && leaf.value > kept.value)) kept = leaf;
    if (field.several == Several::sum) kept.value = course.sum;
    if (field.several == Several::mean) kept.value = course.sum / static_cast<double>(course.count);
  }
}

const ToolMetric& Collector::metric(const Field& field, const std::string& name, const std::string& unit, bool as_context) {
  as_context = as_context || (field.percentiles && !is_usual_percentile(name));
  const auto [known, fresh] = metrics_.try_emplace({&field, name, unit, as_context}, nullptr);
  if (fresh) {
    Made& made = made_.emplace_back();
    made.name = name;
    made.unit = unit;
    Declared declared = field.declared;
    declared.unit = made.unit;
    if (as_context && declared.role == core::Role::judged) declared.role = core::Role::context;
    made.metric = ToolMetric{{made.name}, declared};
    known->second = &made.metric;
  }
  return *known->second;
}

void Collector::turn(Turn turn, std::size_t line, std::string_view text) {
  switch (turn) {
    case Turn::none:
      break;
    case Turn::begins:  // what was said before anything was measured is said of this run
      if (!values_.empty() || !failed_.empty() || (begun_ != 0 && !statement_.no_rows.empty())) end_run();
      begun_ = line;
      break;
    case Turn::ends:
      ended_ = true;
      break;
    case Turn::fails:
      failed_ = std::string(text.substr(0, 200));
      break;
    case Turn::paces:
      paced_ = any_paced_ = true;
      break;
  }
}

std::string_view Collector::why_spoiled() const {
  const auto sum_of = [&](std::string_view name) -> std::optional<double> {
    std::optional<double> sum;
    for (const Value& one : values_) {
      if (one.field->name == name && one.leaf.has_value) sum = sum.value_or(0) + one.leaf.value;
    }
    return sum;
  };
  if (!failed_.empty()) return failed_;
  for (const Spoiled& rule : statement_.spoiled) {
    const auto failures = sum_of(rule.failures), all = sum_of(rule.all);
    if (all && (*all == 0 || (failures && *failures >= *all))) return rule.why;
  }
  return {};
}

void Collector::count_nothing() {
  for (const Field& field : statement_.fields) {
    if (field.beside.empty()) continue;
    const ToolMetric& metric =
        this->metric(field, std::string(field.as.empty() ? field.name : field.as), std::string(field.declared.unit), false);
    const std::size_t given = values_.size();
    for (std::size_t i = 0; i < given; ++i) {
      if (values_[i].field->name != field.beside) continue;
      const std::uint32_t place =
          field.point.empty() ? values_[i].place : place_at(field.point, places_[values_[i].place].dims, {});
      if (!courses_.contains({&metric, place})) put(metric, field, place, {core::ValueState::number, field.otherwise, true, {}});
    }
  }
}

void Collector::end_run() {
  const auto is_row = [](const Value& one) { return one.metric->role != core::Role::gate; };
  if (has_checks_ && std::none_of(values_.begin(), values_.end(), is_row)) values_.clear();  // a check of nothing
  count_nothing();
  if (values_.empty()) {
    const std::string run = "the run at line " + std::to_string(begun_) + " ";
    if (begun_ != 0 && !failed_.empty()) {
      rows_.incomplete(run + "failed: " + failed_);
    } else if (begun_ != 0 && !statement_.no_rows.empty()) {
      rows_.incomplete(run + std::string(statement_.no_rows));
    }
  } else {
    if (!statement_.no_end.empty() && !ended_ && failed_.empty()) {
      rows_.incomplete("the run at line " + std::to_string(begun_) + " " + std::string(statement_.no_end));
    }
    for (const auto& [name, value] : held_) {
      if (const Field* const field = dimension_called(name); field != nullptr && !field->note.empty()) {
        rows_.note(field->note, value);
      }
    }
    std::string_view why = why_spoiled();
    if (!why.empty()) why = rows_.writer.pool().view(rows_.writer.pool().intern(why));  // rows are made at the end of the file
    rows_.section();
    std::uint32_t at = 0xFFFFFFFFU;
    std::vector<Dim> dims, told;
    for (const Value& one : values_) {
      if (one.place != at) {
        at = one.place;
        const Place& place = places_[at];
        dims.assign(place.dims.begin(), place.dims.end());
        told.assign(place.told.begin(), place.told.end());
        rows_.point(place.subject, dims, told);
      }
      const bool as_context = paced_ && one.field->load && why.empty();  // that it failed is a result
      const ToolMetric& metric =
          as_context ? this->metric(*one.field, std::string(one.metric->name), std::string(one.metric->unit), true) : *one.metric;
      rows_.add(metric, as_result(one, why));
      if (metric.role == core::Role::context || !is_headline(*one.field, metric.name, places_[at])) continue;
      std::string key = rows_.key(metric.name);
      if (headline_keys_.insert(key).second) headlines_.take(std::move(key));
    }
  }
  held_.clear();
  places_.clear();
  place_of_.clear();
  values_.clear();
  courses_.clear();
  begun_ = 0;
  paced_ = ended_ = false;
  failed_.clear();
}

// What stands in the row of a value when the run has ended.
Leaf Collector::as_result(const Value& one, std::string_view why) {
  const bool judged = one.metric->role == core::Role::judged;
  if (!why.empty() && has_checks_ && one.metric->role != core::Role::gate) {
    return failed_value(rows_.writer.pool().view(rows_.writer.pool().intern(one.printed)));
  }
  if (!why.empty() && judged) return failed_value(why);
  const bool impossible = judged && one.leaf.has_value && one.leaf.value < 0 && is_never_negative(one.field->declared);
  return impossible ? failed_value(kNegative) : one.leaf;
}

bool Collector::is_headline(const Field& field, std::string_view metric, const Place& place) const {
  const bool together = place.subject.empty() && place.dims.empty();
  if (!field.of_point.empty() && place.subject != field.of_point) return false;
  if (!field.headline || (!statement_.together.empty() && !together)) return false;
  return !field.percentiles || metric.ends_with("p99");
}

core::Expected<core::Measurement> Collector::finish(bool must_end, core::ErrorCode nothing) {
  const bool cut = must_end && !ended_ && !values_.empty() && statement_.no_end.empty();
  const std::size_t begun = begun_;
  end_run();
  if (cut) rows_.incomplete(begun == 0 ? "its last lines are missing" : "the run at line " + std::to_string(begun));
  if (rows_.empty()) {
    core::Error error = rows_.error(std::string(statement_.nothing), std::string(statement_.hint), begun);
    error.code = nothing;
    return core::fail(std::move(error));
  }
  if (any_paced_) {
    rows_.writer.out.warn("offered_load", "a target rate was set: reaching it is no result, so rates are context");
  }
  headlines_.put(rows_);
  for (const std::string_view one : statement_.headlines) rows_.headline(std::string(one));
  return rows_.finish();
}

}  // namespace plumbline::formats::stated
