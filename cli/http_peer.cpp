// Streamable HTTP to a server of this machine: what the doctor asks.
#include <algorithm>
#include <optional>

#include "cli/peer.hpp"
#include "core/citing.hpp"
#include "core/text.hpp"
#include "net/http_client.hpp"

namespace plumbline::cli {
namespace {

using core::ErrorCode;
using core::Expected;
using net::http_exchange;
using net::HttpAnswer;
using net::HttpLimits;
using net::HttpRequest;
using net::HttpUrl;
using net::parse_http_url;

Expected<HttpUrl> parse_url(std::string_view text) {
  if (text.starts_with("https://")) {
    return core::fail(ErrorCode::usage, "doctor speaks plain http only",
                      "check it with: curl -sS -X POST -H 'Content-Type: application/json' -H 'Accept: application/json, "
                      "text/event-stream' -d '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}' " +
                          std::string(text));
  }
  auto url = parse_http_url(text);
  if (!url) {
    return core::fail(ErrorCode::usage, core::cited(text) + " is not a URL that doctor can use",
                      "such as http://127.0.0.1:8321/mcp");
  }
  if (!url->loopback()) {
    return core::fail(ErrorCode::usage, "doctor asks servers of this machine only, not " + core::cited(url->host),
                      "run doctor there, or reach it through a tunnel: ssh -L 8321:127.0.0.1:8321 HOST");
  }
  return std::move(*url);
}

// The data of each event of a stream, whole events only.
std::vector<std::string> events_of(std::string_view body) {
  std::vector<std::string> events;
  std::string data;
  const auto lines = core::split(body, '\n');
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {  // behind the last newline stands no whole line
    std::string_view line = lines[i];
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) {
      if (!data.empty()) events.push_back(std::exchange(data, {}));
    } else if (line.starts_with("data:")) {
      line.remove_prefix(line.substr(5).starts_with(' ') ? 6 : 5);
      data += (data.empty() ? "" : "\n") + std::string(line);
    }
  }
  return events;
}

class HttpPeer final : public Peer {
 public:
  HttpPeer(HttpUrl url, std::string token, const PeerLimits& limits) : url_(std::move(url)), token_(std::move(token)) {
    limits_.answer = limits.answer;
    limits_.message_bytes = limits.message_bytes;
    limits_.cancelled = limits.cancelled;
  }

  Expected<std::string> ask(std::int64_t id, const Message& request) override {
    const auto answer = exchange("POST", request, id);
    if (!answer) return core::fail(answer.error());
    if (const auto session = answer->header("mcp-session-id"); !session.empty()) session_ = session;
    if (auto message = rpc_answer(*answer, id)) return *message;
    return refused(*answer);
  }

  core::Status tell(const Message& notification) override {
    const auto answer = exchange("POST", notification, -1);
    if (!answer) return core::fail(answer.error());
    if (answer->status == 202) return {};
    if (answer->status >= 400) return refused(*answer);
    return core::fail(ErrorCode::invalid_input,
                      "a notification was answered with HTTP " + std::to_string(answer->status) + " instead of 202");
  }

  Remains end() override {
    if (!session_.empty()) static_cast<void>(exchange("DELETE", {}, -1));
    return {};
  }

 private:
  Expected<HttpAnswer> exchange(std::string_view verb, const Message& message, std::int64_t id) {
    HttpRequest request;
    request.method = verb;
    request.path = url_.path;
    request.headers = {{"Accept", "application/json, text/event-stream"},
                       {"Authorization", token_.empty() ? "" : "Bearer " + token_},
                       {"MCP-Protocol-Version", message.version},
                       {message.modern ? "Mcp-Method" : "Mcp-Session-Id", message.modern ? message.method : session_},
                       {"Content-Type", message.text.empty() ? "" : "application/json"}};
    request.body = message.text;
    return http_exchange(url_, request, limits_, [id](const HttpAnswer& answer) { return rpc_answer(answer, id).has_value(); });
  }

  [[nodiscard]] tl::unexpected<core::Error> refused(const HttpAnswer& answer) const {
    const std::string status = "HTTP " + std::to_string(answer.status);
    switch (answer.status) {
      case 401:
        return core::fail(ErrorCode::path_not_allowed,
                          status + (token_.empty() ? ": the server wants a token" : ": the token is not accepted"),
                          "--token-env VAR names the variable that holds a token of the server's --token-file");
      case 403:
        return core::fail(ErrorCode::path_not_allowed, status + ": the server refuses this client",
                          "it checks the Host and Origin it is asked for, and what the token may do");
      case 404:
      case 405:
        return core::fail(ErrorCode::not_found, status + ": no MCP endpoint at " + url_.path, "the endpoint is /mcp");
      default:
        return core::fail(ErrorCode::invalid_input, status + " without an answer to the request: " +
                                                        core::cited(std::string_view(answer.body).substr(0, 120)));
    }
  }

  const HttpUrl url_;
  const std::string token_;
  std::string session_;
  HttpLimits limits_;
};

}  // namespace

std::optional<std::string> rpc_answer(const HttpAnswer& answer, std::int64_t id) {
  if (id < 0) return std::nullopt;
  if (answer.header("content-type").starts_with("text/event-stream")) {
    for (auto& event : events_of(answer.body)) {
      if (answer_id(event) == id) return std::move(event);
    }
  } else if (answer_id(answer.body) == id) {
    return answer.body;
  }
  return std::nullopt;
}

Expected<std::unique_ptr<Peer>> connect_http(std::string_view url, std::string token, const PeerLimits& limits) {
  auto parsed = parse_url(url);
  if (!parsed) return core::fail(parsed.error());
  const auto visible = [](char c) { return c > ' ' && c < '\x7f'; };
  if (!std::all_of(token.begin(), token.end(), visible)) {
    return core::fail(ErrorCode::usage, "the token has blanks or characters that no header carries",
                      "is there a line end behind it?");
  }
  return std::unique_ptr<Peer>(std::make_unique<HttpPeer>(std::move(*parsed), std::move(token), limits));
}

}  // namespace plumbline::cli
