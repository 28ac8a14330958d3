// How much the network may cost, and how long anybody may take; and what has happened on it, for the operator.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "server/jsonrpc/message.hpp"
#include "server/transport/http/head_check.hpp"

namespace plumbline::server::transport::network {

using std::chrono::milliseconds;

struct NetworkLimits {
  std::size_t connections = 4096;       // of all TCP and HTTP listeners together; those beyond are told so and closed
  std::size_t connections_each = 512;   // of one address of another machine
  std::size_t unix_connections = 1024;  // of all Unix sockets, which a flood on TCP must not close
  std::size_t queue_bytes =
      1U << 20;  // waiting to be sent on one connection: beyond it nothing is read and notifications are dropped
  std::size_t failed_authorizations = 3;  // then a connection of lines is closed
  jsonrpc::Bounds message{10U << 20};     // of lines, whatever carries them
  http::ParserBounds http;
  std::size_t held = 256U << 20;      // bodies and lines that are being received, of all connections together
  std::size_t held_each = 64U << 20;  // of one address

  milliseconds handshake{10'000};  // TLS, and on connections of lines the token
  milliseconds write{30'000};      // the other side takes no byte
  milliseconds linger{2'000};      // for the other side to close too
  milliseconds finish{5'000};      // lines: for calls under way once the other side has ended its input
  milliseconds idle_unix{0};       // lines: nothing is said, run or subscribed to; 0 = for ever
  milliseconds idle_tcp{600'000};
  milliseconds first_word{2'000};        // whoever has asked for nothing by then is the first to go when there is no room
  milliseconds just_come{500};           // so long an end of the server is put off for whoever has connected and not asked yet
  milliseconds evictions{10'000};        // between two lines of the log about those that had to go
  milliseconds http_head{10'000};        // from its first byte to its last
  milliseconds http_body{30'000};        // between two pieces
  milliseconds http_body_whole{60'000};  // from the head to the last piece,
  milliseconds http_body_unit{1'000};    // and so much more for each MiB that has come
  milliseconds http_upload_unit{1'000};  // of a streamed body: so much more for each 64 KiB that have come
  milliseconds http_idle{60'000};        // between two requests
};

struct Traffic {
  std::atomic<std::uint64_t> open{0};      // now
  std::atomic<std::uint64_t> accepted{0};  // since the start, as all below
  std::atomic<std::uint64_t> refused{0};   // another account, or too many
  std::atomic<std::uint64_t> evicted{0};   // idle, closed to let others in
  std::atomic<std::uint64_t> bytes_in{0};
  std::atomic<std::uint64_t> bytes_out{0};
  std::atomic<std::uint64_t> requests{0};  // HTTP requests, and lines
  std::atomic<std::uint64_t> faults{0};    // what broke a protocol: TLS, HTTP, JSON-RPC, authorization
  std::atomic<std::uint64_t> dropped{0};   // notifications nobody took
};

}  // namespace plumbline::server::transport::network
