#include "verbs/recompute/request.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "configs/configs.hpp"
#include "core/citing.hpp"
#include "core/json_writer.hpp"
#include "core/rules/day.hpp"
#include "verbs/record/bounded_json.hpp"

namespace plumbline::verbs {
namespace {

using core::JsonWriter;
using Json = nlohmann::json;

constexpr std::string_view kSchema = "plumbline.request.v1";

void write_value(JsonWriter& json, const Value& value) {
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
    json.begin_array();
    for (const std::string& text : *texts) json.value(text);
    json.end_array();
    return;
  }
  std::visit(
      [&](const auto& one) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(one)>, std::vector<std::string>>) json.value(one);
      },
      value);
}

void write_texts(JsonWriter& json, std::string_view name, const std::vector<std::string>& texts) {
  json.key(name);
  write_value(json, Value(texts));
}

void write_context(JsonWriter& json, std::string_view name, const core::Context& context) {
  json.key(name).begin_object();
  for (const auto& [key, value] : context) json.field(key, value);
  json.end_object();
}

void write_history(JsonWriter& json, const std::map<std::string, UsedHistory>& history) {
  json.key("history").begin_array();
  for (const auto& [entry, used] : history) {
    json.begin_object().field("entry", entry).field_or_null("median_pct", used.median_pct);
    json.key("keys").begin_array();
    for (const UsedHistory::Key& key : used.keys) {
      core::compact(json, [&](JsonWriter& line) {
        line.begin_object().field("key", key.key).field("floor_pct", key.floor_pct);
        line.field("low", key.range.first).field("high", key.range.second).end_object();
      });
    }
    json.end_array().end_object();
  }
  json.end_array();
}

void write_captures(JsonWriter& json, const ProfileRequest& captures) {
  json.key("captures").begin_object();
  write_texts(json, "baseline", captures.baseline);
  write_texts(json, "candidate", captures.candidate);
  json.field("baseline_label", captures.baseline_label).field("candidate_label", captures.candidate_label);
  write_context(json, "baseline_context", captures.baseline_context);
  write_context(json, "candidate_context", captures.candidate_context);
  json.field("baseline_verified", captures.baseline_verified);
  json.field("limit", captures.options.limit).field("gate_percent", captures.options.gate_pct);
  write_texts(json, "varying", captures.options.varying);
  json.end_object();
}

// What is taken from a request.json that may be anybody's. The first thing that is wrong ends it.
class Reader {
 public:
  explicit Reader(std::string where) : where_(std::move(where)) {}

  Expected<KeptRequest> read(const Json& document) {
    if (!document.is_object()) return core::fail(wrong("it is no object"));
    const std::string schema = text(document, "schema");
    if (schema != kSchema)
      return core::fail(wrong("the schema is " + core::cited(schema) + ", and this program reads " + std::string(kSchema)));
    KeptRequest out;
    out.verb = text(document, "verb");
    out.root = text(document, "root");
    if (const auto tool = document.find("tool"); tool != document.end() && tool->is_object())
      out.tool_version = text(*tool, "version");
    arguments(document, out);
    for (const Json& each : list(document, "entries")) {
      out.entries.push_back(
          {text(each, "family"), text(each, "measurement"), text(each, "slug"), truth(each, "accepted"), inside(each, "at")});
      const KeptEntry& entry = out.entries.back();
      for (const auto& [what, segment] : {std::pair("family", &entry.family), std::pair("measurement", &entry.measurement)}) {
        if (auto ok = registry::check_segment(what, *segment); !ok) note(ok.error().message);
      }
      if (!registry::is_slug(entry.slug)) note("the slug " + core::cited(entry.slug) + " is none");
    }
    for (const Json& each : list(document, "files")) {
      KeptFile file{text(each, "parameter"), text(each, "path"), inside(each, "at"), 0};
      if (!file.path.starts_with('/') || file.path.find("/../") != std::string::npos || file.path.ends_with("/.."))
        note("the path " + core::cited_path(file.path) + " is not absolute");
      out.files.push_back(std::move(file));
    }
    if (const auto embedded = document.find("embedded"); embedded != document.end() && embedded->is_object()) {
      for (const auto& [name, digest] : embedded->items()) {
        if (digest.is_string()) out.embedded.emplace(name, digest.get<std::string>());
      }
    }
    out.day = text(document, "day");
    if (!out.day.empty()) {
      if (const auto day = core::parse_day("day", out.day); !day) note(day.error().message);
    }
    for (const Json& each : list(document, "history")) out.history.emplace(text(each, "entry"), history(each));
    if (const auto captures = document.find("captures"); captures != document.end() && captures->is_object())
      out.captures = captures_of(*captures);
    for (const Json& each : list(document, "not_recomputable"))
      out.not_recomputable.push_back({text(each, "what"), text(each, "why")});
    if (!problem_.empty()) return core::fail(wrong(problem_));
    return out;
  }

