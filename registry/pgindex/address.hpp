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
// By a network, and not by a socket or the machine's own address.
[[nodiscard]] bool leaves_machine(std::string_view address);
// Whoever answers there has to prove that he is the one that is named.
[[nodiscard]] bool verifies_server(std::string_view address);
// The same address, for which PGPASSWORD does not count: the user's password file names the server that a password is for.
[[nodiscard]] std::string without_surrounding_password(const std::string& address);
// What libpq or a server said, without what they cited of the address.
[[nodiscard]] std::string without_password(std::string message, std::string_view address);

}  // namespace plumbline::registry::pgindex
