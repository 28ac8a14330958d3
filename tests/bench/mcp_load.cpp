// A load generator for MCP servers: calls per second, latencies, memory and the time from start to `initialize`, over standard
// input and output, Unix and TCP sockets (a line a message) and HTTP/1.1 with keep-alive, in both eras. One thread and epoll.
// Every answer is read as JSON and must carry its request's id and no error; what is measured is a server that answers rightly.
// Latencies go into a histogram of under 1 % error and fixed size. Times are of the monotonic clock, memory is VmRSS.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

constexpr std::string_view kUsage =
    R"(usage: bench_mcp_load [options] ADDRESS          a server that runs: unix:PATH, tcp:HOST:PORT or http://HOST:PORT/PATH
       bench_mcp_load [options] -- PROGRAM ARG…     a server of our own over its standard input and output
       bench_mcp_load [options] tcp|unix|http -- PROGRAM ARG…
                                                    the same, over what its standard error says it is "listening on"
  --era legacy|modern     2025-11-25 with a handshake, or 2026-07-28 without (default modern)
  --connections N         default 1
  --pipeline N            requests under way on one connection, default 1; HTTP has one
  --requests N            in all, after a tenth of that to warm up; default 20000
  --seconds S             instead: for so long, after a tenth of that
  --tool NAME             default echo
  --arguments JSON        default {"message":"hello"}
  --method NAME           instead of tools/call; --arguments are its params, default {}
  --header 'NAME: VALUE'  HTTP; may be given several times
  --starts N              start the program so often and time the first answer; default 1
  --pid PID               of a server that runs, for its memory
  --allow-errors          count answers that are errors, do not fail for them
  --json                  one JSON object instead of the table
Exit status: 0; 1 when an answer was wrong or missing; 2 for wrong use.
)";

struct Usage : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct Wrong : std::runtime_error {
  using std::runtime_error::runtime_error;
};
[[noreturn]] void broken(const std::string& what) { throw Wrong(what + ": " + std::strerror(errno)); }

struct Options {
  bool modern = true;
  std::size_t connections = 1, pipeline = 1, requests = 20'000, starts = 1;
  double seconds = 0;
  std::string tool = "echo", method = "tools/call", arguments;
  std::vector<std::string> headers, command;
  std::string address;
  int pid = 0;
  bool allow_errors = false, as_json = false;
};

template <typename Number>
Number number(std::string_view flag, std::string_view text, Number least) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < least) {
    throw Usage(std::string(flag) + " takes a number, not \"" + std::string(text) + "\"");
  }
  return value;
}

Options options_of(int argc, char** argv) {
  Options options;
  bool other_method = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view flag = argv[i];
    const auto value = [&]() -> std::string_view {
      if (i + 1 == argc) throw Usage(std::string(flag) + " needs a value");
      return argv[++i];
    };
    const auto count = [&] { return number<std::size_t>(flag, value(), 1); };
    if (flag == "--") {
      options.command.assign(argv + i + 1, argv + argc);
      break;
    }
    if (flag == "--era") {
      const auto era = value();
      if (era != "modern" && era != "legacy") throw Usage("--era is legacy or modern");
      options.modern = era == "modern";
    } else if (flag == "--connections") {
      options.connections = count();
    } else if (flag == "--pipeline") {
      options.pipeline = count();
    } else if (flag == "--requests") {
      options.requests = count();
    } else if (flag == "--starts") {
      options.starts = count();
    } else if (flag == "--seconds") {
      options.seconds = number<double>(flag, value(), 0.01);
    } else if (flag == "--tool") {
      options.tool = value();
    } else if (flag == "--arguments") {
      options.arguments = value();
    } else if (flag == "--method") {
      options.method = value();
      other_method = true;
    } else if (flag == "--header") {
      options.headers.emplace_back(value());
    } else if (flag == "--pid") {
      options.pid = number<int>(flag, value(), 1);
    } else if (flag == "--allow-errors") {
      options.allow_errors = true;
    } else if (flag == "--json") {
      options.as_json = true;
    } else if (flag.starts_with("-") || !options.address.empty()) {
      throw Usage("unknown argument " + std::string(flag));
    } else {
      options.address = flag;
    }
  }
  if (options.address.empty() && options.command.empty()) throw Usage("no server is named");
  if (!options.command.empty() && options.command[0].find('/') != std::string::npos &&
      access(options.command[0].c_str(), X_OK) != 0) {
    throw Usage("there is no program " + options.command[0]);
  }
  if (options.arguments.empty()) options.arguments = other_method ? "{}" : R"({"message":"hello"})";
  if (!json::parse(options.arguments, nullptr, false).is_object()) throw Usage("--arguments is not a JSON object");
  if (options.address.starts_with("http")) options.pipeline = 1;
  if (options.address.empty() && options.connections != 1) throw Usage("a program has one standard input: no --connections");
  return options;
}

