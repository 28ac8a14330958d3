#include "server/access/tokens.hpp"

#include <fmt/core.h>
#include <openssl/crypto.h>

#include <algorithm>

#include "core/text.hpp"
#include "registry/files.hpp"
#include "server/access/small_file.hpp"

namespace plumbline::server::access {
namespace {

using core::ErrorCode;

constexpr const char* kForm = "a line is: NAME TOKEN [read|write]";
constexpr std::size_t kMostTokens = 1024;
constexpr std::size_t kNameBytes = 64;
constexpr std::size_t kShortestToken = 16;
constexpr std::size_t kLongestToken = 512;

bool is_visible(char c) { return c > 0x20 && c < 0x7F; }
bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-' ||
         c == '@';
}

// The words of one line up to a comment.
std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view kBlank = " \t\r";
  std::vector<std::string_view> words;
  for (std::size_t at = line.find_first_not_of(kBlank); at != std::string_view::npos; at = line.find_first_not_of(kBlank, at)) {
    if (line[at] == '#') break;
    const std::size_t end = std::min(line.find_first_of(kBlank, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

struct Problem {
  std::string message, hint;
};

// No word of the line may get into a message: when words are swapped or a blank is missing, any of them is the secret.
tl::expected<TokenEntry, Problem> parse_line(const std::vector<std::string_view>& words) {
  const std::string_view name = words[0];
  if (name.size() > kNameBytes || !std::all_of(name.begin(), name.end(), is_name_character)) {
    return tl::unexpected(
        Problem{"the name is not one", fmt::format("a name has letters, digits, '.', '_', '-' and '@', at most {}", kNameBytes)});
  }
  if (words.size() < 2) return tl::unexpected(Problem{"the token is missing", kForm});
  const std::string_view token = words[1];
  if (token.size() < kShortestToken || token.size() > kLongestToken || !std::all_of(token.begin(), token.end(), is_visible)) {
    return tl::unexpected(
        Problem{fmt::format("a token has {} to {} visible ASCII characters, this one does not", kShortestToken, kLongestToken),
                "openssl rand -base64 24 makes a good one"});
  }
  TokenEntry entry{{std::string(name), How::token, true, words.size() == 2}, registry::sha256_hex(token)};
  for (std::size_t i = 2; i < words.size(); ++i) {
    if (words[i] == "write") {
      entry.principal.may_write = true;
    } else if (words[i] != "read") {
      return tl::unexpected(Problem{"what follows the token is neither read nor write", kForm});
    }
  }
  return entry;
}

core::Expected<std::vector<TokenEntry>> read_tokens(const std::string& path) {
  auto text = read_small_file(path, Privacy::secret);
  if (!text) return core::fail(text.error());
  std::string& secret = *text;
  auto entries = parse_tokens(secret, path);
  OPENSSL_cleanse(secret.data(), secret.size());
  return entries;
}

}  // namespace

core::Expected<std::vector<TokenEntry>> parse_tokens(std::string_view text, const std::string& where) {
  std::vector<TokenEntry> entries;
  std::vector<std::size_t> lines;  // where each entry stands
  std::size_t number = 0;
  const auto problem = [&](std::string_view message, std::string hint = {}) {
    const std::string place = fmt::format("{}:{}", where, number);
    return core::fail(ErrorCode::usage, fmt::format("{}: {}", place, message), std::move(hint), place);
  };
  for (const std::string_view line : core::split(text, '\n')) {
    ++number;
    const auto words = words_of(line);
    if (words.empty()) continue;
    auto entry = parse_line(words);
    if (!entry) return problem(entry.error().message, std::move(entry.error().hint));
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (entries[i].principal.name == entry->principal.name)
        return problem(fmt::format("the name is that of line {}", lines[i]));
      if (entries[i].digest == entry->digest) return problem(fmt::format("the token is that of line {}", lines[i]));
    }
    if (entries.size() == kMostTokens) return problem(fmt::format("at most {} tokens are accepted", kMostTokens));
    entries.push_back(std::move(*entry));
    lines.push_back(number);
  }
  if (entries.empty()) return core::fail(ErrorCode::usage, where + " holds no token", kForm, where);
  return entries;
}

core::Expected<std::unique_ptr<Tokens>> Tokens::load(std::string path) {
  auto entries = read_tokens(path);
  if (!entries) return core::fail(std::move(entries.error()));
  return std::unique_ptr<Tokens>(new Tokens(std::move(path), std::move(*entries)));
}

core::Status Tokens::reload() {
  auto entries = read_tokens(path_);
  if (!entries) return core::fail(std::move(entries.error()));
  entries_.set(std::move(*entries));
  return {};
}

std::optional<Principal> Tokens::find(std::string_view bearer) const {
  const std::string digest = registry::sha256_hex(bearer);
  const auto entries = entries_.get();
  const TokenEntry* found = nullptr;
  for (const TokenEntry& entry : *entries) {
    if (CRYPTO_memcmp(entry.digest.data(), digest.data(), digest.size()) == 0) found = &entry;
  }
  if (found == nullptr) return std::nullopt;
  return found->principal;
}

Authorization parse_authorization(std::optional<std::string_view> header) {
  using Kind = Authorization::Kind;
  if (!header) return {};
  const std::size_t space = std::min(header->find(' '), header->size());
  if (header->empty()) return {Kind::malformed, {}};
  if (core::to_lower(header->substr(0, space)) != "bearer") {
    const bool is_scheme = std::all_of(header->begin(), header->begin() + static_cast<std::ptrdiff_t>(space), is_name_character);
    return {is_scheme && space > 0 ? Kind::absent : Kind::malformed, {}};
  }
  const std::size_t start = header->find_first_not_of(' ', space);
  if (start == std::string_view::npos) return {Kind::malformed, {}};
  const std::string_view token = header->substr(start);
  if (token.size() > kBearerBytes || !std::all_of(token.begin(), token.end(), is_visible)) return {Kind::malformed, {}};
  return {Kind::bearer, token};
}

}  // namespace plumbline::server::access
