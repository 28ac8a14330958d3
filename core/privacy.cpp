#include "core/privacy.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
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

}  // namespace

bool names_environment(std::string_view name) {
  const std::string lower = to_lower(name);
  return lower == "env" || lower == "environ" || lower == "environment" || lower == "environment_variables";
}

bool sounds_secret(std::string_view name) {
  static constexpr std::array<std::string_view, 10> kWords = {"secret",      "secrets",       "password", "passwd", "credential",
                                                              "credentials", "authorization", "apikey",   "cookie", "bearer"};
  static constexpr std::array<std::string_view, 4> kKeyOwners = {"api", "access", "private", "secret"};
  const std::vector<std::string> words = words_of(name);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (std::find(kWords.begin(), kWords.end(), words[i]) != kWords.end()) return true;
    if (words[i] == "key" && i > 0 && std::find(kKeyOwners.begin(), kKeyOwners.end(), words[i - 1]) != kKeyOwners.end())
      return true;
    // "hf_token", "api_token", "token": the last word; "token_count", "per_token_ms" count something.
    if (words[i] == "token" && i + 1 == words.size()) {
      const bool counted_per =
          i > 0 && (words[i - 1] == "per" || words[i - 1] == "first" || words[i - 1] == "output" || words[i - 1] == "inter");
      if (!counted_per) return true;
    }
  }
  return false;
}

}  // namespace plumbline::core
