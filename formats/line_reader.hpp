// The way through a log whose reader takes it line by line: Reader(RowWriter&, section), line(text) for each, end() once. Where
// the reader says that a line begins another run (begins(text)), the run before is ended and a reader of the next section goes
// on: several runs in one log are rows of their own, never duplicates. A log that gave no row is an error: the reader's kNothing
// and kHint. How such a log is recognised stands beside it. Private to formats/.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "formats/declared_rows.hpp"
#include "formats/readers.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {

// Recognised by one line in the head of which `is_ours(line)` holds; the line is the evidence.
template <class IsOurs>
[[nodiscard]] Detection detect_line(const Input& input, double score, IsOurs is_ours) {
  constexpr std::size_t kShown = 60;
  Detection detection;
  LogLines lines(head_of(input));
  std::string_view line;
  while (lines.next(line)) {
    const std::string_view text = core::trim(line);
    if (!is_ours(text)) continue;
    detection.evidence.push_back("has the line " + core::cited(text.substr(0, kShown)));
    detection.score = score;
    break;
  }
  return detection;
}

template <class Reader>
[[nodiscard]] core::Expected<core::Measurement> read_lines(const Input& input, const ReadOptions& options) {
  RowWriter writer(options);
  std::uint32_t runs = 1;
  std::optional<Reader> reader(std::in_place, writer, runs);
  LogLines lines(input.bytes);
  std::string_view line;
  while (lines.next(line) && !writer.halted()) {
    if (reader->begins(line)) {
      reader->end();
      reader.emplace(writer, ++runs);
    }
    reader->line(line);
  }
  reader->end();
  if (writer.out.rows().empty()) {
    return core::fail(core::ErrorCode::invalid_input, std::string(Reader::kNothing), std::string(Reader::kHint), input.name);
  }
  if (runs > 1) {
    writer.out.warn("repeated_sections", "the log holds " + std::to_string(runs) +
                                             " runs: those behind the first have rows of their own (section=2, …)");
  }
  DeclaredRows::drop_disputed(writer.out);
  return writer.finish(input.name);
}

}  // namespace plumbline::formats