// Counts by magnitude: 128 steps within each power of two.
class Histogram {
 public:
  void add(nanoseconds time) {
    const auto value = static_cast<std::uint64_t>(std::max<std::int64_t>(time.count(), 0));
    ++counts_[slot(value)];
    ++total_;
    max_ = std::max(max_, value);
  }
  [[nodiscard]] std::uint64_t total() const { return total_; }
  [[nodiscard]] double max_us() const { return static_cast<double>(max_) / 1e3; }
  [[nodiscard]] double quantile_us(double q) const {
    const auto wanted = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(q * static_cast<double>(total_) + 0.999999));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      seen += counts_[i];
      if (seen >= wanted && total_ > 0) return static_cast<double>(std::min(highest(i), max_)) / 1e3;
    }
    return 0;
  }

 private:
  static constexpr unsigned kBits = 7;
  static constexpr std::uint64_t kSteps = 1U << kBits;
  static std::size_t slot(std::uint64_t value) {
    if (value < kSteps) return value;
    const auto shift = static_cast<unsigned>(std::bit_width(value)) - kBits - 1;
    return (shift << kBits) + (value >> shift);
  }
  static std::uint64_t highest(std::size_t slot) {
    if (slot < 2 * kSteps) return slot;
    const auto shift = static_cast<unsigned>(slot >> kBits) - 1;
    return ((slot - (std::size_t{shift} << kBits) + 1) << shift) - 1;
  }
  std::vector<std::uint64_t> counts_ = std::vector<std::uint64_t>(60 * kSteps);
  std::uint64_t total_ = 0, max_ = 0;
};

double rss_mib(int pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) / 1024;
  }
  return 0;
}

// What the requests say, in the words of the era.
class Script {
 public:
  explicit Script(const Options& options) : modern_(options.modern), method_(options.method) {
    json params = json::parse(options.arguments);
    if (method_ == "tools/call") params = {{"name", options.tool}, {"arguments", std::move(params)}};
    name_ = params.value("name", params.value("uri", ""));
    params_ = with_meta(std::move(params)).dump();
  }
  [[nodiscard]] bool modern() const { return modern_; }
  [[nodiscard]] std::string_view version() const { return modern_ ? "2026-07-28" : "2025-11-25"; }
  [[nodiscard]] std::string_view method() const { return method_; }
  [[nodiscard]] std::string_view name() const { return name_; }
  [[nodiscard]] std::string_view opening_method() const { return modern_ ? "server/discover" : "initialize"; }
  [[nodiscard]] std::string opening() const {
    const json client = {{"name", "bench_mcp_load"}, {"version", "1"}};
    const json params = modern_ ? with_meta(json::object())
                                : json{{"protocolVersion", version()}, {"capabilities", json::object()}, {"clientInfo", client}};
    return request("0", opening_method(), params.dump());
  }
  [[nodiscard]] static std::string initialized() { return R"({"jsonrpc":"2.0","method":"notifications/initialized"})"; }
  [[nodiscard]] std::string call(std::uint64_t id) const { return request(std::to_string(id), method_, params_); }

