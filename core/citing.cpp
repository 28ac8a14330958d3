#include "core/citing.hpp"

#include <algorithm>
#include <vector>

#include "core/privacy.hpp"
#include "core/text.hpp"
#include "core/unicode.hpp"

namespace plumbline::core {

namespace {

// Looking for secrets costs more than what is shown is worth in texts of megabytes: far more than is shown is looked at, no more.
std::string clean(std::string_view text, std::size_t bytes) {
  constexpr std::size_t kLookedAt = 16;
  return shorten_bytes(without_secrets(shorten_bytes(text, bytes * kLookedAt)), bytes);
}

}  // namespace

std::string cited(std::string_view text, std::size_t bytes) { return quoted(clean(text, bytes)); }

std::string cited_list(std::span<const std::string> texts, std::size_t at_most) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < texts.size(); ++i) all.push_back(i < at_most ? cited(texts[i]) : std::string());
  return listed(all, at_most);
}

std::string cited_word(std::string_view word) {
  constexpr std::size_t kLongest = 40;
  if (word.size() > kLongest) return cited(word, kLongest);
  for (std::size_t at = 0; at < word.size();) {
    const char32_t c = next_code_point(word, at);
    const bool closes = c == U'"' || c == U'`' || c == U'<' || c == U'>' || c == U'|' || c == U'\\';
    if (c <= 0x20 || closes || is_deceptive(c) || c == 0xFFFD || c == 0xA0 || (c >= 0x2000 && c <= 0x200F)) return cited(word);
  }
  return may_hold_secret(word) ? without_secrets(word) : std::string(word);
}

std::string cited_path(std::string_view path) {
  constexpr std::size_t kLongest = 1024;
  const bool plain = std::all_of(path.begin(), path.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           std::string_view("/._-+@%=:,#~").find(c) != std::string_view::npos || (static_cast<unsigned char>(c) & 0x80U) != 0;
  });
  if (!plain || path.empty() || path.size() > kLongest) return cited(path, kLongest);
  std::string shown = without_secrets(path);
  for (std::size_t at = 0; at < shown.size();) {
    const char32_t c = next_code_point(shown, at);
    if (is_deceptive(c) || c == 0xFFFD || c == 0xA0 || (c >= 0x2000 && c <= 0x200F)) return cited(path, kLongest);
  }
  return shown;
}

std::string with_cited_path(std::string sentence, std::string_view path) {
  if (path.empty()) return sentence;
  const std::string shown = cited_path(path);
  if (shown == path) return sentence;
  const std::string inside = '"' + std::string(path) + '"';  // somebody quoted it already, as it was
  for (std::size_t at = sentence.find(path); at != std::string::npos; at = sentence.find(path, at)) {
    const bool bare = at == 0 || sentence.compare(at - 1, inside.size(), inside) != 0;
    sentence.replace(bare ? at : at - 1, bare ? path.size() : inside.size(), shown);
    at += shown.size();
  }
  return sentence;
}

namespace {

// Whether a quotation is open at the end of the text.
bool ends_quoted(std::string_view text) {
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quoted && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      quoted = !quoted;
    }
  }
  return quoted;
}

}  // namespace

std::string shorten_sentence(std::string_view sentence, std::size_t bytes) {
  constexpr std::string_view kCut = "…", kCutQuoted = "\"…\"";
  if (sentence.size() <= bytes) return std::string(sentence);
  if (bytes <= kCutQuoted.size()) return shorten_bytes(sentence, bytes);
  const std::string cut = shorten_bytes(sentence, bytes - (kCutQuoted.size() - kCut.size()));
  std::size_t front = 0;
  while (front < cut.size() && cut[front] == sentence[front]) ++front;
  std::size_t back = 0;
  while (back < cut.size() - front && cut[cut.size() - 1 - back] == sentence[sentence.size() - 1 - back]) ++back;
  std::string head(sentence.substr(0, front));
  if (ends_quoted(head) && head.ends_with('\\') && !head.ends_with("\\\\")) head.pop_back();  // half an escape
  std::string out = head + (ends_quoted(head) ? "\"" : "") + std::string(kCut);
  if (ends_quoted(sentence.substr(0, sentence.size() - back))) out += '"';
  return out.append(sentence.substr(sentence.size() - back));
}

std::string one_line(std::string_view text, std::size_t bytes) {
  constexpr char32_t kReplacement = 0xFFFD;
  const std::string shown = shorten_bytes(text, bytes);
  std::string out;
  out.reserve(shown.size());
  for (std::size_t at = 0; at < shown.size();) {
    const char32_t c = next_code_point(shown, at);
    append_utf8(out, is_break(c) ? U' ' : is_deceptive(c) ? kReplacement : c);
  }
  return out;
}

}  // namespace plumbline::core
