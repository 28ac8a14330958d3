// What killed readers and writers leave in the copy on this machine. Internal to this room.
#pragma once

#include <string>

namespace plumbline::registry::s3 {

// Removes what is older than a day: files on their way (.coming/), and stagings (.tmp-…) in the folders of lines. Of this user's
// alone; what cannot be removed stays.
void sweep_copy(const std::string& copy);

}  // namespace plumbline::registry::s3
