// What MCP means over HTTP: which requests are let in, which era they belong to, which session they reach, and how answers go
// back (Streamable HTTP of revisions 2026-07-28 and 2025-03-26 to 2025-11-25). Both eras share one path; a modern POST is served
// alone and forgotten, a legacy client has a session. Sockets, TLS and the parser lie beneath, behind http::Exchange.
//
// Checks come in this order: Host and Origin (403), credentials (400, 401, 403), method (405), Content-Type (415), Accept
// (406), the message (400), and then what its era asks for. Whatever a client sends, it gets one answer that says what is wrong.
//
// What the head alone decides is decided before a body is read: whoever is not let in sends none.
//
// Beside the endpoint: the protected-resource metadata (RFC 9728) where credentials are asked for; /healthz and /readyz, for
// whoever watches over many servers; and for clients on this machine, with credentials where they are asked for, /metrics.
// Thread-safe; handle() never blocks. The host outlives the endpoint; exchanges may outlive it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/mcp/counters.hpp"
#include "server/mcp/session.hpp"
#include "server/transport/http/admission.hpp"
#include "server/transport/http/beside.hpp"
#include "server/transport/http/event_stream.hpp"
#include "server/transport/http/exchange.hpp"
#include "server/transport/http/sessions.hpp"
#include "server/transport/http/uploads.hpp"

namespace plumbline::server::transport::http {

struct EndpointOptions {
  std::string path = "/mcp";
  std::string version;  // for the metrics
  Admission admission;
  Beside* beside = nullptr;  // null: nothing is; outlives the endpoint
  jsonrpc::Bounds bounds;
  std::size_t calls = 256;           // of one session
  std::size_t subscriptions = 1024;  // of one request or session
  SessionsOptions sessions;
  StreamTimes times;
  StreamBounds streams;
  const mcp::Counters* counters = nullptr;                                                 // null: no tool calls in the metrics
  std::function<std::vector<Reading>()> readings = [] { return std::vector<Reading>(); };  // what else belongs on their page
  // Whether work should be sent here, or what is wrong; answered at any time, on any thread. Empty: always.
  std::function<void(std::function<void(std::string problem)>)> readiness;
};

class Endpoint final : public Handler, public Receiver {
 public:
  Endpoint(mcp::Host& host, EndpointOptions options);
  ~Endpoint() override;
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  [[nodiscard]] std::optional<Refusal> admits(const Request& head) override;
  void handle(Request request, std::shared_ptr<Exchange> exchange) override;
  [[nodiscard]] std::unique_ptr<BodySink> receive(Request head, std::shared_ptr<Exchange> exchange) override;

  // For what the connection answers by itself (a request that cannot be read, a body too large).
  [[nodiscard]] Metrics& metrics();
  // Ends what nobody has used for too long; also done now and then without being asked.
  void tidy();
  // The server is about to end: new messages are refused (503), subscriptions are answered with their end, and streams that
  // listen are closed. What runs may go on.
  void drain();
  // True as soon as nothing runs; false when that takes longer.
  [[nodiscard]] bool wait_idle(std::chrono::milliseconds at_most);
  // Tells everything that runs to stop, and ends every session.
  void cancel_all();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace plumbline::server::transport::http
