// valijson aborts instead of throwing unless told otherwise.
#define VALIJSON_USE_EXCEPTIONS 1
#include "verbs/record/schema_check.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "verbs/calling/wording.hpp"
#include "verbs/record/bounded_json.hpp"

namespace plumbline::verbs {

namespace {

using Json = nlohmann::json;
constexpr std::size_t kMostChecks = 10'000;
constexpr std::size_t kMostNested = 500;
constexpr std::size_t kMostPlaces = 100'000;

// Keywords of 2019-09 and 2020-12 that a draft-07 validator passes over.
constexpr std::array<std::string_view, 9> kIgnored = {"prefixItems",       "unevaluatedProperties", "unevaluatedItems",
                                                      "dependentRequired", "dependentSchemas",      "minContains",
                                                      "maxContains",       "$dynamicRef",           "$recursiveRef"};
// Values that are data, and objects whose members are schemas under names of the user's.
constexpr std::array<std::string_view, 4> kData = {"enum", "const", "default", "examples"};
constexpr std::array<std::string_view, 4> kMaps = {"properties", "definitions", "$defs", "dependencies"};

template <std::size_t N>
bool among(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

Error no_schema(const std::string& why, std::string hint = "") {
  return {ErrorCode::invalid_input, "--schema is not a valid JSON Schema: " + why, std::move(hint), {}};
}

Expected<Json> parse(std::string_view text, const std::string& name, int* depth = nullptr) {
  const auto measured = json_depth(text);
  if (!measured) return core::fail(ErrorCode::invalid_input, name + " is not valid JSON: " + measured.error().message);
  if (depth != nullptr) *depth = *measured;
  return Json::parse(text.begin(), text.end(), nullptr, false);
}

// What the validator would do with a schema, found out before it does: it recurses as deep and checks as often as the schema
// tells it to. Every schema in the document is a place, and the keywords between them are steps.
class SchemaPlan {
 public:
  explicit SchemaPlan(Json& root) : root_(root) {}

  // Takes out what is not checked, with a warning each, and refuses what cannot be held against anything.
  Status read(std::vector<core::Warning>& warnings) {
    if (auto ok = find_places(root_, "#", warnings); !ok) return ok;
    steps_.resize(places_.size());
    for (std::size_t at = 0; at < places_.size(); ++at) {
      if (auto ok = find_steps(at); !ok) return ok;
    }
    return sort();
  }

  // Bounds of the work for a document that nests `depth` deep.
  [[nodiscard]] Status check_work(int depth) const {
    std::vector<bool> known(places_.size());
    if (!parses_within(0, kMostNested, known)) return core::fail(too_deep());
    std::vector<Work> below(places_.size());
    for (int level = 0; level <= depth; ++level) {
      std::vector<Work> work = level_of(below);
      if (work.front().checks > kMostChecks) {
        return core::fail(ErrorCode::invalid_input,
                          "--schema: the schema expands to too many checks (more than " + std::to_string(kMostChecks) + ")",
                          "let allOf, anyOf, oneOf and $ref name the same definition fewer times");
      }
      if (work.front().nested > kMostNested) return core::fail(too_deep());
      if (level > 0 && work == below) break;
      below = std::move(work);
    }
    return {};
  }

 private:
  // From one schema to another: for the same value (`group` 0), or for a value inside it. At most one of a group's schemas
  // meets any one value: a member is named in properties or is an additional one.
  enum Group : std::size_t { same, member, element, contained, name, kGroups };
  struct Step {
    std::size_t to;
    Group group;
    bool by_ref = false;
  };
  // At the deepest level of a document: how often its value is checked, and how many checks are open at the same time.
  struct Work {
    std::size_t checks = 0, nested = 0;
    bool operator==(const Work&) const = default;
  };

  static Error too_deep() {
    return {ErrorCode::invalid_input,
            "--schema: the schema nests too deep (more than " + std::to_string(kMostNested) + " checks inside one another)",
            "let the definitions refer to one another in shorter chains",
            {}};
  }

  Status find_places(Json& node, const std::string& at, std::vector<core::Warning>& warnings) {
    if (node.is_object() || node.is_boolean()) {
      if (places_.size() == kMostPlaces) {
        return core::fail(ErrorCode::limit_exceeded,
                          "--schema: the schema has too many parts (more than " + std::to_string(kMostPlaces) + ")");
      }
      number_of_.emplace(&node, places_.size());
      places_.push_back(&node);
    }
    if (node.is_array()) {
      for (std::size_t i = 0; i < node.size(); ++i) {
        if (auto ok = find_places(node[i], at + "/" + std::to_string(i), warnings); !ok) return ok;
      }
    }
    if (!node.is_object()) return {};
    take_out(node, at, warnings);
    for (auto it = node.begin(); it != node.end(); ++it) {
      const std::string& word = it.key();
      if (word == "$ref" && it->is_string()) {
        const std::string& target = it->get_ref<const std::string&>();
        if (target.empty() || target.front() != '#') {
          return core::fail(ErrorCode::invalid_input, "--schema: remote $ref " + cited(target) + " at " + at + " is not followed",
                            "put the definition into the schema and refer to it with #/definitions/…");
        }
      }
      if (word == "multipleOf" && !(it->is_number() && it->get<double>() > 0))
        return core::fail(no_schema("multipleOf at " + at + " must be a number above 0"));
      if (among(kIgnored, word)) {
        warnings.push_back(
            {"schema_keyword_ignored", cited(word) + " at " + at + " is not a draft-07 keyword and was not checked"});
      }
      if (among(kData, word)) continue;
      const std::string inside = at + "/" + word;
      if (among(kMaps, word) && it->is_object()) {
        for (auto one = it->begin(); one != it->end(); ++one) {
          if (auto ok = find_places(*one, inside + "/" + one.key(), warnings); !ok) return ok;
        }
      } else if (auto ok = find_places(*it, inside, warnings); !ok) {
        return ok;
      }
    }
    return {};
  }

  // Regular expressions are run by std::regex, which a hostile one, or a long text, sends into endless search or through the
  // end of the stack; the validator checks formats (and draft-04's id) with them too.
  static void take_out(Json& schema, const std::string& at, std::vector<core::Warning>& warnings) {
    const auto ignore = [&](const char* word, const std::string& why) {
      schema.erase(word);
      warnings.push_back({"schema_keyword_ignored", cited(word) + " at " + at + " " + why + " and was not checked"});
    };
    const auto is = [&](const char* word, Json::value_t type) {
      const auto found = schema.find(word);
      return found != schema.end() && found->type() == type;
    };
    if (is("id", Json::value_t::string)) schema.erase("id");
    for (const char* word : {"pattern", "format"}) {
      if (is(word, Json::value_t::string)) ignore(word, "asks for a regular expression");
    }
    if (!is("patternProperties", Json::value_t::object)) return;
    ignore("patternProperties", "asks for a regular expression");
    if (schema.contains("additionalProperties")) ignore("additionalProperties", "depends on patternProperties");
  }

  Status find_steps(std::size_t at) {
    const Json& schema = *places_[at];
    if (!schema.is_object()) return {};
    const auto step = [&](const Json& to, Group group) {
      if (const auto found = number_of_.find(&to); found != number_of_.end()) steps_[at].push_back({found->second, group});
    };
    const auto one = [&](const char* word, Group group) {
      if (const auto found = schema.find(word); found != schema.end()) step(*found, group);
    };
    const auto each = [&](const char* word, Json::value_t type, Group group) {
      const auto found = schema.find(word);
      if (found == schema.end() || found->type() != type) return;
      for (const Json& to : *found) step(to, group);
    };
    if (const auto ref = schema.find("$ref"); ref != schema.end() && ref->is_string()) {
      const std::string& text = ref->get_ref<const std::string&>();
      const auto target = number_of_.find(target_of(text));
      if (target == number_of_.end()) return core::fail(no_schema("$ref " + cited(text) + " points at nothing"));
      steps_[at].push_back({target->second, same, true});
      return {};  // its neighbours mean nothing in draft-07
    }
    // In the order in which the validator reads them.
    each("allOf", Json::value_t::array, same);
    each("anyOf", Json::value_t::array, same);
    one("contains", contained);
    each("dependencies", Json::value_t::object, same);
    one("items", element);
    each("items", Json::value_t::array, element);
    if (const auto items = schema.find("items"); items != schema.end() && items->is_array()) one("additionalItems", element);
    if (schema.contains("if")) {
      for (const char* word : {"if", "then", "else"}) one(word, same);
    }
    one("not", same);
    each("oneOf", Json::value_t::array, same);
    each("properties", Json::value_t::object, member);
    one("additionalProperties", member);
    one("propertyNames", name);
    return {};
  }

  // What a local reference points at; nullptr when nothing is there. The validator also decodes %XX and passes over empty
  // parts, which would lead it elsewhere.
  [[nodiscard]] const Json* target_of(const std::string& reference) const {
    if (reference.find('%') != std::string::npos || reference.find("//") != std::string::npos || reference.back() == '/')
      return nullptr;
    try {
      const Json::json_pointer pointer(reference.substr(1));
      return root_.contains(pointer) ? &root_.at(pointer) : nullptr;
    } catch (const std::exception&) {
      return nullptr;
    }
  }

  // The places in an order in which every step for the same value leads to an earlier one. A reference that comes back to
  // itself without stepping into a member or an element has none: it says nothing and never ends.
  Status sort() {
    std::vector<std::vector<std::size_t>> from(places_.size());
    std::vector<std::size_t> open(places_.size());
    for (std::size_t at = 0; at < places_.size(); ++at) {
      for (const Step& step : steps_[at]) {
        if (step.group != same) continue;
        from[step.to].push_back(at);
        ++open[at];
      }
      if (open[at] == 0) order_.push_back(at);
    }
    for (std::size_t done = 0; done < order_.size(); ++done) {
      for (const std::size_t at : from[order_[done]]) {
        if (--open[at] == 0) order_.push_back(at);
      }
    }
    if (order_.size() == places_.size()) return {};
    return core::fail(no_schema("a $ref leads back to itself",
                                "let the reference pass through properties or items, where the document ends it"));
  }

  // The validator's parser remembers the schemas that it was referred to; into all others it goes wherever it meets them.
  [[nodiscard]] bool parses_within(std::size_t at, std::size_t nested, std::vector<bool>& known) const {
    if (nested == 0) return false;
    for (const Step& step : steps_[at]) {
      if (step.by_ref && known[step.to]) continue;
      if (step.by_ref) known[step.to] = true;
      if (!parses_within(step.to, nested - 1, known)) return false;
    }
    return true;
  }

  // The work of every place for a value, from the work one level below it.
  [[nodiscard]] std::vector<Work> level_of(const std::vector<Work>& below) const {
    std::vector<Work> level(places_.size());
    for (const std::size_t at : order_) {
      Work work{1, 0};
      std::array<std::size_t, kGroups> most{};
      for (const Step& step : steps_[at]) {
        const Work& part = step.group == same ? level[step.to] : below[step.to];
        work.nested = std::max(work.nested, part.nested);
        if (step.group == same) {
          work.checks = std::min(work.checks + part.checks, kMostChecks + 1);
        } else {
          most[step.group] = std::max(most[step.group], part.checks);
        }
      }
      for (const std::size_t checks : most) work.checks = std::min(work.checks + checks, kMostChecks + 1);
      ++work.nested;
      level[at] = work;
    }
    return level;
  }

  Json& root_;
  std::vector<const Json*> places_;  // the root first
  std::unordered_map<const Json*, std::size_t> number_of_;
  std::vector<std::vector<Step>> steps_;
  std::vector<std::size_t> order_;
};

// valijson's place: "<root>", "[a]", "[b]", "[0]" -> "a.b.0".
std::string dotted(const std::vector<std::string>& context) {
  std::string out;
  for (const std::string& part : context) {
    if (part == "<root>") continue;
    std::string_view text = part;
    if (text.size() >= 2 && text.front() == '[' && text.back() == ']') text = text.substr(1, text.size() - 2);
    out += (out.empty() ? "" : ".") + std::string(text);
  }
  return out.empty() ? "<root>" : out;
}

}  // namespace

Expected<std::vector<core::Warning>> validate_json(std::string_view document, std::string_view schema_text,
                                                   const std::string& schema_name) {
  std::vector<core::Warning> warnings;
  auto schema_json = parse(schema_text, "--schema");
  if (!schema_json) return core::fail(schema_json.error());
  if (!schema_json->is_object() && !schema_json->is_boolean()) {
    return core::fail(ErrorCode::invalid_input, "--schema is not a valid JSON Schema: it must be an object", "", schema_name);
  }
  SchemaPlan plan(*schema_json);
  if (auto ok = plan.read(warnings); !ok) return core::fail(ok.error());
  int nesting = 0;
  auto target = parse(document, "--source", &nesting);
  if (!target) return core::fail(target.error());
  if (auto ok = plan.check_work(nesting); !ok) return core::fail(ok.error());
  try {
    valijson::Schema schema;
    valijson::SchemaParser parser;
    const valijson::adapters::NlohmannJsonAdapter schema_adapter(*schema_json);
    parser.populateSchema(schema_adapter, schema);
    valijson::Validator validator;
    valijson::ValidationResults results;
    const valijson::adapters::NlohmannJsonAdapter target_adapter(*target);
    if (validator.validate(schema, target_adapter, &results)) return warnings;
    // The deepest place says most.
    valijson::ValidationResults::Error error;
    valijson::ValidationResults::Error deepest;
    std::size_t depth = 0;
    while (results.popError(error)) {
      if (error.context.size() >= depth) {
        if (error.context.size() > depth || deepest.description.empty()) deepest = error;
        depth = error.context.size();
      }
    }
    return core::fail(ErrorCode::invalid_input,
                      "--source fails JSON Schema at " + dotted(deepest.context) + ": " + deepest.description,
                      "schema: " + schema_name);
  } catch (const std::exception& e) {
    return core::fail(ErrorCode::invalid_input, std::string("--schema is not a valid JSON Schema: ") + e.what(), "", schema_name);
  }
}

Expected<std::vector<core::Warning>> check_schema(const std::string& schema_path, const intake::Opened& source,
                                                  const Context& context) {
  if (source.source.is_directory || source.is_capture())
    return core::fail(ErrorCode::usage, "--schema requires --source to be a JSON file");
  auto limits = path_limits(context);
  limits.bytes = 16U << 20U;
  auto bytes = registry::read_file(schema_path, limits);
  if (!bytes) {
    Error error = bytes.error();
    if (error.code == ErrorCode::not_found || error.code == ErrorCode::invalid_input)
      error.message = "--schema must be a file: " + schema_path;
    return core::fail(std::move(error));
  }
  return validate_json(source.input().bytes, bytes->view(), schema_path);
}

}  // namespace plumbline::verbs
