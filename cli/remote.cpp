#include "cli/remote.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "cli/peer.hpp"
#include "cli/remote_files.hpp"
#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/files.hpp"
#include "registry/handed/handed.hpp"

namespace plumbline::cli {
namespace {

using core::ErrorCode;
using net::http_exchange;
using net::HttpAnswer;
using net::HttpLimits;
using net::HttpRequest;
using net::parse_http_url;
using verbs::CommandOutcome;
using verbs::Expected;
using Json = nlohmann::json;

constexpr std::string_view kModern = "2026-07-28";
constexpr std::uint64_t kInline = 64U << 10;    // of one file
constexpr std::uint64_t kInlineAll = 1U << 20;  // of all of a call
constexpr std::size_t kCallBytes = 8U << 20;    // as text
constexpr std::size_t kAnswerBytes = 64U << 20;

std::string variable(const verbs::Context& context, std::string_view name) {
  return context.environment ? context.environment(name).value_or(std::string()) : std::string();
}

// "--server=URL" or "--server URL": the value, and how many words it took.
std::optional<std::pair<std::string, std::size_t>> value_at(const std::vector<std::string>& words, std::size_t at,
                                                            std::string_view flag) {
  const std::string& word = words[at];
  if (word == flag && at + 1 < words.size()) return std::pair(words[at + 1], std::size_t{2});
  if (word.starts_with(std::string(flag) + "=")) return std::pair(word.substr(flag.size() + 1), std::size_t{1});
  return std::nullopt;
}

Expected<Server> server_of(const Remote& remote, const verbs::Context& context) {
  Server server;
  auto url = parse_http_url(remote.url);
  if (!url) {
    return core::fail(ErrorCode::usage, core::cited(remote.url) + " is not the URL of a server",
                      "such as https://perf.example:8443/mcp");
  }
  if (url->path == "/") url->path = "/mcp";
  if (!url->tls && !url->loopback() && !remote.token.empty()) {
    return core::fail(ErrorCode::usage, "a token does not cross a network in the clear: " + remote.url + " is plain http",
                      "https://" + url->authority + url->path + ", or a tunnel: ssh -L 8321:127.0.0.1:8321 " + url->host);
  }
  const auto visible = [](char c) { return c > ' ' && c < '\x7f'; };
  if (!std::all_of(remote.token.begin(), remote.token.end(), visible)) {
    return core::fail(ErrorCode::usage, "the token has blanks or characters that no header carries",
                      "is there a line end behind it?");
  }
  server.url = std::move(*url);
  server.token = remote.token;
  server.limits.ca_file = remote.ca_file;
  server.limits.cancelled = context.cancelled;
  server.limits.answer = std::chrono::minutes(1);
  return server;
}

void show(const verbs::Context& context, double fraction, const std::string& message) {
  if (context.progress) context.progress(fraction, message);
}

Expected<std::string> digest_of(const LocalFile& file, const verbs::Context& context) {
  registry::PathLimits limits;
  limits.bytes = UINT64_MAX;
  limits.stop = [&context] { return context.stop_asked(); };
  const auto source = registry::open_source(file.path, limits);
  if (!source) return core::fail(source.error());
  return registry::source_digest(*source, limits);
}

std::string_view base_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Everything that the words name, as the call carries it: folders and small texts themselves, of the others the digests of their
// uploads, which are there by then.
class Handing {
 public:
  Handing(const Server& server, const LocalFiles& local, const verbs::Context& context)
      : server_(server), local_(local), context_(context) {}

  Expected<Json> run() {
    for (const std::string& folder : local_.folders) files_[folder] = {{"folder", true}};
    for (const LocalFile& file : local_.reports) files_[file.name] = {{"write", true}};
    for (const LocalFile& file : local_.files) {
      if (auto handed = hand(file); !handed) return core::fail(std::move(handed.error()));
    }
    return std::move(files_);
  }

 private:
  core::Status hand(const LocalFile& file) {
    if (!core::is_valid_utf8(file.name)) {
      return core::fail(ErrorCode::usage,
                        "the name of " + core::cited_path(file.path) + " is not UTF-8, and no server is told of it", "rename it",
                        file.path);
    }
    if (file.bytes <= kInline && inline_ + file.bytes <= kInlineAll) {
      const auto bytes = registry::read_file(file.path, {});
      if (!bytes) return core::fail(bytes.error());
      if (core::is_valid_utf8(bytes->view()) && bytes->view().size() <= kInline) {
        inline_ += bytes->view().size();
        files_[file.name] = {{"content", std::string(bytes->view())}};
        return {};
      }
    }
    return send(file);
  }

