// links: mcp_fixtures server nlohmann_json::nlohmann_json
// Arbitrary bytes to a session over fixture tools. Whatever comes in: no crash, every line that goes out is one JSON object
// or array, and calls are held back and run in between so that cancellation, questions to the
// client and reuse of ids are met too.
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "server/mcp/session.hpp"
#include "tests/conformance/fixture/fixture.hpp"

namespace {

using namespace plumbline::server;

class Checker final : public mcp::Outlet {
 public:
  void send(std::string line) override {
    if (line.find('\n') != std::string::npos) std::abort();
    if (!nlohmann::json::parse(line, nullptr, false).is_structured()) std::abort();
  }
  void answer(std::string line, int /*status*/) override {
    if (!line.empty()) send(std::move(line));
  }
};

// Runs every second task at once; the others when the input says so (or at the end).
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const mcp::Server server(fixture::identity(), fixture::catalogue());
  const auto out = std::make_shared<Checker>();
  Lagging executor;
  mcp::Host host(server, executor);
  mcp::SessionOptions options;
  options.bounds.line_bytes = 4096;
  options.calls = 4;
  mcp::Session session(host, options);
  session.attach(out);
  transport::LineSplitter splitter(options.bounds.line_bytes,
                                   {[&](std::string_view line) {
                                      if (line == "run") return executor.run();
                                      session.handle(jsonrpc::read(line, options.bounds), out);
                                    },
                                    [&](std::size_t bound) { session.handle(jsonrpc::oversized(bound), out); }});
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t half = size / 2;
  splitter.feed(bytes.substr(0, half));
  splitter.feed(bytes.substr(half));
  splitter.finish();
  executor.run();
  session.cancel_all();  // what waits for the client's answers has no worker
  executor.run();
  return session.wait_idle(std::chrono::milliseconds(0)) ? 0 : (std::abort(), 0);
}