 private:
  [[nodiscard]] json with_meta(json params) const {
    if (modern_) {
      params["_meta"] = {{"io.modelcontextprotocol/protocolVersion", version()},
                         {"io.modelcontextprotocol/clientInfo", {{"name", "bench_mcp_load"}, {"version", "1"}}},
                         {"io.modelcontextprotocol/clientCapabilities", json::object()}};
    }
    return params;
  }
  static std::string request(const std::string& id, std::string_view method, const std::string& params) {
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + std::string(method) + R"(","params":)" + params + "}";
  }
  bool modern_;
  std::string method_, params_, name_;
};

// Reads a message without keeping it: its id, whether it is an answer, and whether that is an error.
struct Message final : nlohmann::json_sax<json> {
  bool whole = false, is_answer = false, is_error = false;
  std::optional<std::uint64_t> number;

  explicit Message(std::string_view text) { whole = json::sax_parse(text, this); }

  bool null() override { return true; }
  bool boolean(bool value) override {
    if (depth_ == 2 && in_result_ && key_ == "isError") is_error = value;
    return true;
  }
  bool number_integer(number_integer_t value) override { return number_unsigned(static_cast<number_unsigned_t>(value)); }
  bool number_unsigned(number_unsigned_t value) override {
    if (depth_ == 1 && key_ == "id") number = value;
    return true;
  }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return ++depth_ > 0; }
  bool end_object() override { return --depth_ >= 0; }
  bool start_array(std::size_t) override { return ++depth_ > 0; }
  bool end_array() override { return --depth_ >= 0; }
  bool key(string_t& name) override {
    if (depth_ == 1) {
      in_result_ = name == "result";
      is_error = is_error || name == "error";
      is_answer = is_answer || in_result_ || name == "error";
    }
    if (depth_ <= 2) key_ = name;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  int depth_ = 0;
  bool in_result_ = false;
  std::string key_;
};

// How messages lie in bytes, both ways.
class Framing {
 public:
  virtual ~Framing() = default;
  virtual std::string frame(std::string_view message, std::string_view method, std::string_view name) = 0;
  // Takes the next whole thing off the front of `bytes`: the messages that it carries, none for an empty acknowledgement.
  virtual std::optional<std::vector<std::string>> take(std::string& bytes) = 0;
  [[nodiscard]] virtual bool acknowledges_notifications() const = 0;
};

class Lines final : public Framing {
 public:
  std::string frame(std::string_view message, std::string_view, std::string_view) override { return std::string(message) + "\n"; }
  std::optional<std::vector<std::string>> take(std::string& bytes) override {
    const auto end = bytes.find('\n', from_);
    if (end == std::string::npos) {
      bytes.erase(0, from_);
      from_ = 0;
      return std::nullopt;
    }
    std::vector<std::string> found{bytes.substr(from_, end - from_)};
    from_ = end + 1;
    return found;
  }
  [[nodiscard]] bool acknowledges_notifications() const override { return false; }

 private:
  std::size_t from_ = 0;  // what lies before it was taken
};

