#include "server/jsonrpc/reply.hpp"

namespace plumbline::server::jsonrpc {

ReplyOnce::~ReplyOnce() {
  if (!open()) return;
  try {
    error({kInternalError, "the request was not answered: this is a fault of the server", ""});
  } catch (...) {  // out of memory while saying so: the connection's end tells the client
  }
}

}  // namespace plumbline::server::jsonrpc
