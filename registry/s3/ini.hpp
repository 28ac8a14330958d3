// ~/.aws/config and ~/.aws/credentials: sections of NAME = VALUE. Internal to this room.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace plumbline::registry::s3 {

using Section = std::map<std::string, std::string, std::less<>>;  // names in lower case
// Sections by their names without "profile ". Lines that are no setting, and settings inside settings, are passed over.
[[nodiscard]] std::map<std::string, Section, std::less<>> read_ini(std::string_view text);

}  // namespace plumbline::registry::s3
