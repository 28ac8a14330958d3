// What a call of the operating system waits for, told by its name as profilers write it ("pthread_mutex_lock", "read", "poll").
// Pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace plumbline::profiles {

// lock: another thread of the program, which holds a lock or has to signal; io: files, sockets, or events of either.
enum class OsWait : std::uint8_t { none, lock, io };

[[nodiscard]] OsWait os_wait(std::string_view name);

}  // namespace plumbline::profiles
