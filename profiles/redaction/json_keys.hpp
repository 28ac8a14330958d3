// What of a JSON capture a redacted copy holds: the members named here and no others, and what becomes of a text under each.
// Numbers, true, false and null stay.
#pragma once

#include <cstdint>
#include <string_view>

#include "profiles/readers/readers.hpp"

namespace plumbline::profiles {

enum class JsonRule : std::uint8_t {
  number,    // "7" stays, other texts do not
  name,      // of an event, kernel, call or range: stays, cleaned
  plain,     // stays where it is made of numbers and known words (plain_words.hpp)
  letter,    // one letter
  category,  // of an event
  id,        // of a process or thread: another text in the place of one that is not plain, one for each
  group,     // the same for a group of ranks
  collective,
  dtype,
  row,      // the name of a process or thread: what says device, stream or host
  details,  // "grid:2,1,1 block:128,1,1"
  memory,   // "pageable"
};

struct JsonKeys;
struct JsonKey {
  std::string_view name;
  JsonRule text = JsonRule::number;
  const JsonKeys* inside = nullptr;  // of objects below it, arrays between or not; null: no members
};
struct JsonKeys {
  const JsonKey* (*find)(std::string_view key);
};

enum class JsonCapture : std::uint8_t { trace_events, rocprof, nsys_stats };
struct JsonRoot {
  const JsonKeys* object;   // members of the text, where it is an object
  const JsonKeys* element;  // of its elements, where it is an array
};
[[nodiscard]] JsonRoot json_keys(JsonCapture capture);
// A key that is known and not kept, for the report; a stranger's key is never named.
[[nodiscard]] std::string_view known_key(std::string_view key);
[[nodiscard]] bool is_known_category(std::string_view text);
[[nodiscard]] bool is_known_dtype(std::string_view text);

}  // namespace plumbline::profiles
