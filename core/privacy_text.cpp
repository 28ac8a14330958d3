// The rule for texts: where a secret stands is told by the word, the sign or the shape before it.
#include <algorithm>
#include <cctype>
#include <cstring>

#include "base/characters.hpp"
#include "core/privacy.hpp"
#include "core/text.hpp"

namespace plumbline::core {

namespace {

using Range = SecretFinder::Range;
constexpr std::size_t kNone = std::string_view::npos;

using base::is_alphanumeric;
using base::is_digit;
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_quote(char c) { return c == '"' || c == '\'' || c == '`'; }
bool in_name(char c) { return is_alphanumeric(c) || c == '_' || c == '-' || c == '.'; }

// Where the name before `at` begins and ends: "token" of "--token =", of "\"token\" :".
Range name_before(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == '\t')) --end;
  if (end > 0 && is_quote(text[end - 1])) {
    --end;
    if (end > 0 && text[end - 1] == '\\') --end;
  }
  std::size_t begin = end;
  while (begin > 0 && in_name(text[begin - 1])) --begin;
  return {begin, end};
}

// Whether a bracket of this kind is open at `at`: "[op=a,token=X]" ends its value where "run --password=a]b" does not.
bool is_open(std::string_view text, std::size_t at, char opening, char closing) {
  int depth = 0;
  for (const char c : text.substr(0, at)) {
    if (c == opening) ++depth;
    if (c == closing && depth > 0) --depth;
  }
  return depth > 0;
}

// The value that begins at `at`: in quotes up to the closing one, else up to what ends a word there.
Range value_at(std::string_view text, std::size_t at, std::size_t name) {
  const bool escaped = at + 1 < text.size() && text[at] == '\\' && is_quote(text[at + 1]);
  if (escaped) ++at;
  if (at < text.size() && is_quote(text[at])) {
    const char quote = text[at++];
    for (std::size_t end = at; end < text.size(); ++end) {
      if (text[end] == quote && (escaped || text[end - 1] != '\\' || end == at)) {
        return {at, escaped && end > at && text[end - 1] == '\\' ? end - 1 : end};
      }
    }
    return {at, text.size()};
  }
  const bool squares = is_open(text, name, '[', ']'), curls = is_open(text, name, '{', '}'),
             rounds = is_open(text, name, '(', ')');
  const bool list = squares || curls || rounds;
  std::size_t end = at;
  for (; end < text.size(); ++end) {
    const char c = text[end];
    if (text.substr(end).starts_with(kRedacted)) {  // of what was cleaned before
      end += kRedacted.size() - 1;
      continue;
    }
    if (is_blank(c) || is_quote(c) || c == ';' || c == '&' || c == '|' || c == '<' || c == '>') break;
    if (c == '\\' && end + 1 < text.size() && is_quote(text[end + 1])) break;
    if ((c == ',' && list) || (c == ']' && squares) || (c == '}' && curls) || (c == ')' && rounds)) break;
  }
  return {at, end};
}

std::string_view of(std::string_view text, Range range) { return text.substr(range.begin, range.end - range.begin); }

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 9 &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c) || c == '.' || c == '-'; });
}

bool judged_secret(NameSays says, std::string_view value) {
  if (value.empty()) return false;
  switch (says) {
    case NameSays::secret:
      return true;
    case NameSays::token:
      return !is_number(value);
    case NameSays::random:
      return looks_random(value);
    case NameSays::nothing:
      return false;
  }
  return false;
}

bool is_scheme(std::string_view word) {
  const std::string lower = to_lower(word);
  return lower == "bearer" || lower == "basic" || lower == "token" || lower == "digest" || lower == "negotiate";
}

// The word and what follows it where it only says how to read that: "Bearer X" is X.
Range past_scheme(std::string_view text, Range word) {
  if (!is_scheme(of(text, word))) return word;
  std::size_t at = word.end;
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  const Range next = value_at(text, at, at);
  return next.end > next.begin ? next : word;
}

