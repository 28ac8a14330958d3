// Arrays of records: keyed by the fields that tell the records apart; those that measured one point several times are its trials.
#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "core/text.hpp"
#include "formats/generic/json_flattener.hpp"
#include "formats/moments.hpp"

namespace plumbline::formats {

using core::ValueState;
using json::Value;

static core::Direction said_direction(std::string_view text) {
  if (const auto parsed = core::parse_direction(text)) return *parsed;
  if (text == "higher" || text == "bigger" || text == "up" || text == "higher_is_better" || text == "maximize")
    return core::Direction::higher;
  if (text == "lower" || text == "smaller" || text == "down" || text == "lower_is_better" || text == "minimize")
    return core::Direction::lower;
  return core::Direction::unknown;
}

core::Direction direction_in(const Value& object) {
  for (const std::string_view name : {"direction", "better"}) {
    if (const Value value = object.find(name); value.is_string()) return said_direction(value.string());
  }
  return core::Direction::unknown;
}

namespace {

// The percentage of a distribution: {"percentage": 99, "latency": 80200129}. It stands first and rises from record to record; one
// that was measured stands behind what it is of.
std::string_view distribution_label(const Value& array) {
  constexpr std::uint64_t kFewest = 3;
  for (const std::string_view name : {"percentage", "percent"}) {
    bool rises = array.size() >= kFewest;
    double last = -1;
    for (const Value record : array.elements()) {
      const bool first = record.is_object() && record.size() > 1 && (*record.members().begin()).key == name;
      const double percent = first ? record.find_number(name).value_or(-1) : -1;
      rises = rises && percent > last && percent <= 100;
      last = percent;
    }
    if (rises) return name;
  }
  return {};
}

// The fields whose values tell the records apart: texts with a lasting meaning, and numbers named as sizes and settings
// are, unless the records hold nothing else: a list of sizes measures them. Taken over the whole array, in the order of first
// appearance, so that every record is keyed the same way.
std::vector<std::string_view> identity_of(const Value& array, const configs::MetricNames& names_of) {
  struct Candidate {
    std::string_view name;
    bool possible = true;
    std::optional<bool> dimension = {};
  };
  std::vector<Candidate> fields;
  std::size_t cursor = 0;
  bool measures = false;
  for (const Value record : array.elements()) {
    cursor = 0;
    for (const auto [key, valid, value] : record.members()) {
      if (cursor < fields.size() && fields[cursor].name == key) {
        // the usual case: the same fields in the same order
      } else {
        const auto it =
            std::find_if(fields.begin(), fields.end(), [&name = key](const Candidate& field) { return field.name == name; });
        cursor = static_cast<std::size_t>(it - fields.begin());
        if (it == fields.end()) {
          if (fields.size() >= 512) continue;
          bool possible = !names_of.is_volatile(key);
          if (possible &&
              (value.is_number() || value.is_boolean() || (value.is_string() && leaf_of(value).state != ValueState::text))) {
            possible = names_of.is_dimension(key);
          }
          fields.push_back({key, possible});
        }
      }
      Candidate& field = fields[cursor++];
      if (!measures) {
        const bool number = value.is_number() || (value.is_string() && leaf_of(value).state != ValueState::text);
        measures = value.is_container() ? value.size() > 0 : number && !names_of.is_dimension(key);
      }
      if (!field.possible) continue;
      if (value.is_container() || value.is_null() || value.string().size() > 120 || is_moment(value.string()))
        field.possible = false;
      if (!field.possible || !(value.is_number() || value.is_boolean())) continue;
      if (!field.dimension) field.dimension = names_of.is_dimension(key);  // asked once a field, not once a record
      field.possible = *field.dimension;
    }
  }
  std::vector<std::string_view> names, without_sizes;
  for (const Candidate& field : fields) {
    if (!field.possible) continue;
    names.push_back(field.name);
    const std::string lower = core::to_lower(field.name);
    if (!field.dimension || (lower.find("size") == std::string::npos && lower.find("bytes") == std::string::npos))
      without_sizes.push_back(field.name);
  }
  if (names.empty()) {
    if (const std::string_view label = distribution_label(array); !label.empty()) names.push_back(label);
  }
  if (measures || without_sizes.empty() || without_sizes.size() == names.size()) return names;
  // Only where the other fields tell all records apart.
  std::set<std::string> labels;
  for (const Value record : array.elements()) {
    std::string label;
    for (const std::string_view name : without_sizes) label.append(record.find(name).text()).push_back('\n');
    if (!labels.insert(std::move(label)).second) return names;
  }
  return without_sizes;
}

// The members of these objects by their names, in the order of first appearance.
struct Members {
  std::string_view name;
  std::vector<Value> values;
  std::size_t last = 0;  // object
  bool twice = false;    // in one object
};
std::vector<Members> members_of(std::span<const Value> objects) {
  std::vector<Members> all;
  std::unordered_map<std::string_view, std::size_t> place;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    for (const auto [name, valid, value] : objects[i].members()) {
      const auto [at, fresh] = place.try_emplace(name, all.size());
      if (fresh) all.push_back({name, {}, i, false});
      Members& members = all[at->second];
      members.twice = members.twice || (!fresh && members.last == i);
      members.last = i;
      members.values.push_back(value);
    }
  }
  return all;
}

// Values of one name: all numbers (or arrays of them, or null beside them), all texts, all objects, or none of these.
struct SameMember {
  enum class Kind : std::uint8_t { other, numbers, text, objects };
  Kind kind = Kind::other;
  std::vector<double> numbers;
  std::uint64_t nulls = 0;
  std::string text;  // the different ones
};
SameMember same_member(std::span<const Value> values) {
  constexpr std::size_t kLongest = 200;  // of the texts together
  SameMember same;
  std::size_t texts = 0, objects = 0;
  std::vector<std::string_view> different;
  bool plain = !values.empty();
  const auto take = [&](const Value& value) {
    const Leaf leaf = leaf_of(value);
    if (leaf.state == ValueState::null) {
      ++same.nulls;
    } else if (leaf.state == ValueState::number || (leaf.state == ValueState::numeric_string && leaf.unit.empty())) {
      same.numbers.push_back(leaf.value);
    } else {
      plain = false;
      if (leaf.state != ValueState::text) return;
      ++texts;
      if (std::find(different.begin(), different.end(), leaf.text) == different.end()) different.push_back(leaf.text);
    }
  };
  for (const Value& value : values) {
    if (value.is_object()) {
      ++objects;
      plain = false;
    } else if (value.is_array()) {
      plain = plain && value.size() > 0;
      for (const Value element : value.elements()) {
        if (element.is_container()) plain = false;
        if (plain) take(element);
      }
    } else {
      take(value);
    }
  }
  if (plain && !same.numbers.empty()) {
    same.kind = SameMember::Kind::numbers;
  } else if (objects == values.size() && objects > 0) {
    same.kind = SameMember::Kind::objects;
  } else if (texts == values.size() && texts > 0) {
    same.kind = SameMember::Kind::text;
    for (const std::string_view one : different) {
      if (same.text.size() > kLongest) break;
      same.text.append(same.text.empty() ? "" : ", ").append(one.substr(0, kLongest));
    }
  }
  return same;
}

// The leaves of one point's records by their path. A list of numbers is a measurement's trials, but where its name says a shape.
class PointLeaves {
 public:
  explicit PointLeaves(std::span<const Value> records) : records_(records.size()) {
    for (const Value& record : records) object(record, 0);
  }
  void tell(Repeats& repeats, std::size_t point) const {
    for (const auto& [path, held] : leaves_) repeats.field(path, point, held, held.size() < records_);
  }

