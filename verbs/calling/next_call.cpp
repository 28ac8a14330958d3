#include "verbs/calling/next_call.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/text.hpp"
#include "registry/store.hpp"
#include "verbs/all.hpp"
#include "verbs/calling/for_agents.hpp"
#include "verbs/calling/parameters.hpp"
#include "verbs/calling/wording.hpp"
#include "verbs/environment.hpp"
#include "verbs/resolving/reference.hpp"

namespace plumbline::verbs {
namespace {

using Json = nlohmann::json;

// Longer values (an inline file) are the caller's to repeat; a hint has no room for them.
constexpr std::size_t kValueBytes = 200;

bool is_form(std::string_view name) { return name == "args" || name == "params" || name == "allow_nonzero"; }

// A call as it was made, changed until it is the one that was meant.
class Call {
 public:
  Call(const Verb& verb, Json given) : verb_(verb), given_(std::move(given)) {}

  [[nodiscard]] const Verb& verb() const { return verb_; }
  [[nodiscard]] Json& given() { return given_; }
  [[nodiscard]] bool has(std::string_view name) const {
    const auto at = given_.find(name);
    return at != given_.end() && !at->is_null();
  }
  void set(std::string_view name, Json value) { given_[std::string(name)] = std::move(value); }

  // `TOOL {…}`, the parameters in the order of the tool's own list.
  [[nodiscard]] std::string text(std::string_view tool = {}) const {
    std::string out;
    for (const Param& param : verb_.params) {
      const auto at = given_.find(param.name);
      if (at == given_.end() || at->is_null()) continue;
      out += (out.empty() ? " {" : ", ") + core::quoted(param.name) + ": " + shown(*at);
    }
    return "`" + std::string(tool.empty() ? verb_.tool : tool) + (out.empty() ? "" : out + "}") + "`";
  }

 private:
  static std::string shown(const Json& value) {
    if (value.is_string() && value.get_ref<const std::string&>().size() > kValueBytes)
      return core::quoted(value.get_ref<const std::string&>().substr(0, 40) + "…");
    if (!value.is_array()) return value.dump(-1, ' ', false, Json::error_handler_t::replace);
    std::string out;
    for (const Json& item : value) out += (out.empty() ? "[" : ", ") + shown(item);
    return out.empty() ? "[]" : out + "]";
  }

