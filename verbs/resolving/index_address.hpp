// Where the derived index of a registry is.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "verbs/verb.hpp"

namespace plumbline::verbs {

// --index, else PLUMBLINE_INDEX, else `index` of plumbline.yaml; "" for none, and for "off". The file is asked by the command
// line alone: a server that works for others connects to what its own surroundings name.
[[nodiscard]] std::string index_address(const std::string& root, const Context& context);

// Surroundings in which `--index` was said: the flag is the variable said louder.
using Environment = std::function<std::optional<std::string>(std::string_view)>;
[[nodiscard]] Environment with_index(Environment outer, std::string address);

// The parameter.
[[nodiscard]] Param index_param();

}  // namespace plumbline::verbs
