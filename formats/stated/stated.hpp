// The two functions of every stated format (statement.hpp), and the account of what they took of a text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats::stated {

// What was taken of a log, line by line, or of JSON, path by path: what `inspect --explain` shows.
struct Account {
  struct Taken {
    std::size_t line = 0;  // from 1
    std::string by;        // the statement's line, "table" or "matrix"
  };
  std::vector<Taken> lines;
  std::vector<std::string> paths;
};

// The head of the file, or for records the outline of its JSON.
[[nodiscard]] Detection detect(const Statement& statement, const Input& input);
// Error (invalid_input) where no row was found, with the statement's words; for JSON it is kOtherStructure, so that the next
// format is tried. Error (invalid_input) also for a statement that cannot be read: a line without the end of a hole.
[[nodiscard]] core::Expected<core::Measurement> read(const Statement& statement, const Input& input, const ReadOptions& options,
                                                     Account* account = nullptr);

// What is wrong with a statement, "" for nothing: a line, a path or a column of a field that is not there, a hole without an end.
[[nodiscard]] std::string fault_of(const Statement& statement);

}  // namespace plumbline::formats::stated
