// "-" where a command takes a path: standard input, kept in a file of its own while the command runs, because what is measured is
// hashed, read and copied.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verbs/environment.hpp"

namespace plumbline::cli {

class StandardInput {
 public:
  // The words with the file in the place of "-", where the verb takes a path. Nothing is read where no word is that. Errors: it
  // is named twice, it is a terminal, it cannot be kept.
  [[nodiscard]] verbs::Status take(const verbs::Verb& verb, std::vector<std::string>& words, const verbs::Context& context);

 private:
  std::optional<verbs::ScratchFolder> folder_;
};

}  // namespace plumbline::cli
