// What else is served on the HTTP listeners, on the paths that MCP leaves free. Host and Origin of its requests are ours already;
// who asks is its own to find out (admission.hpp). handle() is called on the connection's thread and must not block.
#pragma once

#include "server/transport/http/exchange.hpp"
#include "server/transport/http/uploads.hpp"

namespace plumbline::server::transport::http {

class Beside : public Handler {
 public:
  // The server is about to end: streams that last are ended, nothing new is begun.
  virtual void drain() = 0;
  [[nodiscard]] virtual bool has_pages() const { return true; }
  // Null: nothing is taken. Outlives every connection.
  [[nodiscard]] virtual Uploads* uploads() { return nullptr; }
};

}  // namespace plumbline::server::transport::http
