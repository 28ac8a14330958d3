// The JSON Schemas of every file and payload we read or write, embedded at build time from schemas/*.json.
#pragma once

#include <string_view>
#include <vector>

namespace plumbline::schemas {

// By file name without ".json": "plumbline.baseline.v1"; empty when there is none.
[[nodiscard]] std::string_view text(std::string_view name);
[[nodiscard]] std::vector<std::string_view> names();

}  // namespace plumbline::schemas
