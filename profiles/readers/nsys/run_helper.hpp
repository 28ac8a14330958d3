// Runs a helper program: absolute path, its own argument list, no shell, its own process group; output of both kinds is
// kept up to a bound for messages. Ends the whole group when the time is up or the caller asks to stop.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/error.hpp"

namespace plumbline::profiles {

struct HelperResult {
  int status = 0;      // exit status, or 128 + signal
  std::string output;  // the last 4 KiB of what it said
  bool timed_out = false;
  bool stopped = false;
};

[[nodiscard]] core::Expected<HelperResult> run_helper(const std::vector<std::string>& arguments, std::uint32_t timeout_s,
                                                      const std::function<bool()>& stop);

}  // namespace plumbline::profiles