 private:
  void object(const Value& value, int depth) {
    constexpr int kDeepest = 8;
    if (depth > kDeepest) return;
    const std::size_t before = path_.size();
    for (const auto [name, valid, content] : value.members()) {
      if (before > 0) path_.push_back('.');
      path_.append(name);
      if (content.is_object()) {
        object(content, depth + 1);
      } else if (!content.is_array()) {
        put(leaf_of(content));
      } else if (is_shape(name, content)) {
        std::string& spelled = spelled_.emplace_back();
        for (const Value element : content.elements()) spelled.append(element.text()).push_back(',');
        put({ValueState::text, 0, false, spelled});
      }
      path_.resize(before);
    }
  }
  static bool is_shape(std::string_view name, const Value& list) {
    constexpr std::string_view kNames[] = {"shape",  "shapes", "dims",   "sizes", "size", "args",
                                           "params", "input",  "inputs", "grid",  "block"};
    const auto elements = list.elements();
    const auto is = [&](auto&& holds) { return std::all_of(elements.begin(), elements.end(), holds); };
    if (!is([](const Value& one) { return !one.is_container(); })) return false;
    const bool texts = is([](const Value& one) { return one.is_string() && leaf_of(one).state == ValueState::text; });
    return texts || std::find(std::begin(kNames), std::end(kNames), core::to_lower(name)) != std::end(kNames);
  }
  void put(const Leaf& leaf) {
    const auto known = leaves_.find(path_);
    (known != leaves_.end() ? known->second : leaves_[path_]).push_back(leaf);
  }

