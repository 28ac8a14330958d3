// What the words of a command name of this machine: files and folders to hand over, reports to bring back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "verbs/verb.hpp"

namespace plumbline::cli {

struct LocalFile {
  std::string name;  // "client:/home/me/x.json"
  std::string path;
  std::uint64_t bytes = 0;
};
struct LocalFiles {
  std::vector<std::string> words;    // of the command, with names for paths
  std::vector<std::string> folders;  // their names
  std::vector<LocalFile> files;      // those in folders, too
  std::vector<LocalFile> reports;    // to be written
};
// `arguments`: what the words were read as. Errors: what is written here and cannot come from a server, keys.
[[nodiscard]] verbs::Expected<LocalFiles> local_files(const verbs::Verb& verb, const std::vector<std::string>& words,
                                                      const verbs::Arguments& arguments, const verbs::Context& context);

}  // namespace plumbline::cli
