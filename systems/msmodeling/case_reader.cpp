// A case file of msmodeling's performance regression tests: the times and operators that a simulated run is compared with. Rows
// carry the keys of the simulator's table (table_reader.cpp), so that the two meet row by row. A case is short and reviewed
// by people: one that is wrong anywhere is an error with its place. What its own loader does not know stops that loader; here it
// is a warning.
#include <array>
#include <cmath>
#include <unordered_map>

#include "core/citing.hpp"
#include "core/native.hpp"
#include "formats/declared_rows.hpp"
#include "formats/readers.hpp"
#include "systems/msmodeling/model.hpp"
#include "systems/msmodeling/system.hpp"
#include "systems/python_text.hpp"

namespace plumbline::systems::msmodeling {
namespace {

using namespace formats;  // the readers' kit
using json::Value;

constexpr const char* kShape =
    "a case is {\"type\": \"text\", \"name\": …, \"description\": …, \"initial_time_s\": 0.3, \"baseline_time_s\": 0.32, "
    "\"operators\": [{\"name\": …, \"total_time_s\": 0.1, \"num_calls\": 3}], …}";

constexpr std::string_view kCommon[] = {"type",
                                        "name",
                                        "description",
                                        "initial_time_s",
                                        "baseline_time_s",
                                        "initial_tolerance",
                                        "baseline_tolerance",
                                        "baseline_max_increase_pct",
                                        "operator_top_n",
                                        "operator_tolerance",
                                        "operators"};
constexpr std::string_view kOfText[] = {"user_input", "compilation_config"};

// Fields of a case that describe what was simulated, and the context fields that they are.
struct ContextField {
  std::string_view name, key;
};
constexpr ContextField kVideo[] = {{"device", "hardware.gpu"},
                                   {"model_id", "identity.model"},
                                   {"seq_len", "workload.seq_len"},
                                   {"batch_size", "workload.batch_size"},
                                   {"height", "workload.height"},
                                   {"width", "workload.width"},
                                   {"frame_num", "workload.frames"},
                                   {"sample_step", "workload.sample_steps"},
                                   {"dtype", "workload.dtype"},
                                   {"use_cfg", "workload.use_cfg"},
                                   {"world_size", "parallelism.world_size"},
                                   {"ulysses_size", "parallelism.ulysses"},
                                   {"cfg_parallel", "parallelism.cfg"},
                                   {"quantize_linear_action", "identity.quantization"}};
constexpr ContextField kText[] = {{"device", "hardware.gpu"},
                                  {"model_id", "identity.model"},
                                  {"num_queries", "workload.concurrency"},
                                  {"query_len", "workload.input_len"},
                                  {"context_length", "workload.context_length"},
                                  {"decode", "workload.decode"},
                                  {"image_batch_size", "workload.image_batch_size"},
                                  {"image_height", "workload.image_height"},
                                  {"image_width", "workload.image_width"},
                                  {"num_mtp_tokens", "serving.num_mtp_tokens"},
                                  {"prefix_cache_hit_rate", "serving.prefix_cache_hit_rate"},
                                  {"do_compile", "regime.compile"},
                                  {"quantize_linear_action", "identity.quantization"},
                                  {"quantize_attention_action", "identity.attention_quantization"},
                                  {"world_size", "parallelism.world_size"},
                                  {"tp_size", "parallelism.tp"},
                                  {"pp_size", "parallelism.pp"},
                                  {"dp_size", "parallelism.dp"},
                                  {"ep_size", "parallelism.ep"}};

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The members of an object as a Python dictionary has them: of two of one name the last value, in the place of the first.
std::vector<std::pair<std::string, Value>> python_members(const Value& object) {
  std::vector<std::pair<std::string, Value>> out;
  std::unordered_map<std::string, std::size_t> places;
  for (const auto [key, valid, value] : object.members()) {
    const auto [it, fresh] = places.emplace(key, out.size());
    if (fresh) {
      out.emplace_back(key, value);
    } else {
      out[it->second].second = value;
    }
  }
  return out;
}

// json.dump(…, indent=2, ensure_ascii=False); the depth is bounded by the reader's.
void append_python(std::string& out, const Value& value, std::size_t depth) {
  const auto line = [&](std::size_t at) { out += "\n" + std::string(2 * at, ' '); };
  if (value.is_object()) {
    const auto members = python_members(value);
    out += "{";
    for (const auto& [key, one] : members) {
      if (&key != &members.front().first) out += ",";
      line(depth + 1);
      append_python_string(out, key, false);
      out += ": ";
      append_python(out, one, depth + 1);
    }
    if (!members.empty()) line(depth);
    out += "}";
  } else if (value.is_array()) {
    out += "[";
    bool first = true;
    for (const Value& one : value.elements()) {
      if (!first) out += ",";
      first = false;
      line(depth + 1);
      append_python(out, one, depth + 1);
    }
    if (!first) line(depth);
    out += "]";
  } else if (value.is_string()) {
    append_python_string(out, value.string(), false);
  } else if (value.is(json::Kind::real) && (value.node().flags & json::kBeyondInteger) == 0) {
    append_python_number(out, value.number());
  } else {
    out += value.text();  // null, true, false and integers as they stand
  }
}

class CaseReader {
 public:
  CaseReader(const Input& input, const Value& root) : input_(input), root_(root) {}

