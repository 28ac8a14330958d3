// What a server offers, whoever provides it: the verbs of the house, or the fixtures of the conformance server. Everything is
// data plus functions; schemas and lists are made when they are first asked for, so that start-up does not pay for them.
// A Catalogue is built once and only read afterwards, from any thread. Functions that take a CallContext run on worker threads,
// several at a time, and may block; they may throw.
//
// A tool, prompt or resource that needs an answer from the client's user returns InputRequired and is called again, from its
// beginning, with the answers in CallContext::inputs. That is how revision 2026-07-28 works on the wire; older clients get
// requests of ours instead, and the function sees no difference. No thread waits meanwhile.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "server/access/principal.hpp"
#include "server/jsonrpc/message.hpp"

namespace plumbline::server::mcp {

// The protocol's defaults are pessimistic, so every tool says all four.
struct Annotations {
  bool read_only = false, destructive = true, idempotent = false, open_world = true;
};

enum class LogLevel : std::uint8_t { debug, info, notice, warning, error, critical, alert, emergency };

// What the client has declared that it can do.
struct ClientCan {
  bool elicitation = false;  // forms
  bool sampling = false;
  bool roots = false;
  bool tasks = false;  // the tasks extension
  bool views = false;  // MCP Apps: shows a page of ours beside a tool's result
};

struct CallContext {
  // `progress` of `total` so far; never empty, may be called as often as wanted from the thread that runs the call.
  std::function<void(double progress, double total, std::string_view message)> progress;
  // A log message to the client, when it wants that level; `data` is a JSON text. Never empty.
  std::function<void(LogLevel level, std::string_view logger, std::string_view data)> log;
  const std::atomic<bool>* cancelled = nullptr;
  ClientCan client;
  const access::Principal* who = nullptr;  // never null
  // The client's answers by the key of the question (results of elicitation/create and so on, checked against what was asked);
  // an empty object in the first round. Never null.
  const nlohmann::json* inputs = nullptr;
  std::string state;  // what the round before put into InputRequired::state; not forgeable by the client
  // The client is to come back for the rest of the stream (legacy HTTP); harmless elsewhere. Never empty.
  std::function<void()> release_stream;
};

struct InputRequest {
  std::string key;
  std::string method;  // elicitation/create, sampling/createMessage, roots/list
  std::string params;  // JSON object text
};

struct InputRequired {
  std::vector<InputRequest> requests;
  std::string state;  // kept for the next round; leaves the process sealed
};

struct ResourceLink {
  std::string uri, name, mime_type, description;
  std::optional<std::uint64_t> size = {};  // nothing: nobody knows, as of a page that is made when it is asked for
};

struct ToolResult {
  std::string json;  // one JSON object: structuredContent, and the text when `text` is empty; "" = text only
  std::string text;  // the text content
  bool is_error = false;
  std::vector<ResourceLink> links = {};
  std::string png = {};                                  // an image beside them
  std::string code = {};                                 // what failed, for the audit: "not_found"
  std::string content = {};                              // JSON array text of content blocks: replaces text and links
  std::optional<InputRequired> input = {};               // replaces everything above
  std::optional<jsonrpc::RpcError> protocol_error = {};  // replaces everything above
};

// When a call becomes a task for clients that know the tasks extension: never, or when it has not ended after this long.
struct TaskPolicy {
  std::optional<std::chrono::milliseconds> after;
  bool required = false;  // clients without the extension are refused
};

struct Tool {
  std::string name, title, description;
  Annotations annotations;
  bool listed = true;                          // false: callable, but not in tools/list
  std::function<std::string()> input_schema;   // JSON text
  std::function<std::string()> output_schema;  // empty function or "" = none declared
  // `arguments`: the text of one JSON object. Exceptions become an isError result.
  std::function<ToolResult(std::string_view arguments, const CallContext& context)> call;
  TaskPolicy task;
  // Answers in microseconds and touches nothing but memory: called by whoever reads the request.
  bool instant = false;
  bool writes = false;           // needs a principal that may write
  bool answers_readers = false;  // one that may not is answered all the same, and nothing is written: `call` sees to that
  std::string meta;              // JSON object text for _meta in tools/list; "" = none
  std::string view;              // URI of the page that shows its results (MCP Apps), for clients that show such; "" = none
};

// One page of a list: JSON objects joined by commas, and the cursor of the next page ("" = last).
struct Page {
  std::string items;
  std::string next;
};

struct ReadResult {
  std::string contents;  // JSON array text
  long ttl_ms = 0;       // how long a client may keep it
  std::optional<InputRequired> input = {};
  std::optional<jsonrpc::RpcError> protocol_error = {};
};

// Resources, offered when `read` is set. list() and templates() give JSON objects as resources/list shows them.
struct Resources {
  std::function<tl::expected<Page, jsonrpc::RpcError>(std::string_view cursor, const CallContext& context)> list;
  std::function<std::string()> templates;  // JSON objects joined by commas
  std::function<ReadResult(std::string_view uri, const CallContext& context)> read;
  // Subscriptions are offered when set. A text that changes when the resource does, "" when there is no such resource;
  // nothing when the URI is not one that can be watched. Called every second for what is subscribed to.
  std::function<std::optional<std::string>(std::string_view uri)> version;
};

struct PromptArgument {
  std::string name, description;
  bool required = false;
};

struct PromptResult {
  std::string description;
  std::string messages;  // JSON array text
  std::optional<InputRequired> input = {};
  std::optional<jsonrpc::RpcError> protocol_error = {};
};

struct Prompt {
  std::string name, title, description;
  std::vector<PromptArgument> arguments;
  // `arguments`: an object whose values are strings; required ones are there.
  std::function<PromptResult(const nlohmann::json& arguments, const CallContext& context)> get;
};

// A skill of the extension io.modelcontextprotocol/skills: what skills/list shows of it. Its files are resources.
struct SkillEntry {
  std::string uri;                    // of its SKILL.md
  std::function<std::string()> json;  // JSON object text; made when somebody asks, for it takes digests
};

// completion/complete, offered when set.
struct CompletionRequest {
  bool prompt = false;                     // else a resource template
  std::string ref;                         // the prompt's name or the template's URI
  std::string argument;                    // its name
  std::string value;                       // typed so far
  const nlohmann::json* others = nullptr;  // context.arguments: an object with string values; never null
};
struct Completion {
  std::vector<std::string> values;  // best first; at most 100 are sent
  std::optional<std::uint64_t> total;
};
using Complete = std::function<tl::expected<Completion, jsonrpc::RpcError>(const CompletionRequest& request, const CallContext&)>;

class Catalogue {
 public:
  void add(Tool tool) { tools_.push_back(std::move(tool)); }
  void add(Prompt prompt) { prompts_.push_back(std::move(prompt)); }
  void add(SkillEntry skill) { skills_.push_back(std::move(skill)); }
  void offer(Resources resources) { resources_ = std::move(resources); }
  void offer(Complete complete) { complete_ = std::move(complete); }

  [[nodiscard]] const Tool* find(std::string_view name) const;
  [[nodiscard]] const std::vector<Tool>& tools() const { return tools_; }  // in the order tools/list shows
  // The listed name nearest to `name`, or "" when none is near.
  [[nodiscard]] std::string_view nearest(std::string_view name) const;
  [[nodiscard]] const Prompt* find_prompt(std::string_view name) const;
  [[nodiscard]] std::string_view nearest_prompt(std::string_view name) const;
  [[nodiscard]] const std::vector<Prompt>& prompts() const { return prompts_; }
  [[nodiscard]] const std::vector<SkillEntry>& skills() const { return skills_; }
  [[nodiscard]] const Resources& resources() const { return resources_; }
  [[nodiscard]] const Complete& complete() const { return complete_; }

 private:
  std::vector<Tool> tools_;
  std::vector<Prompt> prompts_;
  std::vector<SkillEntry> skills_;
  Resources resources_;
  Complete complete_;
};

}  // namespace plumbline::server::mcp
