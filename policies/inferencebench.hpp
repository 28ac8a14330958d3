// See policies/inferencebench.cpp; reached through the table (policies/native.hpp).
#pragma once

#include "policies/native.hpp"

namespace plumbline::policies {

[[nodiscard]] NativeSystem inferencebench_system();

}  // namespace plumbline::policies
