// A path -> the bytes of a measurement, or a capture. The one place that tells which: by the table of captures (profiles/), and
// for all that is none by the joined table of formats (known_formats.hpp). Nothing else looks into a file to find out.
#pragma once

#include <future>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/error.hpp"
#include "formats/format.hpp"
#include "profiles/profile.hpp"
#include "registry/files.hpp"

namespace plumbline::intake {

struct Measured {
  std::vector<registry::Bytes> bytes;           // one per file
  formats::Input input;                         // views into bytes; of a folder without the captures in it
  std::vector<std::string> captures;            // of a folder, one per file: the form of a capture that it is, "" = none
  std::shared_ptr<formats::ParsedAhead> ahead;  // the input's
};
struct Capture {  // left on disk: its readers map what they need
  std::string form;
};

struct Opened {
  registry::Source source;  // what it stands for: of a folder that holds one capture and nothing else, that capture
  std::variant<Measured, Capture> content;

  [[nodiscard]] bool is_capture() const { return std::holds_alternative<Capture>(content); }
  // Of a measurement; an input without bytes for a capture.
  [[nodiscard]] const formats::Input& input() const;
  [[nodiscard]] const std::vector<registry::Bytes>& bytes() const;
  [[nodiscard]] const std::vector<std::string>& captures() const;  // among the files of a folder
};

// Within the limits: what lies outside, is too large or is no file is the error of registry::open_source.
[[nodiscard]] core::Expected<Opened> open(const std::string& path, const registry::PathLimits& limits);

// The source as `open` takes it, not read: what is hashed, copied and handed to the readers of captures.
[[nodiscard]] core::Expected<registry::Source> locate(const std::string& path, const registry::PathLimits& limits);
[[nodiscard]] bool is_capture(const std::string& path, const registry::PathLimits& limits);

// How the readers of captures open what they read: under the same confinement; empty without one.
[[nodiscard]] profiles::Opener capture_opener(const registry::PathLimits& limits);

// SHA-256 of what was opened: a file's bytes, or the reference tool's digest of a folder. Not for captures (left on disk).
[[nodiscard]] std::string digest_of(const Opened& opened);
// The same while the caller reads it: of a large source on another thread, of a small one when it is asked for. `opened` must
// stay as it is until then.
[[nodiscard]] std::future<std::string> digest_meanwhile(const Opened& opened);

}  // namespace plumbline::intake
