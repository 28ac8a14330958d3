// links: mcp_fixtures server nlohmann_json::nlohmann_json
// Requests of all kinds to the endpoint over fixture tools, in any order, with clients that leave and connections that are full.
// The input is a script: a line "METHOD target" begins a request, "name: value" lines follow, the rest until the next line
// "---" is its body; "run", "leave", "full", "pass" and "tidy" happen in between; "$session" is the latest session's id. Whatever
// comes: no crash, one answer a request at most, and every answer is JSON, text or an event stream that says so.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/text.hpp"
#include "server/transport/http/endpoint.hpp"
#include "tests/conformance/fixture/fixture.hpp"

namespace {

using namespace plumbline;
using namespace plumbline::server;
namespace http = plumbline::server::transport::http;

void check(bool good) {
  if (!good) std::abort();
}

class Checker final : public http::Exchange {
 public:
  void reply(int status, http::Headers headers, std::string body) override {
    begin(status, headers);
    complete_ = true;
    if (type_ == "application/json") check(nlohmann::json::accept(body));
    if (body.empty() || type_ == "application/json" || type_.starts_with("text/plain")) return;
    std::abort();
  }
  void begin_stream(int status, http::Headers headers) override {
    begin(status, headers);
    check(status == 200 && type_ == "text/event-stream");
    streams_ = true;
  }
  bool write(std::string bytes) override {
    check(streams_ && !complete_ && bytes.ends_with("\n\n"));
    return !full && !gone_;
  }
  void end() override {
    check(streams_ && !complete_);
    complete_ = true;
  }
  void on_gone(std::function<void()> gone) override { on_gone_ = std::move(gone); }

  void leave() {
    gone_ = true;
    if (const auto gone = std::exchange(on_gone_, nullptr); gone && !complete_) gone();
  }
  bool full = false;
  std::string session;

 private:
  void begin(int status, const http::Headers& headers) {
    check(!std::exchange(begun_, true) && status >= 200 && status < 600);
    for (const auto& [name, value] : headers) {
      check(value.find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos);
      if (name == "Content-Type") type_ = value;
      if (name == "Mcp-Session-Id") session = value;
    }
  }
  bool begun_ = false, streams_ = false, complete_ = false, gone_ = false;
  std::string type_;
  std::function<void()> on_gone_;
};

// Runs every second task at once; the others when the script says so.
class Lagging final : public transport::Executor {
 public:
  void submit(std::function<void()> task, std::string_view /*owner*/) override {
    if (++count_ % 2 == 0) {
      task();
    } else {
      waiting_.push_back(std::move(task));
    }
  }
  void run() {
    for (auto& task : std::exchange(waiting_, {})) task();
  }

 private:
  unsigned count_ = 0;
  std::vector<std::function<void()>> waiting_;
};

http::EndpointOptions endpoint_options() {
  http::EndpointOptions options;
  options.admission.hosts = *access::HostRule::make("127.0.0.1", {}, {"https://perf.example"});
  options.admission.cors_origins = {"https://perf.example"};
  options.bounds.line_bytes = 4096;
  options.sessions.most = 2;
  options.calls = 4;
  // Only what the script says happens; no thread of ours.
  options.times = {std::chrono::hours(1), std::chrono::hours(1), std::chrono::hours(1), std::chrono::seconds(1)};
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const mcp::Server server(fixture::identity(), fixture::catalogue());
  Lagging executor;
  auto now = std::chrono::steady_clock::time_point{};
  mcp::HostOptions host_options;
  host_options.clock = [&] { return now; };
  mcp::Host host(server, executor, host_options);
  http::Endpoint endpoint(host, endpoint_options());
  std::vector<std::shared_ptr<Checker>> exchanges;
  std::string session = "none";

  http::Request request;
  bool in_body = false;
  const auto send = [&] {
    if (request.method.empty()) return;
    request.loopback = true;
    if (!request.first("host")) request.headers.emplace_back("host", "localhost");
    if (!request.first("content-type")) request.headers.emplace_back("content-type", "application/json");
    exchanges.push_back(std::make_shared<Checker>());
    endpoint.handle(std::exchange(request, {}), exchanges.back());
    if (!exchanges.back()->session.empty()) session = exchanges.back()->session;
    in_body = false;
  };
  for (std::string_view line : core::split(std::string_view(reinterpret_cast<const char*>(data), size), '\n')) {
    std::string text(line);
    if (const std::size_t at = text.find("$session"); at != std::string::npos) text.replace(at, 8, session);
    if (text == "---") {
      send();
    } else if (in_body) {
      request.body += text;
    } else if (request.method.empty()) {
      Checker* last = exchanges.empty() ? nullptr : exchanges.back().get();
      if (text == "run") {
        executor.run();
      } else if (text == "tidy") {
        endpoint.tidy();
      } else if (text == "pass") {
        now += std::chrono::minutes(16);
      } else if (text == "leave" && last != nullptr) {
        last->leave();
      } else if (text == "full" && last != nullptr) {
        last->full = !last->full;
      } else if (const std::size_t space = text.find(' '); space != std::string::npos) {
        request.method = text.substr(0, space);
        request.target = text.substr(space + 1);
      }
    } else if (const std::size_t colon = text.find(':');
               colon != std::string::npos && !text.starts_with('{') && !text.starts_with('[')) {
      request.headers.emplace_back(core::to_lower(text.substr(0, colon)), core::trim(std::string_view(text).substr(colon + 1)));
    } else {
      in_body = true;
      request.body = text;
    }
  }
  send();
  executor.run();
  endpoint.drain();
  endpoint.cancel_all();
  executor.run();
  check(endpoint.wait_idle(std::chrono::milliseconds(0)));
  return 0;
}
