// Whether a server keeps the condition that everything here rests on: of many writers that make one object at once, one wins.
// Internal to this room.
#pragma once

#include <string>

#include "registry/s3/client.hpp"

namespace plumbline::registry::s3 {

// Asked before the first thing is made, by sixteen writers at once; what came out is kept for a day in the folder `copy`. The
// error says what kind of server it seems to be, and nothing has been made then but the probe's own object, which is removed.
[[nodiscard]] core::Status check_bucket(Client& client, const std::string& copy);

}  // namespace plumbline::registry::s3
