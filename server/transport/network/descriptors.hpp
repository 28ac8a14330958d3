// How many connections the process's limit of descriptors (RLIMIT_NOFILE) has room for. Calls open files too, so some are kept
// back for them: a server that is full of connections must still be able to answer.
#pragma once

#include <cstddef>

#include "server/transport/network/limits.hpp"

namespace plumbline::server::transport::network {

// Raises the soft limit as far as the connections of `limits` need it and the hard limit allows. How many descriptors there are.
[[nodiscard]] std::size_t raise_descriptors(const NetworkLimits& limits);

// How many connections `descriptors` have room for, with those kept back that calls need.
[[nodiscard]] std::size_t connections_within(std::size_t descriptors);

// The limits, lowered where there are too few descriptors. TCP and Unix sockets keep their shares of what there is; a kind that
// is not listened to leaves its share to the other.
[[nodiscard]] NetworkLimits fitted(NetworkLimits limits, std::size_t descriptors, bool tcp, bool unix_sockets);

}  // namespace plumbline::server::transport::network