// "https://user:secret@host", "https://ghp_…@github.com": all before the "@", unless it is a bare user's name. `at` is behind
// the slashes. A webhook's secret is its path.
std::optional<Range> in_address(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && !is_blank(text[end]) && !is_quote(text[end]) && text[end] != '<' && text[end] != '>') ++end;
  const std::string_view address = text.substr(at, end - at);
  const std::size_t slash = std::min(address.find_first_of("/?#"), address.size());
  std::size_t sign = address.substr(0, slash).rfind('@');
  if (sign == kNone) {  // a secret with a slash in it: what stands behind the colon is no port
    const std::size_t colon = address.substr(0, slash).find(':');
    if (colon != kNone && colon + 1 < slash && !is_digit(address[colon + 1])) {
      sign = address.find('@', slash);
      // Cut off before its "@": what stands there is no port.
      if (sign == kNone && at + slash == text.size() && !address.substr(colon + 1).starts_with(kRedacted))
        return Range{at + colon + 1, text.size()};
    }
  }
  if (sign != kNone) {
    const std::string_view user = address.substr(0, sign);
    if (user != kRedacted && (user.find(':') != kNone || looks_random(user))) return Range{at, at + sign};
  }
  if (slash < address.size() && address[slash] == '/') {
    std::size_t path = address.starts_with("hooks.") || address.starts_with("hooks/") ? slash + 1 : kNone;
    if (const std::size_t hooks = address.find("/webhooks/"); path == kNone && hooks != kNone) path = hooks + 10;
    if (path != kNone && path < address.size() && !address.substr(path).starts_with(kRedacted))
      return Range{at + path, at + std::min(address.find_first_of("?#,)]}", path), address.size())};
  }
  return std::nullopt;
}

