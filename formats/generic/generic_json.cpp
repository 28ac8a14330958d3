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
#include "formats/generic/json_flattener.hpp"

namespace plumbline::formats {
namespace {

using core::ValueState;
using json::Value;

bool is_context_name(std::string_view name) {
  return name == "context" || name == "metadata" || name == "config" || core::names_environment(name);
}

// The groups of the context descriptor; an environment is harvested by itself.
constexpr std::string_view kGroups[] = {"identity", "parallelism", "serving", "workload", "regime", "stack", "hardware"};

bool is_group(std::string_view name) { return std::find(std::begin(kGroups), std::end(kGroups), name) != std::end(kGroups); }

// {"hardware.gpu": "H100"}: where the group's name ends in such a key, npos in any other.
std::size_t end_of_group(std::string_view key) {
  for (const std::string_view group : kGroups) {
    const std::size_t end = group.size();
    if (key.size() > end && key[end] == '.' && key.front() == group.front() && key.starts_with(group)) return end;
  }
  return std::string_view::npos;
}

}  // namespace

void JsonFlattener::leaf(std::string_view name, const Value& value, std::uint32_t shape, std::uint32_t dims,
                         const Explicit& said) {
  if (path_.empty()) {  // the key is the name itself: interned once
    writer_.add(name, name, shape, dims, leaf_of(value), said);
    return;
  }
  const std::size_t before = enter(name);
  writer_.add(path_, name, shape, dims, leaf_of(value), said);
  path_.resize(before);
}

void JsonFlattener::member(std::string_view name, const Value& value, std::uint32_t shape, std::uint32_t dims, bool top) {
  if (!value.is_container()) {
    leaf(name, value, shape, dims, {});
    if (top && value.is_string()) {  // a file that names its model or GPU beside its numbers
      const std::string_view key = writer_.names().context_key(name);
      if (!key.empty()) writer_.out.context.emplace(key, value.string().substr(0, 500));
    }
    if (const std::size_t dot = top ? end_of_group(name) : std::string_view::npos; dot != std::string_view::npos) {
      take_context_field(name.substr(0, dot), name.substr(dot + 1), value, writer_);
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

void JsonFlattener::object(const Value& value, std::uint32_t shape, std::uint32_t dims, bool top) {
  // {"p99": {"value": 5, "unit": "ms"}}: the unit belongs to the number beside it.
  Explicit said;
  if (!path_.empty()) {
    if (const Value unit = value.find("unit"); unit.is_string()) {
      said.unit = unit.string();
      said.direction = direction_in(value);
    }
  }
  constexpr std::size_t kMany = 16;  // members that are worth being taken a handful at a time
  const auto members = value.members();
  for (auto at = members.begin(); at != members.end();) {
    if (writer_.halted()) return;
    if (said.unit.empty() && value.size() >= kMany) {
      at = numbers(value, at, shape, dims, top);
      if (at == members.end()) return;
    }
    const json::Value::Member member_of = *at;
    ++at;
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

// A finite number that a double holds exactly.
static bool is_plain(const json::Node& node, double& value) {
  constexpr std::int64_t kTwoTo53 = 9007199254740992;
  if (node.kind == json::Kind::real && node.flags == 0) {
    value = node.d;
    return true;
  }
  if (node.kind != json::Kind::integer || node.i > kTwoTo53 || node.i < -kTwoTo53) return false;
  value = static_cast<double>(node.i);
  return true;
}

// The members from `at` on as rows, a handful at a time, as long as they are plain numbers. Gives the first that is not taken.
JsonFlattener::Member JsonFlattener::numbers(const Value& object, Member at, std::uint32_t shape, std::uint32_t dims, bool top) {
  constexpr std::size_t kAtOnce = 32, kLongest = 1000;
  if (path_.size() > kLongest) return at;
  keys_.reserve(kAtOnce * 2 * kLongest);  // it must not move
  const Member end = object.members().end();
  double number = 0;
  do {
    keys_.clear();
    key_texts_.clear();
    numbers_.clear();
    for (; at != end && numbers_.size() < kAtOnce && !writer_.halted(); ++at) {
      const json::Value::Member member = *at;
      if (!is_plain(member.value.node(), number) || member.key.size() >= kLongest) break;
      if (top && end_of_group(member.key) != std::string_view::npos) break;  // also a field of the context
      std::string_view key = member.key;
      core::Id metric = core::kNoId;
      if (!path_.empty()) {
        const std::size_t start = keys_.size();
        keys_.append(path_).append(1, '.').append(key);
        metric = writer_.metric_id(key);
        if (next_key_ != core::kNoId && metric >= next_key_) next_key_ = metric + 1;
        key = std::string_view(keys_).substr(start);
      }
      key_texts_.push_back(key);
      numbers_.push_back({{metric, writer_.class_of_number(member.key, shape)}, dims, number});
    }
    if (numbers_.empty()) return at;
    next_key_ = writer_.add_known(key_texts_, numbers_, next_key_) + 1;
    if (at != end) passed(object, (*at).value);
  } while (numbers_.size() == kAtOnce);
  return at;
}

// All elements numbers (or null, NaN, numbers in quotes, or all booleans): one row with its trials. path_ is the key.
bool JsonFlattener::trials(const Value& value, std::string_view name, std::uint32_t shape, std::uint32_t dims,
                           const Explicit& said) {
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
bool JsonFlattener::plain_numbers(const Value& value) {
  values_.clear();
  const json::Node* const array = &value.node();
  double number = 0;
  for (const json::Node* node = array + 1; node != array + 1 + array->count; ++node) {
    if (!is_plain(*node, number)) return false;
    values_.push_back(number);
  }
  return !values_.empty();
}

// path_ is the array's own key here; `shape` is the shape of what holds it.
void JsonFlattener::array(const Value& value, std::string_view name, std::uint32_t shape, std::uint32_t dims) {
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

// Allow-listed fields go to the context descriptor; numbers of a config are rows that are never judged; nothing else of an
// environment goes anywhere.
void JsonFlattener::harvest(const Value& value, std::string_view name, bool top) {
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
bool JsonFlattener::scalar(const Value& root) {
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

void flatten_json(const json::Value& root, std::string_view path, RowWriter& writer, const FlattenOptions& options) {
  JsonFlattener(writer, options).root(root, path);
}

core::Expected<core::Measurement> read_generic_json(const Input& input, const ReadOptions& options) {
  auto document = parse_json(input, options);
  if (!document) return core::fail(document.error());
  RowWriter writer(options);
  writer.out.reserve(document->member_count(), document->node_count() - document->member_count());  // trials: all but keys
  writer.reserve(document->member_count());
  take_notes(*document, writer);
  const RowWriter::Findings before = writer.findings();
  FlattenOptions flatten;
  flatten.consumed = &*document;
  if (JsonFlattener(writer, flatten).scalar(document->root())) {
    writer.out.shape = core::Shape::scalar;
  } else {
    JsonFlattener(writer, flatten).root(document->root(), {});
    if (writer.found(Finding::duplicate_key) > 0) {
      // Rare enough to read it once more: records that repeat a point may be its trials.
      document = parse_json(input, options);
      if (!document) return core::fail(document.error());
      writer.start_again(before);
      flatten.consumed = nullptr;
      flatten.repeats = true;
      JsonFlattener(writer, flatten).root(document->root(), {});
    }
    if (!document->root().is_object() && !writer.out.rows().empty() && writer.out.rows().size() == 1) {
      const core::Row& row = writer.out.rows().front();
      if (writer.out.key(row) == "value") writer.out.shape = core::Shape::scalar;
    }
  }
  return writer.finish(input.name);
}

extern const Format generic_json_format = {
    .name = "generic-json",
    .title = "JSON of any depth",
    .replication = core::Replication::run,
    .detect = detect_generic_json,
    .read = read_generic_json,
    .about = {.group = Group::generic,
              .file = "JSON, JSON lines",
              .produce = "# any program that writes JSON, for instance in Python:\n"
                         "# json.dump({\"latency_ms\": times, \"throughput_tok_s\": rate}, file)",
              .judged = "JSON of any depth",
              .key = "the dotted path; of records the fields that tell them apart",
              .trials =
                  "an array of numbers; records that repeat a point, where all are repeated equally often and only what was "
                  "measured differs",
              .context = "listed fields of `context`, `metadata`, `config` and the root; of an environment the host name alone",
              .limits = "unit and direction go by name unless the file says them",
              .recognised = "a JSON object or array; every number is a row, its path the key"},
};

}  // namespace plumbline::formats
