// Edits one member of a JSON text and leaves every other byte as it is: the order of keys, indentation, line ends, comments.
// Reads what editors read: JSON with comments and trailing commas, nested at most 200 deep. Pure. Every error names the line;
// an edit that would lose a comment, or that could mean two things, is an error and never a guess.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/error.hpp"

namespace plumbline::cli {

using JsonPath = std::span<const std::string>;

// The member's value as plain JSON (comments and trailing commas taken out); nullopt when it, or an object on the way to it,
// is not there. A blank text is an empty object.
[[nodiscard]] core::Expected<std::optional<std::string>> json_member(std::string_view text, JsonPath path);
// Puts `value` (JSON) there, in place of what is there; objects on the way to it are made.
[[nodiscard]] core::Expected<std::string> with_json_member(std::string_view text, JsonPath path, std::string_view value);
// Takes the member out; the text itself when it is not there.
[[nodiscard]] core::Expected<std::string> without_json_member(std::string_view text, JsonPath path);
// Error when the text has a trailing comma, or a comment that is not allowed: what stricter readers do not accept.
[[nodiscard]] core::Status check_strict_json(std::string_view text, bool comments_allowed);

}  // namespace plumbline::cli
