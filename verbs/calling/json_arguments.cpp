// A JSON object (MCP `arguments`) -> Arguments. Three forms are understood: typed properties named as the flags, and the
// reference tool's {"args": […]} and {"params": {"args": […]}}, whose words go through the command line's parser. Typed
// properties win over words.
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/text.hpp"
#include "verbs/calling/for_agents.hpp"
#include "verbs/calling/parameters.hpp"
#include "verbs/calling/wording.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {
namespace {

using Json = nlohmann::json;

std::string kind_in_words(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null:
      return "null";
    case Json::value_t::object:
      return "an object";
    case Json::value_t::array:
      return "an array";
    case Json::value_t::string:
      return "a text";
    case Json::value_t::boolean:
      return "a boolean";
    default:
      return "a number";
  }
}

std::string_view wanted(ParamKind kind) {
  switch (kind) {
    case ParamKind::number:
      return "a number";
    case ParamKind::integer:
      return "a whole number";
    case ParamKind::boolean:
      return "true or false";
    case ParamKind::string_list:
      return "an array of texts";
    case ParamKind::path_list:
      return "an array of paths";
    case ParamKind::path:
      return "a path";
    case ParamKind::string:
    case ParamKind::choice:
      return "a text";
  }
  return "a text";
}

tl::unexpected<Error> wrong_type(std::string_view name, std::string_view right, const Json& value) {
  return core::fail(ErrorCode::usage, std::string(name) + " must be " + std::string(right) + ", not " + kind_in_words(value));
}

Expected<Value> number_value(const Param& param, const Json& value) {
  const double number = value.get<double>();
  if (param.kind == ParamKind::number) {
    if (!std::isfinite(number)) return core::fail(ErrorCode::usage, std::string(param.name) + " must be a finite number");
    return Value(number);
  }
  if (value.is_number_integer()) {
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) {
      return core::fail(ErrorCode::usage, std::string(param.name) + " must be a whole number of at most 63 bits");
    }
    return Value(value.get<std::int64_t>());
  }
  if (std::trunc(number) == number && std::abs(number) <= 9007199254740992.0) return Value(static_cast<std::int64_t>(number));
  return core::fail(ErrorCode::usage, std::string(param.name) + " must be a whole number, not " + core::number_text(number));
}

std::string decoded(std::string_view text) {
  const auto digit = [](char c) { return c >= 'a' ? c - 'a' + 10 : c >= 'A' ? c - 'A' + 10 : c - '0'; };
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool escaped = text[at] == '%' && at + 2 < text.size() &&
                         std::isxdigit(static_cast<unsigned char>(text[at + 1])) != 0 &&
                         std::isxdigit(static_cast<unsigned char>(text[at + 2])) != 0;
    out += escaped ? static_cast<char>(digit(text[at + 1]) * 16 + digit(text[at + 2])) : text[at];
    if (escaped) at += 2;
  }
  return out;
}

// Results link to resources, and what is linked to is given back as a path: "file:///a.json" is /a.json, and
// "plumbline://baselines/f/m/SLUG" is f/m@SLUG.
std::string without_scheme(std::string text) {
  constexpr std::string_view kFile = "file:///", kEntries = "plumbline://baselines/";
  if (text.starts_with(kFile)) return decoded(std::string_view(text).substr(kFile.size() - 1));
  if (!text.starts_with(kEntries)) return text;
  std::vector<std::string_view> parts = core::split(std::string_view(text).substr(kEntries.size()), '/');
  if (parts.size() < 3 || parts[2].empty()) return text;
  return std::string(parts[0]) + "/" + std::string(parts[1]) + "@" + std::string(parts[2]);
}

// {"hardware.gpu": "H200"} for a list of K=V: as the list would say it.
std::optional<Json> as_assignments(const Param& param, const Json& value) {
  if (!value.is_object() || param.kind != ParamKind::string_list || param.value_name.find('=') == std::string_view::npos)
    return std::nullopt;
  Json list = Json::array();
  for (const auto& [key, each] : value.items()) {
    if (!each.is_primitive() || each.is_null()) return std::nullopt;
    list.push_back(key + "=" + (each.is_string() ? each.get<std::string>() : each.dump()));
  }
  return list;
}

// "5%" for a number of percent.
std::string_view without_percent(const Param& param, std::string_view text) {
  const bool percent = param.kind == ParamKind::number && param.name.ends_with("percent") && text.ends_with('%');
  return percent ? core::trim(text.substr(0, text.size() - 1)) : text;
}

Expected<Value> list_value(const Param& param, const Json& given) {
  const std::optional<Json> assigned = as_assignments(param, given);
  const Json& value = assigned ? *assigned : given;
  std::vector<std::string> items;
  const auto add = [&](const Json& item) -> Status {
    std::string text;
    if (item.is_string()) {
      text = param.kind == ParamKind::path_list ? without_scheme(item.get<std::string>()) : item.get<std::string>();
    } else if (item.is_number() && param.kind == ParamKind::string_list) {
      text = item.dump();  // {"device": [0, 1]}
    } else {
      return core::fail(ErrorCode::usage, std::string(param.name) + " must be " + std::string(wanted(param.kind)) + ", but has " +
                                              kind_in_words(item) + " in it");
    }
    auto checked = value_from_text(param, param.name, text);
    if (!checked) return core::fail(std::move(checked.error()));
    items.push_back(std::move(text));
    return {};
  };
  if (!value.is_array()) {
    if (!value.is_string() && !value.is_number()) return wrong_type(param.name, wanted(param.kind), value);
    if (auto added = add(value); !added) return core::fail(std::move(added.error()));
    return Value(std::move(items));
  }
  for (const Json& item : value) {
    if (auto added = add(item); !added) return core::fail(std::move(added.error()));
  }
  return Value(std::move(items));
}

