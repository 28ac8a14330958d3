// What stands between a text and its readers, taken off in one place before any of them is asked: UTF-16, byte order marks,
// terminal colours, and what launchers put before every line (mpirun, srun, Hydra, torchrun, pdsh, Kubernetes, …, one behind the
// other too). Several tasks in one text are warned of. The number of lines stays, so that places in messages are those of the
// file. Also the JSON that a log holds between its other lines. Private to formats/.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/measurement.hpp"

namespace plumbline::formats {

// A line without "[1,0]<stdout>:" of mpirun, "0: " of srun -l, "2026-01-31T10:00:00.123456789Z " of Kubernetes, with the
// "stdout F " of its container runtime.
[[nodiscard]] std::string_view without_launcher(std::string_view line);
// A line without the escape sequences of colours; appended to `plain`.
void append_without_colours(std::string& plain, std::string_view line);

struct PlainText {
  std::string own;  // the text when it had to be rewritten,
  bool rewritten = false;
  std::size_t skip = 0;  // else what is passed over at its beginning
  std::vector<std::string> evidence;
  std::vector<core::Warning> warnings;

  [[nodiscard]] std::string_view of(std::string_view bytes) const {
    return rewritten ? std::string_view(own) : bytes.substr(skip);
  }
};
// Nothing when the text is plain as it stands.
[[nodiscard]] std::optional<PlainText> plain_text(std::string_view bytes);
// "UTF-16LE" or "UTF-16BE" where the bytes are that; else empty.
[[nodiscard]] std::string_view utf16_kind(std::string_view bytes);

// The objects and arrays of a log, each starting a line and ending one; the other lines are blanked. Nothing when there is none.
struct EmbeddedJson {
  std::string text;
  std::size_t values = 0, first_line = 0, last_line = 0, other_lines = 0;
};
[[nodiscard]] std::optional<EmbeddedJson> embedded_json(std::string_view text);

}  // namespace plumbline::formats
