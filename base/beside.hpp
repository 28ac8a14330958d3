// Work done beside the caller: on another thread where the system has one to spare, else when it is asked for its result. What it
// refers to must live until then: a future of these waits for its thread when it is destroyed.
#pragma once

#include <cstdint>
#include <future>
#include <system_error>
#include <type_traits>

namespace plumbline::base {

// Bytes that are worth a thread where each is hashed, parsed or copied.
inline constexpr std::uint64_t kWorthAThread = std::uint64_t{4} << 20U;

// `work` is copied, and called once.
template <class Work>
[[nodiscard]] std::future<std::invoke_result_t<Work&>> beside(Work work) {
  try {
    return std::async(std::launch::async, work);
  } catch (const std::system_error&) {
    return std::async(std::launch::deferred, work);
  }
}

// The same of what is worth a thread only from so many bytes on.
template <class Work>
[[nodiscard]] std::future<std::invoke_result_t<Work&>> beside(std::uint64_t bytes, Work work) {
  return bytes < kWorthAThread ? std::async(std::launch::deferred, work) : beside(work);
}

}  // namespace plumbline::base
