// What must not come out again. Names that must not carry their values into any output (environments of processes, fields that
// sound like secrets), and the one rule for texts: secrets inside commands, addresses, headers and settings are told by where
// they stand ("--token X", "https://u:X@host", "Authorization: Bearer X") or by their own shape ("ghp_…", "eyJ…").
// Counts and rates of tokens are measurements, not secrets. Everything here is deterministic: both sides of a comparison lose
// the same characters.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plumbline::core {

// Stands where a secret stood.
inline constexpr std::string_view kRedacted = "[redacted]";

// "env", "environ", "environment", "environment_variables", "env_vars", "processEnv", in any case.
[[nodiscard]] bool names_environment(std::string_view name);

// What a name says about a text beside it.
enum class NameSays : std::uint8_t {
  nothing,
  random,  // "MY_KEY", "tokens", "pat": a secret when the text looks drawn by chance
  token,   // "hf_token", "auth": a secret, but a short number is an index or a count
  secret   // "password", "api_key", "webhook"
};
[[nodiscard]] NameSays name_says(std::string_view name);
// The last two of these. "tokens", "token_count", "tok_per_s", "password_length" and the like do not.
[[nodiscard]] bool sounds_secret(std::string_view name);
// Sixteen and more letters and digits in a row, mixed as no word is.
[[nodiscard]] bool looks_random(std::string_view text);
// Whether this text under this name is a secret.
[[nodiscard]] bool is_secret(std::string_view name, std::string_view text);
// "--token", "-u": the word behind it is a secret (as of "user:secret"). What an argument list has as elements of their own.
[[nodiscard]] bool awaits_secret(std::string_view option);

// Finds secrets in texts; remembers what it found out about names, so use one for many texts. Not thread-safe.
class SecretFinder {
 public:
  struct Range {
    std::size_t begin = 0, end = 0;
  };
  // The next secret that begins at or behind `from`.
  [[nodiscard]] std::optional<Range> next(std::string_view text, std::size_t from = 0);
  // The text with [redacted] in the place of each; nullopt when there is none.
  [[nodiscard]] std::optional<std::string> scrubbed(std::string_view text);
  // Whether a text whose only signs are equals signs (secret_signs()) certainly holds no secret: what stands before them is known
  // to say nothing. Quick for texts like "[size=1,dtype=half].time", one after another. False says nothing.
  [[nodiscard]] bool only_settings(std::string_view text);

 private:
  struct Known {
    std::string name;
    NameSays says = NameSays::nothing;
  };
  NameSays says(std::string_view name);
  std::optional<Range> after_equals(std::string_view text, std::size_t at);
  std::optional<Range> after_colon(std::string_view text, std::size_t at);
  std::optional<Range> after_word(std::string_view text, std::size_t at);

  std::array<Known, 128> known_;          // by a hash of the name
  std::array<std::string, 16> settings_;  // the harmless name before the first equals sign of a text, the second, …
};

// False when certainly nothing in the text is a secret; several texts may be asked at once, one behind the other. Cheap.
[[nodiscard]] bool may_hold_secret(std::string_view text);
// The same, and whether the signs are nothing but equals signs.
enum class SecretSigns : std::uint8_t { none, equals, others };
[[nodiscard]] SecretSigns secret_signs(std::string_view text);
[[nodiscard]] std::string without_secrets(std::string_view text);

}  // namespace plumbline::core