  core::Expected<Case> read() {
    Case& out = case_;
    if (const Value type = root_.find("type")) {
      if (!type.is_string()) return wrong(type, "\"type\" is not a string");
      out.type = type.string();
    }
    const Value name = root_.find("name");
    if (!name.is_string() || name.string().empty()) return wrong(name ? name : root_, "the case has no \"name\"");
    out.name = name.string();
    out.description = root_.find_string("description");
    for (const auto& [key, target] : std::initializer_list<std::pair<std::string_view, double*>>{
             {"initial_time_s", &out.initial_time_s}, {"baseline_time_s", &out.baseline_time_s}}) {
      auto given = number(root_, key);
      if (!given) return core::fail(given.error());
      *target = given->value_or(0);
    }
    for (const auto& [key, target] : std::initializer_list<std::pair<std::string_view, std::optional<double>*>>{
             {"initial_tolerance", &out.initial_tolerance},
             {"baseline_tolerance", &out.baseline_tolerance},
             {"operator_tolerance", &out.operator_tolerance},
             {"baseline_max_increase_pct", &out.max_increase}}) {
      auto given = number(root_, key);
      if (!given) return core::fail(given.error());
      *target = *given;
    }
    auto top = integer(root_, "operator_top_n");
    if (!top) return core::fail(top.error());
    out.top_n = *top;
    if (auto ok = operators(); !ok) return core::fail(ok.error());
    for (const auto [key, valid, value] : root_.members()) {
      if (!known(key)) out.unknown_keys.emplace_back(key.substr(0, 100));
    }
    for (const auto& [key, value] : python_members(root_)) {
      out.fields.emplace_back(key, std::string());
      append_python(out.fields.back().second, value, 1);
    }
    return std::move(case_);
  }

 private:
  [[nodiscard]] tl::unexpected<core::Error> wrong(const Value& value, std::string message) const {
    const json::Place at = value.place();
    return core::fail(core::ErrorCode::invalid_input, std::move(message), kShape,
                      input_.name + ":" + std::to_string(at.line) + ":" + std::to_string(at.column));
  }

  // Absent and null are nullopt.
  [[nodiscard]] core::Expected<std::optional<double>> number(const Value& object, std::string_view key) const {
    const Value value = object.find(key);
    if (!value || value.is_null()) return std::optional<double>();
    if (!value.is_number() || !std::isfinite(value.number())) return wrong(value, core::cited(key) + " is not a finite number");
    return std::optional<double>(value.number());
  }

  [[nodiscard]] core::Expected<std::optional<std::int64_t>> integer(const Value& object, std::string_view key) const {
    auto given = number(object, key);
    if (!given) return core::fail(given.error());
    if (!*given) return std::optional<std::int64_t>();
    if (std::floor(**given) != **given || std::fabs(**given) > 9e15)
      return wrong(object.find(key), core::cited(key) + " is not an integer");
    return std::optional<std::int64_t>(static_cast<std::int64_t>(**given));
  }

  core::Status operators() {
    const Value list = root_.find("operators");
    if (!list || list.is_null()) return {};
    if (!list.is_array()) return wrong(list, "\"operators\" is not an array");
    for (const Value& one : list.elements()) {
      if (!one.is_object()) return wrong(one, "an operator is not an object");
      Operator made;
      made.name = one.find_string("name");
      if (made.name.empty()) return wrong(one, "an operator has no \"name\"");
      auto time = number(one, "total_time_s");
      if (!time) return core::fail(time.error());
      if (!*time) return wrong(one, "the operator " + core::cited(made.name) + " has no \"total_time_s\"");
      made.total_time_s = **time;
      auto calls = integer(one, "num_calls");
      if (!calls) return core::fail(calls.error());
      made.num_calls = calls->value_or(0);
      case_.operators.push_back(std::move(made));
    }
    return {};
  }

  [[nodiscard]] bool known(std::string_view key) const {
    if (contains(kCommon, key)) return true;
    if (case_.type != "video") return contains(kOfText, key);
    return std::any_of(std::begin(kVideo), std::end(kVideo), [&](const ContextField& field) { return field.name == key; });
  }

