// JSON as the registry reads it: bounded depth, no key twice in one object, no number beyond double. Internal.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/error.hpp"

namespace plumbline::registry {

// nlohmann::json behind a pointer would cost every reader an indirection; the .cpp files that include this include json.hpp.
// `raw_value` gets the exact text of a top-level number "value" that no 64-bit integer holds.
// The error's message says what is wrong with the text; the caller says with which file.
[[nodiscard]] core::Expected<nlohmann::json> parse_json(std::string_view text, std::string* raw_value = nullptr);

[[nodiscard]] std::string text_or_empty(const nlohmann::json& object, const char* name);
[[nodiscard]] std::optional<std::string> text_of(const nlohmann::json& object, const char* name);
[[nodiscard]] std::optional<double> number_of(const nlohmann::json& object, const char* name);
[[nodiscard]] std::uint64_t count_of(const nlohmann::json& object, const char* name, std::uint64_t otherwise);

}  // namespace plumbline::registry
