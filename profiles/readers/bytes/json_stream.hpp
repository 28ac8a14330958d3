// A JSON text of any size from a ByteSource, handed over in values that its reader asked for, with memory for a window and the
// largest value only. The reader says for each container what to do with it: pass over, enter (and be asked about what is
// inside), take whole, or take element by element. Cuts between windows follow the structure, so a text of one line streams as
// well as a printed one.
//
// Traces are not always JSON. Raw control characters, bytes that are not UTF-8, repeated keys, trailing commas and unclosed ends
// are passed on or over. An element that is no object inside (a stray quote turns strings inside out) is counted, and reading
// goes on with the next thing that looks like an element's beginning. The text may end anywhere: what was whole was delivered.
// One thread; no recursion.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "profiles/readers/bytes/byte_source.hpp"
#include "profiles/readers/bytes/json_text.hpp"

namespace plumbline::profiles {

class JsonReader {
 public:
  enum class How : std::uint8_t { skip, enter, whole, each };  // each: whole, for every element of the array
  struct Take {
    How how = How::skip;
    int tag = 0;  // comes back with the values
  };
  enum class Answer : std::uint8_t { go_on, malformed, stop };  // malformed: not what it should be inside; counted

  JsonReader() = default;
  JsonReader(const JsonReader&) = delete;
  JsonReader& operator=(const JsonReader&) = delete;
  virtual ~JsonReader() = default;
  // What to do with a value. `path` are the keys from the root, "" for an element of an array; for the root it is empty.
  [[nodiscard]] virtual Take take(std::span<const std::string> path, JsonKind kind) = 0;
  // A value that was asked for. It and `text` stand until the return.
  [[nodiscard]] virtual Answer value(int tag, std::string_view key, const JsonText& text, const JsonValue& value) = 0;
};

struct JsonEnd {
  bool cut = false;             // the text ended inside something
  bool open_array = false;      // only the array that the text is lacked its bracket, behind a whole element
  bool stopped = false;         // by the reader
  std::uint64_t malformed = 0;  // elements
  std::uint64_t oversized = 0;  // values larger than a value may be, passed over
  ByteSource::Ending source;
};

struct JsonBounds {
  std::size_t window = std::size_t{256} << 10U;
  std::size_t value = std::size_t{16} << 20U;         // of a value that is taken
  std::size_t depth = 64;                             // of containers entered
  std::uint64_t text = UINT64_MAX;                    // read so much, then end as if the text did
  std::uint64_t malformed = 10'000;                   // more make the text useless
  std::function<bool()> stop;                         // asked every window
  std::function<void(std::uint64_t taken)> progress;  // bytes of the file, every window
};

// Errors: of the source; invalid_input for a text that is neither object nor array, and for more malformed elements than
// bounds allow; cancelled.
[[nodiscard]] core::Expected<JsonEnd> stream_json(ByteSource& source, JsonReader& reader, const JsonBounds& bounds = {});

}  // namespace plumbline::profiles