class Http final : public Framing {
 public:
  Http(std::string host, std::string path, const Script& script, const std::vector<std::string>& headers) : script_(script) {
    head_ = "POST " + path + " HTTP/1.1\r\nHost: " + host +
            "\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
    for (const auto& header : headers) head_ += header + "\r\n";
  }
  std::string frame(std::string_view message, std::string_view method, std::string_view name) override {
    std::string bytes = head_;
    if (method != "initialize") bytes.append("MCP-Protocol-Version: ").append(script_.version()).append("\r\n");
    if (script_.modern()) {
      bytes.append("Mcp-Method: ").append(method).append("\r\n");
      if (!name.empty()) bytes.append("Mcp-Name: ").append(name).append("\r\n");
    } else if (!session_.empty()) {
      bytes.append("Mcp-Session-Id: ").append(session_).append("\r\n");
    }
    return bytes.append("Content-Length: ").append(std::to_string(message.size())).append("\r\n\r\n").append(message);
  }
  std::optional<std::vector<std::string>> take(std::string& bytes) override {
    const auto head_end = bytes.find("\r\n\r\n");
    if (head_end == std::string::npos) {
      if (bytes.size() > kMostHead) throw Wrong("an HTTP head that does not end");
      return std::nullopt;
    }
    const std::string_view head(bytes.data(), head_end + 2);
    std::string body;
    std::size_t end = head_end + 4;
    if (field(head, "transfer-encoding")) {
      for (;;) {
        const auto line = bytes.find("\r\n", end);
        if (line == std::string::npos) return std::nullopt;
        std::size_t size = 0;
        if (std::from_chars(bytes.data() + end, bytes.data() + line, size, 16).ec != std::errc{}) throw Wrong("a bad chunk size");
        if (bytes.size() < line + 2 + size + 2) return std::nullopt;
        body.append(bytes, line + 2, size);
        end = line + 2 + size + 2;
        if (size == 0) break;
      }
    } else {
      const auto length = number<std::size_t>("Content-Length", field(head, "content-length").value_or("0"), 0);
      if (bytes.size() < end + length) return std::nullopt;
      body.assign(bytes, end, length);
      end += length;
    }
    const int status = std::atoi(bytes.c_str() + std::strlen("HTTP/1.1 "));
    if (const auto session = field(head, "mcp-session-id")) session_ = *session;
    const bool stream = field(head, "content-type").value_or("").starts_with("text/event-stream");
    bytes.erase(0, end);
    if (body.empty() && status >= 400) throw Wrong("HTTP status " + std::to_string(status));
    return stream ? events(body) : body.empty() ? std::vector<std::string>{} : std::vector{std::move(body)};
  }
  [[nodiscard]] bool acknowledges_notifications() const override { return true; }

 private:
  static constexpr std::size_t kMostHead = 64U << 10;
  static std::optional<std::string_view> field(std::string_view head, std::string_view name) {
    for (auto at = head.find("\r\n"); at + 2 < head.size(); at = head.find("\r\n", at + 2)) {
      const auto line = head.substr(at + 2, head.find("\r\n", at + 2) - at - 2);
      if (line.size() <= name.size() || line[name.size()] != ':') continue;
      if (strncasecmp(line.data(), name.data(), name.size()) != 0) continue;
      auto value = line.substr(name.size() + 1);
      value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
      return value;
    }
    return std::nullopt;
  }
  static std::vector<std::string> events(std::string_view body) {
    constexpr std::string_view kData = "data:";
    std::vector<std::string> found;
    while (!body.empty()) {
      auto line = body.substr(0, body.find('\n'));
      body.remove_prefix(std::min(line.size() + 1, body.size()));
      if (!line.starts_with(kData)) continue;
      line.remove_prefix(kData.size());
      if (line.find_first_not_of(" \r") != std::string_view::npos) found.emplace_back(line);
    }
    return found;
  }
  std::string head_, session_;
  const Script& script_;
};

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { close(); }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

