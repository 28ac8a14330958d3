#include "systems/msmodeling/case_file.hpp"

#include <string_view>

#include "core/text.hpp"
#include "systems/python_text.hpp"

namespace plumbline::systems::msmodeling {

namespace {

std::string python_number(double value) {
  std::string out;
  append_python_number(out, value);
  return out;
}
std::string python_string(std::string_view text) {
  std::string out;
  append_python_string(out, text, false);
  return out;
}

// A number that did not change stays as it was: 0 does not become 0.0.
std::string same_number(const std::string& before, double value) {
  return core::parse_double(before) == value ? before : python_number(value);
}

// The list at depth 1 of the document.
std::string python_operators(const std::vector<Operator>& operators) {
  if (operators.empty()) return "[]";
  std::string out = "[";
  for (const Operator& one : operators) {
    out += out.size() > 1 ? ",\n    {\n" : "\n    {\n";
    out += "      \"name\": " + python_string(one.name) + ",\n";
    out += "      \"total_time_s\": " + python_number(one.total_time_s) + ",\n";
    out += "      \"num_calls\": " + std::to_string(one.num_calls) + "\n    }";
  }
  return out + "\n  ]";
}

}  // namespace

std::string text_of(const Case& expected) {
  std::string out = "{";
  const auto field = [&](std::string_view key, const std::string& value) {
    out += out.size() > 1 ? ",\n  " : "\n  ";
    out += python_string(key) + ": " + value;
  };
  bool operators = false, initial = false, baseline = false;
  for (const auto& [key, value] : expected.fields) {
    if (expected.refreshed && key == "operators") {
      operators = true;
      field(key, python_operators(expected.operators));
    } else if (expected.refreshed && key == "initial_time_s") {
      initial = true;
      field(key, same_number(value, expected.initial_time_s));
    } else if (expected.refreshed && key == "baseline_time_s") {
      baseline = true;
      field(key, same_number(value, expected.baseline_time_s));
    } else {
      field(key, value);
    }
  }
  if (!expected.refreshed) return out + "\n}";
  if (!initial && expected.initial_time_s > 0) field("initial_time_s", python_number(expected.initial_time_s));
  if (!baseline && expected.baseline_time_s > 0) field("baseline_time_s", python_number(expected.baseline_time_s));
  if (!operators && !expected.operators.empty()) field("operators", python_operators(expected.operators));
  return out + "\n}";
}

}  // namespace plumbline::systems::msmodeling