// "user:secret@host.example" without a scheme. "repo:tag@sha256:…" and "matmul:fp16@A100" are no addresses.
std::optional<Range> before_host(std::string_view text, std::size_t colon) {
  if (colon == 0 || !in_name(text[colon - 1])) return std::nullopt;
  std::size_t sign = colon + 1;
  while (sign < text.size() && text[sign] != '@' && !is_blank(text[sign]) && !is_quote(text[sign]) && text[sign] != '/') ++sign;
  if (sign >= text.size() || text[sign] != '@' || sign == colon + 1) return std::nullopt;
  if (text.substr(colon + 1).starts_with(kRedacted)) return std::nullopt;
  std::size_t end = sign + 1;
  while (end < text.size() && (is_alphanumeric(text[end]) || text[end] == '.' || text[end] == '-')) ++end;
  const std::string_view host = text.substr(sign + 1, end - sign - 1);
  const std::size_t dot = host.rfind('.');
  const std::string_view top = dot == kNone ? std::string_view() : host.substr(dot + 1);
  const bool named = top.size() >= 2 && std::all_of(top.begin(), top.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
  if (!named && host != "localhost" && !looks_random(text.substr(colon + 1, sign - colon - 1))) return std::nullopt;
  return Range{colon + 1, sign};
}

// How a service's tokens begin, and how many letters and digits follow where they are always as many: 0 where that is not so.
struct Issued {
  std::string_view prefix;
  std::size_t length = 0;
  bool only_of_length = false;  // kernels have names that begin so, with sizes behind it
};

// As many as the service gives, of both cases. Those of Hugging Face are letters alone, and of 36 letters and digits drawn by
// chance one in five hundred has no digit: what looks random elsewhere has digits.
bool is_of_length(std::string_view text, std::size_t length) {
  const auto has = [text](int (*kind)(int)) {
    return std::any_of(text.begin(), text.end(), [kind](unsigned char c) { return kind(c) != 0; });
  };
  return text.size() == length && std::all_of(text.begin(), text.end(), is_alphanumeric) && has(std::isupper) &&
         has(std::islower);
}

// A token told by its own first letters, with enough behind them that no word is.
std::optional<Range> issued_token(std::string_view text, std::size_t at) {
  static constexpr auto kIssued = std::to_array<Issued>(
      {{"ghp_", 36}, {"gho_", 36},      {"ghu_", 36},     {"ghs_", 36}, {"ghr_", 36},      {"github_pat_"}, {"hf_", 34},
       {"npm_", 36}, {"dckr_pat_", 27}, {"api_org_", 34}, {"sk_live_"}, {"sk_test_"},      {"rk_live_"},    {"whsec_"},
       {"sk-"},      {"xoxb-"},         {"xoxp-"},        {"xoxa-"},    {"xoxs-"},         {"xoxr-"},       {"glpat-", 20},
       {"pypi-"},    {"nvapi-"},        {"gsk_"},         {"csk-"},     {"r8_", 37, true}, {"xai-"},        {"pplx-"}});
  for (const auto& [prefix, length, only_of_length] : kIssued) {
    const std::size_t sign = prefix.size() - 1;
    if (prefix[sign] != text[at] || at < sign || text.substr(at - sign, prefix.size()) != prefix) continue;
    const std::size_t begin = at - sign;
    if (begin > 0 && is_alphanumeric(text[begin - 1])) continue;
    std::size_t end = at + 1;
    while (end < text.size() && (is_alphanumeric(text[end]) || text[end] == '_' || text[end] == '-')) ++end;
    const std::string_view rest = text.substr(at + 1, end - at - 1);
    const bool random = looks_random(rest) && (!only_of_length || rest.size() == length);
    if (random || (length > 0 && is_of_length(rest, length))) return Range{begin, end};
  }
  return std::nullopt;
}

// What most underscores and dashes are told by not to end such a beginning.
bool may_end_prefix(std::string_view text, std::size_t at) {
  if (at < 2) return false;
  const char a = text[at - 2], b = text[at - 1];
  if (text[at] == '-')
    return (a == 's' && b == 'k') || a == 'x' || (a == 'a' && (b == 't' || b == 'i')) || (a == 'p' && b == 'i') ||
           (a == 'l' && b == 'x');
  return (a == 'h' && (b == 'f' || (at > 2 && text[at - 3] == 'g'))) || (a == 'a' && b == 't') || (a == 'p' && b == 'm') ||
         (a == 'v' && b == 'e') || (a == 'r' && b == 'g') || (a == 's' && (b == 't' || b == 'k')) || (a == 'e' && b == 'c') ||
         (a == 'r' && b == '8');
}

// "AKIA…" and "ASIA…" with sixteen letters and digits; `at` is the "I".
std::optional<Range> access_key_id(std::string_view text, std::size_t at) {
  constexpr std::size_t kLength = 20;
  if (at < 2 || at + 2 > text.size()) return std::nullopt;
  const std::size_t begin = at - 2;
  const std::string_view head = text.substr(begin, 4);
  if ((head != "AKIA" && head != "ASIA") || (begin > 0 && is_alphanumeric(text[begin - 1]))) return std::nullopt;
  std::size_t end = begin;
  while (end < text.size() && (std::isupper(static_cast<unsigned char>(text[end])) != 0 || is_digit(text[end]))) ++end;
  return end - begin == kLength ? std::optional<Range>({begin, end}) : std::nullopt;
}

// "AIza…" with thirty-five letters, digits and dashes: a key for Google's services; `at` is the "I".
std::optional<Range> google_key(std::string_view text, std::size_t at) {
  constexpr std::size_t kLength = 39;
  if (at < 1 || text.substr(at - 1, 4) != "AIza" || (at > 1 && is_alphanumeric(text[at - 2]))) return std::nullopt;
  std::size_t end = at;
  while (end < text.size() && (is_alphanumeric(text[end]) || text[end] == '_' || text[end] == '-')) ++end;
  return end - at + 1 == kLength ? std::optional<Range>({at - 1, end}) : std::nullopt;
}

// "eyJ….….…": JSON in base64, signed; `at` is the "J".
std::optional<Range> web_token(std::string_view text, std::size_t at) {
  constexpr std::size_t kShortest = 30;
  if (at < 2 || text.substr(at - 2, 3) != "eyJ" || (at > 2 && is_alphanumeric(text[at - 3]))) return std::nullopt;
  std::size_t end = at, dots = 0;
  for (; end < text.size() && (is_alphanumeric(text[end]) || text[end] == '_' || text[end] == '-' || text[end] == '.'); ++end) {
    if (text[end] == '.' && ++dots > 2) break;
  }
  return dots > 0 && end - at + 2 >= kShortest ? std::optional<Range>({at - 2, end}) : std::nullopt;
}

// "-----BEGIN … PRIVATE KEY-----" up to its end, or the end of what there is of it.
std::optional<Range> private_key(std::string_view text, std::size_t at) {
  constexpr std::string_view kBegin = "-----BEGIN ", kKey = "PRIVATE KEY-----";
  if (!text.substr(at).starts_with(kBegin)) return std::nullopt;
  const std::size_t key = text.find(kKey, at);
  if (key == kNone || key - at > 60) return std::nullopt;
  const std::size_t begin = key + kKey.size();
  const std::size_t end = std::min(text.find("-----END", begin), text.size());
  return of(text, {begin, end}).find_first_not_of("\\nr \n\r") == kNone ? std::nullopt : std::optional<Range>({begin, end});
}

// Programs whose "-p" is a password.
bool takes_password(std::string_view text) {
  for (const std::string_view program : {"mysql", "mariadb", "sshpass"}) {
    if (text.find(program) != kNone) return true;
  }
  return false;
}

constexpr auto trigger_table() {
  std::array<bool, 256> table{};
  for (const char c : {'=', ':', ' ', '\t', '\n', ',', '_', '-', 'I', 'J'}) table[static_cast<unsigned char>(c)] = true;
  return table;
}
constexpr std::array<bool, 256> kTriggers = trigger_table();

// "EnvironmentVariables" of "EnvironmentVariables=A=X": whatever a value of it is called; "env" and "environment" are settings.
bool is_environment(std::string_view name) {
  constexpr std::string_view kEnvironment = "environment";
  return name.size() > kEnvironment.size() && (name.front() == 'E' || name.front() == 'e') && names_environment(name);
}

}  // namespace