Expected<Value> typed_value(const Param& param, const Json& given) {
  if (is_list(param.kind)) return list_value(param, given);
  const Json& value = given.is_array() && given.size() == 1 ? given.front() : given;  // ["a.json"] for one path
  if (value.is_string()) {
    const bool names = param.kind == ParamKind::path || param.value_name == "REF";
    const std::string text = names ? without_scheme(value.get<std::string>()) : value.get<std::string>();
    return value_from_text(param, param.name, without_percent(param, text));
  }
  const bool number_fits = param.kind == ParamKind::number || param.kind == ParamKind::integer;
  if (value.is_number() && number_fits) return number_value(param, value);
  if (value.is_boolean() && param.kind == ParamKind::boolean) return Value(value.get<bool>());
  // {"unit": 5} or {"tolerance": 5}: a number where a text is wanted says the same thing without quotes.
  if (value.is_number() && param.kind == ParamKind::string) return Value(value.dump());
  return wrong_type(param.name, wanted(param.kind), value);
}

// `args`: an array of texts, one text, or null.
Expected<std::vector<std::string>> words_of(const Json& args) {
  std::vector<std::string> words;
  if (args.is_null()) return words;
  if (args.is_string()) return std::vector<std::string>{args.get<std::string>()};
  if (!args.is_array()) return wrong_type("args", "an array of texts", args);
  for (const Json& word : args) {
    if (word.is_string()) {
      words.push_back(word.get<std::string>());
    } else if (word.is_number()) {
      words.push_back(word.dump());
    } else {
      return core::fail(ErrorCode::usage, "args must be an array of texts, but has " + kind_in_words(word) + " in it");
    }
  }
  return words;
}

Expected<Arguments> arguments_of_words(const Verb& verb, const Json& document) {
  const Json* args = nullptr;
  Json unwrapped;
  if (const auto params = document.find("params"); params != document.end() && !params->is_null()) {
    unwrapped = *params;
    if (unwrapped.is_string()) {  // some clients send the object as its text
      unwrapped = Json::parse(unwrapped.get<std::string>(), nullptr, false);
    }
    if (!unwrapped.is_object()) return wrong_type("params", "an object", *params);
    if (const auto inner = unwrapped.find("args"); inner != unwrapped.end()) args = &*inner;
  }
  if (const auto outer = document.find("args"); outer != document.end() && !outer->is_null()) args = &*outer;
  if (args == nullptr) return Arguments();
  auto words = words_of(*args);
  if (!words) return core::fail(std::move(words.error()));
  auto line = parse_command_line(verb, *words);
  if (!line) return core::fail(std::move(line.error()));
  return std::move(line->arguments);
}

// A value of the right kind, as the next call would give it.
std::string example_of(const Param& param) {
  std::string word = core::quoted(param.value_name.empty() ? "TEXT" : param.value_name);
  switch (param.kind) {
    case ParamKind::number:
      return "5";
    case ParamKind::integer:
      return "20";
    case ParamKind::boolean:
      return "true";
    case ParamKind::choice:
      return core::quoted(param.choices.front());
    case ParamKind::string_list:
    case ParamKind::path_list:
      return "[" + word + "]";
    case ParamKind::string:
    case ParamKind::path:
      return word;
  }
  return word;
}

tl::unexpected<Error> unknown_parameter(const Verb& verb, const std::string& name) {
  std::vector<std::string> candidates;
  for (const Param& param : verb.params) {
    if (!param.cli_only && !is_rare(verb, param)) candidates.emplace_back(param.name);
  }
  std::string hint = did_you_mean(name, candidates);
  if (hint.empty()) hint = "the parameters are " + core::listed(candidates, candidates.size());
  return core::fail(ErrorCode::usage, "unknown parameter " + cited(name), std::move(hint), name);
}

}  // namespace

Expected<Arguments> parse_json_arguments(const Verb& verb, std::string_view json_object) {
  const Json document = Json::parse(json_object, nullptr, false);
  if (document.is_discarded()) return core::fail(ErrorCode::usage, "the arguments are not valid JSON");
  if (document.is_null()) return Arguments();
  if (!document.is_object()) return wrong_type("arguments", "an object", document);
  auto arguments = arguments_of_words(verb, document);
  if (!arguments) return arguments;
  for (const auto& [name, value] : document.items()) {
    if (name == "args" || name == "params" || name == "allow_nonzero") continue;
    const Param* param = find_param(verb, name);
    if (param == nullptr) return unknown_parameter(verb, name);
    if (param->cli_only) {
      std::string flag = "--" + name;
      std::replace(flag.begin(), flag.end(), '_', '-');
      return core::fail(ErrorCode::usage, name + " is for the command line only",
                        name == "report" ? "leave it out: the result is always JSON"
                                         : "give it as words: \"args\": [" + core::quoted(flag) + ", " +
                                               cited(param->value_name.empty() ? "VALUE" : param->value_name) + "]",
                        name);
    }
    if (value.is_null()) continue;
    auto typed = typed_value(*param, value);
    if (!typed) {
      if (typed.error().where.empty()) typed.error().where = name;
      if (typed.error().hint.empty()) typed.error().hint = "for instance " + core::quoted(name) + ": " + example_of(*param);
      return core::fail(std::move(typed.error()));
    }
    arguments->set(name, std::move(*typed));
  }
  return arguments;
}

}  // namespace plumbline::verbs
