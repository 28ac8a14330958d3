// links: server nlohmann_json::nlohmann_json
// Arbitrary bytes to a session over fixture tools. Whatever comes in: no crash, every line that goes out is one JSON object
// or array, and calls are held back and run in between so that cancellation and reuse of ids are met too.
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "server/mcp/session.hpp"
#include "tests/conformance/fixture/tools.hpp"

namespace {

using namespace plumbline::server;

class Checker final : public transport::LineWriter {
 public:
  bool write_line(std::string_view line) override {
    if (line.find('\n') != std::string_view::npos) std::abort();
    const nlohmann::json value = nlohmann::json::parse(line, nullptr, false);
    if (!value.is_structured()) std::abort();
    return true;
  }
};

// Runs every second task at once; the others when the input says so (or at the end).
class Lagging final : public transport::Executor {
 public:
  void submit(std::function<void()> task) override {
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
  Checker out;
  Lagging executor;
  mcp::SessionOptions options;
  options.bounds.line_bytes = 4096;
  options.calls = 4;
  mcp::Session session(server, out, executor, options);
  transport::LineSplitter splitter(options.bounds.line_bytes, {[&](std::string_view line) {
                                                                 if (line == "run") return executor.run();
                                                                 session.on_line(line);
                                                               },
                                                               [&](std::size_t bound) { session.on_oversized_line(bound); }});
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t half = size / 2;
  splitter.feed(bytes.substr(0, half));
  splitter.feed(bytes.substr(half));
  splitter.finish();
  executor.run();
  return session.wait_idle(std::chrono::milliseconds(0)) ? 0 : (std::abort(), 0);
}
