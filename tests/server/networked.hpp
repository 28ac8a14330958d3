// A network over fixture tools and a handler of the test's own.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/transport/http/uploads.hpp"
#include "server/transport/network/network.hpp"
#include "server/transport/worker_pool.hpp"
#include "tests/server/harness.hpp"
#include "tests/server/sockets.hpp"

namespace plumbline::server::testing {

class Handling final : public transport::http::Handler, public transport::http::Receiver {
 public:
  using On = std::function<void(transport::http::Request, std::shared_ptr<transport::http::Exchange>)>;
  explicit Handling(On on) : on_(std::move(on)) {}
  void handle(transport::http::Request request, std::shared_ptr<transport::http::Exchange> exchange) override {
    on_(std::move(request), std::move(exchange));
  }
  std::optional<transport::http::Refusal> admits(const transport::http::Request& head) override {
    return on_head ? on_head(head) : std::nullopt;
  }
  std::unique_ptr<transport::http::BodySink> receive(transport::http::Request head,
                                                     std::shared_ptr<transport::http::Exchange> exchange) override {
    return on_body(std::move(head), std::move(exchange));
  }
  std::function<std::optional<transport::http::Refusal>(const transport::http::Request& head)> on_head;  // before any comes
  // Of the requests that NetworkOptions::limits.http.streams names.
  std::function<std::unique_ptr<transport::http::BodySink>(transport::http::Request, std::shared_ptr<transport::http::Exchange>)>
      on_body;

 private:
  On on_;
};

// Answers with what it was asked.
inline void echo(const transport::http::Request& request, const std::shared_ptr<transport::http::Exchange>& exchange) {
  exchange->reply(200, {{"Content-Type", "text/plain"}}, request.method + " " + request.target + " " + request.body);
}

struct Networked {
  explicit Networked(transport::network::NetworkOptions options = {}, Handling::On on = echo,
                     mcp::Catalogue tools = session_tools())
      : server({"fixture", "Fixture", "1.2.3", ""}, std::move(tools)), handler(std::move(on)) {
    options.handler = &handler;
    network = std::make_unique<transport::network::Network>(host, std::move(options));
  }
  ~Networked() {
    network.reset();
    pool.stop();
  }
  std::vector<std::string> listen(const std::vector<transport::network::ListenOn>& places) const {
    const auto addresses = network->listen(places);
    if (!addresses) throw std::runtime_error(addresses.error().message);
    network->open_doors();
    return *addresses;
  }
  std::string tcp() const { return listen({{transport::network::Speaks::lines, "127.0.0.1:0"}}).front(); }
  // Without its path.
  std::string http() const {
    const std::string address = listen({{transport::network::Speaks::http, "127.0.0.1:0"}}).front();
    return address.substr(0, address.rfind('/'));
  }
  std::string unix_socket(const std::string& path) const {
    return listen({{transport::network::Speaks::lines, path, true}}).front();
  }

  transport::WorkerPool pool;
  mcp::Server server;
  mcp::Host host{server, pool};
  Handling handler;
  std::unique_ptr<transport::network::Network> network;
};

}  // namespace plumbline::server::testing
