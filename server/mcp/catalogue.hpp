// What can be called, whoever provides it: the verbs of the house, or the fixtures of the conformance server. A Tool is
// data plus one function; its schemas are made when they are first asked for, so that start-up does not pay for them.
// Catalogue is built once and only read afterwards, from any thread. `call` runs on a worker thread, several at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::server::mcp {

// The protocol's defaults are pessimistic, so every tool says all four.
struct Annotations {
  bool read_only = false, destructive = true, idempotent = false, open_world = true;
};

struct CallContext {
  // `progress` of `total` so far; never empty, may be called as often as wanted from the thread that runs the call.
  std::function<void(double progress, double total, std::string_view message)> progress;
  const std::atomic<bool>* cancelled = nullptr;
};

struct ResourceLink {
  std::string uri, name, mime_type, description;
  std::uint64_t size = 0;
};

struct ToolResult {
  std::string json;  // one JSON object: structuredContent, and the text when `text` is empty; "" = text only
  std::string text;  // the text content
  bool is_error = false;
  std::vector<ResourceLink> links = {};
};

struct Tool {
  std::string name, title, description;
  Annotations annotations;
  bool listed = true;                          // false: callable, but not in tools/list
  std::function<std::string()> input_schema;   // JSON text
  std::function<std::string()> output_schema;  // empty function or "" = none declared
  // `arguments`: the text of one JSON object. Exceptions become an isError result.
  std::function<ToolResult(std::string_view arguments, const CallContext& context)> call;
};

class Catalogue {
 public:
  void add(Tool tool) { tools_.push_back(std::move(tool)); }
  [[nodiscard]] const Tool* find(std::string_view name) const;
  [[nodiscard]] const std::vector<Tool>& tools() const { return tools_; }  // in the order tools/list shows
  // The listed name nearest to `name`, or "" when none is near.
  [[nodiscard]] std::string_view nearest(std::string_view name) const;

 private:
  std::vector<Tool> tools_;
};

}  // namespace plumbline::server::mcp
