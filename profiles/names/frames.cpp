#include "profiles/names/frames.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/characters.hpp"
#include "core/text.hpp"

namespace plumbline::profiles {
namespace {

using base::is_digit;
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool all_digits(std::string_view text) { return std::all_of(text.begin(), text.end(), is_digit); }
bool all_hex(std::string_view text) { return std::all_of(text.begin(), text.end(), is_hex); }

bool is_address(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) return text.size() > 2 && all_hex(text.substr(2));
  constexpr std::size_t kShortest = 8;  // "deadbeef" may be a name, and is as good as an address
  return text.size() >= kShortest && all_hex(text) && std::any_of(text.begin(), text.end(), is_digit);
}

// ".part" alone or with a number: ".part.3".
bool cut_clone(std::string_view& name) {
  constexpr std::array<std::string_view, 8> kClones = {".cold",     ".part",       ".isra", ".constprop",
                                                       ".lto_priv", ".localalias", ".llvm", ".__uniq"};
  std::string_view stem = name;
  const std::size_t dot = stem.rfind('.');
  if (dot != std::string_view::npos && dot != 0 && dot + 1 < stem.size() && all_digits(stem.substr(dot + 1)))
    stem = stem.substr(0, dot);
  for (const std::string_view clone : kClones) {
    if (stem.size() > clone.size() && stem.ends_with(clone)) {
      name = stem.substr(0, stem.size() - clone.size());
      return true;
    }
  }
  return false;
}

bool cut_suffix(std::string_view& name) {
  for (const std::string_view mark : {"_[k]", "_[j]", "_[i]", "_[w]"}) {
    if (name.size() > mark.size() && name.ends_with(mark)) {
      name.remove_suffix(mark.size());
      return true;
    }
  }
  if (name.ends_with(']')) {
    const std::size_t clone = name.rfind(" [clone ");
    if (clone == std::string_view::npos || clone == 0) return false;
    name = name.substr(0, clone);
    return true;
  }
  if (const std::size_t plus = name.rfind("+0x"); plus != std::string_view::npos && plus != 0) {
    const std::string_view offset = name.substr(plus + 3);
    if (!offset.empty() && all_hex(offset)) {
      name = name.substr(0, plus);
      return true;
    }
  }
  constexpr std::size_t kRustHash = 19;  // "::h" and 16 digits
  if (name.size() > kRustHash && name.substr(name.size() - kRustHash, 3) == "::h" && all_hex(name.substr(name.size() - 16))) {
    name.remove_suffix(kRustHash);
    return true;
  }
  if (const std::size_t version = name.find("@@"); version != std::string_view::npos && version != 0) {
    name = name.substr(0, version);
    return true;
  }
  return cut_clone(name);
}

// "$$Lambda$14/0x0000000800c03000.apply" and "$$Lambda/0x00007f….apply" -> "$$Lambda.apply"; "/0x…" of other hidden classes.
std::string without_hidden_class(std::string_view name) {
  std::string result;
  for (std::size_t at = 0; at < name.size();) {
    constexpr std::string_view kLambda = "$$Lambda$", kHidden = "/0x";
    constexpr std::size_t kShortestAddress = 8;
    const std::string_view rest = name.substr(at);
    if (rest.starts_with(kLambda) && rest.size() > kLambda.size() && is_digit(rest[kLambda.size()])) {
      result += kLambda.substr(0, kLambda.size() - 1);
      at += kLambda.size();
      while (at < name.size() && is_digit(name[at])) ++at;
    } else if (rest.starts_with(kHidden)) {
      std::size_t end = at + kHidden.size();
      while (end < name.size() && is_hex(name[end])) ++end;
      if (end - at - kHidden.size() < kShortestAddress) result.append(name, at, end - at);
      at = end;
    } else {
      result += name[at++];
    }
  }
  return result;
}

// Where `text` begins with a word that numbers follow: that word's length.
std::size_t numbered_word(std::string_view text, char before) {
  for (const std::string_view word : {"{closure#", "'lambda", "$_", ".func"}) {
    if (text.size() > word.size() && text.starts_with(word) && is_digit(text[word.size()])) return word.size();
  }
  if (text.size() > 1 && text[0] == '#' && (before == ')' || before == '}') && is_digit(text[1])) return 1;  // {lambda(int)#3}
  return 0;
}

// The number at the end of "lambda$run$7".
std::string without_java_lambda(std::string_view name) {
  const std::size_t lambda = name.rfind("lambda$");
  const std::size_t dollar = name.rfind('$');
  if (lambda == std::string_view::npos || dollar <= lambda + 6 || dollar + 1 >= name.size() ||
      !all_digits(name.substr(dollar + 1)))
    return std::string(name);
  return std::string(name.substr(0, dollar + 1)) + "#";
}

}  // namespace

std::string canonical_frame(std::string_view name) {
  name = core::trim(name);
  while (cut_suffix(name)) {
  }
  name = core::trim(name);
  if (name.empty() || is_address(name)) return std::string(kUnknownFrame);
  if (name.find("$$Lambda$") != std::string_view::npos || name.find("/0x") != std::string_view::npos) {
    std::string rest = without_hidden_class(name);
    return core::trim(rest).empty() ? std::string(kUnknownFrame) : rest;  // nothing but the address of a hidden class
  }
  return std::string(name);
}

std::string frame_without_numbers(std::string_view name) {
  std::string result;
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t word = numbered_word(name.substr(at), at == 0 ? '\0' : name[at - 1]);
    if (word == 0) {
      result += name[at++];
      continue;
    }
    const bool go_closure = name[at] == '.';
    result.append(name, at, word);
    at += word;
    if (result.back() != '#') result += '#';
    while (at < name.size() && is_digit(name[at])) ++at;
    // Closures inside closures: ".func1.2.1"
    while (go_closure && at + 1 < name.size() && name[at] == '.' && is_digit(name[at + 1])) {
      result += ".#";
      ++at;
      while (at < name.size() && is_digit(name[at])) ++at;
    }
  }
  return without_java_lambda(result);
}

}  // namespace plumbline::profiles
