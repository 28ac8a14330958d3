// Values of dimensions as people say them.
#pragma once

#include <string>
#include <string_view>

namespace plumbline::core {

// Of a dimension of bytes (size, bytes, message_size, …) a whole number of a binary unit as that: "1 GiB" for 1073741824; any
// other value as it is.
[[nodiscard]] std::string dimension_value_text(std::string_view dimension, std::string_view value);

}  // namespace plumbline::core
