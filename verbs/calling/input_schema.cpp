#include "core/text.hpp"
#include "verbs/calling/for_agents.hpp"
#include "verbs/calling/parameters.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {
namespace {

void append_type(std::string& out, ParamKind kind) {
  switch (kind) {
    case ParamKind::number:
      out += R"("type":"number")";
      return;
    case ParamKind::integer:
      out += R"("type":"integer")";
      return;
    case ParamKind::boolean:
      out += R"("type":"boolean")";
      return;
    case ParamKind::string_list:
    case ParamKind::path_list:
      out += R"("type":"array","items":{"type":"string"})";
      return;
    case ParamKind::string:
    case ParamKind::path:
    case ParamKind::choice:
      out += R"("type":"string")";
      return;
  }
}

}  // namespace

// Names are not closed (additionalProperties): rare parameters are understood too, and a wrong name is answered with the call
// that was meant, which a client's own validator could not do. One line, because every client pays for it in every session: a
// model reads the schemas of all tools before it asks anything.
std::string input_schema(const Verb& verb) {
  std::string out = R"({"type":"object","properties":{)";
  for (const Param& param : verb.params) {
    if (param.cli_only || is_rare(verb, param)) continue;
    core::append_quoted(out, param.name);
    out += ":{";
    append_type(out, is_listed_as_text(param) ? ParamKind::string : param.kind);
    if (!param.choices.empty()) {
      out += R"(,"enum":[)";
      for (std::size_t i = 0; i < param.choices.size(); ++i) {
        if (i != 0) out += ',';
        core::append_quoted(out, param.choices[i]);
      }
      out += ']';
    }
    if (!param.doc.empty()) {
      out += R"(,"description":)";
      core::append_quoted(out, param.doc);
    }
    out += "},";
  }
  out += R"("args":{"type":"array","items":{"type":"string"},"description":"or command-line words; [\"--help\"] shows all"},)"
         R"("params":{"type":"object","description":"or {args, allow_nonzero}"}}})";
  return out;
}

}  // namespace plumbline::verbs
