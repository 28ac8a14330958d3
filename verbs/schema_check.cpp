// valijson aborts instead of throwing unless told otherwise.
#define VALIJSON_USE_EXCEPTIONS 1
#include "verbs/schema_check.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "core/text.hpp"

namespace plumbline::verbs {

namespace {

using Json = nlohmann::json;
constexpr int kMaxDepth = 256;

// Keywords of 2019-09 and 2020-12 that a draft-07 validator passes over.
constexpr std::array<std::string_view, 9> kIgnored = {"prefixItems",       "unevaluatedProperties", "unevaluatedItems",
                                                      "dependentRequired", "dependentSchemas",      "minContains",
                                                      "maxContains",       "$dynamicRef",           "$recursiveRef"};

Expected<Json> parse(std::string_view text, const std::string& name) {
  try {
    return Json::parse(text.begin(), text.end(), [](int depth, Json::parse_event_t, Json&) {
      if (depth > kMaxDepth) throw std::length_error("nested deeper than 256");
      return true;
    });
  } catch (const std::exception& e) {
    return core::fail(ErrorCode::invalid_input, name + " is not valid JSON: " + e.what());
  }
}

Status walk_schema(const Json& schema, const std::string& place, std::vector<core::Warning>& warnings) {
  if (schema.is_array()) {
    for (std::size_t i = 0; i < schema.size(); ++i) {
      if (auto ok = walk_schema(schema[i], place + "/" + std::to_string(i), warnings); !ok) return ok;
    }
  }
  if (!schema.is_object()) return {};
  for (auto it = schema.begin(); it != schema.end(); ++it) {
    if (it.key() == "$ref" && it.value().is_string()) {
      const std::string target = it.value().get<std::string>();
      if (target.empty() || target.front() != '#') {
        return core::fail(ErrorCode::invalid_input, "--schema: remote $ref \"" + target + "\" at " + place + " is not followed",
                          "put the definition into the schema and refer to it with #/definitions/…");
      }
    }
    if (it.key() == "multipleOf" && !(it.value().is_number() && it.value().get<double>() > 0)) {
      return core::fail(ErrorCode::invalid_input,
                        "--schema is not a valid JSON Schema: multipleOf at " + place + " must be a number above 0");
    }
    if (std::find(kIgnored.begin(), kIgnored.end(), it.key()) != kIgnored.end()) {
      warnings.push_back(
          {"schema_keyword_ignored", "\"" + it.key() + "\" at " + place + " is not a draft-07 keyword and was not checked"});
    }
    if (it.key() == "enum" || it.key() == "const" || it.key() == "default" || it.key() == "examples") continue;
    if (auto ok = walk_schema(it.value(), place + "/" + it.key(), warnings); !ok) return ok;
  }
  return {};
}

// What a local reference points at; nullptr when nothing is there.
const Json* target_of(const Json& root, const std::string& reference) {
  try {
    const Json::json_pointer pointer(reference.substr(1));
    return root.contains(pointer) ? &root.at(pointer) : nullptr;
  } catch (const std::exception&) {
    return nullptr;
  }
}

// A reference that comes back to itself without stepping into a property or an element says nothing and never ends: the
// validator would recurse until the stack is gone. `open` are the schemas on the way down.
Status check_cycles(const Json& root, const Json& schema, std::vector<const Json*>& open, std::set<const Json*>& done) {
  if (!schema.is_object() || done.count(&schema) != 0) return {};
  if (std::find(open.begin(), open.end(), &schema) != open.end()) {
    return core::fail(ErrorCode::invalid_input, "--schema is not a valid JSON Schema: a $ref leads back to itself",
                      "let the reference pass through properties or items, where the document ends it");
  }
  open.push_back(&schema);
  const auto follow = [&](const Json& next) { return check_cycles(root, next, open, done); };
  if (const auto ref = schema.find("$ref"); ref != schema.end() && ref->is_string()) {
    const Json* target = target_of(root, ref->get<std::string>());
    if (target == nullptr) {
      return core::fail(ErrorCode::invalid_input,
                        "--schema is not a valid JSON Schema: $ref \"" + ref->get<std::string>() + "\" points at nothing");
    }
    if (auto ok = follow(*target); !ok) return ok;
  }
  for (const char* word : {"allOf", "anyOf", "oneOf"}) {
    const auto list = schema.find(word);
    if (list == schema.end() || !list->is_array()) continue;
    for (const Json& one : *list) {
      if (auto ok = follow(one); !ok) return ok;
    }
  }
  for (const char* word : {"not", "if", "then", "else"}) {
    const auto one = schema.find(word);
    if (one == schema.end()) continue;
    if (auto ok = follow(*one); !ok) return ok;
  }
  open.pop_back();
  done.insert(&schema);
  return {};
}

// Every schema inside the document, wherever it stands, is a place where such a circle could begin.
Status check_all_cycles(const Json& root, const Json& node, std::set<const Json*>& done) {
  std::vector<const Json*> open;
  if (auto ok = check_cycles(root, node, open, done); !ok) return ok;
  if (!node.is_structured()) return {};
  for (const Json& child : node) {
    if (auto ok = check_all_cycles(root, child, done); !ok) return ok;
  }
  return {};
}

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
  if (auto ok = walk_schema(*schema_json, "#", warnings); !ok) return core::fail(ok.error());
  std::set<const Json*> done;
  if (auto ok = check_all_cycles(*schema_json, *schema_json, done); !ok) return core::fail(ok.error());
  auto target = parse(document, "--source");
  if (!target) return core::fail(target.error());
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

Expected<std::vector<core::Warning>> check_schema(const std::string& schema_path, const LoadedSource& source,
                                                  const Context& context) {
  if (source.source.is_directory || source.capture)
    return core::fail(ErrorCode::usage, "--schema requires --source to be a JSON file");
  auto limits = path_limits(context);
  limits.bytes = 16U << 20U;
  auto bytes = registry::read_file(schema_path, limits);
  if (!bytes) {
    Error error = bytes.error();
    error.message = "--schema must be a file: " + schema_path;
    return core::fail(std::move(error));
  }
  return validate_json(source.input.bytes, bytes->view(), schema_path);
}

}  // namespace plumbline::verbs
