// Tools whose output has no reader here, and why: what docs/formats.md and `plumbline formats` say of them. Those that are known
// by a banner are refused by readers of any text or table, which would take settings for results, unless the caller names the
// format. Private to formats/ and to who lists formats.
#pragma once

#include <span>
#include <string_view>

namespace plumbline::formats {

struct KnownTool {
  std::string_view name;     // as its users call it
  std::string_view starts;   // what one of its lines begins with, blanks aside; "" for any line
  std::string_view holds;    // what stands anywhere in the head as well; both empty: it is not recognised
  std::string_view instead;  // what its user can do; may be empty
  std::string_view why;      // why it is not read; a phrase, no full stop
  bool compares = false;     // prints two runs side by side, which are no measurement
};

[[nodiscard]] std::span<const KnownTool> known_tools();
// The tool that the head of a text shows by its banner; null for all others.
[[nodiscard]] const KnownTool* known_tool(std::string_view head);

}  // namespace plumbline::formats
