// Tools whose output is known by its banner and has no reader here. Readers of any text or table would take its settings for
// results, so what they make of it is refused, unless the caller names the format. Private to formats/.
#pragma once

#include <string_view>

namespace plumbline::formats {

struct KnownTool {
  std::string_view name;     // as its users call it
  std::string_view starts;   // what one of its lines begins with, blanks aside; "" for any line
  std::string_view holds;    // what stands anywhere in the head as well; may be empty
  std::string_view instead;  // what its user can do; may be empty
};

// The tool that the head of a text shows by its banner; null for all others.
[[nodiscard]] const KnownTool* known_tool(std::string_view head);

}  // namespace plumbline::formats
