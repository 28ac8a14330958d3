// A JSON value as Python's json.dumps(sort_keys=True, separators=(",", ":")) writes it after json.loads: what some tools hash.
// Of keys that stand twice the last counts, integers keep all their digits, floats are Python's.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "formats/json/document.hpp"

namespace plumbline::systems::inferencebench {

// Members by name, each value rendered already. Names are UTF-8, whose byte order is that of the code points.
using PythonObject = std::map<std::string, std::string>;
[[nodiscard]] std::string python_object(const PythonObject& members);
[[nodiscard]] std::string python_text(std::string_view text);  // a string with its quotes, all ASCII

// Depth is bounded by the parser's.
[[nodiscard]] std::string python_canonical(const formats::json::Value& value);

}  // namespace plumbline::systems::inferencebench