// A server of our own. Ends with its object: input closed, then asked, and waited for.
class Child {
 public:
  Child(const std::vector<std::string>& command, bool over_stdio) {
    std::array<int, 2> in{-1, -1}, out{-1, -1};
    if (pipe2(in.data(), O_CLOEXEC) != 0 || pipe2(out.data(), O_CLOEXEC) != 0) broken("pipe");
    std::vector<char*> arguments;
    for (const auto& part : command) arguments.push_back(const_cast<char*>(part.c_str()));
    arguments.push_back(nullptr);
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    pid_ = vfork();
    if (pid_ < 0) broken("fork");
    if (pid_ == 0) {
      dup2(over_stdio ? in[0] : nothing, STDIN_FILENO);
      dup2(over_stdio ? out[1] : nothing, STDOUT_FILENO);
      dup2(over_stdio ? nothing : out[1], STDERR_FILENO);
      execvp(arguments[0], arguments.data());
      _exit(127);
    }
    ::close(nothing);
    ::close(in[0]);
    ::close(out[1]);
    to = Descriptor(in[1]);
    from = Descriptor(out[0]);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    to.close();
    kill(pid_, SIGTERM);
    waitpid(pid_, nullptr, 0);
    if (listener_.joinable()) listener_.join();
  }
  [[nodiscard]] int pid() const { return pid_; }
  // The first place of that kind that the program's standard error names. What it says afterwards is read and forgotten.
  [[nodiscard]] std::string listening(const std::string& kind) {
    const std::string said = "listening on " + kind + ":";
    std::string text;
    for (char byte = 0; read(from.get(), &byte, 1) == 1;) {
      text += byte;
      if (byte != '\n') continue;
      if (const auto at = text.find(said); at != std::string::npos) {
        auto place = text.substr(at + said.size() - kind.size() - 1);
        place.pop_back();
        if (kind == "tcp") place.erase(kind.size() + 1, 2);  // tcp://HOST:PORT
        listener_ = std::thread([this] {
          for (std::array<char, 4096> said_since; read(from.get(), said_since.data(), said_since.size()) > 0;) {
          }
        });
        return place;
      }
      text.clear();
    }
    throw Wrong("the program does not say that it listens on " + kind);
  }

  Descriptor to, from;

 private:
  pid_t pid_ = -1;
  std::thread listener_;
};

struct Place {
  std::string host, path;  // path: of a Unix socket, or of the URL
  bool is_unix = false, http = false;
  std::string port;
};

Place place_of(const std::string& address) {
  if (address.starts_with("unix:")) return {"", address.substr(5), true, false, ""};
  const bool http = address.starts_with("http://");
  if (!http && !address.starts_with("tcp:")) throw Usage("an address is unix:PATH, tcp:HOST:PORT or http://HOST:PORT/PATH");
  std::string rest = address.substr(http ? 7 : 4);
  const auto slash = std::min(rest.find('/'), rest.size());
  const std::string path = slash < rest.size() ? rest.substr(slash) : "/";
  rest.resize(slash);
  const auto colon = rest.rfind(':');
  if (colon == std::string::npos) throw Usage("the address " + address + " has no port");
  std::string host = rest.substr(0, colon);
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  return {host, path, false, http, rest.substr(colon + 1)};
}

