#include "server/transport/network/descriptors.hpp"

#include <sys/resource.h>

#include <algorithm>

namespace plumbline::server::transport::network {
namespace {

constexpr std::size_t kForCalls = 256;  // files of verbs, listeners, the log, the event loop; those who are told that it is full

}  // namespace

std::size_t raise_descriptors(const NetworkLimits& limits) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return kForCalls;
  const rlim_t wanted = std::min<rlim_t>(limit.rlim_max, limits.connections + limits.unix_connections + kForCalls);
  if (limit.rlim_cur < wanted) {
    const rlimit raised{wanted, limit.rlim_max};
    if (setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  return limit.rlim_cur;
}

std::size_t connections_within(std::size_t descriptors) {
  return std::max<std::size_t>(2, descriptors - std::min(kForCalls, descriptors / 2));
}

NetworkLimits fitted(NetworkLimits limits, std::size_t descriptors, bool tcp, bool unix_sockets) {
  const std::size_t there = connections_within(descriptors);
  const std::size_t wanted = (tcp ? limits.connections : 0) + (unix_sockets ? limits.unix_connections : 0);
  if (wanted <= there) return limits;
  if (tcp && unix_sockets) {
    limits.unix_connections = std::max<std::size_t>(1, there * limits.unix_connections / wanted);
    limits.connections = there - limits.unix_connections;
  } else {
    limits.connections = std::min(limits.connections, there);
    limits.unix_connections = std::min(limits.unix_connections, there);
  }
  return limits;
}

}  // namespace plumbline::server::transport::network