NameSays SecretFinder::says(std::string_view name) {
  if (name.empty() || name.size() > 200) return NameSays::nothing;
  std::size_t hash = name.size();
  for (const char c : name) hash = hash * 31 + static_cast<unsigned char>(c);
  Known& known = known_[(hash ^ (hash >> 7U)) % known_.size()];
  if (known.name != name) {
    known.name = name;
    known.says = name_says(name);
  }
  return known.says;
}

std::optional<Range> SecretFinder::after_equals(std::string_view text, std::size_t at) {
  if (at > 0 && (text[at - 1] == '=' || text[at - 1] == '!' || text[at - 1] == '<' || text[at - 1] == '>')) return std::nullopt;
  if (at + 1 < text.size() && (text[at + 1] == '=' || text[at + 1] == '>')) return std::nullopt;
  const Range where = name_before(text, at);
  std::string_view name = of(text, where);
  while (name.starts_with('-')) name.remove_prefix(1);
  NameSays said = says(name);
  if (said == NameSays::nothing && name.size() > 1 && (name.front() == 'D' || name.front() == 'P'))
    said = says(name.substr(1));  // -Dtoken=X, -Ptoken=X
  const char before = where.begin > 0 ? text[where.begin - 1] : '\0';
  if (said == NameSays::nothing && (before == '?' || before == '&')) {
    if (name == "key" || name == "code" || name == "sid") said = NameSays::random;
    if (name == "sig" || name == "signature" || name == "Signature") said = NameSays::token;
  }
  if (said == NameSays::nothing && is_environment(name)) {
    const Range value = value_at(text, at + 1, where.begin);
    if (of(text, value).find('=') != kNone) return value;
  }
  if (said == NameSays::nothing) return std::nullopt;
  std::size_t begin = at + 1;
  while (begin < text.size() && text[begin] == ' ') ++begin;
  const Range value = past_scheme(text, value_at(text, begin, where.begin));
  return judged_secret(said, of(text, value)) ? std::optional(value) : std::nullopt;
}