Descriptor connect_to(const Place& place) {
  if (place.is_unix) {
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    if (place.path.size() >= sizeof to.sun_path) throw Usage("the socket's path is too long");
    place.path.copy(to.sun_path, place.path.size());
    Descriptor made(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (connect(made.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) broken("connect to " + place.path);
    return made;
  }
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  if (getaddrinfo(place.host.c_str(), place.port.c_str(), &hints, &found) != 0) throw Usage("no such host: " + place.host);
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owned(found, freeaddrinfo);
  Descriptor made(socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (connect(made.get(), found->ai_addr, found->ai_addrlen) != 0) broken("connect to " + place.host + ":" + place.port);
  const int yes = 1;
  setsockopt(made.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  return made;
}

// One connection. Requests under way have ids of the form n * pipeline + slot, so that an answer finds its slot by itself.
class Talk {
 public:
  Talk(int in, int out, std::unique_ptr<Framing> framing, const Script& script, std::size_t pipeline)
      : in_(in), out_(out), framing_(std::move(framing)), script_(script), slots_(pipeline) {
    fcntl(in_, F_SETFL, O_NONBLOCK);
    fcntl(out_, F_SETFL, O_NONBLOCK);
  }
  Talk(Descriptor both, std::unique_ptr<Framing> framing, const Script& script, std::size_t pipeline)
      : Talk(both.get(), fcntl(both.get(), F_DUPFD_CLOEXEC, 0), std::move(framing), script, pipeline) {
    owned_[0] = std::move(both);
    owned_[1] = Descriptor(out_);  // one for each direction, as with a program's input and output
  }
  [[nodiscard]] int in() const { return in_; }
  [[nodiscard]] int out() const { return out_; }
  [[nodiscard]] bool ready() const { return stage_ == Stage::ready; }
  [[nodiscard]] bool wants_to_write() const { return !sending_.empty(); }
  [[nodiscard]] std::size_t under_way() const { return under_way_; }

  void open() {
    stage_ = Stage::opening;
    send(framing_->frame(script_.opening(), script_.opening_method(), ""));
  }

  // Fills the free slots, as far as `may_begin` lets it.
  template <typename MayBegin>
  void begin(MayBegin&& may_begin) {
    std::string bytes;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].busy || !may_begin()) continue;
      slots_[i] = {true, (slots_[i].id / slots_.size() + 1) * slots_.size() + i, Clock::now()};
      ++under_way_;
      bytes += framing_->frame(script_.call(slots_[i].id), script_.method(), script_.name());
    }
    if (!bytes.empty()) send(std::move(bytes));
  }

  void flush() {
    while (!sending_.empty()) {
      const auto wrote = write(out_, sending_.data(), sending_.size());
      if (wrote < 0 && (errno == EAGAIN || errno == EINTR)) return;
      if (wrote < 0) broken("the server does not read");
      sending_.erase(0, static_cast<std::size_t>(wrote));
    }
  }

  // `answered(time, is_error)` for each answer to a call.
  template <typename Answered>
  void receive(Answered&& answered) {
    std::array<char, 1U << 16> piece;
    const auto got = read(in_, piece.data(), piece.size());
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got < 0) broken("the server does not answer");
    if (got == 0) throw Wrong("the server ended the connection");
    received_.append(piece.data(), static_cast<std::size_t>(got));
    while (auto messages = framing_->take(received_)) {
      if (messages->empty() && stage_ == Stage::announcing) stage_ = Stage::ready;
      for (const auto& text : *messages) understand(text, answered);
    }
  }

 private:
  enum class Stage { fresh, opening, announcing, ready };
  struct Slot {
    bool busy = false;
    std::uint64_t id = 0;
    Clock::time_point began;
  };

  void send(std::string bytes) {
    sending_ += bytes;
    flush();
  }

  template <typename Answered>
  void understand(std::string_view text, Answered&& answered) {
    const Message message(text);
    if (!message.whole) throw Wrong("an answer is not JSON: " + std::string(text.substr(0, 200)));
    if (!message.is_answer) return;  // a notification
    if (stage_ == Stage::opening) {
      if (message.number != 0 || message.is_error) throw Wrong("the opening failed: " + std::string(text.substr(0, 400)));
      stage_ = Stage::ready;
      if (script_.modern()) return;
      if (framing_->acknowledges_notifications()) stage_ = Stage::announcing;
      send(framing_->frame(Script::initialized(), "notifications/initialized", ""));
      return;
    }
    Slot* slot = message.number ? &slots_[*message.number % slots_.size()] : nullptr;
    if (slot == nullptr || !slot->busy || slot->id != *message.number) {
      throw Wrong("an answer to no request: " + std::string(text.substr(0, 200)));
    }
    slot->busy = false;
    --under_way_;
    answered(Clock::now() - slot->began, message.is_error, text);
  }

  const int in_, out_;
  std::array<Descriptor, 2> owned_;
  std::unique_ptr<Framing> framing_;
  const Script& script_;
  std::vector<Slot> slots_;
  std::size_t under_way_ = 0;
  Stage stage_ = Stage::fresh;
  std::string sending_, received_;
};