  const Input& input_;
  const Value& root_;
  Case case_;
};

std::string percent(double fraction) { return core::short_number(fraction * 100, 12) + "%"; }

void add_rows(const Case& read, DeclaredRows& rows) {
  // What a run is compared with first; without it the older time.
  const bool has_baseline = read.baseline_time_s > 0;
  const double total = has_baseline ? read.baseline_time_s : read.initial_time_s;
  if (total > 0) {
    rows.add({}, "total_time_s", 0, lower_is_better("s"), total);
  } else {
    rows.add({}, "total_time_s", 0, lower_is_better("s"), Leaf{core::ValueState::null, 0, false, {}});
  }
  if (has_baseline && read.initial_time_s > 0) rows.add({}, "initial_time_s", 0, for_context("s"), read.initial_time_s);
  const Declared calls{{}, core::Direction::two_sided, core::Role::judged, true};
  for (const Operator& one : read.operators) {
    const std::uint32_t point = rows.dims({{"operator", one.name}});
    rows.add(one.name, "total_time_s", point, lower_is_better("s"), one.total_time_s);
    rows.add(one.name, "num_calls", point, calls, static_cast<double>(one.num_calls));
  }
  core::DeclaredRules& declared = rows.writer().out.declared;
  declared.headlines = {"total_time_s"};
  const double tolerance =
      has_baseline ? read.baseline_tolerance.value_or(0.20) : read.initial_tolerance.value_or(0.10);  // its own defaults
  if (tolerance >= 0) declared.tolerances.emplace_back("total_time_s", percent(tolerance));
  if (read.operator_tolerance.value_or(0.10) >= 0)
    declared.tolerances.emplace_back("*.total_time_s", percent(read.operator_tolerance.value_or(0.10)));
  declared.tolerances.emplace_back("*.num_calls", "0%");
}

void add_context(const Value& root, const Case& read, DeclaredRows& rows) {
  const bool video = read.type == "video";
  const Value from = video ? root : root.find("user_input");
  for (const ContextField& field : video ? std::span<const ContextField>(kVideo) : std::span<const ContextField>(kText)) {
    if (const Value value = from ? from.find(field.name) : Value(); value && !value.is_container() && !value.is_null())
      rows.context(field.key, value.text());
  }
  std::string flags;
  for (const Value& flag : root.find("compilation_config").elements()) {
    if (!flags.empty()) flags += ",";
    flags += flag.string();
  }
  rows.context("stack.compilation_config", flags);
}

}  // namespace

Detection detect_msmodeling_case(const Input& input) {
  const std::string_view head = json_head(input);
  Detection detection;
  if (!head.starts_with("{") || has_keys(input, {"sub_cases"}, detection)) return {};
  if (has_keys(input, {"name", "initial_time_s", "baseline_time_s"}, detection)) {
    detection.score = 0.97;
  } else if (has_keys(input, {"name", "operators/total_time_s", "operators/num_calls"}, detection) ||
             has_keys(input, {"name", "operator_top_n", "operator_tolerance"}, detection)) {
    detection.score = 0.95;
  } else {
    // Every field but name and description has a default: one that no other tool has tells a case as well.
    for (const char* own : {"initial_time_s", "baseline_time_s", "baseline_max_increase_pct"}) {
      if (detection.score > 0 || !has_keys(input, {"name", "description", own}, detection)) continue;
      detection.score = 0.95;
    }
    for (const char* own : {"initial_tolerance", "baseline_tolerance", "operator_tolerance", "operator_top_n", "operators"}) {
      if (detection.score > 0 || !has_keys(input, {"name", "description", own, "user_input/device"}, detection)) continue;
      detection.score = 0.92;
    }
  }
  return detection;
}

core::Expected<core::Measurement> read_msmodeling_case(const Input& input, const ReadOptions& options) {
  auto document = parse_json(input, options);
  if (!document) return core::fail(document.error());
  const Value root = document->root();
  if (!root.is_object()) {
    return core::fail(kOtherStructure, "the document is no object: this is not a case of msmodeling", kShape, input.name);
  }
  auto read = CaseReader(input, root).read();
  if (!read) return core::fail(read.error());
  ReadOptions own = options;
  own.allow_no_numbers = true;  // a case without any time is one that its own rules know: NO_BASELINE
  RowWriter writer(own);
  take_notes(*document, writer);
  DeclaredRows rows(writer, "msmodeling");
  add_rows(*read, rows);
  add_context(root, *read, rows);
  if (!read->unknown_keys.empty()) {
    writer.out.warn("unknown_keys", core::counted(read->unknown_keys.size(), "key") +
                                        " that msmodeling's cases do not have: " + core::listed(read->unknown_keys));
  }
  core::NativeFile native;
  native.system = "msmodeling";
  native.path = input.name;
  native.content = File{std::move(*read), std::nullopt};
  writer.out.native = std::make_shared<const core::NativeFile>(std::move(native));
  return writer.finish(input.name);
}

const Format kCaseFormat = {
    .name = "msmodeling-case",
    .title = "msmodeling case file",
    .detect = detect_msmodeling_case,
    .read = read_msmodeling_case,
    .about = {.group = formats::Group::other_systems,
              .file = "JSON",
              .produce = "# a case of msmodeling's tests/benchmark/models, written by hand or by:\n"
                         "plumbline export TABLE --as msmodeling --refresh CASE.json --out CASES",
              .judged = "total time (the baseline time, else the initial time) and time of each operator in s, lower is better; "
                        "number of calls, exact",
              .key = "operator",
              .trials = "one value a key",
              .context = "device, model, lengths, quantisation, parallelism, compilation flags",
              .limits = "group cases (`sub_cases`) are read as JSON; tolerances are the case's own",
              .recognised = "a time or operators of its own (`initial_time_s`, `baseline_time_s`, `operators`, a tolerance) "
                            "beside `name` and `description`"},
};

}  // namespace plumbline::systems::msmodeling