  std::size_t records_;
  std::string path_;
  std::map<std::string, std::vector<Leaf>, std::less<>> leaves_;
  std::deque<std::string> spelled_;
};

// What keeps the records of these points from being trials.
std::string different_field(const std::vector<std::vector<Value>>& points, const configs::MetricNames& names) {
  Repeats repeats(names);
  for (std::size_t i = 0; i < points.size(); ++i) PointLeaves(points[i]).tell(repeats, i);
  return repeats.different();
}

}  // namespace

void JsonFlattener::records(const Value& value, std::uint32_t shape, std::uint32_t dims) {
  constexpr std::size_t kAhead = 8, kMany = 64;
  Identity identity;
  for (const std::string_view name : identity_of(value, writer_.names())) identity.push_back({name, writer_.pool().intern(name)});
  if (options_.repeats && !identity.empty() && repeated(value, shape, dims, identity)) return;
  const auto elements = value.elements();
  auto ahead = value.size() < kMany || identity.empty() ? elements.end() : elements.begin();
  for (std::size_t i = 0; i < kAhead && ahead != elements.end(); ++i) ++ahead;
  std::size_t index = 0;
  for (const Value element : elements) {
    if (writer_.halted()) return;
    if (ahead != elements.end()) expect(*ahead++, identity);
    passed(value, element);
    record(element, shape, dims, index++, identity);
  }
}

void JsonFlattener::append_label(std::string& into, const Value& record, const Identity& identity, std::string_view but) {
  const std::size_t start = into.size();
  for (const Field& field : identity) {
    if (field.name == but) continue;
    const Value found = record.find(field.name);
    if (!found || found.is_container() || found.is_null()) continue;
    if (into.size() > start) into.push_back(',');
    into.append(field.name).push_back('=');
    into.append(core::trim(found.text()));
  }
}

// The keys that this record will have, most of them, will be asked for in a moment.
void JsonFlattener::expect(const Value& record, const Identity& identity) {
  record.prefetch_next();
  if (!writer_.expects()) return;
  ahead_.assign(path_).push_back('[');
  append_label(ahead_, record, identity, {});
  ahead_.append("].");
  const std::size_t before = ahead_.size();
  for (const auto [field, valid, content] : record.members()) {
    const bool identifies = std::any_of(identity.begin(), identity.end(),
                                        [&name = field](const Field& one) { return json::same_text(one.name, name); });
    if (identifies) {
      writer_.expect(core::trim(content.text()));
      continue;
    }
    ahead_.append(field);
    writer_.expect(ahead_);
    ahead_.resize(before);
  }
}

