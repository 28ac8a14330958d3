// An in-process client: a session over fixture tools whose output lines are collected, with calls run at once, held back, or
// on real threads that a latch controls.
#pragma once

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
#include "tests/conformance/fixture/tools.hpp"

namespace plumbline::server::testing {

// Collects lines; wait_for() blocks until there are as many, bounded so that a failure is a failure and no hang.
class Collector final : public transport::LineWriter {
 public:
  bool write_line(std::string_view line) override {
    const std::lock_guard lock(mutex_);
    lines_.emplace_back(line);
    changed_.notify_all();
    return true;
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

class ManualExecutor final : public transport::Executor {
 public:
  void submit(std::function<void()> task) override {
    if (hold) {
      tasks_.push_back(std::move(task));
    } else {
      task();
    }
  }
  void run() {
    for (auto& task : std::exchange(tasks_, {})) task();
  }
  void drop() { tasks_.clear(); }
  bool hold = false;

 private:
  std::vector<std::function<void()>> tasks_;
};

// The conformance fixtures, and tools that show what the session does with a tool's odd behaviour.
inline mcp::Catalogue session_tools() {
  using mcp::CallContext;
  using mcp::ToolResult;
  mcp::Catalogue tools = fixture::catalogue();
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

struct Harness {
  explicit Harness(mcp::Catalogue tools = session_tools()) : server({"fixture", "Fixture", "1.2.3", "Ask."}, std::move(tools)) {
    mcp::SessionOptions options;
    options.bounds.line_bytes = 4096;
    options.calls = 4;
    options.clock = [] { return std::chrono::steady_clock::time_point{}; };  // time stands still
    session = std::make_unique<mcp::Session>(server, out, executor, options);
  }
  std::vector<std::string> ask(std::string_view line) {
    session->on_line(line);
    return out.take();
  }
  mcp::Server server;
  Collector out;
  ManualExecutor executor;
  std::unique_ptr<mcp::Session> session;
};

inline const std::string kInitialize =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}})";

}  // namespace plumbline::server::testing
