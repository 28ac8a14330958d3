#include "core/privacy.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

#include "core/text.hpp"

namespace plumbline::core {

namespace {

// "wandbAPIKey", "WANDB_API_KEY", "api-key" -> lower-case words.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  std::string word;
  const auto end = [&] {
    if (!word.empty()) words.push_back(to_lower(word));
    word.clear();
  };
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    if (std::isalnum(c) == 0) {
      end();
      continue;
    }
    const bool starts = std::isupper(c) != 0 && i > 0 &&
                        (std::islower(static_cast<unsigned char>(name[i - 1])) != 0 ||
                         (i + 1 < name.size() && std::isupper(static_cast<unsigned char>(name[i - 1])) != 0 &&
                          std::islower(static_cast<unsigned char>(name[i + 1])) != 0));
    if (starts) end();
    word += static_cast<char>(c);
  }
  end();
  return words;
}

template <std::size_t N>
bool among(const std::array<std::string_view, N>& all, std::string_view word) {
  return std::find(all.begin(), all.end(), word) != all.end();
}

// "password_length", "auth_latency_ms", "token_count": measured, or counted, or said about a secret; "num_…", "use_…" too.
bool is_about(const std::vector<std::string>& words) {
  static constexpr auto kLast = std::to_array<std::string_view>(
      {"length", "len",  "size",    "bytes", "count", "counts", "rate",     "throughput", "latency", "time",    "duration",
       "ms",     "us",   "ns",      "s",     "sec",   "secs",   "seconds",  "percent",    "pct",     "hits",    "misses",
       "errors", "type", "enabled", "ttl",   "cost",  "mode",   "failures", "requests",   "method",  "required"});
  static constexpr auto kFirst =
      std::to_array<std::string_view>({"num", "n", "total", "count", "has", "use", "no", "avg", "max"});
  return words.size() > 1 && (among(kLast, words.back()) || among(kFirst, words.front()));
}

}  // namespace

bool names_environment(std::string_view name) {
  static constexpr auto kNames = std::to_array<std::string_view>(
      {"env", "environ", "environment", "environmentvariables", "environmentvariable", "environmentvars", "envvars", "envvar",
       "envvariables", "environvars", "processenv", "processenvironment", "osenviron", "osenv"});
  if (name.size() > 40 || name.empty()) return false;
  constexpr std::string_view kBegin = "eEpPoO_- ";  // of these names, or what is left out of them
  if (kBegin.find(name.front()) == std::string_view::npos) return false;
  std::string joined;
  for (const char c : name) {
    if (c != '_' && c != '-' && c != ' ') joined.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  }
  return among(kNames, joined);
}

NameSays name_says(std::string_view name) {
  static constexpr auto kSecret = std::to_array<std::string_view>(
      {"secret",     "secrets",     "password",      "passwords", "passwd",  "passphrase", "passphrases",
       "credential", "credentials", "authorization", "apikey",    "apikeys", "cookie",     "cookies",
       "bearer",     "dsn",         "webhook",       "webhooks",  "jwt",     "connstr",    "connectionstring"});
  static constexpr auto kKeyOwners = std::to_array<std::string_view>(
      {"api",          "access", "private", "secret", "ssh", "signing", "encryption", "auth", "account", "storage",
       "subscription", "deploy", "gpg",     "pgp",    "ssl", "tls",     "rsa",        "hmac", "s3",      "license"});
  // "per_token", "first_token", "eos_token": one of many tokens, or a text of a tokenizer.
  static constexpr auto kTokenOwners = std::to_array<std::string_view>(
      {"per",  "first",   "second",  "next", "last",  "output", "input", "prompt", "generated", "inter",
       "each", "decode",  "prefill", "eos",  "bos",   "pad",    "unk",   "mask",   "sep",       "cls",
       "stop", "special", "begin",   "end",  "image", "audio",  "video", "draft"});
  if (name.size() > 200) return NameSays::nothing;
  const std::vector<std::string> words = words_of(name);
  if (words.empty() || is_about(words)) return NameSays::nothing;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool last = i + 1 == words.size();
    if (among(kSecret, word)) return NameSays::secret;
    if (i > 0 && (word == "key" || word == "keys") && among(kKeyOwners, words[i - 1])) return NameSays::secret;
    if (i > 0 && word == "string" && words[i - 1] == "connection") return NameSays::secret;
    if (i > 0 && word == "signature" && words[i - 1] == "amz") return NameSays::secret;
    if (word == "pwd" && words.size() > 1) return NameSays::secret;  // alone it is a folder
    if (word == "auth" && (last || words[i + 1] == "header" || words[i + 1] == "string")) return NameSays::token;
    // "hf_token", "api_token", "token": the last word; "token_count" counts something.
    if (word == "token" && last && (i == 0 || !among(kTokenOwners, words[i - 1]))) return NameSays::token;
  }
  if (words.back() == "tokens" || words.back() == "pat") return NameSays::random;
  // A variable of an environment: "MY_KEY". In lower case a key is most often that of a record or a cache.
  const bool lower = std::any_of(name.begin(), name.end(), [](unsigned char c) { return std::islower(c) != 0; });
  return words.size() > 1 && words.back() == "key" && !lower ? NameSays::random : NameSays::nothing;
}

bool sounds_secret(std::string_view name) {
  const NameSays says = name_says(name);
  return says == NameSays::token || says == NameSays::secret;
}

bool looks_random(std::string_view text) {
  constexpr std::size_t kShortest = 16, kMixed = 20;
  constexpr int kChanges = 4;
  std::size_t run = 0;
  int changes = 0;  // between letters and digits
  bool upper = false, lower = false, digit = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool is_digit = std::isdigit(c) != 0;
    if (std::isalnum(c) == 0 && c != '_' && c != '-' && c != '+' && c != '=') {
      run = 0;
      changes = 0;
      upper = lower = digit = false;
      continue;
    }
    if (run > 0 && std::isalnum(c) != 0 && std::isalnum(static_cast<unsigned char>(text[i - 1])) != 0 &&
        is_digit != (std::isdigit(static_cast<unsigned char>(text[i - 1])) != 0)) {
      ++changes;
    }
    ++run;
    upper |= std::isupper(c) != 0;
    lower |= std::islower(c) != 0;
    digit |= is_digit;
    if (run >= kShortest && (changes >= kChanges || (run >= kMixed && upper && lower && digit && changes >= 2))) return true;
  }
  return false;
}

bool is_secret(std::string_view name, std::string_view text) {
  if (text.empty()) return false;
  switch (name_says(name)) {
    case NameSays::secret:
    case NameSays::token:
      return true;
    case NameSays::random:
      return looks_random(text);
    case NameSays::nothing:
      return false;
  }
  return false;
}

bool awaits_secret(std::string_view option) {
  if (option.size() < 2 || option.front() != '-' || option.find('=') != std::string_view::npos) return false;
  while (option.starts_with('-')) option.remove_prefix(1);
  return sounds_secret(option);
}

}  // namespace plumbline::core