class Load {
 public:
  Load(const Options& options, std::vector<std::unique_ptr<Talk>>& talks)
      : options_(options), talks_(talks), epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    for (std::size_t i = 0; i < talks_.size(); ++i) {
      watch(talks_[i]->in(), i, EPOLLIN);
      watch(talks_[i]->out(), i, EPOLLOUT | EPOLLET);
    }
  }

  void open_all() {
    for (const auto& talk : talks_) talk->open();
    turn([&] { return std::all_of(talks_.begin(), talks_.end(), [](const auto& talk) { return talk->ready(); }); },
         [](auto&&...) {}, [] { return false; });
  }

  struct Outcome {
    Histogram times;
    std::size_t errors = 0;
    std::string first_error;
    double seconds = 0;
  };

  Outcome measure(double share) {
    Outcome outcome;
    const auto began = Clock::now();
    const auto until = began + std::chrono::duration_cast<nanoseconds>(std::chrono::duration<double>(options_.seconds * share));
    std::size_t left = std::max<std::size_t>(1, static_cast<std::size_t>(static_cast<double>(options_.requests) * share));
    const auto may_begin = [&] { return options_.seconds > 0 ? Clock::now() < until : left > 0 && left-- > 0; };
    for (const auto& talk : talks_) talk->begin(may_begin);
    turn([&] { return std::all_of(talks_.begin(), talks_.end(), [](const auto& talk) { return talk->under_way() == 0; }); },
         [&](nanoseconds time, bool is_error, std::string_view text) {
           outcome.times.add(time);
           outcome.errors += is_error ? 1 : 0;
           if (is_error && outcome.first_error.empty()) outcome.first_error = text.substr(0, 400);
         },
         may_begin);
    outcome.seconds = std::chrono::duration<double>(Clock::now() - began).count();
    return outcome;
  }

 private:
  static constexpr int kPatience = 60'000;  // ms without a byte

  void watch(int fd, std::size_t index, std::uint32_t events) {
    epoll_event event{};
    event.events = events;
    event.data.u64 = index;
    if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) broken("epoll");
  }

  template <typename Done, typename Answered, typename MayBegin>
  void turn(Done&& done, Answered&& answered, MayBegin&& may_begin) {
    std::array<epoll_event, 256> events;
    bool over = done();
    while (!over) {
      const int count = epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), kPatience);
      if (count == 0) throw Wrong("no answer for a minute");
      for (int i = 0; i < count; ++i) {
        Talk& talk = *talks_[events[static_cast<std::size_t>(i)].data.u64];
        if ((events[static_cast<std::size_t>(i)].events & EPOLLOUT) == 0) talk.receive(answered);
        if (talk.ready()) talk.begin(may_begin);
        if (talk.wants_to_write()) talk.flush();
      }
      over = done();
    }
  }

  const Options& options_;
  std::vector<std::unique_ptr<Talk>>& talks_;
  Descriptor epoll_;
};

std::unique_ptr<Framing> framing_for(const Options& options, const Script& script, const std::optional<Place>& place) {
  if (!place || !place->http) return std::make_unique<Lines>();
  return std::make_unique<Http>(place->host + ":" + place->port, place->path, script, options.headers);
}

struct Server {
  std::unique_ptr<Child> child;
  std::optional<Place> place;
};

Server reach(const Options& options) {
  Server server;
  if (!options.command.empty()) server.child = std::make_unique<Child>(options.command, options.address.empty());
  if (!options.address.empty())
    server.place = place_of(server.child ? server.child->listening(options.address) : options.address);
  return server;
}

