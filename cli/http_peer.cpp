// Streamable HTTP to a server of this machine: one connection per message, HTTP/1.1 in its plainest form. It is the doctor's
// thermometer, not a client library: what it does not understand it says, and reads no further.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <optional>
#include <system_error>

#include "base/descriptor.hpp"
#include "cli/peer.hpp"
#include "core/citing.hpp"
#include "core/text.hpp"

namespace plumbline::cli {
namespace {

using core::ErrorCode;
using core::Expected;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kHeadBytes = 64U << 10;

struct Url {
  std::string host, path;
  std::uint16_t port = 80;
  sockaddr_storage address{};
  socklen_t address_size = 0;
};

Expected<Url> parse_url(std::string_view text) {
  if (text.starts_with("https://")) {
    return core::fail(ErrorCode::usage, "doctor speaks plain http only",
                      "check it with: curl -sS -X POST -H 'Content-Type: application/json' -H 'Accept: application/json, "
                      "text/event-stream' -d '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}' " +
                          std::string(text));
  }
  const auto wrong = [text] {
    return core::fail(ErrorCode::usage, core::cited(text) + " is not a URL that doctor can use",
                      "such as http://127.0.0.1:8321/mcp");
  };
  if (!text.starts_with("http://")) return wrong();
  const std::string_view rest = text.substr(7);
  const auto slash = std::min(rest.find('/'), rest.size());
  Url url;
  url.path = slash == rest.size() ? "/" : std::string(rest.substr(slash));
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
  if (!plain || text.find_first_of("@?#") != std::string_view::npos) return wrong();
  std::string_view authority = rest.substr(0, slash);
  std::string_view host = authority;
  if (const auto colon = authority.rfind(':'); colon != std::string_view::npos && !authority.ends_with(']')) {
    host = authority.substr(0, colon);
    const auto port = core::parse_int(authority.substr(colon + 1));
    if (!port || *port < 1 || *port > 65535) return wrong();
    url.port = static_cast<std::uint16_t>(*port);
  }
  url.host = std::string(authority);
  auto& four = reinterpret_cast<sockaddr_in&>(url.address);
  auto& six = reinterpret_cast<sockaddr_in6&>(url.address);
  const std::string name(host.starts_with('[') && host.ends_with(']') ? host.substr(1, host.size() - 2) : host);
  in_addr address4{};
  in6_addr address6{};
  if (::inet_pton(AF_INET, name == "localhost" ? "127.0.0.1" : name.c_str(), &address4) == 1 &&
      ntohl(address4.s_addr) >> 24 == 127) {
    four.sin_family = AF_INET;
    four.sin_port = htons(url.port);
    four.sin_addr = address4;
    url.address_size = sizeof(sockaddr_in);
  } else if (::inet_pton(AF_INET6, name.c_str(), &address6) == 1 && IN6_IS_ADDR_LOOPBACK(&address6)) {
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(url.port);
    six.sin6_addr = address6;
    url.address_size = sizeof(sockaddr_in6);
  } else {
    return core::fail(ErrorCode::usage, "doctor asks servers of this machine only, not " + core::cited(name),
                      "run doctor there, or reach it through a tunnel: ssh -L 8321:127.0.0.1:8321 HOST");
  }
  return url;
}

struct Answer {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string body;                                          // transfer coding taken off
  [[nodiscard]] std::string_view header(std::string_view name) const {
    for (const auto& [key, value] : headers) {
      if (key == name) return value;
    }
    return {};
  }
};

std::optional<Answer> parse_head(std::string_view head) {
  Answer answer;
  auto lines = core::split(head, '\n');
  if (lines.empty() || !lines[0].starts_with("HTTP/1.") || lines[0].size() < 12) return std::nullopt;
  const auto status = core::parse_int(lines[0].substr(9, 3));
  if (!status || *status < 100 || *status > 599) return std::nullopt;
  answer.status = static_cast<int>(*status);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto colon = lines[i].find(':');
    if (colon == std::string_view::npos || colon == 0) return std::nullopt;
    answer.headers.emplace_back(core::to_lower(lines[i].substr(0, colon)), core::trim(lines[i].substr(colon + 1)));
  }
  return answer;
}

// Chunks so far without their sizes; `whole` when the last one has come. nullopt for what are no chunks.
struct Chunks {
  std::string body;
  bool whole = false;
};
std::optional<Chunks> dechunked(std::string_view text) {
  Chunks chunks;
  for (;;) {
    const auto line = text.find("\r\n");
    if (line == std::string_view::npos) return chunks;
    std::size_t size = 0;
    const auto digits = text.substr(0, std::min(line, text.find(';')));
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size, 16);
    if (error != std::errc() || end == digits.data() || size > (1U << 30)) return std::nullopt;
    text.remove_prefix(line + 2);
    chunks.whole = size == 0;
    chunks.body += text.substr(0, size);
    if (size == 0 || text.size() < size + 2) return chunks;
    text.remove_prefix(size + 2);
  }
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
  HttpPeer(Url url, std::string token, const PeerLimits& limits)
      : url_(std::move(url)), token_(std::move(token)), limits_(limits) {}