std::optional<Range> SecretFinder::after_colon(std::string_view text, std::size_t at) {
  if (text.substr(at).starts_with("://")) return in_address(text, at + 3);
  if ((at > 0 && text[at - 1] == ':') || (at + 1 < text.size() && text[at + 1] == ':')) return std::nullopt;  // a::b
  const Range where = name_before(text, at);
  std::string_view name = of(text, where);
  while (name.starts_with('-')) name.remove_prefix(1);
  NameSays said = says(name);
  if (said == NameSays::nothing) return before_host(text, at);
  std::size_t begin = at + 1;
  while (begin < text.size() && (text[begin] == ' ' || text[begin] == '\t')) ++begin;
  // "unexpected token: end of line" is prose; "token:X", "auth_token: X" and "\"token\": \"X\"" are not.
  const bool prose = begin > at + 1 && said == NameSays::token && (name == "token" || name == "auth") && begin < text.size() &&
                     !is_quote(text[begin]);
  // -H 'X-Api-Key: a b': up to the quote that the name stands behind; a cookie is all of its line.
  const char before = where.begin > 0 ? text[where.begin - 1] : '\0';
  if (begin < text.size() && !is_quote(text[begin]) &&
      !(text[begin] == '\\' && begin + 1 < text.size() && is_quote(text[begin + 1])) &&
      (is_quote(before) || name == "Cookie" || name == "cookie")) {
    const std::size_t end =
        std::min(is_quote(before) ? text.find(before, begin) : text.find_first_of("\"'`\r\n", begin), text.size());
    Range value{begin, end};
    if (const std::size_t blank = text.find(' ', begin); blank < end && is_scheme(text.substr(begin, blank - begin)))
      value.begin = blank + 1;
    return judged_secret(said, of(text, value)) ? std::optional(value) : std::nullopt;
  }
  const Range first = value_at(text, begin, where.begin);
  const Range value = past_scheme(text, first);
  if (prose && value.begin == first.begin) said = NameSays::random;
  return judged_secret(said, of(text, value)) ? std::optional(value) : std::nullopt;
}

// A blank or a comma (of a list of arguments) at `at`: the word before it may await a secret.
std::optional<Range> SecretFinder::after_word(std::string_view text, std::size_t at) {
  std::size_t begin = at;
  while (begin > 0 && in_name(text[begin - 1])) --begin;
  const std::string_view word = text.substr(begin, at - begin);
  std::size_t next = at + 1;
  while (next < text.size() && is_blank(text[next])) ++next;
  // mysql -pX, behind any word.
  if (text.substr(next).starts_with("-p") && next + 2 < text.size() && in_name(text[next + 2]) &&
      takes_password(text.substr(0, at)))
    return value_at(text, next + 2, next);
  if (word.empty() || next >= text.size()) return std::nullopt;
  const bool option = word.front() == '-', scheme = word.size() >= 5 && word.size() <= 6 && is_scheme(word);
  if (!option && text[at] == ',') return std::nullopt;
  // "token X", "api key X" in a sentence.
  const std::size_t first = word == "key" ? name_before(text, begin).begin : begin;
  if (!option && !scheme && says(text.substr(first, at - first)) == NameSays::nothing) return std::nullopt;
  Range value = value_at(text, next, begin);
  if (text[at] == ',') value.end = std::min(value.end, std::max(text.find(',', value.begin), value.begin));
  const std::string_view given = of(text, value);
  if (given.empty() || given.starts_with(kRedacted)) return std::nullopt;
  if (option) {
    std::string_view name = word;
    while (name.starts_with('-')) name.remove_prefix(1);
    if (word == "-u" || word == "-U" || name == "user" || name == "proxy-user") {
      const std::size_t colon = given.find(':');
      if (colon == kNone || colon + 1 == given.size() || given.substr(colon).starts_with("://")) return std::nullopt;
      return Range{value.begin + colon + 1, value.end};
    }
    const bool hidden = (word == "-p" && text.substr(0, at).find("sshpass") != kNone) ||
                        (word == "-a" && text.substr(0, at).find("redis-cli") != kNone) ||
                        (word == "-b" && text.substr(0, at).find("curl") != kNone && given.find('=') != kNone);
    if (given.starts_with("--") && !looks_random(given)) return std::nullopt;  // another option
    return hidden || judged_secret(says(name), given) ? std::optional(value) : std::nullopt;
  }
  if (scheme) {  // "Bearer X", where no header's name stands before it
    const bool digit = std::any_of(given.begin(), given.end(), is_digit);
    if (looks_random(given) || (to_lower(word) == "bearer" && digit && given.size() >= 8)) return value;
  }
  return looks_random(given) ? std::optional(value) : std::nullopt;
}

