// A client's configuration file: somebody else's, so it is read whole, kept beside itself before it is changed, and replaced in
// one step with its mode and owner. A symbolic link stays one: the file that it leads to is replaced.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/error.hpp"

namespace plumbline::cli {

struct ConfigFile {
  std::string path;    // as asked for
  std::string target;  // links resolved
  bool exists = false;
  std::string text;
  std::uint32_t mode = 0, owner = 0, group = 0;
  std::uint64_t inode = 0;
  std::int64_t changed_ns = 0;
};

// A file that is not there is an empty one. Errors: not a regular file, over 16 MiB, not UTF-8, a link that leads nowhere.
[[nodiscard]] core::Expected<ConfigFile> read_config(const std::string& path);

// Writes `text` in place of what was read, after a copy of that has gone to PATH.bak-YYYYMMDDTHHMMSSZ (with -2, -3 … when taken),
// whose path is the answer; "" when there was no file. Missing folders are made. `private_file`: only the owner may read a new
// one. Error when the file is not as it was read.
[[nodiscard]] core::Expected<std::string> replace_config(const ConfigFile& file, std::string_view text, bool private_file,
                                                         std::chrono::system_clock::time_point now);

// What the change does, in the manner of `diff -U0`. Lines that only gain or lose an end (a comma) show that end alone: what
// stands beside our entry may be a secret.
[[nodiscard]] std::string change_text(std::string_view path, std::string_view before, std::string_view after);

}  // namespace plumbline::cli
