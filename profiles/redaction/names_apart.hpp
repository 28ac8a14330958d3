// Names that lost their secrets, and how two of them stay two. What is cleaned away: secrets (core/privacy.hpp), the values of
// texts that are variables of an environment ("AWS_PROFILE=x", not "BATCH_SIZE=8"), whole command lines ("/usr/bin/python3 a.py
// --fast"). Names that then read the same are told apart by a number ("X", "X #2"), given in the order of what the names were.
// What a redacted copy of a capture says and what a reader shows of the original is numbered here, in one way: the numbers stand
// close, so that any selection of the names (one domain, one device) gets the same ones from the copy as from the original.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/privacy.hpp"

namespace plumbline::profiles {

// Whether a text is one variable of an environment: "SSH_CONNECTION=10.0.0.1 22". Settings with numbers ("BATCH_SIZE=8") are not,
// nor is one whose value is redacted already.
[[nodiscard]] bool is_environment_variable(std::string_view text);
[[nodiscard]] bool is_command_line(std::string_view text);

class NameCleaner {
 public:
  // The name without what must not come out; nullopt when it has none of it.
  [[nodiscard]] std::optional<std::string> clean(std::string_view name);

 private:
  core::SecretFinder finder_;
};

class NamesApart {
 public:
  // Each name once or often. True: something is cleaned away.
  bool add(std::string_view name);
  // The same for a name that is known to be left as `clean`, which may be the name itself.
  void add(std::string_view name, std::string_view clean);
  void settle();  // after the last
  // The name to show; nullptr for one that stays as it is.
  [[nodiscard]] const std::string* find(std::string_view name) const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::unordered_map<std::string, std::string, Hash, std::equal_to<>> shown_;  // by name; until settle() what is left of it
  NameCleaner cleaner_;
};

// Texts of one kind that are not plain, each under a number of its own: "[redacted]", "[redacted] #2".
class Aliases {
 public:
  const std::string& of(const std::string& text);

 private:
  std::unordered_map<std::string, std::string> given_;
};

}  // namespace plumbline::profiles
