// The way through a log whose reader takes it line by line: Reader(RowWriter&), line(text) for each, end() once. A log that gave
// no row is an error with these words. Private to formats/.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "formats/readers.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {

template <class Reader>
[[nodiscard]] core::Expected<core::Measurement> read_lines(const Input& input, const ReadOptions& options,
                                                           core::Replication replication, std::string nothing, std::string hint) {
  RowWriter writer(options);
  Reader reader(writer);
  LogLines lines(input.bytes);
  std::string_view line;
  while (lines.next(line) && !writer.halted()) reader.line(line);
  reader.end();
  if (writer.out.rows().empty()) {
    return core::fail(core::ErrorCode::invalid_input, std::move(nothing), std::move(hint), input.name);
  }
  writer.out.replication = replication;
  return writer.finish(input.name);
}

}  // namespace plumbline::formats
