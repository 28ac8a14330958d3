// An HTTP client without HTTP: requests go straight to an Endpoint over fixture tools, exchanges remember what they were told.
// Calls run at once or when the test says so; the endpoint's clock stands still unless it is moved.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "server/mcp/host.hpp"
#include "server/transport/http/endpoint.hpp"
#include "tests/conformance/fixture/fixture.hpp"

namespace plumbline::server::testing {

namespace http = transport::http;

class FakeExchange final : public http::Exchange {
 public:
  struct Said {
    int status = 0;  // 0: nothing yet
    http::Headers headers;
    std::string body;       // whole, or what came on the stream
    bool stream = false;    // begin_stream() was called
    bool complete = false;  // replied, or the stream has ended
  };

  void reply(int status, http::Headers headers, std::string body) override {
    begin(status, std::move(headers), false);
    const std::lock_guard lock(mutex_);
    said_.body = std::move(body);
    said_.complete = true;
    changed_.notify_all();
  }
  void begin_stream(int status, http::Headers headers) override { begin(status, std::move(headers), true); }
  bool write(std::string bytes) override {
    const std::lock_guard lock(mutex_);
    if (gone_ || full_) return false;
    if (!said_.stream || said_.complete) throw std::logic_error("written outside of a stream");
    said_.body += bytes;
    changed_.notify_all();
    return true;
  }
  void end() override {
    const std::lock_guard lock(mutex_);
    if (!said_.stream || said_.complete) throw std::logic_error("an end of what has not begun");
    said_.complete = true;
    changed_.notify_all();
  }
  void on_gone(std::function<void()> gone) override {
    {
      const std::lock_guard lock(mutex_);
      if (!gone_) {
        on_gone_ = std::move(gone);
        return;
      }
    }
    gone();
  }

  // The client closes the connection.
  void leave() {
    std::function<void()> gone;
    {
      const std::lock_guard lock(mutex_);
      gone_ = true;
      if (!said_.complete) gone.swap(on_gone_);
    }
    if (gone) gone();
  }
  // The connection takes nothing for now, or again.
  void fill(bool full) {
    const std::lock_guard lock(mutex_);
    full_ = full;
  }
  [[nodiscard]] Said said() const {
    const std::lock_guard lock(mutex_);
    return said_;
  }
  // Waits, within a bound that only a failure reaches.
  Said wait_until(const std::function<bool(const Said&)>& reached) const {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, std::chrono::seconds(30), [&] { return reached(said_); })) {
      throw std::runtime_error("waited in vain; said so far: " + std::to_string(said_.status) + " " + said_.body);
    }
    return said_;
  }

 private:
  void begin(int status, http::Headers headers, bool stream) {
    const std::lock_guard lock(mutex_);
    if (said_.status != 0) throw std::logic_error("a second answer");
    said_.status = status;
    said_.headers = std::move(headers);
    said_.stream = stream;
    changed_.notify_all();
  }

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  Said said_;
  bool gone_ = false, full_ = false;
  std::function<void()> on_gone_;
};

inline std::string header(const FakeExchange::Said& said, std::string_view name) {
  for (const auto& [key, value] : said.headers) {
    if (key == name) return value;
  }
  return "";
}

// Runs calls at once, or when it is told to.
class Stepper final : public transport::Executor {
 public:
  void submit(std::function<void()> task, std::string_view /*owner*/) override {
    {
      const std::lock_guard lock(mutex_);
      if (hold_) return tasks_.push_back(std::move(task));
    }
    task();
  }
  void hold() {
    const std::lock_guard lock(mutex_);
    hold_ = true;
  }
  void run() {
    std::vector<std::function<void()>> tasks;
    {
      const std::lock_guard lock(mutex_);
      hold_ = false;
      tasks.swap(tasks_);
    }
    for (auto& task : tasks) task();
  }

 private:
  std::mutex mutex_;
  bool hold_ = false;
  std::vector<std::function<void()>> tasks_;
};

