// Fuzzers that give their bytes to every reader of a table: `--only=NAME` keeps to one of them, `--list` names them (libFuzzer
// leaves arguments with two dashes alone). scripts/fuzz runs NAME/READER and NAME/all with these.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::fuzz {

inline std::string& only() {
  static std::string name;
  return name;
}

inline bool is_asked(std::string_view reader) { return only().empty() || reader == only(); }

inline void take_arguments(int argc, char** argv, const std::vector<std::string_view>& readers) {
  constexpr std::string_view kOnly = "--only=";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--list") {
      for (const std::string_view reader : readers) std::printf("%.*s\n", static_cast<int>(reader.size()), reader.data());
      std::exit(0);
    }
    if (argument.starts_with(kOnly)) only() = argument.substr(kOnly.size());
  }
}

}  // namespace plumbline::fuzz
