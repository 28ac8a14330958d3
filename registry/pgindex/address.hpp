// Where a derived index is: postgresql://[USER@]HOST[:PORT]/DATABASE[?…], as libpq reads it.
#pragma once

#include <string>
#include <string_view>

#include "core/error.hpp"

namespace plumbline::registry::pgindex {

// Error usage for what is no such address; `where` names the flag, the variable or the line that it stands in.
[[nodiscard]] core::Status check_address(std::string_view address, std::string_view where);
// In the user's part or as a parameter.
[[nodiscard]] bool has_password(std::string_view address);
// Without passwords, for everything that anybody reads.
[[nodiscard]] std::string shown_address(std::string_view address);
// What libpq or a server said, without what they cited of the address.
[[nodiscard]] std::string without_password(std::string message, std::string_view address);

}  // namespace plumbline::registry::pgindex
