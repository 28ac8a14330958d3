// An in-process client: a session over fixture tools whose output lines are collected, with calls run at once, held back, or
// on real threads that a latch controls.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <latch>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "server/mcp/session.hpp"
#include "server/transport/worker_pool.hpp"
#include "tests/conformance/fixture/fixture.hpp"

namespace plumbline::server::testing {

// Collects lines; wait_for() blocks until there are as many, bounded so that a failure is a failure and no hang.
class Collector final : public mcp::Outlet {
 public:
  void send(std::string line) override {
    const std::lock_guard lock(mutex_);
    lines_.push_back(std::move(line));
    changed_.notify_all();
  }
  void answer(std::string line, int /*status*/) override {
    if (!line.empty()) send(std::move(line));
  }
  std::vector<std::string> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(lines_, {});
  }
  std::vector<std::string> wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, std::chrono::seconds(30), [&] { return lines_.size() >= count; })) {
      throw std::runtime_error("waited in vain for " + std::to_string(count) + " lines, got " + std::to_string(lines_.size()));
    }
    return std::exchange(lines_, {});
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> lines_;
};

// Runs tasks at once, or holds them back until run(). Timers submit too, hence the lock.
class ManualExecutor final : public transport::Executor {
 public:
  void submit(std::function<void()> task, std::string_view /*owner*/) override {
    if (!hold) return task();
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  void run() {
    for (auto& task : take()) task();
  }
  void drop() { take(); }
  std::atomic<bool> hold = false;

 private:
  std::vector<std::function<void()>> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(tasks_, {});
  }
  std::mutex mutex_;
  std::vector<std::function<void()>> tasks_;
};

// Four of the conformance fixtures, and tools that show what the session does with a tool's odd behaviour.
inline mcp::Catalogue session_tools() {
  using mcp::CallContext;
  using mcp::ToolResult;
  mcp::Catalogue tools;
  fixture::add_basics(tools);
  mcp::Tool structured = fixture::tool(
      "test_structured", "Answers with numbers that a careless server would change.", [](std::string_view, const CallContext&) {
        ToolResult result{"{\"big\":18446744073709551615,\n\"exact\":1.50,\"tiny\":5e-324}", ""};
        result.links.push_back({"file:///bundle/diff.md", "diff.md", "text/markdown", "the report", 12});
        return result;
      });
  structured.output_schema = [] { return std::string("{\"type\":\"object\"}"); };
  structured.title = "Structured";
  structured.annotations = {false, true, false, true};
  tools.add(std::move(structured));
  tools.add(fixture::tool("test_throws", "Throws.", [](std::string_view, const CallContext&) -> ToolResult {
    throw std::runtime_error("the disk is on fire");
  }));
  tools.add(fixture::tool("test_bad_json", "Answers with what is no JSON.", [](std::string_view, const CallContext&) {
    return ToolResult{"{\"a\":}", ""};
  }));
  tools.add(fixture::tool("test_arguments", "Answers with its arguments.", [](std::string_view arguments, const CallContext&) {
    return ToolResult{std::string(arguments), ""};
  }));
  mcp::Tool hidden = fixture::tool("test_hidden", "Callable, not listed.", [](std::string_view, const CallContext& context) {
    return ToolResult{"", context.cancelled->load() ? "told to stop" : "not told to stop"};
  });
  hidden.listed = false;
  tools.add(std::move(hidden));
  tools.add(fixture::tool("test_much_progress", "Reports 100 steps, some backwards, and the last.",
                          [](std::string_view, const CallContext& context) {
                            for (int i = 0; i < 100; ++i) {
                              context.progress(i, 100, "");
                              context.progress(i - 1, 100, "");
                            }
                            context.progress(100, 100, "");
                            return ToolResult{"", "done"};
                          }));
  return tools;
}

// A line conversation whose outlet is a Collector.
class Conversation {
 public:
  Conversation(mcp::Host& host, mcp::SessionOptions options = {}) : bounds_(options.bounds), session(host, std::move(options)) {
    session.attach(out);
  }
  void on_line(std::string_view line) { session.handle(jsonrpc::read(line, bounds_), out); }
  void on_oversized_line(std::size_t bound) { session.handle(jsonrpc::oversized(bound), out); }
  std::vector<std::string> ask(std::string_view line) {
    on_line(line);
    return out->take();
  }

 private:
  jsonrpc::Bounds bounds_;

 public:
  std::shared_ptr<Collector> out = std::make_shared<Collector>();
  mcp::Session session;
};

inline mcp::HostOptions still_clock() {
  mcp::HostOptions options;
  options.clock = [] { return std::chrono::steady_clock::time_point{}; };  // time stands still
  return options;
}

inline mcp::SessionOptions small_bounds() {
  mcp::SessionOptions options;
  options.bounds.line_bytes = 4096;
  options.calls = 4;
  return options;
}

struct Harness {
  explicit Harness(mcp::Catalogue tools = session_tools(), mcp::HostOptions options = still_clock())
      : server({"fixture", "Fixture", "1.2.3", "Ask."}, std::move(tools)), host(server, executor, std::move(options)) {}
  std::vector<std::string> ask(std::string_view line) { return conversation.ask(line); }
  mcp::Server server;
  ManualExecutor executor;
  mcp::Host host;
  Conversation conversation{host, small_bounds()};
};

// The same with real threads.
struct Threaded {
  explicit Threaded(mcp::Catalogue tools = session_tools()) : server({"fixture", "Fixture", "1.2.3", ""}, std::move(tools)) {}
  mcp::Server server;
  transport::WorkerPool pool;
  mcp::Host host{server, pool};
};

inline const std::string kInitialize =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}})";

}  // namespace plumbline::server::testing
