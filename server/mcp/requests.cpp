#include "server/mcp/requests.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/text.hpp"
#include "server/mcp/errors.hpp"

namespace plumbline::server::mcp {
namespace {

using jsonrpc::RpcError;
using nlohmann::json;
using tl::unexpected;

tl::expected<std::string, RpcError> text_of(Params params, const char* name, std::string_view what) {
  Params value = member(params, name);
  if (value == nullptr || !value->is_string()) {
    return unexpected(invalid_params(fmt::format("params.{} must be a string: {}", name, what)));
  }
  return value->get<std::string>();
}

// An object whose values are strings, {} when absent.
tl::expected<std::shared_ptr<const json>, RpcError> texts_of(Params value, std::string_view name) {
  if (value == nullptr || value->is_null()) return std::make_shared<const json>(json::object());
  const bool texts = value->is_object() && std::all_of(value->begin(), value->end(), [](const json& v) { return v.is_string(); });
  if (!texts) return unexpected(invalid_params(fmt::format("{} must be an object whose values are strings", name)));
  return std::make_shared<const json>(*value);
}

template <class Result>
WorkResult other_than_result(Result& result) {
  WorkResult work;
  work.input = std::move(result.input);
  work.error = std::move(result.protocol_error);
  return work;
}

// Older revisions have a code of their own for what is not there; it is recognised by the data that goes with it.
RpcError in_era(RpcError error, Era era) {
  if (era == Era::legacy && error.code == jsonrpc::kInvalidParams && error.data.starts_with("{\"uri\":")) {
    error.code = kResourceNotFound;
  }
  return error;
}

}  // namespace

Params member(Params object, const char* name) {
  if (object == nullptr || !object->is_object()) return nullptr;
  const auto at = object->find(name);
  return at == object->end() ? nullptr : &*at;
}

std::string token_text(const json& value) {
  std::string text;
  if (value.is_string()) {
    core::append_quoted(text, value.get_ref<const std::string&>());
  } else if (value.is_number_unsigned()) {
    core::append_number(text, value.get<std::uint64_t>());
  } else if (value.is_number_integer()) {
    core::append_number(text, value.get<std::int64_t>());
  }
  return text;
}

tl::expected<void, RpcError> no_cursor(Params params) {
  if (Params cursor = member(params, "cursor"); cursor != nullptr && !cursor->is_null()) {
    return unexpected(invalid_params("params.cursor is none of ours: the list has one page, ask without a cursor"));
  }
  return {};
}

MaybeCall tool_call(const Server& server, Params params, bool structured) {
  const auto name = text_of(params, "name", "the tool to call");
  if (!name) return unexpected(name.error());
  Params given = member(params, "arguments");
  if (given != nullptr && !given->is_object() && !given->is_null()) {
    return unexpected(invalid_params("params.arguments must be an object"));
  }
  const Catalogue& catalogue = server.catalogue();
  const Tool* tool = catalogue.find(*name);
  if (tool == nullptr) return unexpected(unknown_name("tool", *name, catalogue.nearest(*name), "tools/list"));
  auto arguments = std::make_shared<const std::string>(given != nullptr && given->is_object() ? given->dump() : "{}");
  CallRequest request;
  request.name = tool->name;
  request.arguments = arguments;
  request.task = tool->task;
  request.writes = tool->writes;
  request.answers_readers = tool->answers_readers;
  request.instant = tool->instant;
  request.work = [tool, arguments, structured](const CallContext& context) {
    ToolResult result;
    try {
      result = tool->call(*arguments, context);
    } catch (const std::exception& error) {
      result = failure({core::ErrorCode::internal, tool->name + " failed: " + error.what(), "", ""});
    } catch (...) {
      result = failure({core::ErrorCode::internal, tool->name + " failed", "", ""});
    }
    if (result.input || result.protocol_error) return other_than_result(result);
    WorkResult work;
    work.members = Server::tool_members(result, structured);
    work.is_error = result.is_error;
    work.code = std::move(result.code);
    return work;
  };
  return request;
}

MaybeCall prompt_get(const Server& server, Params params) {
  const auto name = text_of(params, "name", "the prompt to get");
  if (!name) return unexpected(name.error());
  const Catalogue& catalogue = server.catalogue();
  const Prompt* prompt = catalogue.find_prompt(*name);
  if (prompt == nullptr) return unexpected(unknown_name("prompt", *name, catalogue.nearest_prompt(*name), "prompts/list"));
  auto arguments = texts_of(member(params, "arguments"), "params.arguments");
  if (!arguments) return unexpected(arguments.error());
  for (const PromptArgument& argument : prompt->arguments) {
    if (argument.required && !(*arguments)->contains(argument.name)) {
      return unexpected(invalid_params(
          fmt::format("params.arguments.{} is missing: {} needs it ({})", argument.name, prompt->name, argument.description)));
    }
  }
  CallRequest request;
  request.name = prompt->name;
  request.arguments = std::make_shared<const std::string>((*arguments)->dump());
  request.work = [prompt, arguments = *arguments](const CallContext& context) {
    PromptResult result = prompt->get(*arguments, context);
    if (result.input || result.protocol_error) return other_than_result(result);
    WorkResult work;
    if (!result.description.empty()) work.members = R"("description":)" + core::quoted(result.description) + ",";
    work.members += R"("messages":)" + jsonrpc::on_one_line(std::move(result.messages));
    return work;
  };
  return request;
}

MaybeCall resource_list(const Server& server, Params params, Era era) {
  Params given = member(params, "cursor");
  if (given != nullptr && !given->is_string() && !given->is_null()) {
    return unexpected(invalid_params("params.cursor must be a string"));
  }
  // An empty text is a cursor like any other: one that we never gave.
  if (given != nullptr && given->is_string() && given->get_ref<const std::string&>().empty()) {
    return unexpected(invalid_params("params.cursor is none of ours: ask without a cursor to begin again"));
  }
  const std::string cursor = given != nullptr && given->is_string() ? given->get<std::string>() : std::string();
  CallRequest request;
  request.arguments = std::make_shared<const std::string>(cursor);
  request.work = [&server, cursor, era](const CallContext& context) {
    WorkResult work;
    const auto& list = server.catalogue().resources().list;
    auto page = list ? list(cursor, context) : Page{};
    if (!page) {
      work.error = page.error();
      return work;
    }
    work.members = R"("resources":[)" + page->items + "]";
    if (!page->next.empty()) work.members.append(R"(,"nextCursor":)").append(core::quoted(page->next));
    if (era == Era::modern) work.members += R"(,"ttlMs":5000,"cacheScope":"private")";
    return work;
  };
  return request;
}

MaybeCall resource_read(const Server& server, Params params, Era era) {
  const auto uri = text_of(params, "uri", "the resource to read");
  if (!uri) return unexpected(uri.error());
  CallRequest request;
  request.name = *uri;
  request.arguments = std::make_shared<const std::string>(*uri);
  request.work = [&server, uri = *uri, era](const CallContext& context) {
    ReadResult result = server.catalogue().resources().read(uri, context);
    if (result.protocol_error) result.protocol_error = in_era(std::move(*result.protocol_error), era);
    if (result.input || result.protocol_error) return other_than_result(result);
    WorkResult work;
    work.members = R"("contents":)" + jsonrpc::on_one_line(std::move(result.contents));
    if (era == Era::modern) work.members += fmt::format(R"(,"ttlMs":{},"cacheScope":"private")", result.ttl_ms);
    return work;
  };
  return request;
}

MaybeCall completion(const Server& server, Params params) {
  Params ref = member(params, "ref");
  Params type = member(ref, "type");
  Params argument = member(params, "argument");
  struct Asked {
    CompletionRequest request;
    std::shared_ptr<const json> others;
  };
  Asked asked;
  if (type != nullptr && *type == "ref/prompt") {
    asked.request.prompt = true;
  } else if (type == nullptr || *type != "ref/resource") {
    return unexpected(invalid_params("params.ref.type must be \"ref/prompt\" or \"ref/resource\""));
  }
  const char* which = asked.request.prompt ? "name" : "uri";
  Params named = member(ref, which);
  if (named == nullptr || !named->is_string())
    return unexpected(invalid_params(fmt::format("params.ref.{} must be a string", which)));
  asked.request.ref = named->get<std::string>();
  for (auto [name, to] : {std::pair{"name", &asked.request.argument}, std::pair{"value", &asked.request.value}}) {
    Params value = member(argument, name);
    if (value == nullptr || !value->is_string()) {
      return unexpected(invalid_params(fmt::format("params.argument.{} must be a string", name)));
    }
    *to = value->get<std::string>();
  }
  auto others = texts_of(member(member(params, "context"), "arguments"), "params.context.arguments");
  if (!others) return unexpected(others.error());
  asked.others = *others;
  const Catalogue& catalogue = server.catalogue();
  if (asked.request.prompt && catalogue.find_prompt(asked.request.ref) == nullptr) {
    return unexpected(unknown_name("prompt", asked.request.ref, catalogue.nearest_prompt(asked.request.ref), "prompts/list"));
  }
  CallRequest request;
  request.name = asked.request.ref;
  request.arguments = std::make_shared<const std::string>(asked.request.value);
  request.work = [&server, asked](const CallContext& context) {
    constexpr std::size_t kMost = 100;
    WorkResult work;
    CompletionRequest completing = asked.request;
    completing.others = asked.others.get();
    const auto found = server.catalogue().complete()(completing, context);
    if (!found) {
      work.error = found.error();
      return work;
    }
    const std::size_t sent = std::min(kMost, found->values.size());
    const std::uint64_t total = std::max<std::uint64_t>(found->total.value_or(0), found->values.size());
    work.members = R"("completion":{"values":[)";
    for (std::size_t i = 0; i < sent; ++i) {
      if (i > 0) work.members += ",";
      core::append_quoted(work.members, found->values[i]);
    }
    work.members += fmt::format(R"(],"total":{},"hasMore":{}}})", total, total > sent);
    return work;
  };
  return request;
}

}  // namespace plumbline::server::mcp
