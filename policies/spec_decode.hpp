// See policies/spec_decode.cpp; reached through the table (policies/native.hpp).
#pragma once

#include "policies/native.hpp"

namespace plumbline::policies {

[[nodiscard]] NativeSystem spec_decode_system();

}  // namespace plumbline::policies
