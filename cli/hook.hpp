// A command of the caller's own that a verb asked to have run after its answer (verbs::Hook). Only the command line runs any.
#pragma once

#include <atomic>
#include <string>

#include "verbs/verb.hpp"

namespace plumbline::cli {

// Runs it for at most a minute, and gives what is to be said on standard error: what it printed, and a warning where it failed.
// What it does changes no exit status.
[[nodiscard]] std::string run_hook(const verbs::Hook& hook, const std::atomic<bool>* stop);

}  // namespace plumbline::cli