 private:
  [[nodiscard]] Error wrong(const std::string& what) const {
    return {ErrorCode::invalid_input, where_ + " is not readable: " + what, "the bundle may have been edited: `plumbline verify`",
            where_};
  }
  void note(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
  }
  static std::string text(const Json& object, const char* name) {
    if (!object.is_object()) return {};
    const auto found = object.find(name);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
  }
  static bool truth(const Json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_boolean() && found->get<bool>();
  }
  static std::optional<double> number(const Json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
  }
  static const Json& list(const Json& object, const char* name) {
    static const Json kNone = Json::array();
    const auto found = object.find(name);
    return found != object.end() && found->is_array() ? *found : kNone;
  }
  static std::vector<std::string> texts(const Json& object, const char* name) {
    std::vector<std::string> out;
    for (const Json& each : list(object, name)) {
      if (each.is_string()) out.push_back(each.get<std::string>());
    }
    return out;
  }
  // A name in the bundle, or "".
  std::string inside(const Json& object, const char* name) {
    std::string at = text(object, name);
    if (at.empty()) return at;
    if (auto ok = registry::check_relative_name(at); !ok) note(ok.error().message);
    return at;
  }

  void arguments(const Json& document, KeptRequest& out) {
    const Verb* verb = find(out.verb);
    if (verb == nullptr) return note("there is no verb " + core::cited(out.verb));
    const auto given = document.find("arguments");
    if (given == document.end() || !given->is_object()) return note("it has no arguments");
    for (const auto& [name, value] : given->items()) {
      const auto param =
          std::find_if(verb->params.begin(), verb->params.end(), [&name = name](const Param& p) { return p.name == name; });
      if (param == verb->params.end()) return note(out.verb + " has no parameter " + core::cited(name));
      auto typed = typed_value(param->kind, value);
      if (!typed) return note("the value of " + core::cited(name) + " is of another type");
      out.arguments.set(name, std::move(*typed));
    }
  }

  static std::optional<Value> typed_value(ParamKind kind, const Json& value) {
    if (kind == ParamKind::string_list || kind == ParamKind::path_list) {
      std::vector<std::string> out;
      if (!value.is_array()) return std::nullopt;
      for (const Json& each : value) {
        if (!each.is_string()) return std::nullopt;
        out.push_back(each.get<std::string>());
      }
      return Value(std::move(out));
    }
    if (kind == ParamKind::boolean) return value.is_boolean() ? std::optional<Value>(value.get<bool>()) : std::nullopt;
    if (kind == ParamKind::integer)
      return value.is_number_integer() ? std::optional<Value>(value.get<std::int64_t>()) : std::nullopt;
    if (kind == ParamKind::number) return value.is_number() ? std::optional<Value>(value.get<double>()) : std::nullopt;
    return value.is_string() ? std::optional<Value>(value.get<std::string>()) : std::nullopt;
  }

