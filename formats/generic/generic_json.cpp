// JSON of any depth: objects flatten to dotted keys, an array of numbers under a key is its trials, arrays of records get
// rows keyed by the fields that tell the records apart. A root object with a number under "value" is a scalar.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/privacy.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "formats/readers.hpp"

namespace plumbline::formats {
namespace {

using core::ValueState;
using json::Value;

bool is_context_name(std::string_view name) {
  return name == "context" || name == "metadata" || name == "config" || core::names_environment(name);
}

core::Direction said_direction(std::string_view text) {
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

// The groups of the context descriptor; an environment is harvested by itself.
bool is_group(std::string_view name) {
  constexpr std::string_view kGroups[] = {"identity", "parallelism", "serving", "workload", "regime", "stack", "hardware"};
  return std::find(std::begin(kGroups), std::end(kGroups), name) != std::end(kGroups);
}

class Flattener {
 public:
  Flattener(RowWriter& writer, const FlattenOptions& options) : writer_(writer), options_(options) {}

  void root(const Value& value, std::string_view path) {
    path_ = path;
    root_ = value.index();
    const std::uint32_t shape = path.empty() ? RowWriter::kRootShape : writer_.shape(RowWriter::kRootShape, path);
    if (value.is_object()) {
      object(value, shape, 0, path.empty() && options_.harvest_context);
    } else if (value.is_array()) {
      array(value, "value", shape, 0);
    } else {
      leaf("value", value, shape, 0, {});
    }
  }
  bool scalar(const Value& root);

 private:
  void object(const Value& value, std::uint32_t shape, std::uint32_t dims, bool top);
  void array(const Value& value, std::string_view name, std::uint32_t shape, std::uint32_t dims);
  bool plain_numbers(const Value& value);
  bool trials(const Value& value, std::string_view name, std::uint32_t shape, std::uint32_t dims, const Explicit& said);
  void records(const Value& value, std::uint32_t shape, std::uint32_t dims);
  // A field that tells records apart, and its name in the pool.
  struct Field {
    std::string_view name;
    core::Id id = 0;
  };
  using Identity = std::vector<Field>;
  void record(const Value& value, std::uint32_t shape, std::uint32_t dims, std::size_t index, const Identity& identity);
  void expect(const Value& record, const Identity& identity);
  // "[concurrency=8,isl=128" without what comes before it: the identity's fields but for `but`.
  static void append_label(std::string& into, const Value& record, const Identity& identity, std::string_view but);
  void harvest(const Value& value, std::string_view name, bool top);
  void leaf(std::string_view name, const Value& value, std::uint32_t shape, std::uint32_t dims, const Explicit& said);
  void member(std::string_view name, const Value& value, std::uint32_t shape, std::uint32_t dims, bool top);
  [[nodiscard]] std::vector<std::string_view> identity_of(const Value& array) const;

  // Appends ".name" to the path (the name alone at the root) and gives the length to go back to.
  std::size_t enter(std::string_view name) {
    const std::size_t before = path_.size();
    if (before > 0) path_.push_back('.');
    path_.append(name);
    return before;
  }
  // Everything before this member or element has become rows: when it is the root's, nobody will look there again.
  void passed(const Value& container, const Value& member) {
    if (options_.consumed != nullptr && container.index() == root_) options_.consumed->forget_before(member.index() - 1);
  }
  std::uint32_t child_shape(std::uint32_t shape, std::string_view name) { return writer_.shape(shape, name); }

  RowWriter& writer_;
  const FlattenOptions& options_;
  std::string path_, ahead_;
  std::uint32_t root_ = 0xFFFFFFFFU;  // node of the value that is flattened
  std::vector<double> values_;
  std::vector<std::pair<core::Id, core::Id>> dims_;  // of the records around
};

void Flattener::leaf(std::string_view name, const Value& value, std::uint32_t shape, std::uint32_t dims, const Explicit& said) {
  if (path_.empty()) {  // the key is the name itself: interned once
    writer_.add(name, name, shape, dims, leaf_of(value), said);
    return;
  }
  const std::size_t before = enter(name);
  writer_.add(path_, name, shape, dims, leaf_of(value), said);
  path_.resize(before);
}

void Flattener::member(std::string_view name, const Value& value, std::uint32_t shape, std::uint32_t dims, bool top) {
  if (!value.is_container()) {
    leaf(name, value, shape, dims, {});
    if (top && value.is_string()) {  // a file that names its model or GPU beside its numbers
      const std::string_view key = writer_.names().context_key(name);
      if (!key.empty()) writer_.out.context.emplace(key, value.string().substr(0, 500));
    }
    if (const std::size_t dot = top ? name.find('.') : std::string_view::npos;
        dot != std::string_view::npos && is_group(name.substr(0, dot))) {
      take_context_field(name.substr(0, dot), name.substr(dot + 1), value, writer_);  // {"hardware.gpu": "H100"}
    }
    return;
  }
  // {"hardware": {"gpu": "H100"}}: the descriptor's groups beside the numbers. What is no field of theirs is a row as ever.
  if (top && is_group(name) && value.is_object()) take_context_group(value, name, writer_);
  if (core::names_environment(name) || (top && is_context_name(name) && value.is_object())) {
    harvest(value, name, top);
    return;
  }
  const std::size_t before = enter(name);
  if (value.size() == 0) {
    writer_.find(Finding::empty_containers, path_);
    writer_.add(path_, name, shape, dims, {ValueState::null, 0, false, value.is_object() ? "{}" : "[]"}, {});
    path_.resize(before);
    return;
  }
  // A list of plain values is one row, which finds its own repetition.
  const auto elements = value.elements();
  const bool keyed = value.is_object() ||
                     std::any_of(elements.begin(), elements.end(), [](const Value& element) { return element.is_container(); });
  if (keyed) writer_.open_container(path_);
  if (value.is_object()) {
    object(value, child_shape(shape, name), dims, false);
  } else {
    array(value, name, shape, dims);
  }
  if (keyed) writer_.close_container(path_);
  path_.resize(before);
}

void Flattener::object(const Value& value, std::uint32_t shape, std::uint32_t dims, bool top) {
  // {"p99": {"value": 5, "unit": "ms"}}: the unit belongs to the number beside it.
  Explicit said;
  if (!path_.empty()) {
    if (const Value unit = value.find("unit"); unit.is_string()) {
      said.unit = unit.string();
      said.direction = direction_in(value);
    }
  }
  // Keys of a large flat object go to the pool as they stand: asked for a little ahead, they are there when they are needed.
  constexpr std::size_t kAhead = 16, kMany = 1000;
  const auto members = value.members();
  auto ahead = path_.empty() && value.size() > kMany ? members.begin() : members.end();
  for (std::size_t i = 0; i < kAhead && ahead != members.end(); ++i) ++ahead;
  for (const json::Value::Member member_of : members) {
    if (writer_.halted()) return;
    if (ahead != members.end()) writer_.expect((*ahead++).key);
    passed(value, member_of.value);
    const bool describes =
        !said.unit.empty() && (member_of.key == "unit" || member_of.key == "direction" || member_of.key == "better");
    if (describes) continue;
    if (!said.unit.empty() && member_of.value.is_number()) {
      leaf(member_of.key, member_of.value, shape, dims, said);
    } else {
      member(member_of.key, member_of.value, shape, dims, top);
    }
  }
}

// All elements numbers (or null, NaN, numbers in quotes, or all booleans): one row with its trials. path_ is the key.
bool Flattener::trials(const Value& value, std::string_view name, std::uint32_t shape, std::uint32_t dims, const Explicit& said) {
  values_.clear();
  std::uint64_t nulls = 0, booleans = 0, strings = 0, numbers = 0;
  ValueState state = ValueState::number;
  std::string_view text;
  Explicit own = said;
  bool bare = false;
  for (const Value element : value.elements()) {
    if (element.is_container()) return false;
    Leaf leaf = leaf_of(element);
    if (leaf.state == ValueState::text) return false;
    if (leaf.state == ValueState::null) {
      ++nulls;
      continue;
    }
    (leaf.state == ValueState::boolean ? booleans : leaf.state == ValueState::numeric_string ? strings : numbers) += 1;
    if (leaf.state == ValueState::not_finite) {
      state = ValueState::not_finite;
      text = leaf.text;
    } else {
      if (leaf.state == ValueState::big_integer && state == ValueState::number) state = ValueState::big_integer;
      if (!leaf.unit.empty()) {  // trials have one unit: the file's, else the first one's
        if (own.unit.empty()) own.unit = leaf.unit;
        const auto factor = core::conversion_factor(leaf.unit, own.unit);
        if (!factor) return false;
        leaf.value *= *factor;
      } else if (leaf.state != ValueState::boolean && leaf.value != 0) {
        bare = true;
      }
      values_.push_back(leaf.value);
    }
  }
  if (booleans > 0 && (numbers > 0 || strings > 0)) return false;
  if (bare && said.unit.empty() && !own.unit.empty()) return false;  // [10, "20 ms"]: 10 of what?
  if (numbers + strings + booleans == 0) {
    writer_.add(path_, name, shape, dims, {ValueState::null, 0, false, {}}, said);
    return true;
  }
  if (state == ValueState::number && strings > 0) state = ValueState::numeric_string;
  if (booleans > 0) state = ValueState::boolean;
  if (nulls > 0) writer_.find(Finding::nulls_in_trials, path_, nulls);
  writer_.add_trials(path_, name, shape, dims, values_, state, text, own);
  return true;
}

// An array of nothing but finite numbers that doubles hold exactly, as nearly all are: its nodes lie side by side.
bool Flattener::plain_numbers(const Value& value) {
  constexpr std::int64_t kTwoTo53 = 9007199254740992;
  values_.clear();
  const json::Node* const array = &value.node();
  for (const json::Node* node = array + 1; node != array + 1 + array->count; ++node) {
    if (node->kind == json::Kind::real && node->flags == 0) {
      values_.push_back(node->d);
    } else if (node->kind == json::Kind::integer && node->i <= kTwoTo53 && node->i >= -kTwoTo53) {
      values_.push_back(static_cast<double>(node->i));
    } else {
      return false;
    }
  }
  return !values_.empty();
}

// path_ is the array's own key here; `shape` is the shape of what holds it.
void Flattener::array(const Value& value, std::string_view name, std::uint32_t shape, std::uint32_t dims) {
  if (plain_numbers(value)) {
    if (path_.empty()) path_ = "value";
    writer_.add_trials(path_, name, shape, dims, values_, ValueState::number, {});
    return;
  }
  std::size_t objects = 0, containers = 0, texts = 0;
  for (const Value element : value.elements()) {
    if (element.is_object()) ++objects;
    if (element.is_container()) ++containers;
    if (element.is_string() && leaf_of(element).state == ValueState::text) ++texts;
  }
  const bool at_root = path_.empty();
  if (at_root && containers == 0) path_ = "value";  // a bare array of numbers
  if (value.size() == 0) {
    writer_.find(Finding::empty_containers, path_);
    writer_.add(path_, name, shape, dims, {ValueState::null, 0, false, "[]"}, {});
    return;
  }
  if (containers == 0 && texts == value.size()) {
    std::string joined;
    for (const Value element : value.elements()) {
      if (!joined.empty()) joined += ", ";
      joined += element.string().substr(0, 100);
      if (joined.size() > 200) break;
    }
    if (joined.size() > 200) joined = joined.substr(0, 200) + "…";
    path_ += "[]";
    writer_.add(path_, name, shape, dims, {ValueState::text, 0, false, joined}, {});
    path_.resize(path_.size() - 2);
    return;
  }
  if (containers == 0 && trials(value, name, shape, dims, {})) return;
  const std::uint32_t inner = at_root ? shape : child_shape(shape, name);
  if (objects == value.size()) {
    records(value, inner, dims);
    return;
  }
  if (containers < value.size()) writer_.find(Finding::mixed_array, path_);
  std::size_t index = 0;
  const std::size_t before = path_.size();
  for (const Value element : value.elements()) {
    if (writer_.halted()) return;
    path_ += '[';
    path_ += std::to_string(index++);
    path_ += ']';
    if (element.is_object()) {
      object(element, inner, dims, false);
    } else if (element.is_array()) {
      array(element, name, shape, dims);
    } else {
      writer_.add(path_, name, shape, dims, leaf_of(element), {});
    }
    path_.resize(before);
  }
}

// The fields whose values tell the records apart: texts with a lasting meaning, and numbers named as sizes and settings
// are, unless the records hold nothing else: a list of sizes measures them. Taken over the whole array, in the order of first
// appearance, so that every record is keyed the same way.
std::vector<std::string_view> Flattener::identity_of(const Value& array) const {
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
          bool possible = !writer_.names().is_volatile(key);
          if (possible &&
              (value.is_number() || value.is_boolean() || (value.is_string() && leaf_of(value).state != ValueState::text))) {
            possible = writer_.names().is_dimension(key);
          }
          fields.push_back({key, possible});
        }
      }
      Candidate& field = fields[cursor++];
      if (!measures) {
        const bool number = value.is_number() || (value.is_string() && leaf_of(value).state != ValueState::text);
        measures = value.is_container() ? value.size() > 0 : number && !writer_.names().is_dimension(key);
      }
      if (!field.possible) continue;
      if (value.is_container() || value.is_null() || value.string().size() > 120) field.possible = false;
      if (!field.possible || !(value.is_number() || value.is_boolean())) continue;
      if (!field.dimension) field.dimension = writer_.names().is_dimension(key);  // asked once a field, not once a record
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

void Flattener::records(const Value& value, std::uint32_t shape, std::uint32_t dims) {
  constexpr std::size_t kAhead = 8, kMany = 64;
  Identity identity;
  for (const std::string_view name : identity_of(value)) identity.push_back({name, writer_.pool().intern(name)});
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

void Flattener::append_label(std::string& into, const Value& record, const Identity& identity, std::string_view but) {
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
void Flattener::expect(const Value& record, const Identity& identity) {
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

void Flattener::record(const Value& value, std::uint32_t shape, std::uint32_t dims, std::size_t index, const Identity& identity) {
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
  if (is_named) {
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

// Allow-listed fields go to the context descriptor; numbers of a config are rows that are never judged; nothing else of an
// environment goes anywhere.
void Flattener::harvest(const Value& value, std::string_view name, bool top) {
  const bool environment = core::names_environment(name);
  std::uint64_t left_out = 0, left_out_of_environment = 0;
  const std::size_t before = enter(name);
  const std::uint32_t shape = child_shape(RowWriter::kRootShape, name);
  if (value.is_object()) {
    for (const auto [key, valid, content] : value.members()) {
      const bool ours = top && !environment;
      if (content.is_container()) {
        left_out += content.size();
        if (ours && content.is_object()) left_out_of_environment += take_context_group(content, key, writer_);
        continue;
      }
      if (ours && key.find('.') != std::string_view::npos) {
        const std::size_t dot = key.find('.');
        const bool taken = take_context_field(key.substr(0, dot), key.substr(dot + 1), content, writer_);
        if (core::names_environment(key.substr(0, dot))) {
          if (!taken) ++left_out_of_environment;
          continue;
        }
      }
      const std::string_view context_key = writer_.names().context_key(key);
      if (top && !context_key.empty() && !content.is_null()) {
        writer_.out.context.emplace(context_key, content.text().substr(0, 500));
      } else if (environment) {
        ++left_out;
        continue;
      }
      if (!environment && (content.is_number() || content.is_boolean())) {
        Explicit said;
        said.context = true;
        leaf(key, content, shape, 0, said);
      }
    }
  } else {
    left_out = value.size();
  }
  if (environment) writer_.find(Finding::environment_in_source, path_, std::max<std::uint64_t>(left_out, 1));
  if (left_out_of_environment > 0) writer_.find(Finding::environment_in_source, path_ + ".environment", left_out_of_environment);
  path_.resize(before);
}

// {"value": 5, "unit": "ms"}: one number and what the file says about it.
bool Flattener::scalar(const Value& root) {
  if (!root.is_object()) return false;
  const Value value = root.find("value");
  if (!value || value.is_object()) return false;
  if (!value.is_array() && leaf_of(value).state == ValueState::text) return false;
  if (value.is_array() && (value.size() == 0 || !std::all_of(value.elements().begin(), value.elements().end(),
                                                             [](const Value& element) { return element.is_number(); }))) {
    return false;
  }
  Explicit said;
  said.unit = root.find_string("unit");
  said.direction = direction_in(root);
  std::uint32_t shape = RowWriter::kRootShape;
  for (const std::string_view field : {"metric", "name"}) {
    if (const Value name = root.find(field); name.is_string()) {
      shape = writer_.shape(shape, name.string());
      break;
    }
  }
  for (const auto [key, valid, content] : root.members()) {
    if (writer_.halted()) return true;
    if (key == "value") {
      path_ = "value";
      if (!content.is_array() || !trials(content, "value", shape, 0, said)) {
        if (!content.is_container()) writer_.add("value", "value", shape, 0, leaf_of(content), said);
      }
      path_.clear();
    } else if ((key == "unit" || key == "direction" || key == "better") && content.is_string()) {
      continue;
    } else if (content.is_container() || !(content.is_number() || content.is_boolean())) {
      member(key, content, RowWriter::kRootShape, 0, true);
    } else {
      writer_.find(Finding::extra_members, key);
      Explicit context;
      context.context = true;
      leaf(key, content, RowWriter::kRootShape, 0, context);
    }
  }
  return true;
}

}  // namespace

void flatten_json(const json::Value& root, std::string_view path, RowWriter& writer, const FlattenOptions& options) {
  Flattener(writer, options).root(root, path);
}

namespace {

// "[1, 2]" and "[{", not "[section]" or "[[records]]" of an INI or TOML file and not "[INFO] …".
bool begins_array(std::string_view head, int depth = 0) {
  const std::size_t next = head.find_first_not_of(" \t\r\n", 1);
  if (next == std::string_view::npos) return true;
  const std::string_view rest = head.substr(next);
  if (rest.front() == '[' && depth < 8) return begins_array(rest, depth + 1);
  if (std::string_view("{[]\"-/.+'").find(rest.front()) != std::string_view::npos) return true;
  if (rest.front() >= '0' && rest.front() <= '9') return true;
  const std::string word = core::to_lower(rest.substr(0, std::min(rest.find_first_of(" \t\r\n,]"), rest.size())));
  constexpr std::string_view kWords[] = {"true", "false", "null", "nan", "infinity", "inf", "none"};
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

}  // namespace

Detection detect_generic_json(const Input& input) {
  if (input.is_directory) return {};
  const std::string_view head = json_head(input);
  if (head.empty()) return {};
  Detection detection;
  if (head.front() == '{' || (head.front() == '[' && begins_array(head))) {
    detection.score = 0.6;
    detection.evidence.push_back(std::string("starts with '") + head.front() + "'");
  } else if (head.front() == '"' || head.starts_with("true") || head.starts_with("false") || head.starts_with("null")) {
    detection.score = 0.1;
    detection.evidence.emplace_back("starts like a JSON value");
  }
  if (detection.score > 0 &&
      (has_extension(input.name, ".json") || has_extension(input.name, ".jsonl") || has_extension(input.name, ".ndjson"))) {
    detection.score += 0.1;
    detection.evidence.emplace_back("named as JSON");
  }
  return detection;
}

core::Expected<core::Measurement> read_generic_json(const Input& input, const ReadOptions& options) {
  auto document = parse_json(input, options);
  if (!document) return core::fail(document.error());
  RowWriter writer(options);
  writer.reserve(document->member_count());
  writer.out.reserve(document->member_count(), document->node_count() - document->member_count());  // trials: all but keys
  take_notes(*document, writer);
  const Value root = document->root();
  FlattenOptions flatten;
  flatten.consumed = &*document;
  Flattener flattener(writer, flatten);
  if (flattener.scalar(root)) {
    writer.out.shape = core::Shape::scalar;
  } else {
    flattener.root(root, {});
    if (!root.is_object() && !writer.out.rows().empty() && writer.out.rows().size() == 1) {
      const core::Row& row = writer.out.rows().front();
      if (writer.out.key(row) == "value") writer.out.shape = core::Shape::scalar;
    }
  }
  writer.out.replication = core::Replication::run;
  return writer.finish(input.name);
}

extern const Format generic_json_format = {
    .name = "generic-json",
    .title = "JSON of any depth",
    .replication = core::Replication::run,
    .detect = detect_generic_json,
    .read = read_generic_json,
    .about = {.judged = "JSON of any depth",
              .key = "the dotted path; of records the fields that tell them apart",
              .trials = "an array of numbers",
              .context = "listed fields of `context`, `metadata`, `config` and the root; of an environment the host name alone",
              .limits = "unit and direction go by name unless the file says them",
              .recognised = "a JSON object or array; every number is a row, its path the key"},
};

}  // namespace plumbline::formats
