// The few elements of S3's answers that are asked for. Bounded by the answer's own size; what is not well formed has no elements.
// Internal to this room.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::registry::s3 {

// The text of the first element of that name, entities resolved; nullopt where there is none.
[[nodiscard]] std::optional<std::string> element(std::string_view xml, std::string_view name);
// What stands in each element of that name, as it is.
[[nodiscard]] std::vector<std::string_view> elements(std::string_view xml, std::string_view name);

}  // namespace plumbline::registry::s3