std::vector<std::unique_ptr<Talk>> talk_to(const Server& server, const Options& options, const Script& script,
                                           std::size_t count) {
  std::vector<std::unique_ptr<Talk>> talks;
  for (std::size_t i = 0; i < count; ++i) {
    auto framing = framing_for(options, script, server.place);
    talks.push_back(server.place ? std::make_unique<Talk>(connect_to(*server.place), std::move(framing), script, options.pipeline)
                                 : std::make_unique<Talk>(server.child->from.get(), server.child->to.get(), std::move(framing),
                                                          script, options.pipeline));
  }
  return talks;
}

// From before the process is made to the first answer, in milliseconds; the median.
std::vector<double> time_starts(const Options& options, const Script& script) {
  std::vector<double> times;
  for (std::size_t i = 0; i < options.starts && !options.command.empty(); ++i) {
    const auto began = Clock::now();
    const Server server = reach(options);
    auto talks = talk_to(server, options, script, 1);
    Load(options, talks).open_all();
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - began).count());
  }
  std::sort(times.begin(), times.end());
  return times;
}

int run(const Options& options) {
  const Script script(options);
  const auto starts = time_starts(options, script);
  const Server server = reach(options);
  auto talks = talk_to(server, options, script, options.connections);
  const int pid = server.child ? server.child->pid() : options.pid;
  Load load(options, talks);
  load.open_all();
  const double before = rss_mib(pid);
  static_cast<void>(load.measure(0.1));
  const auto outcome = load.measure(1);
  const double after = rss_mib(pid);

  const double per_second = static_cast<double>(outcome.times.total()) / outcome.seconds;
  const double start = starts.empty() ? 0 : starts[starts.size() / 2];
  const std::string transport = !server.place ? "stdio" : server.place->http ? "http" : server.place->is_unix ? "unix" : "tcp";
  if (options.as_json) {
    const json result = {{"transport", transport},
                         {"era", options.modern ? "modern" : "legacy"},
                         {"method", options.method},
                         {"name", script.name()},
                         {"connections", options.connections},
                         {"pipeline", options.pipeline},
                         {"calls", outcome.times.total()},
                         {"errors", outcome.errors},
                         {"seconds", outcome.seconds},
                         {"calls_per_s", per_second},
                         {"latency_us",
                          {{"p50", outcome.times.quantile_us(0.5)},
                           {"p90", outcome.times.quantile_us(0.9)},
                           {"p99", outcome.times.quantile_us(0.99)},
                           {"max", outcome.times.max_us()}}},
                         {"rss_mib", {{"before", before}, {"after", after}}},
                         {"start_to_first_answer_ms", starts}};
    std::printf("%s\n", result.dump().c_str());
  } else {
    std::printf("%-6s %-7s %5s %5s %9s %10s %9s %9s %9s %9s %7s %16s %9s\n", "over", "era", "conns", "pipe", "calls", "calls/s",
                "p50 us", "p90 us", "p99 us", "max us", "errors", "RSS MiB", "start ms");
    std::printf("%-6s %-7s %5zu %5zu %9llu %10.0f %9.1f %9.1f %9.1f %9.1f %7zu %7.1f > %6.1f %9.2f\n", transport.c_str(),
                options.modern ? "modern" : "legacy", options.connections, options.pipeline,
                static_cast<unsigned long long>(outcome.times.total()), per_second, outcome.times.quantile_us(0.5),
                outcome.times.quantile_us(0.9), outcome.times.quantile_us(0.99), outcome.times.max_us(), outcome.errors, before,
                after, start);
  }
  if (outcome.errors == 0 || options.allow_errors) return 0;
  std::fprintf(stderr, "bench_mcp_load: %zu answers are errors, the first: %s\n", outcome.errors, outcome.first_error.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return run(options_of(argc, argv));
  } catch (const Usage& error) {
    std::fprintf(stderr, "bench_mcp_load: %s\n%.*s", error.what(), static_cast<int>(kUsage.size()), kUsage.data());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_mcp_load: %s\n", error.what());
    return 1;
  }
}
