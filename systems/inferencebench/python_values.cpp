#include "systems/inferencebench/python_values.hpp"

#include "systems/python_text.hpp"

namespace plumbline::systems::inferencebench {

using namespace formats::json;

std::string python_text(std::string_view text) {
  std::string out;
  append_python_string(out, text, true);
  return out;
}

std::string python_object(const PythonObject& members) {
  std::string out = "{";
  for (const auto& [name, value] : members) {
    if (out.size() > 1) out += ',';
    append_python_string(out, name, true);
    out += ':';
    out += value;
  }
  return out + "}";
}

std::string python_canonical(const Value& value) {
  switch (value.kind()) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return value.boolean() ? "true" : "false";
    case Kind::integer:
    case Kind::unsigned_integer:
      return value.text() == "-0" ? std::string("0") : std::string(value.text());
    case Kind::real: {
      if ((value.node().flags & kBeyondInteger) != 0) return std::string(value.text());
      std::string out;
      append_python_number(out, value.number());
      return out;
    }
    case Kind::string:
      return python_text(value.string());
    case Kind::array: {
      std::string out = "[";
      for (const Value element : value.elements()) {
        if (out.size() > 1) out += ',';
        out += python_canonical(element);
      }
      return out + "]";
    }
    case Kind::object: {
      PythonObject members;
      for (const auto member : value.members()) members[std::string(member.key)] = python_canonical(member.value);
      return python_object(members);
    }
  }
  return "null";
}

}  // namespace plumbline::systems::inferencebench
