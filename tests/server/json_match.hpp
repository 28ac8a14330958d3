// What a transcript expects against what was said: JSON values, where the text "$any" stands for any value. With a place to
// keep them, "$name" stands for any value the first time, and for that same value from then on.
#pragma once

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace plumbline::server::testing {

using Captured = std::map<std::string, nlohmann::json>;

inline bool matches(const nlohmann::json& expected, const nlohmann::json& actual, Captured* captured = nullptr) {
  if (expected.is_string()) {
    const auto& text = expected.get_ref<const std::string&>();
    if (text == "$any") return true;
    if (captured != nullptr && text.starts_with('$')) return captured->emplace(text, actual).first->second == actual;
  }
  if (expected.is_object()) {
    return actual.is_object() && expected.size() == actual.size() &&
           std::all_of(expected.items().begin(), expected.items().end(), [&](const auto& item) {
             return actual.contains(item.key()) && matches(item.value(), actual[item.key()], captured);
           });
  }
  if (expected.is_array()) {
    return actual.is_array() && std::equal(expected.begin(), expected.end(), actual.begin(), actual.end(),
                                           [&](const auto& a, const auto& b) { return matches(a, b, captured); });
  }
  return expected.type() == actual.type() && expected == actual;
}

}  // namespace plumbline::server::testing
