// Errors are written once, in the words of the command line; a caller of tools gets them in the words of tools. What a person
// would type stands in backticks: `plumbline accept llm/decode@SLUG --reason TEXT` becomes
// `perf_baseline_accept {"baseline": "llm/decode@SLUG", "reason": "TEXT"}`, `--as trials` becomes `as: "trials"`; a flag anywhere
// else becomes its parameter's name. What stands in double quotes is the caller's own and stays.
#include <algorithm>

#include "core/text.hpp"
#include "verbs/calling/parameters.hpp"
#include "verbs/calling/wording.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {
namespace {

// Together at most 8 KiB as JSON, even where a byte becomes three.
constexpr std::size_t kTextBytes = 1200;
constexpr std::size_t kWhereBytes = 240;

bool in_name(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; }

std::string parameter_name(std::string_view flag) {
  std::string name(flag.substr(2));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// The parameter of that name which a tool offers; of `verb`, or of any.
const Param* offered(const Verb* verb, std::string_view name) {
  for (const Verb& each : table()) {
    if (verb != nullptr && verb != &each) continue;
    const Param* param = find_param(each, name);
    if (param != nullptr && !param->cli_only) return param;
  }
  return nullptr;
}

// As a shell would: blanks separate, single quotes hold together.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  bool open = false, quote = false;
  for (const char c : text) {
    if (c == '\'') {
      quote = !quote;
    } else if (c == ' ' && !quote) {
      open = false;
      continue;
    }
    if (!open) words.emplace_back();
    open = true;
    if (c != '\'') words.back() += c;
  }
  return words;
}

std::string json_value(const Param& param, std::span<const std::string> words) {
  if (is_list(param.kind) && !(is_listed_as_text(param) && words.size() == 1)) {  // as its schema says
    std::string list;
    for (const std::string& word : words) list += (list.empty() ? "[" : ", ") + core::quoted(word);
    return list + "]";
  }
  const bool number = param.kind == ParamKind::number || param.kind == ParamKind::integer;
  return number ? words.front() : core::quoted(words.front());
}

struct Assignment {
  const Param* param;
  std::string value;
};

// `--flag value` and words in their places; nothing when the words are no such call.
std::optional<std::vector<Assignment>> assignments(const Verb* verb, std::span<const std::string> words) {
  std::vector<Assignment> all;
  std::vector<const Param*> places = verb != nullptr ? positional_params(*verb) : std::vector<const Param*>();
  for (std::size_t at = 0; at < words.size();) {
    const bool flag = words[at].starts_with("--");
    if (!flag && places.empty()) return std::nullopt;
    const Param* param = flag ? offered(verb, parameter_name(words[at])) : places.front();
    if (param == nullptr) return std::nullopt;
    std::erase(places, param);
    if (flag) ++at;
    if (param->kind == ParamKind::boolean) {
      all.push_back({param, "true"});
      continue;
    }
    std::size_t end = at;
    const bool several =
        param->kind == ParamKind::path_list && (flag || places.empty());  // in its place only the last takes the rest
    while (end < words.size() && !words[end].starts_with("--") && (end == at || several)) ++end;
    if (end == at) return std::nullopt;
    all.push_back({param, json_value(*param, words.subspan(at, end - at))});
    at = end;
  }
  return all;
}

// What stands between backticks.
std::string spoken(std::string_view text) {
  const std::vector<std::string> words = words_of(text);
  if (words.empty()) return std::string(text);
  std::string out;
  if (words[0] == "plumbline" && words.size() > 1) {
    const Verb* verb = find(words[1]);
    if (verb == nullptr || verb->tool.empty()) return std::string(text);
    const auto given = assignments(verb, std::span(words).subspan(2));
    if (!given) return std::string(text);
    for (const auto& [param, value] : *given) out += (out.empty() ? " {" : ", ") + core::quoted(param->name) + ": " + value;
    return std::string(verb->tool) + (out.empty() ? "" : out + "}");
  }
  const auto given = words[0].starts_with("--") ? assignments(nullptr, words) : std::nullopt;
  if (!given) return std::string(text);
  for (const auto& [param, value] : *given) out += (out.empty() ? "" : ", ") + std::string(param->name) + ": " + value;
  return out;
}

// The end of the quoted text that begins at `from`; of an unclosed one the end of all.
std::size_t past_quoted(std::string_view text, std::size_t from) {
  for (std::size_t at = from + 1; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return text.size();
}

std::string translated(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    std::size_t end = at + 1;
    if (c == '"') {
      end = past_quoted(text, at);
      out += text.substr(at, end - at);
    } else if (c == '`' && text.find('`', at + 1) != std::string_view::npos) {
      end = text.find('`', at + 1) + 1;
      out += "`" + spoken(text.substr(at + 1, end - at - 2)) + "`";
    } else if (c == '-' && text.substr(at).starts_with("--") && (at == 0 || !in_name(text[at - 1]))) {
      while (end < text.size() && in_name(text[end])) ++end;
      const std::string_view flag = text.substr(at, end - at);
      const Param* param = offered(nullptr, parameter_name(flag));
      out += param != nullptr ? param->name : flag;
    } else {
      out += c;
    }
    at = end;
  }
  return out;
}

// What to do next, where the error itself does not say.
std::string_view next_step(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage:
      return "tools/list shows the parameters of this tool";
    case ErrorCode::invalid_input:
    case ErrorCode::shape_mismatch:
      return "measurement_inspect says how a file is read and what is wrong with it";
    case ErrorCode::not_found:
    case ErrorCode::no_matching_baseline:
      return "search_evidence lists what there is";
    case ErrorCode::provenance_mismatch:
      return "bundle_verify lists what does not match";
    case ErrorCode::path_not_allowed:
      return "name a path inside the server's roots";
    case ErrorCode::already_exists:
      return "choose another name: nothing is ever replaced";
    case ErrorCode::limit_exceeded:
      return "give a smaller input, or a part of it";
    case ErrorCode::cancelled:
      return "nothing was written; call again for an answer";
    case ErrorCode::not_confirmed:
      return "nothing was written; a person decides";
    case ErrorCode::environment:
    case ErrorCode::missing_helper:
      return "tell the person who runs the server; the same call works once it is fixed";
    case ErrorCode::internal:
      break;
  }
  return {};
}

}  // namespace

Error in_agent_words(const Error& error) {
  const auto said = [&error](const std::string& text) {
    return translated(core::with_cited_path(core::shorten_sentence(text, kTextBytes * 4), error.where));
  };
  const std::string hint = error.hint.empty() ? std::string(next_step(error.code)) : said(error.hint);
  return {error.code, one_line(said(error.message), kTextBytes), one_line(hint, kTextBytes), one_line(error.where, kWhereBytes)};
}

}  // namespace plumbline::verbs