  core::Status send(const LocalFile& file) {
    const std::string name(base_of(file.path));
    show(context_, -1, "reading " + name);
    const auto digest = digest_of(file, context_);
    if (!digest) return core::fail(digest.error());
    const auto all = static_cast<double>(std::max<std::uint64_t>(file.bytes, 1));
    const auto progress = [&](std::uint64_t sent) { show(context_, static_cast<double>(sent) / all, "uploading " + name); };
    if (auto sent = upload(server_, file.path, *digest, file.bytes, progress); !sent) return sent;
    files_[file.name] = {{"blob", *digest}};
    return {};
  }

  const Server& server_;
  const LocalFiles& local_;
  const verbs::Context& context_;
  Json files_ = Json::object();
  std::uint64_t inline_ = 0;
};

core::Error refused(const Server& server, const HttpAnswer& answer) {
  const std::string status = "HTTP " + std::to_string(answer.status);
  switch (answer.status) {
    case 401:
      return {ErrorCode::path_not_allowed,
              status + (server.token.empty() ? ": the server wants a token" : ": the token is not accepted"),
              "--bearer-env VAR (or PLUMBLINE_TOKEN) holds a token of the server's --token-file",
              {}};
    case 403:
      return {ErrorCode::path_not_allowed,
              status + ": the server refuses this client",
              "it checks the Host that it is asked for, and what the token may do",
              {}};
    case 404:
    case 405:
      return {ErrorCode::not_found, status + ": no MCP endpoint at " + server.url.path, "the endpoint is /mcp", {}};
    case 429:
      return {ErrorCode::environment,
              status + ": too many calls",
              "try again in " + std::string(answer.header("retry-after")) + " s",
              {}};
    default:
      return {ErrorCode::environment,
              status + " instead of an answer: " + core::cited(std::string_view(answer.body).substr(0, 120)),
              {},
              {}};
  }
}

// One call of a tool; its result.
Expected<Json> call_tool(const Server& server, std::string_view tool, Json arguments) {
  constexpr int kId = 1;
  Json params = {{"name", tool}, {"arguments", std::move(arguments)}};
  params["_meta"] = {{"io.modelcontextprotocol/protocolVersion", kModern},
                     {"io.modelcontextprotocol/clientCapabilities", Json::object()},
                     {"io.modelcontextprotocol/clientInfo", {{"name", "plumbline"}, {"version", verbs::version()}}}};
  HttpRequest request;
  request.path = server.url.path;
  request.headers = server.headers();
  request.headers.insert(request.headers.end(), {{"Accept", "application/json, text/event-stream"},
                                                 {"Content-Type", "application/json"},
                                                 {"MCP-Protocol-Version", std::string(kModern)},
                                                 {"Mcp-Method", "tools/call"},
                                                 {"Mcp-Name", std::string(tool)}});
  request.body = Json{{"jsonrpc", "2.0"}, {"id", kId}, {"method", "tools/call"}, {"params", std::move(params)}}.dump();
  if (request.body.size() > kCallBytes) {
    return core::fail(ErrorCode::limit_exceeded, "what the command names are too many files for one call",
                      "name fewer, or a smaller folder");
  }
  HttpLimits limits = server.limits;
  limits.answer = std::chrono::hours(1);
  limits.message_bytes = kAnswerBytes;
  const auto answer =
      http_exchange(server.url, request, limits, [](const HttpAnswer& sofar) { return rpc_answer(sofar, kId).has_value(); });
  if (!answer) return core::fail(answer.error());
  const auto text = rpc_answer(*answer, kId);
  if (!text) return core::fail(refused(server, *answer));
  Json message = Json::parse(*text, nullptr, false);
  if (const auto error = message.find("error"); error != message.end() && error->is_object()) {
    return core::fail(ErrorCode::invalid_input,
                      "the server refuses the call: " + error->value("message", std::string("without a word")));
  }
  if (!message["result"].is_object()) return core::fail(ErrorCode::invalid_input, "the server's answer has no result");
  return std::move(message["result"]);
}

// The error of a call that did not get as far as the verb.
core::Error error_of(const Json& result) {
  core::Error error{ErrorCode::invalid_input,
                    "the server's answer is not understood",
                    "is it plumbline's, and not older than this program?",
                    {}};
  const auto content = result.find("content");
  if (content == result.end() || !content->is_array() || content->empty()) return error;
  const std::string text = content->front().value("text", std::string());
  const Json said = Json::parse(text, nullptr, false);
  if (!said.is_object()) {
    error.message = "the server says: " + core::cited(text);
    return error;
  }
  error.message = said.value("message", text);
  error.hint = said.value("hint", std::string());
  return error;
}

// Names as the caller wrote them. In JSON a name stands escaped, and so does the path in it: what is taken away stands in front.
std::string with_paths(const std::string& text) {
  const std::string scheme(registry::kClientScheme);
  std::string out;
  for (std::size_t at = 0;;) {
    const std::size_t next = text.find(scheme, at);
    out.append(text, at, next == std::string::npos ? next : next - at);
    if (next == std::string::npos) return out;
    out += '/';
    at = next + scheme.size();
  }
}

verbs::Status write_reports(const Json& envelope, const LocalFiles& local) {
  const auto files = envelope.find("files");
  for (const LocalFile& report : local.reports) {
    if (files == envelope.end() || !files->contains(report.name)) continue;  // the verb failed before, and says so
    const auto& text = (*files)[report.name].get_ref<const std::string&>();
    if (auto written = registry::write_report(report.path, with_paths(text), {}); !written) return written;
  }
  return {};
}

Expected<CommandOutcome> ask(const Remote& remote, const verbs::Verb& verb, const verbs::CommandLine& line,
                             const std::vector<std::string>& words, const verbs::Context& context) {
  const auto server = server_of(remote, context);
  if (!server) return core::fail(server.error());
  const auto local = local_files(verb, words, line.arguments, context);
  if (!local) return core::fail(local.error());
  auto files = Handing(*server, *local, context).run();
  if (!files) return core::fail(files.error());
  show(context, -1, "waiting for " + server->url.authority);
  const Json params = {{"args", local->words},
                       {"allow_nonzero", true},
                       {"terminal", static_cast<unsigned>(std::clamp(context.width, 20, 1000))},
                       {"files", std::move(*files)}};
  const auto result = call_tool(*server, verb.tool, {{"params", params}});
  if (!result) return core::fail(result.error());
  const auto envelope = result->find("structuredContent");
  if (envelope == result->end() || !envelope->is_object() || !envelope->contains("returncode"))
    return core::fail(error_of(*result));
  if (auto written = write_reports(*envelope, *local); !written) return core::fail(std::move(written.error()));
  CommandOutcome outcome;
  outcome.color = line.color;
  outcome.exit_status = envelope->value("returncode", 70);
  outcome.out = with_paths(envelope->value("stdout", std::string()));
  outcome.err = with_paths(envelope->value("stderr", std::string()));
  if (const std::string page = envelope->value("open", std::string()); !page.empty()) outcome.err += "open: " + page + "\n";
  return outcome;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> Server::headers() const {
  return {{"Authorization", token.empty() ? "" : "Bearer " + token}};
}

Expected<Remote> take_remote(std::vector<std::string>& words, const verbs::Context& context) {
  Remote remote;
  std::string bearer = "PLUMBLINE_TOKEN";
  bool named = false;
  for (std::size_t at = 0; at < words.size() && words[at].starts_with("-");) {
    std::size_t count = 0;
    const std::array<std::pair<std::string_view, std::string*>, 3> flags = {
        {{"--server", &remote.url}, {"--bearer-env", &bearer}, {"--ca", &remote.ca_file}}};
    for (const auto& [flag, to] : flags) {
      const auto value = value_at(words, at, flag);
      if (!value && words[at] == flag) return core::fail(ErrorCode::usage, std::string(flag) + " needs a value");
      if (!value) continue;
      *to = value->first;
      count = value->second;
      remote.by_flag = remote.by_flag || flag == "--server";
      named = named || flag == "--bearer-env";
    }
    if (count > 0) {
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(at), words.begin() + static_cast<std::ptrdiff_t>(at + count));
    } else {  // another flag in front of the command, perhaps with a value
      const bool two = (words[at] == "--repo-root" || words[at] == "--color") && at + 1 < words.size();
      at += two ? 2 : 1;
    }
  }
  if (!remote.by_flag) remote.url = variable(context, "PLUMBLINE_SERVER");
  remote.token = variable(context, bearer);
  if (named && remote.token.empty() && !remote.url.empty()) {
    return core::fail(ErrorCode::usage, "--bearer-env: the variable " + core::cited(bearer) + " is not set",
                      "export it: it holds the token");
  }
  return remote;
}

Expected<bool> is_asked_of(const Remote& remote, const verbs::Verb& verb) {
  if (remote.url.empty()) return false;
  if (!verb.tool.empty()) return true;
  if (!remote.by_flag) return false;
  return core::fail(ErrorCode::usage, "plumbline " + std::string(verb.name) + " runs on this machine, not on a server",
                    "leave --server out");
}

CommandOutcome run_remote(const Remote& remote, const verbs::Verb& verb, const std::vector<std::string>& words,
                          const verbs::Context& context) {
  const auto line = verbs::parse_command_line(verb, words);
  if (!line || line->help) return verbs::run_command(verb, words, context);  // what is wrong with the words is said here
  auto outcome = ask(remote, verb, *line, words, context);
  if (outcome) return std::move(*outcome);
  CommandOutcome failed;
  failed.color = line->color;
  failed.exit_status = verbs::exit_status(outcome.error().code);
  failed.err = verbs::error_text(outcome.error());
  return failed;
}

}  // namespace plumbline::cli
