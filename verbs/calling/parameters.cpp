#include "verbs/calling/parameters.hpp"

#include <algorithm>
#include <cmath>

#include "core/citing.hpp"
#include "core/text.hpp"

namespace plumbline::verbs {
namespace {

std::string listed_choices(const Param& param) {
  std::string text;
  for (std::size_t i = 0; i < param.choices.size(); ++i) {
    if (i != 0) text += i + 1 == param.choices.size() ? " or " : ", ";
    text += param.choices[i];
  }
  return text;
}

Expected<Value> number_from_text(std::string_view shown, std::string_view text) {
  const auto number = core::parse_double(text);
  if (!number) return core::fail(ErrorCode::usage, std::string(shown) + " must be a number, not " + core::cited(text));
  if (!std::isfinite(*number)) {
    return core::fail(ErrorCode::usage, std::string(shown) + " must be a finite number, not " + core::cited(text));
  }
  return Value(*number);
}

Expected<Value> choice_from_text(const Param& param, std::string_view shown, std::string_view text) {
  for (const auto choice : param.choices) {
    if (choice == text) return Value(std::string(text));
  }
  for (const auto choice : param.choices) {  // RED and red are one word to a person
    if (core::to_lower(choice) == core::to_lower(text)) return Value(std::string(choice));
  }
  const auto near = core::nearest(text, param.choices);
  const std::string one_of = param.choices.size() == 1 ? " must be " : " must be one of ";
  return core::fail(ErrorCode::usage, std::string(shown) + one_of + listed_choices(param) + ", not " + core::cited(text),
                    near.empty() ? "" : "did you mean " + core::cited(near) + "?");
}

}  // namespace

std::string flag_of(std::string_view name) {
  std::string flag = "--";
  for (const char c : name) flag += c == '_' ? '-' : c;
  return flag;
}

bool is_list(ParamKind kind) { return kind == ParamKind::string_list || kind == ParamKind::path_list; }

bool is_listed_as_text(const Param& param) { return is_list(param.kind) && (param.positional == 1 || param.mostly_one); }

const Param* find_param(const Verb& verb, std::string_view name) {
  for (const Param& param : verb.params) {
    if (param.name == name) return &param;
  }
  return nullptr;
}

std::vector<const Param*> positional_params(const Verb& verb) {
  std::vector<const Param*> places;
  for (const Param& param : verb.params) {
    if (param.positional > 0) places.push_back(&param);
  }
  std::stable_sort(places.begin(), places.end(), [](const Param* a, const Param* b) { return a->positional < b->positional; });
  return places;
}

Expected<Value> value_from_text(const Param& param, std::string_view shown, std::string_view text) {
  // A NUL cannot be part of a path, and would silently cut one short in every system call.
  if (text.find('\0') != std::string_view::npos) {
    return core::fail(ErrorCode::usage, std::string(shown) + " must not contain a NUL character");
  }
  switch (param.kind) {
    case ParamKind::string:
      return Value(std::string(text));
    case ParamKind::path:
      if (text.empty()) return core::fail(ErrorCode::usage, std::string(shown) + " must be a path, not an empty text");
      return Value(std::string(text));
    case ParamKind::number:
      return number_from_text(shown, text);
    case ParamKind::integer: {
      const auto whole = core::parse_int(text);
      if (!whole) return core::fail(ErrorCode::usage, std::string(shown) + " must be a whole number, not " + core::cited(text));
      return Value(*whole);
    }
    case ParamKind::boolean:
      if (text == "true") return Value(true);
      if (text == "false") return Value(false);
      return core::fail(ErrorCode::usage, std::string(shown) + " must be true or false, not " + core::cited(text));
    case ParamKind::path_list:
      if (text.empty()) return core::fail(ErrorCode::usage, std::string(shown) + " must be a path, not an empty text");
      return Value(std::vector<std::string>{std::string(text)});
    case ParamKind::string_list:
      return Value(std::vector<std::string>{std::string(text)});
    case ParamKind::choice:
      return choice_from_text(param, shown, text);
  }
  return core::fail(ErrorCode::internal, "parameter of an unknown kind: " + std::string(shown));
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::vector<std::string_view> views(candidates.begin(), candidates.end());
  const auto near = core::nearest(word, views);
  return near.empty() ? std::string() : "did you mean " + core::cited(near) + "?";
}

}  // namespace plumbline::verbs