// Tools that show what only HTTP has.
inline mcp::Catalogue http_tools() {
  using mcp::CallContext;
  using mcp::ToolResult;
  mcp::Catalogue tools;
  tools.add(fixture::tool("say", "Answers with \"said\".", [](std::string_view, const CallContext&) {
    return ToolResult{"", "said"};
  }));
  tools.add(fixture::tool("count", "Reports two steps of two.", [](std::string_view, const CallContext& context) {
    context.progress(1, 2, "one");
    context.progress(2, 2, "two");
    return ToolResult{"", "counted"};
  }));
  tools.add(
      fixture::tool("come_back", "Sends its client away between two steps.", [](std::string_view, const CallContext& context) {
        context.progress(1, 2, "");
        context.release_stream();
        context.progress(2, 2, "");
        return ToolResult{"", "welcome back"};
      }));
  mcp::Tool routed =
      fixture::tool("route", "Has parameters that are mirrored in headers.", [](std::string_view, const CallContext&) {
        return ToolResult{"", "routed"};
      });
  routed.input_schema = [] {
    return std::string(R"({"type":"object","properties":{
        "region":{"type":"string","x-mcp-header":"Region"},
        "shards":{"type":"integer","x-mcp-header":"Shards"},
        "dry":{"type":"boolean","x-mcp-header":"Dry"},
        "nested":{"type":"object","properties":{"deep":{"type":"string","x-mcp-header":"Deep"}}},
        "plain":{"type":"string"}}})");
  };
  tools.add(std::move(routed));
  mcp::Tool writer = fixture::tool("write", "Needs a principal that may write.", [](std::string_view, const CallContext&) {
    return ToolResult{"", "written"};
  });
  writer.writes = true;
  tools.add(std::move(writer));
  mcp::Tool asker = fixture::tool("ask", "Asks its user's name.", [](std::string_view, const CallContext& context) {
    if (context.inputs->contains("name")) return ToolResult{"", "thanks"};
    ToolResult result;
    result.input.emplace();
    result.input->requests.push_back(
        {"name", "elicitation/create",
         R"({"message":"Who are you?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}})"});
    return result;
  });
  tools.add(std::move(asker));
  mcp::Resources resources;
  resources.list = [](std::string_view, const CallContext&) { return mcp::Page{R"({"uri":"test://one","name":"one"})", ""}; };
  resources.templates = [] { return std::string(); };
  resources.read = [](std::string_view uri, const CallContext&) {
    mcp::ReadResult result;
    result.contents = R"([{"uri":)" + nlohmann::json(uri).dump() + R"(,"text":"one"}])";
    return result;
  };
  resources.version = [](std::string_view uri) { return std::optional<std::string>(uri); };
  tools.offer(std::move(resources));
  return tools;
}

// A file that only we can read, gone with its owner.
class PrivateFile {
 public:
  explicit PrivateFile(const std::string& text) {
    path_ = (std::filesystem::temp_directory_path() / "plumbline-test-XXXXXX").string();
    const int fd = mkstemp(path_.data());
    if (fd < 0) throw std::runtime_error("no temporary file");
    ::close(fd);
    std::ofstream(path_) << text;
  }
  PrivateFile(const PrivateFile&) = delete;
  PrivateFile& operator=(const PrivateFile&) = delete;
  ~PrivateFile() { std::filesystem::remove(path_); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct HttpHarness {
  using Time = std::chrono::steady_clock::time_point;

  explicit HttpHarness(http::EndpointOptions options = {}, mcp::Catalogue tools = http_tools())
      : server({"fixture", "Fixture", "1.2.3", ""}, std::move(tools)), host(server, executor, [this] {
          mcp::HostOptions made;
          made.clock = [this] { return now.load(); };
          return made;
        }()) {
    options.admission.hosts = *access::HostRule::make("127.0.0.1", {}, options.admission.cors_origins);
    options.version = "1.2.3";
    endpoint = std::make_unique<http::Endpoint>(host, std::move(options));
  }

  std::shared_ptr<FakeExchange> ask(http::Request request) {
    auto exchange = std::make_shared<FakeExchange>();
    endpoint->handle(std::move(request), exchange);
    return exchange;
  }
  // With the headers that every decent client sends; `more` replaces them, an empty value leaves one out.
  std::shared_ptr<FakeExchange> ask(std::string method, http::Headers more, std::string body, std::string target = "/mcp") {
    return ask(request(std::move(method), std::move(more), std::move(body), std::move(target)));
  }
  static http::Request request(std::string method, http::Headers more, std::string body, std::string target = "/mcp") {
    http::Request made;
    made.method = std::move(method);
    made.target = std::move(target);
    made.body = std::move(body);
    made.peer = "127.0.0.1:4711";
    made.loopback = true;
    http::Headers usual = {{"host", "127.0.0.1:8080"}, {"accept", "application/json, text/event-stream"}};
    if (made.method == "POST") usual.emplace_back("content-type", "application/json");
    for (auto& [name, value] : usual) {
      const bool replaced =
          std::any_of(more.begin(), more.end(), [&, key = name](const auto& header) { return header.first == key; });
      if (!replaced) made.headers.emplace_back(name, value);
    }
    for (auto& header : more) {
      if (!header.second.empty()) made.headers.push_back(std::move(header));
    }
    return made;
  }
  // A legacy session; its id.
  std::string open(std::string_view version = "2025-11-25") {
    const auto said = ask("POST", {}, initialize(version))->said();
    return header(said, "Mcp-Session-Id");
  }
  static std::string initialize(std::string_view version) {
    return R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":")" + std::string(version) +
           R"(","capabilities":{"elicitation":{}},"clientInfo":{"name":"t","version":"1"}}})";
  }

  std::atomic<Time> now = Time{};
  mcp::Server server;
  Stepper executor;
  mcp::Host host;
  std::unique_ptr<http::Endpoint> endpoint;
};

}  // namespace plumbline::server::testing
