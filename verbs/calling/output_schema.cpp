#include <nlohmann/json.hpp>

#include "verbs/verb.hpp"

namespace plumbline::verbs {

// A client pays for the list of tools in every session, so what it gets there are the members of the top level that a caller
// branches on (a verdict, a tier): enough to hold every result, the reference tool's envelope included. schemas/ has the whole.
// Members that may be null are left out: several clients know no schema of more than one type.
std::string listed_output_schema(const Verb& verb) {
  using Json = nlohmann::ordered_json;
  const Json whole = Json::parse(verb.output_schema, nullptr, false);
  if (!whole.is_object()) return {};
  Json properties = Json::object();
  if (const auto members = whole.find("properties"); members != whole.end()) {
    for (const auto& [name, schema] : members->items()) {
      const bool branches = schema.contains("enum") && !(schema.contains("type") && schema["type"].is_array());
      if (!branches) continue;
      Json& kept = properties[name] = Json::object();
      for (const char* keyword : {"type", "enum"}) {
        if (const auto at = schema.find(keyword); at != schema.end()) kept[keyword] = *at;
      }
    }
  }
  return Json{{"type", "object"}, {"properties", std::move(properties)}}.dump();
}

}  // namespace plumbline::verbs