  Expected<std::string> ask(std::int64_t id, const Message& request) override {
    const auto answer = exchange("POST", request, id);
    if (!answer) return core::fail(answer.error());
    if (const auto session = answer->header("mcp-session-id"); !session.empty()) session_ = session;
    if (auto message = message_of(*answer, id)) return *message;
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
  [[nodiscard]] std::string request_text(std::string_view verb, const Message& message) const {
    std::string text = std::string(verb) + " " + url_.path + " HTTP/1.1\r\nHost: " + url_.host +
                       "\r\nConnection: close\r\nAccept: application/json, text/event-stream\r\n";
    const auto header = [&text](std::string_view name, const std::string& value) {
      if (!value.empty()) text += std::string(name) + ": " + value + "\r\n";
    };
    if (!token_.empty()) header("Authorization", "Bearer " + token_);
    header("MCP-Protocol-Version", message.version);
    if (message.modern) header("Mcp-Method", message.method);
    if (!message.modern) header("Mcp-Session-Id", session_);
    if (!message.text.empty()) {
      header("Content-Type", "application/json");
      header("Content-Length", std::to_string(message.text.size()));
    }
    return text + "\r\n" + message.text;
  }

  Expected<Answer> exchange(std::string_view verb, const Message& message, std::int64_t id) {
    const auto deadline = Clock::now() + limits_.answer;
    const base::Descriptor socket(::socket(url_.address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&url_.address), url_.address_size) != 0 &&
        errno != EINPROGRESS) {
      return unreachable(errno);
    }
    if (!wait_for(socket.get(), POLLOUT, deadline, limits_.cancelled)) return late();
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) return unreachable(error);
    const std::string request = request_text(verb, message);
    for (std::string_view rest = request; !rest.empty();) {
      const auto sent = ::send(socket.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
      if (sent > 0) {
        rest.remove_prefix(static_cast<std::size_t>(sent));
      } else if (errno == EAGAIN) {
        if (!wait_for(socket.get(), POLLOUT, deadline, limits_.cancelled)) return late();
      } else if (errno != EINTR) {
        break;  // it may have answered already, and says why
      }
    }
    return read_answer(socket.get(), deadline, id);
  }

  // Until the body is whole, the stream has answered `id`, or the connection ends.
  Expected<Answer> read_answer(int fd, Clock::time_point deadline, std::int64_t id) const {
    std::string text;
    std::array<char, 65536> block{};
    for (bool open = true;;) {
      if (auto answer = understood(text, open, id); !answer || *answer) {
        if (!answer) return core::fail(answer.error());
        return std::move(**answer);
      }
      if (!open) return core::fail(ErrorCode::invalid_input, "the server closed the connection before its answer was whole");
      if (!wait_for(fd, POLLIN, deadline, limits_.cancelled)) return late();
      const auto got = ::recv(fd, block.data(), block.size(), 0);
      if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      open = got > 0;
      if (got > 0) text.append(block.data(), static_cast<std::size_t>(got));
      if (text.size() > limits_.message_bytes) {
        return core::fail(ErrorCode::limit_exceeded,
                          "the server's answer has more than " + std::to_string(limits_.message_bytes >> 20) + " MiB");
      }
    }
  }

  static Expected<std::optional<Answer>> understood(std::string_view text, bool open, std::int64_t id) {
    const auto not_http = [text] {
      return core::fail(ErrorCode::invalid_input,
                        "what answers is not an HTTP server: it sent " + core::cited(text.substr(0, 60)));
    };
    const auto end = text.find("\r\n\r\n");
    if (end == std::string_view::npos) {
      const std::string_view start = "HTTP/1.";
      const auto most = std::min(start.size(), text.size());
      if (text.substr(0, most) != start.substr(0, most) || text.size() > kHeadBytes) return not_http();
      return std::optional<Answer>();
    }
    auto answer = parse_head(text.substr(0, end));
    if (!answer) return not_http();
    const std::string_view raw = text.substr(end + 4);
    bool whole = !open;
    if (core::to_lower(answer->header("transfer-encoding")) == "chunked") {
      auto chunks = dechunked(raw);
      if (!chunks) return core::fail(ErrorCode::invalid_input, "the answer's chunks are not well formed");
      answer->body = std::move(chunks->body);
      whole = chunks->whole;
    } else if (const auto length = core::parse_int(answer->header("content-length"))) {
      answer->body = std::string(raw.substr(0, static_cast<std::size_t>(std::max<std::int64_t>(*length, 0))));
      whole = static_cast<std::int64_t>(raw.size()) >= *length;
    } else {
      answer->body = std::string(raw);
      whole = whole || answer->status == 202 || answer->status == 204;
    }
    if (!whole && !message_of(*answer, id)) return std::optional<Answer>();
    return std::optional(std::move(*answer));
  }

  static std::optional<std::string> message_of(const Answer& answer, std::int64_t id) {
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

  [[nodiscard]] tl::unexpected<core::Error> refused(const Answer& answer) const {
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

  [[nodiscard]] tl::unexpected<core::Error> unreachable(int error) const {
    return core::fail(ErrorCode::environment, "cannot connect to " + url_.host + ": " + std::generic_category().message(error),
                      "start it: plumbline serve --http " + url_.host);
  }

  [[nodiscard]] tl::unexpected<core::Error> late() const {
    if (limits_.cancelled != nullptr && limits_.cancelled->load(std::memory_order_relaxed)) {
      return core::fail(ErrorCode::cancelled, "stopped");
    }
    return core::fail(ErrorCode::environment,
                      "no answer within " + core::short_number(static_cast<double>(limits_.answer.count()) / 1000.0) + " s",
                      "--timeout SECONDS waits longer");
  }

  Url url_;
  std::string token_, session_;
  PeerLimits limits_;
};

}  // namespace

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