// Records of one point are trials where every point has as many of them and nothing else tells them apart.
bool JsonFlattener::repeated(const Value& value, std::uint32_t shape, std::uint32_t dims, const Identity& identity) {
  std::vector<std::vector<Value>> points;
  std::unordered_map<std::string, std::size_t> point_of;
  for (const Value element : value.elements()) {
    std::string label;
    append_label(label, element, identity, {});
    if (label.empty()) return false;
    const auto [at, fresh] = point_of.try_emplace(std::move(label), points.size());
    if (fresh) points.emplace_back();
    points[at->second].push_back(element);
  }
  const std::size_t repeats = points.front().size();
  if (points.size() == value.size()) return false;
  const bool even = std::all_of(points.begin(), points.end(), [&](const auto& one) { return one.size() == repeats; });
  if (!even) {
    for (const std::vector<Value>& one : points) {
      if (one.size() < 2) continue;
      std::string label;
      append_label(label, one.front(), identity, {});
      writer_.find(Finding::unequal_repeats, label);
    }
    return false;
  }
  if (const std::string field = different_field(points, writer_.names()); !field.empty()) {
    std::string label;
    append_label(label, points.front().front(), identity, {});
    different_.add(field, label);
    return false;
  }
  std::size_t index = 0;
  for (const std::vector<Value>& point : points) {
    if (writer_.halted()) return true;
    record(point.front(), shape, dims, index++, identity, std::span(point).subspan(1));
  }
  return true;
}

// A member of records, or of objects in the same place of records, that measured one point: one row with a trial of each.
void JsonFlattener::members_again(std::string_view name, std::span<const Value> found, bool twice, std::uint32_t shape,
                                  std::uint32_t dims, const Explicit& said) {
  const SameMember same = twice ? SameMember() : same_member(found);
  const std::size_t before = enter(name);
  if (same.kind == SameMember::Kind::numbers) {
    if (same.nulls > 0) writer_.find(Finding::nulls_in_trials, path_, same.nulls);
    writer_.add_trials(path_, name, shape, dims, same.numbers, ValueState::number, {}, said);
  } else if (same.kind == SameMember::Kind::text) {
    writer_.add(path_, name, shape, dims, {ValueState::text, 0, false, same.text}, {});
  } else if (same.kind == SameMember::Kind::objects) {
    Explicit own;
    own.unit = found.front().find_string("unit");
    own.direction = direction_in(found.front());
    for (const Members& inner : members_of(found)) {
      const bool describes = !own.unit.empty() && (inner.name == "unit" || inner.name == "direction" || inner.name == "better");
      if (!describes) members_again(inner.name, inner.values, inner.twice, child_shape(shape, name), dims, own);
    }
  } else {  // duplicates, unless it is one
    path_.resize(before);
    for (const Value& one : found) member(name, one, shape, dims, false);
  }
  path_.resize(before);
}