  UsedHistory history(const Json& each) {
    UsedHistory out;
    out.median_pct = number(each, "median_pct");
    for (const Json& key : list(each, "keys")) {
      const auto floor = number(key, "floor_pct"), low = number(key, "low"), high = number(key, "high");
      if (!floor || !low || !high) {
        note("history without floor_pct, low or high");
        break;
      }
      out.keys.push_back({text(key, "key"), *floor, {*low, *high}});
    }
    return out;
  }

  static core::Context context_of(const Json& object, const char* name) {
    core::Context out;
    const auto found = object.find(name);
    if (found == object.end() || !found->is_object()) return out;
    for (const auto& [key, value] : found->items()) {
      if (value.is_string()) out.emplace(key, value.get<std::string>());
    }
    return out;
  }

  ProfileRequest captures_of(const Json& each) {
    ProfileRequest out;
    out.baseline = texts(each, "baseline");
    out.candidate = texts(each, "candidate");
    for (const auto* side : {&out.baseline, &out.candidate}) {
      if (side->empty()) note("a side of the captures is empty");
      for (const std::string& name : *side) {
        if (auto ok = registry::check_relative_name(name); !ok) note(ok.error().message);
      }
    }
    out.baseline_label = text(each, "baseline_label");
    out.candidate_label = text(each, "candidate_label");
    out.baseline_context = context_of(each, "baseline_context");
    out.candidate_context = context_of(each, "candidate_context");
    out.baseline_verified = truth(each, "baseline_verified");
    out.options.gate_pct = number(each, "gate_percent").value_or(out.options.gate_pct);
    const double limit = number(each, "limit").value_or(out.options.limit);
    if (limit >= 1 && limit <= 1e6) out.options.limit = static_cast<std::uint32_t>(limit);
    out.options.varying = texts(each, "varying");
    return out;
  }

  std::string where_, problem_;
};

}  // namespace

std::string request_json(const KeptRequest& request) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("schema", kSchema).field("verb", request.verb);
  json.key("tool").begin_object().field("name", "plumbline").field("version", request.tool_version).end_object();
  json.place("root", request.root);
  json.key("arguments").begin_object();
  for (const auto& [name, value] : request.arguments.all()) {
    json.key(name);
    write_value(json, value);
  }
  json.end_object();
  json.key("entries").begin_array();
  for (const KeptEntry& entry : request.entries) {
    json.begin_object().field("family", entry.family).field("measurement", entry.measurement).field("slug", entry.slug);
    json.field("accepted", entry.accepted).field("at", entry.at).end_object();
  }
  json.end_array().key("files").begin_array();
  for (const KeptFile& file : request.files) {
    json.begin_object().field("parameter", file.parameter).place("path", file.path).field("at", file.at);
    json.field("bytes", file.bytes).end_object();
  }
  json.end_array().key("embedded").begin_object();
  for (const auto& [name, digest] : request.embedded) json.field(name, digest);
  json.end_object();
  if (!request.day.empty()) json.field("day", request.day);
  write_history(json, request.history);
  if (request.captures) write_captures(json, *request.captures);
  json.key("not_recomputable").begin_array();
  for (const MissingInput& missing : request.not_recomputable)
    json.begin_object().field("what", missing.what).field("why", missing.why).end_object();
  json.end_array().end_object();
  out += '\n';
  return out;
}

Expected<KeptRequest> parse_request(std::string_view text, const std::string& where) {
  if (auto depth = json_depth(text); !depth) {
    return core::fail(ErrorCode::invalid_input, where + " is not readable: " + depth.error().message,
                      "the bundle may have been edited: `plumbline verify`", where);
  }
  return Reader(where).read(Json::parse(text, nullptr, false));
}

std::map<std::string, std::string> embedded_rules() {
  std::map<std::string, std::string> out;
  for (const std::string_view name : {"metric-names.yaml", "sol-ceilings.yaml", "class-noise.yaml", "kernel-categories.yaml"})
    out.emplace(name, registry::sha256_hex(configs::embedded(name)));
  return out;
}

}  // namespace plumbline::verbs