std::optional<Range> SecretFinder::next(std::string_view text, std::size_t from) {
  for (std::size_t i = from; i < text.size(); ++i) {
    if (!kTriggers[static_cast<unsigned char>(text[i])]) continue;
    std::optional<Range> found;
    switch (text[i]) {
      case '=':
        found = after_equals(text, i);
        break;
      case ':':
        found = after_colon(text, i);
        break;
      case '_':
        if (may_end_prefix(text, i)) found = issued_token(text, i);
        break;
      case '-':
        if (may_end_prefix(text, i)) found = issued_token(text, i);
        if (!found && i + 1 < text.size() && text[i + 1] == '-') found = private_key(text, i);
        break;
      case 'I':
        found = access_key_id(text, i);
        if (!found) found = google_key(text, i);
        break;
      case 'J':
        found = web_token(text, i);
        break;
      case ',':  // of a list of arguments, joined
        if (i + 1 < text.size() && text[i + 1] == ' ') found = after_word(text, i);
        break;
      default:
        found = after_word(text, i);
        break;
    }
    if (found && found->begin >= from && found->begin < found->end && of(text, *found) != kRedacted) return found;
  }
  return std::nullopt;
}

std::optional<std::string> SecretFinder::scrubbed(std::string_view text) {
  std::optional<Range> found = next(text);
  if (!found) return std::nullopt;
  std::string out;
  std::size_t done = 0;
  for (; found; found = next(text, done)) {
    out.append(text.substr(done, found->begin - done));
    out.append(kRedacted);
    done = found->end;
  }
  out.append(text.substr(done));
  return out;
}

// What is before an equals sign in texts of one kind is the same at the same place: it is compared with what stood there last.
bool SecretFinder::only_settings(std::string_view text) {
  std::size_t place = 0;
  for (std::size_t at = text.find('='); at != kNone; at = text.find('=', at + 1), ++place) {
    if (place == settings_.size()) return false;
    std::string& known = settings_[place];
    std::size_t begin = at - std::min(at, known.size());
    const bool same = !known.empty() && text.substr(begin, at - begin) == known && (begin == 0 || !in_name(text[begin - 1]));
    if (!same) {
      begin = name_before(text, at).begin;
      const std::string_view name = text.substr(begin, at - begin);
      if (name.empty() || !std::all_of(name.begin(), name.end(), in_name) || is_environment(name)) return false;
      std::string_view bare = name;
      while (bare.starts_with('-')) bare.remove_prefix(1);
      if (says(bare) != NameSays::nothing) return false;
      if (bare.size() > 1 && (bare.front() == 'D' || bare.front() == 'P') && says(bare.substr(1)) != NameSays::nothing)
        return false;
      known = name;
    }
    if (begin > 0 && (text[begin - 1] == '?' || text[begin - 1] == '&')) return false;  // names mean more in an address
  }
  return true;
}

bool may_hold_secret(std::string_view text) { return secret_signs(text) != SecretSigns::none; }

