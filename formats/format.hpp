// Bytes that somebody's tool wrote -> core::Measurement. One file per tool (formats/<group>/<tool>.cpp), one line in
// formats/list.inc, one fixture; docs/formats/ is written from the formats' own words. Detection is by content, with evidence;
// nothing here opens a file: inputs are bytes with a name, so whoever reads decides what may be opened.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "configs/configs.hpp"
#include "core/error.hpp"
#include "core/measurement.hpp"

namespace plumbline::formats {

class JsonOutline;
class ParsedAhead;
struct Format;
namespace stated {
struct Statement;
}

// One file per tool defines its Format; formats/list.inc names them all.
[[nodiscard]] std::span<const Format* const> table();
// This table and one of another room (systems/table.hpp), in this order.
[[nodiscard]] std::vector<const Format*> joined(std::span<const Format* const> table, std::span<const Format* const> more);

// One file, or a folder (files non-empty or is_directory; names are relative paths with '/').
struct Input {
  std::string name;        // as the user named it: for messages and the extension hint
  std::string_view bytes;  // a file's content
  bool is_directory = false;
  struct File {
    std::string name;
    std::string_view bytes;
  };
  std::vector<File> files = {};          // of a folder, sorted by name
  const JsonOutline* outline = nullptr;  // of the bytes, made once for all that detect(); not kept
  ParsedAhead* ahead = nullptr;          // what was parsed of the bytes already; whoever opened them keeps it
};

struct ReadOptions {
  std::span<const Format* const> formats = table();   // those to tell apart, for a folder's files too; of ties the first wins
  std::string format;                                 // force this one ("" = detect)
  std::shared_ptr<core::StringPool> pool;             // shared by both sides of a comparison; made when null
  std::shared_ptr<const configs::MetricNames> names;  // what names say; the embedded rules when null
  std::uint32_t max_depth = 512;
  std::uint64_t max_rows = 50'000'000;
  std::function<bool()> stop;  // cancellation
  // The form of the capture that unpacked bytes are, "" for all else: only whoever opens files can tell (intake/). May be empty.
  std::function<std::string(std::string_view bytes)> capture_form;
  bool allow_no_numbers = false;  // rows without a single number (null, text, empty) are a result, not an error
  // What a measurement is told as beside its rows (systems/table.hpp), asked right after its reader; may be null.
  void (*retell)(core::Measurement& measurement, const Format& format, const Input& input) = nullptr;
};

struct Detection {
  double score = 0;  // 0..1; 0 = certainly not
  std::vector<std::string> evidence;
};

// One way to recognise a text: all of these are there, as words of its head or as paths of its JSON ("results/command", arrays on
// the way are passed through).
struct Sign {
  enum class In : std::uint8_t {
    head,    // words of the first 64 KiB
    tail,    // or of the last: where a log ends with its results
    object,  // paths of JSON that begins with a brace
    array,   // of JSON that begins with a bracket
    json,    // of either
    body,    // of JSON behind whatever lines
  };
  In in = In::head;
  double score = 0;
  std::array<std::string_view, 5> all = {};
};

// The kind of tool that writes a format: the folder of its reader, and its page of docs/formats/.
enum class Group : std::uint8_t { generic, serving, training, harness, hardware, load, system, ci, other_systems };

struct GroupAbout {
  Group group;
  std::string_view name;   // "other-systems": what the page is called
  std::string_view title;  // "baselines and results of other systems"
};
[[nodiscard]] std::span<const GroupAbout> groups();  // in the order of docs/formats.md, and of the enumerators
[[nodiscard]] const GroupAbout& about(Group group);

// What `plumbline formats` and docs/formats/ say of a format; a phrase each, no full stop.
struct About {
  Group group = Group::generic;
  std::string_view file = {};        // what kind of file: "JSON", "text, CSV"
  std::string_view produce = {};     // the commands that write such a file, one a line; a line of words begins with "# "
  std::string_view judged = {};      // metrics with units and directions, and which are gates
  std::string_view key = {};         // what tells points apart
  std::string_view trials = {};      // what repeats; "one value a key" when nothing does
  std::string_view context = {};     // descriptor fields that are taken
  std::string_view limits = {};      // what the file cannot show, and what is left out; may be empty
  std::string_view recognised = {};  // by what content
};

struct Format {
  std::string_view name;                                       // "generic-json"
  std::string_view title;                                      // "JSON of any depth"
  core::Replication replication = core::Replication::unknown;  // what a measurement has whose reader says nothing of it
  std::array<Sign, 5> signs = {};                              // in place of detect: the first that holds
  Detection (*detect)(const Input& input) = nullptr;           // must be cheap: the head (up to 64 KiB), the outline, the name
  core::Expected<core::Measurement> (*read)(const Input& input, const ReadOptions& options) = nullptr;
  About about = {};
  const stated::Statement* statement =
      nullptr;               // in place of detect and read: what the tool writes, as data (stated/statement.hpp)
  bool doubts_tail = false;  // finds by itself what the end of a text without a line feed may have cut (formats/tail.hpp)
};

// What the format's own functions say, or its statement.
[[nodiscard]] Detection detect_as(const Format& format, const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_as(const Format& format, const Input& input, const ReadOptions& options);

// The winner, the runner-up and why. Error (invalid_input) when nothing fits, naming what was seen and what is understood.
struct Detected {
  const Format* format = nullptr;
  core::FormatInfo info;
};
[[nodiscard]] core::Expected<Detected> detect(const Input& input, std::span<const Format* const> formats = table());

// Detect (or take options.format) and read. The Measurement carries format, shape, warnings and context. A measurement
// without a single number is an error (invalid_input) that says what was found instead, unless the options allow it.
[[nodiscard]] core::Expected<core::Measurement> read(const Input& input, const ReadOptions& options);

}  // namespace plumbline::formats