  const Verb& verb_;
  Json given_;
};

std::string snake_case(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper && !out.empty() && out.back() != '_') out += '_';
    out += c == '-' || c == ' ' ? '_' : upper ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

// The parameter that `name` stands for: what callers call it, the same in another spelling, or the nearest.
const Param* meant_by(const Verb& verb, std::string_view name) {
  const std::string word = snake_case(name);
  std::vector<std::string_view> names;
  for (const Param& param : verb.params) {
    if (param.cli_only) continue;
    if (param.name == word) return &param;
    names.push_back(param.name);
  }
  if (const Param* param = mistaken_for(verb, word)) return param;
  const std::string_view near = core::nearest(word, names);
  return near.empty() ? nullptr : find_param(verb, near);
}

// The parameter of a verb that takes `family/measurement`, where the verb has none for its parts.
std::string_view whole_name(const Verb& verb) {
  if (find_param(verb, "family") != nullptr) return {};
  for (const std::string_view name : {"baseline", "path"}) {
    if (find_param(verb, name) != nullptr) return name;
  }
  return {};
}

std::string text_of(const Json& given, const char* name) {
  const auto at = given.find(name);
  return at != given.end() && at->is_string() ? at->get<std::string>() : std::string();
}

// {family, measurement} -> baseline: "f/m", with @slug where one is given.
void join_name(Call& call) {
  const std::string_view whole = whole_name(call.verb());
  Json& given = call.given();
  const std::string family = text_of(given, "family"), measurement = text_of(given, "measurement");
  if (whole.empty() || family.empty() || measurement.empty() || call.has(whole)) return;
  std::string name = family + "/" + measurement;
  if (const std::string slug = text_of(given, "slug"); !slug.empty()) name += "@" + slug;
  for (const char* part : {"family", "measurement", "slug"}) given.erase(part);
  call.set(whole, name);
}

// {name: "f/m"} -> family and measurement, of a verb that wants them apart.
void split_name(Call& call) {
  if (find_param(call.verb(), "name") != nullptr || find_param(call.verb(), "measurement") == nullptr) return;
  for (const char* word : {"name", "baseline", "family", "measurement"}) {
    const std::string name = text_of(call.given(), word);
    const std::size_t slash = name.find('/');
    if (slash == std::string::npos || name.find('/', slash + 1) != std::string::npos) continue;
    call.given().erase(word);
    call.set("family", name.substr(0, slash));
    call.set("measurement", name.substr(slash + 1));
    return;
  }
}

// Every parameter by its right name; false where one of them stands for none.
bool rename_all(Call& call) {
  join_name(call);
  split_name(call);
  std::vector<std::string> unknown;
  for (const auto& [name, value] : call.given().items()) {
    if (!is_form(name) && find_param(call.verb(), name) == nullptr) unknown.push_back(name);
  }
  for (const std::string& name : unknown) {
    const Param* param = meant_by(call.verb(), name);
    if (param == nullptr || call.has(param->name)) return false;
    call.set(param->name, std::move(call.given()[name]));
    call.given().erase(name);
  }
  return true;
}

// The text in double quotes that begins at `at`, unescaped.
std::optional<std::string> quoted_at(std::string_view text, std::size_t at) {
  if (at >= text.size() || text[at] != '"') return std::nullopt;
  std::size_t end = at + 1;
  while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
  if (end >= text.size()) return std::nullopt;
  const Json value = Json::parse(text.substr(at, end + 1 - at), nullptr, false);
  return value.is_string() ? std::optional(value.get<std::string>()) : std::nullopt;
}

// `did you mean "X"?` and nothing else.
std::optional<std::string> what_was_meant(std::string_view hint) {
  constexpr std::string_view kAsked = "did you mean \"";
  if (!hint.starts_with(kAsked) || !hint.ends_with("\"?")) return std::nullopt;
  auto meant = quoted_at(hint, kAsked.size() - 1);
  if (!meant || core::quoted(*meant).size() + kAsked.size() != hint.size()) return std::nullopt;
  return meant;
}

// Calls `visit` with every text among the values, also in arrays, and whether it may be changed.
template <class Visit>
void each_text(Call& call, Visit visit) {
  for (const Param& param : call.verb().params) {
    const auto at = call.given().find(param.name);
    if (at == call.given().end()) continue;
    if (at->is_string()) visit(param, *at);
    if (!at->is_array()) continue;
    for (Json& item : *at) {
      if (item.is_string()) visit(param, item);
    }
  }
}

// The value that the message is about: the longest that stands in it. A name is cited without its @selector, a path whole.
Json* value_in(Call& call, std::string_view message) {
  Json* found = nullptr;
  std::size_t longest = 0;
  each_text(call, [&](const Param&, Json& value) {
    const std::string& text = value.get_ref<const std::string&>();
    const std::string bare = text.substr(0, text.find('@'));
    for (const std::string& part : {text, bare}) {
      std::string_view shown = part;
      while (shown.starts_with("./")) shown.remove_prefix(2);
      if (shown.size() <= longest || message.find(shown) == std::string_view::npos) continue;
      longest = shown.size();
      found = &value;
    }
  });
  return found;
}

void replace_value(Json& value, const std::string& meant) {
  const std::string& text = value.get_ref<const std::string&>();
  const std::size_t at = text.find('@');
  const bool keeps = at != std::string::npos && meant.find('@') == std::string::npos && meant.find('/') != std::string::npos;
  // "@newes": what is meant is the part behind @
  const bool selector = at != std::string::npos && meant.find('/') == std::string::npos && meant.find('@') == std::string::npos;
  if (selector) {
    value = text.substr(0, at + 1) + meant;
  } else {
    value = keeps ? meant + text.substr(at) : meant;
  }
}

// What stands for a value that is missing: never one that somebody could mean.
Json placeholder(const Param& param) {
  if (!param.choices.empty()) return std::string(param.choices.front());
  if (param.kind == ParamKind::number || param.kind == ParamKind::integer) return 5;
  if (param.kind == ParamKind::boolean) return true;
  return std::string(param.value_name == "REF" ? "FAMILY/MEASUREMENT" : param.value_name.empty() ? "TEXT" : param.value_name);
}

bool fill_required(Call& call) {
  bool missing = false;
  for (const Param& param : call.verb().params) {
    if (!param.required || param.cli_only || call.has(param.name)) continue;
    call.set(param.name, placeholder(param));
    missing = true;
  }
  return missing;
}

// The end of a path of another machine that names something below a root of this one: "results/a.json" of
// "/home/x/proj/results/a.json".
std::optional<std::string> below_a_root(const std::string& path, const Context& context) {
  std::vector<std::string> roots = context.allowed_roots;
  if (context.repo_root) roots.push_back(*context.repo_root);
  const registry::PathLimits limits = path_limits(context);
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    const std::string rest = path.substr(slash + 1);
    if (rest.empty()) break;
    for (const std::string& root : roots) {
      if (registry::path_kind(root + "/" + rest, limits)) return root + "/" + rest;
    }
  }
  return std::nullopt;
}

std::string first_text(const Json& given, std::string_view name) {
  const auto at = given.find(name);
  if (at == given.end()) return {};
  if (at->is_string()) return at->get<std::string>();
  return at->is_array() && !at->empty() && at->front().is_string() ? at->front().get<std::string>() : std::string();
}

// A recorded baseline's name where a file belongs. The message says so, and the hint is what can be done with the name.
std::optional<Error> name_for_a_path(Call& call, const Error& error, const Context& context) {
  Json* value = value_in(call, error.message);
  if (value == nullptr || error.code != ErrorCode::not_found) return std::nullopt;
  const std::string text = value->get<std::string>();
  const auto name = parse_named_reference(text);
  Arguments place;
  if (const std::string given = first_text(call.given(), "repo_root"); !given.empty()) place.set("repo_root", given);
  const auto root = root_if_any(place, context);
  if (!name || !root || root->empty()) return std::nullopt;
  const auto store = open_store(*root, context);
  if (!is_known(*store, *name)) return std::nullopt;
  const std::string_view tool = call.verb().tool;
  Error out{ErrorCode::usage, cited(text) + " is a recorded baseline, and a file belongs there", {}, {}};
  if (tool == kRecord.tool) {
    out.hint = "it is recorded already: `" + std::string(kHistory.tool) + " {\"name\": " + core::quoted(text) + "}`";
    return out;
  }
  if (tool == kProfileDiff.tool) {
    Call diff(kDiff, Json::object());
    const std::string baseline = first_text(call.given(), "baseline"), candidate = first_text(call.given(), "candidate");
    const bool first = baseline == text;
    diff.set("baseline", text);
    diff.set("current", first ? candidate : baseline);
    out.hint = "a recorded baseline is compared by " + std::string(kDiff.tool) + ": " + diff.text();
    return out;
  }
  if (tool != kDiff.tool || first_text(call.given(), "current") != text) return std::nullopt;
  const std::string baseline = first_text(call.given(), "baseline");
  const registry::PathLimits limits = path_limits(context);
  if (registry::path_kind(registry::absolute_path(baseline, context.cwd, limits), limits)) {
    out.message = "current is " + cited(text) + ", a recorded baseline, and baseline is the file " + core::cited_path(baseline) +
                  ": the sides are swapped";
    call.set("baseline", text);
    call.set("current", baseline);
    out.hint = call.text();
    return out;
  }
  const auto directory = locate_entry(*name, *store, limits);
  const auto entry = directory ? store->open(*directory, limits) : core::fail(directory.error());
  if (!entry || entry->snapshot.empty()) return std::nullopt;
  *value = entry->snapshot;
  out.hint = "what was measured then is kept with it: " + call.text();
  return out;
}

bool takes_content(const Verb& verb) { return find_param(verb, "content") != nullptr; }

// A path that is not this machine's.
std::optional<std::string> elsewhere(Call& call, const Error& error, const Context& context) {
  Json* value = value_in(call, error.message);
  if (value == nullptr) return std::nullopt;
  const std::string path = value->get<std::string>();
  if (!path.starts_with('/')) return std::nullopt;
  if (const auto here = below_a_root(path, context)) {
    *value = *here;
    return "paths are those of the server's machine; there it is " + call.text();
  }
  if (!takes_content(call.verb())) return std::nullopt;
  const std::string name = path.substr(path.rfind('/') + 1);
  std::string_view parameter;
  each_text(call, [&](const Param& param, const Json& each) {
    if (&each == value) parameter = param.name;
  });
  call.set(parameter, nullptr);
  call.set("content", "TEXT OF THE FILE");
  call.set("content_name", name);
  return "paths are those of the server's machine; a file of another one goes as text: " + call.text();
}

// The work tree that encloses a file which the call names, else that file's folder.
std::optional<std::string> root_for(Call& call, const Context& context) {
  std::string folder;
  each_text(call, [&](const Param& param, Json& value) {
    const bool path = param.kind == ParamKind::path || param.kind == ParamKind::path_list;
    if (!path || !folder.empty()) return;
    const std::string given = registry::absolute_path(value.get<std::string>(), context.cwd, path_limits(context));
    const auto kind = registry::path_kind(given, path_limits(context));
    if (kind) folder = *kind == registry::PathKind::folder ? given : given.substr(0, std::max<std::size_t>(given.rfind('/'), 1));
  });
  if (folder.empty()) return std::nullopt;
  const auto nothing = [](std::string_view) { return std::optional<std::string>(); };
  if (const auto tree = registry::find_root(std::nullopt, folder, nothing, path_limits(context)); tree && *tree) return **tree;
  return folder;
}

std::optional<std::string> usage_hint(Call& call, const Error& error, const Context& context) {
  if (error.message.starts_with("unknown parameter")) {
    if (!rename_all(call)) return std::nullopt;
    return call.text();
  }
  if (error.message.starts_with("cannot tell the repository root")) {
    const auto root = root_for(call, context);
    if (!root || find_param(call.verb(), "repo_root") == nullptr) return std::nullopt;
    call.set("repo_root", *root);
    return "the registry goes into the folder that repo_root names: " + call.text();
  }
  if (error.message.find("safe path segment") != std::string::npos) {
    const Json before = call.given();
    split_name(call);
    if (call.given() != before) return "a name with a slash is family and measurement: " + call.text();
    return std::nullopt;
  }
  if (const Param* param = find_param(call.verb(), error.where); param != nullptr && error.hint.starts_with("for instance ")) {
    call.set(param->name, placeholder(*param));
    return "for instance " + call.text();
  }
  if (error.message.find("required") != std::string::npos || error.message.ends_with(" is missing")) {
    if (!call.has("family") || !call.has("measurement")) split_name(call);
    const bool filled = fill_required(call);
    if (!filled && error.message.find("measurement") != std::string::npos)
      return "a name with a slash is family and measurement: " + call.text();
    if (!filled) return std::nullopt;
    return call.text();
  }
  return std::nullopt;
}

}  // namespace

Error with_next_call(const Verb& verb, std::string_view arguments, Error error, const Context& context) {
  Json given = Json::parse(arguments, nullptr, false);
  if (!given.is_object()) return error;
  for (const auto& [name, value] : given.items()) {
    if (is_form(name) && !value.is_null()) return error;  // words of a command line are answered in its words
  }
  Call call(verb, std::move(given));
  if (auto named = name_for_a_path(call, error, context)) return std::move(*named);
  if (const auto meant = what_was_meant(error.hint)) {
    const bool parameter = error.message.starts_with("unknown parameter");
    if (!parameter) {
      Json* value = value_in(call, error.message);
      if (value == nullptr) return error;
      replace_value(*value, *meant);
      error.hint += " " + call.text();
      return error;
    }
  }
  std::optional<std::string> hint;
  if (error.code == ErrorCode::usage) hint = usage_hint(call, error, context);
  if (error.code == ErrorCode::path_not_allowed ||
      (error.code == ErrorCode::not_found && !error.hint.starts_with("did you mean")))
    hint = elsewhere(call, error, context);
  if (hint) error.hint = std::move(*hint);
  return error;
}

}  // namespace plumbline::verbs