namespace {

// Nothing is a secret without one of these signs or beginnings. As many places at a time as a vector has bytes; beginnings have
// four characters.
constexpr std::size_t kAhead = 3;

template <class Vector>
[[gnu::always_inline]] inline bool any(const Vector& hits) {
  std::array<std::uint64_t, sizeof(Vector) / 8> words;
  std::memcpy(words.data(), &hits, sizeof hits);
  std::uint64_t all = 0;
  for (const std::uint64_t word : words) all |= word;
  return all != 0;
}

template <class Bytes>
[[gnu::always_inline]] inline bool others_in(const char* p, Bytes& equals) {
  Bytes a, b, c, d;
  std::memcpy(&a, p, sizeof a);
  std::memcpy(&b, p + 1, sizeof b);
  std::memcpy(&c, p + 2, sizeof c);
  std::memcpy(&d, p + 3, sizeof d);
  const auto k = c == 'k';
  const auto underscore = d == '_', dash = d == '-';
  // ghp_ hf_ pat_ pat- npm_ org_ whsec_ sk_live_ sk_test_ gsk_ sk- xox?- pypi- nvapi- r8_ xai- pplx- AKIA ASIA AIza eyJ
  const auto hit = (a == ' ') | (a == ':') | (a == '\t') | (a == '\n') | ((a == 'g') & (b == 'h') & underscore) |
                   ((b == 'h') & (c == 'f') & underscore) | ((b == 'a') & (c == 't') & (a == 'p') & (underscore | dash)) |
                   ((b == 'p') & (c == 'm') & underscore) | ((a == 'o') & (b == 'r') & (c == 'g') & underscore) |
                   ((a == 's') & (b == 'e') & (c == 'c') & underscore) | ((b == 's') & k & (underscore | dash)) |
                   ((a == 'x') & (b == 'o') & (c == 'x')) | ((b == 'p') & (c == 'i') & dash) | ((b == 'I') & (c == 'A')) |
                   ((a == 'A') & (b == 'I') & (c == 'z')) | ((b == 'r') & (c == '8') & underscore) |
                   ((a == 'x') & (b == 'a') & (c == 'i') & dash) | ((b == 'l') & (c == 'x') & dash) |
                   ((a == 'e') & (b == 'y') & (c == 'J'));
  equals |= a == '=';
  return any(hit);
}

typedef std::uint8_t Bytes16 __attribute__((vector_size(16)));

// All whole vectors of a text. `at` is how far that was.
template <class Bytes>
[[gnu::always_inline]] inline SecretSigns signs_of_vectors(std::string_view text, std::size_t& at) {
  Bytes equals{};
  for (; at + sizeof(Bytes) + kAhead <= text.size(); at += sizeof(Bytes)) {
    if (others_in(text.data() + at, equals)) return SecretSigns::others;
  }
  return any(equals) ? SecretSigns::equals : SecretSigns::none;
}

#if defined(__x86_64__) && defined(__GNUC__)
typedef std::uint8_t Bytes32 __attribute__((vector_size(32)));
[[gnu::target("avx2")]] SecretSigns signs_of_wide_vectors(std::string_view text, std::size_t& at) {
  return signs_of_vectors<Bytes32>(text, at);
}
bool has_wide_vectors() {
  static const bool kHas = __builtin_cpu_supports("avx2") != 0;
  return kHas;
}
#else
SecretSigns signs_of_wide_vectors(std::string_view, std::size_t&) { return SecretSigns::none; }
bool has_wide_vectors() { return false; }
#endif

}  // namespace

SecretSigns secret_signs(std::string_view text) {
  constexpr std::size_t kBlock = sizeof(Bytes16), kLong = 256;
  Bytes16 equals{};
  std::array<char, kBlock + kAhead> head{};  // "sk-" may stand first, where no character stands before it
  if (text.empty()) return SecretSigns::none;
  std::memcpy(head.data() + 1, text.data(), std::min(text.size(), head.size() - 1));
  if (others_in(head.data(), equals)) return SecretSigns::others;
  std::size_t at = 0;
  const SecretSigns wide = text.size() >= kLong && has_wide_vectors() ? signs_of_wide_vectors(text, at) : SecretSigns::none;
  if (wide == SecretSigns::others) return wide;
  const SecretSigns narrow = signs_of_vectors<Bytes16>(text, at);
  if (narrow == SecretSigns::others) return narrow;
  std::array<char, 2 * kBlock + kAhead> rest{};  // with zeros behind it, and one before: "sk-" may stand first
  std::memcpy(rest.data() + 1, text.data() + at, text.size() - at);
  if (at > 0) rest[0] = text[at - 1];
  if (others_in(rest.data(), equals) || others_in(rest.data() + kBlock, equals)) return SecretSigns::others;
  return any(equals) ? SecretSigns::equals : std::max(wide, narrow);
}

std::string without_secrets(std::string_view text) {
  if (!may_hold_secret(text)) return std::string(text);
  SecretFinder finder;
  return finder.scrubbed(text).value_or(std::string(text));
}

}  // namespace plumbline::core
