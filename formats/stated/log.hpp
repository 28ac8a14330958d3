// The lines, tables and matrices of a statement, read from a text line by line. Private to formats/stated.
#pragma once

#include "formats/stated/stated.hpp"

namespace plumbline::formats::stated {

[[nodiscard]] core::Expected<core::Measurement> read_log(const Statement& statement, const Input& input,
                                                         const ReadOptions& options, Account* account);
// The records of a statement, read from JSON (records.cpp).
[[nodiscard]] core::Expected<core::Measurement> read_records(const Statement& statement, const Input& input,
                                                             const ReadOptions& options, Account* account);

}  // namespace plumbline::formats::stated