// As record() below, for `value` and those that repeat it. path_ is the point; `name_field` is what names its value.
void JsonFlattener::record_again(const Value& value, std::span<const Value> again, std::uint32_t shape, std::uint32_t dims,
                                 const Identity& identity, std::string_view name_field) {
  std::vector<Value> all{value};
  all.insert(all.end(), again.begin(), again.end());
  Explicit said;
  said.unit = value.find_string("unit");
  said.direction = direction_in(value);
  const std::string_view named = name_field.empty() ? std::string_view() : value.find_string(name_field);
  const std::uint32_t inner = name_field.empty() ? shape : child_shape(shape, named);
  for (const auto& [field, found, last, twice] : members_of(all)) {
    if (field == name_field || (field == "unit" && !said.unit.empty())) continue;
    if (!name_field.empty() && (field == "direction" || field == "better")) continue;
    if (std::any_of(identity.begin(), identity.end(),
                    [&name = field](const Field& one) { return json::same_text(one.name, name); }))
      continue;
    if (field != "value") {
      members_again(field, found, twice, inner, dims, {});
    } else if (name_field.empty()) {
      members_again(field, found, twice, shape, dims, said);
    } else {  // the point is its key
      const SameMember same = twice ? SameMember() : same_member(found);
      if (same.kind == SameMember::Kind::numbers) {
        writer_.add_trials(path_, named, shape, dims, same.numbers, ValueState::number, {}, said);
      } else {
        for (const Value& one : found) {
          if (one.is_container()) {
            member("value", one, inner, dims, false);
          } else {
            writer_.add(path_, named, shape, dims, leaf_of(one), said);
          }
        }
      }
    }
  }
}

void JsonFlattener::record(const Value& value, std::uint32_t shape, std::uint32_t dims, std::size_t index,
                           const Identity& identity, std::span<const Value> again) {
  const std::size_t path_before = path_.size();
  const std::size_t dims_before = dims_.size();
  const auto identifies = [&](std::string_view name) {
    return std::any_of(identity.begin(), identity.end(), [&](const Field& one) { return json::same_text(one.name, name); });
  };
  // {"name": …, "value": …, "unit": …}: the name is the metric.
  Value named = value.find("name");
  const std::string_view name_field = named.is_string() ? "name" : "metric";
  if (!named.is_string()) named = value.find("metric");
  const Value measured = value.find("value");
  const bool is_named = named.is_string() && measured && !measured.is_container() && leaf_of(measured).state != ValueState::text;
  const std::string_view but = is_named ? name_field : std::string_view();
  for (const Field& field : identity) {
    if (is_named && field.name == name_field) continue;
    const Value found = value.find(field.name);
    if (!found || found.is_container() || found.is_null()) continue;
    dims_.emplace_back(field.id, writer_.pool().intern(core::trim(found.text())));
  }
  if (is_named) enter(named.string());
  const std::size_t bracket = path_.size();
  path_.push_back('[');
  append_label(path_, value, identity, but);
  const bool labelled = path_.size() > bracket + 1;
  if (!labelled && !is_named) path_.append(std::to_string(index));
  if (labelled || !is_named) {
    path_.push_back(']');
  } else {
    path_.pop_back();
  }
  if (!labelled && !is_named) writer_.find(Finding::index_keyed_records, path_);
  const std::uint32_t row_dims = dims_.size() > dims_before ? writer_.out.add_dims(dims_) : dims;
  if (!again.empty()) {
    record_again(value, again, shape, row_dims, identity, is_named ? name_field : std::string_view());
  } else if (is_named) {
    Explicit said;
    said.unit = value.find_string("unit");
    said.direction = direction_in(value);
    writer_.add(path_, named.string(), shape, row_dims, leaf_of(measured), said);
    const std::uint32_t inner = child_shape(shape, named.string());
    for (const auto [field, valid, content] : value.members()) {
      if (field == name_field || field == "value" || (field == "unit" && content.is_string()) || field == "direction" ||
          field == "better")
        continue;
      if (identifies(field)) continue;
      member(field, content, inner, row_dims, false);
    }
  } else {
    Explicit said;
    if (const Value unit = value.find("unit"); unit.is_string()) said.unit = unit.string();
    bool any = false;
    for (const auto [field, valid, content] : value.members()) {
      if (identifies(field)) continue;
      any = true;
      if (field == "value" && !said.unit.empty() && content.is_number()) {
        leaf(field, content, shape, row_dims, said);
      } else {
        member(field, content, shape, row_dims, false);
      }
    }
    if (!any) writer_.find(Finding::empty_containers, path_);
  }
  path_.resize(path_before);
  dims_.resize(dims_before);
}

}  // namespace plumbline::formats
