// A program on pipes, or a Unix socket: one message per line.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "base/descriptor.hpp"
#include "base/spawn.hpp"
#include "cli/peer.hpp"
#include "core/text.hpp"

namespace plumbline::cli {
namespace {

using core::ErrorCode;
using core::Expected;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kShown = 200;
constexpr std::size_t kLogKept = 1U << 20;
constexpr std::size_t kDrained = 64U << 20;  // of what is left at the end

std::string errno_text(int error) { return std::generic_category().message(error); }

// Both ends above the standard streams' numbers, so that placing them there in the child never meets itself.
bool make_pipe(base::Descriptor& read_end, base::Descriptor& write_end) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
  const base::Descriptor low_read(ends[0]);
  const base::Descriptor low_write(ends[1]);
  read_end = base::Descriptor(::fcntl(low_read.get(), F_DUPFD_CLOEXEC, 3));
  write_end = base::Descriptor(::fcntl(low_write.get(), F_DUPFD_CLOEXEC, 3));
  return read_end.valid() && write_end.valid();
}

class LinePeer final : public Peer {
 public:
  explicit LinePeer(const PeerLimits& limits) : limits_(limits) {}
  LinePeer(const LinePeer&) = delete;
  LinePeer& operator=(const LinePeer&) = delete;
  ~LinePeer() override {
    if (pid_ > 0) kill_group();
  }

  core::Status start(const Program& program) {
    base::Descriptor child_in;
    base::Descriptor child_out;
    base::Descriptor child_log;
    if (!make_pipe(child_in, to_) || !make_pipe(from_, child_out) || !make_pipe(log_, child_log)) {
      return core::fail(ErrorCode::environment, "cannot make a pipe: " + errno_text(errno));
    }
    const std::vector<std::string> variables = environment_of(program);
    const int error = base::spawn({.argv = program.argv,
                                   .environment = &variables,
                                   .folder = program.folder,
                                   .in = child_in.get(),
                                   .out = child_out.get(),
                                   .err = child_log.get(),
                                   .own_group = true},
                                  pid_);
    if (error != 0) {
      pid_ = -1;
      return core::fail(ErrorCode::environment, "cannot start " + program.argv[0] + ": " + errno_text(error),
                        error == ENOEXEC ? "it is not a program of this machine's kind, or a script without its #! line" : "");
    }
    ended_ = base::Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));  // the header of glibc 2.36 is not for C++
    remains_.is_process = true;
    for (const base::Descriptor* fd : {&to_, &from_, &log_}) ::fcntl(fd->get(), F_SETFL, O_NONBLOCK);
    return {};
  }

  core::Status connect(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) {
      return core::fail(ErrorCode::usage, path + " is too long for a socket",
                        "at most " + std::to_string(sizeof address.sun_path - 1) + " bytes");
    }
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    from_ = base::Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!from_.valid() || ::connect(from_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      const int error = errno;
      return core::fail(ErrorCode::environment, "cannot connect to " + path + ": " + errno_text(error),
                        error == EACCES ? "the socket belongs to another user" : "start it: plumbline serve --unix " + path);
    }
    to_ = base::Descriptor(::fcntl(from_.get(), F_DUPFD_CLOEXEC, 3));
    ::fcntl(from_.get(), F_SETFL, O_NONBLOCK);
    return {};
  }

  Expected<std::string> ask(std::int64_t id, const Message& request) override {
    const auto deadline = Clock::now() + limits_.answer;
    if (auto sent = send(request.text + "\n", deadline); !sent) return core::fail(sent.error());
    for (;;) {
      while (const auto line = take_line()) {
        if (look_at(*line) == id) return *line;
      }
      if (auto more = receive(deadline); !more) return core::fail(more.error());
    }
  }

  core::Status tell(const Message& notification) override {
    return send(notification.text + "\n", Clock::now() + limits_.answer);
  }

  Remains end() override {
    to_.reset();
    if (pid_ < 0) {
      from_.reset();
      return remains_;
    }
    const auto deadline = Clock::now() + limits_.end;
    bool gone = false;
    while (!gone && input_.size() <= limits_.message_bytes && pump(deadline, true)) {
      while (const auto line = take_line()) look_at(*line);
      gone = has_ended();
    }
    while (drain(from_, input_)) continue;
    while (drain(log_, log_text_)) continue;
    while (const auto line = take_line()) look_at(*line);
    if (!input_.empty()) look_at(input_);
    remains_.ended_itself = gone;
    if (!gone) kill_group();
    describe_logs();
    return remains_;
  }

 private:
  static std::vector<std::string> environment_of(const Program& program) {
    std::vector<std::string> variables;
    const auto named = [&program](std::string_view variable) {
      const auto name = variable.substr(0, variable.find('='));
      return std::any_of(program.environment.begin(), program.environment.end(),
                         [&](const auto& one) { return one.first == name; });
    };
    for (char** variable = environ; *variable != nullptr; ++variable) {
      if (!named(*variable)) variables.emplace_back(*variable);
    }
    for (const auto& [name, value] : program.environment) variables.push_back(name + "=" + value);
    return variables;
  }

  core::Status send(std::string_view bytes, Clock::time_point deadline) {
    while (!bytes.empty()) {
      const auto written = ::write(to_.get(), bytes.data(), bytes.size());
      if (written > 0) {
        bytes.remove_prefix(static_cast<std::size_t>(written));
      } else if (written < 0 && errno == EAGAIN) {
        if (!wait_for(to_.get(), POLLOUT, deadline, limits_.cancelled)) return late();
      } else if (written < 0 && errno != EINTR) {
        return ended();
      }
    }
    return {};
  }

  // More input or log text; an error at the deadline and when the other side is gone.
  core::Status receive(Clock::time_point deadline) {
    if (!from_.valid()) return ended();
    if (!pump(deadline, false)) return late();
    if (input_.size() > limits_.message_bytes) {
      return core::fail(ErrorCode::limit_exceeded,
                        "the server sent a line of more than " + std::to_string(limits_.message_bytes >> 20) + " MiB");
    }
    return {};
  }

  // Waits for anything of the process and takes it in. False at the deadline or when asked to stop.
  bool pump(Clock::time_point deadline, bool until_end) {
    std::array<pollfd, 3> polled{};
    polled[0] = {from_.get(), POLLIN, 0};
    polled[1] = {log_.get(), POLLIN, 0};
    polled[2] = {until_end ? ended_.get() : -1, POLLIN, 0};
    for (;;) {
      if (limits_.cancelled != nullptr && limits_.cancelled->load(std::memory_order_relaxed)) return false;
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
      if (left <= 0) return false;
      const int ready = ::poll(polled.data(), polled.size(), static_cast<int>(std::min<long long>(left, 250)));
      if (ready > 0) break;
      if (ready < 0 && errno != EINTR) return false;
    }
    if (polled[0].revents != 0) drain(from_, input_);
    if (polled[1].revents != 0) drain(log_, log_text_);
    if (log_text_.size() > kLogKept) log_text_.resize(kLogKept);
    return true;
  }

  // One read; closes at the end. False when there is no more for now.
  static bool drain(base::Descriptor& fd, std::string& into) {
    std::array<char, 65536> block{};
    if (!fd.valid()) return false;
    const auto got = ::read(fd.get(), block.data(), block.size());
    if (got < 0 && errno == EINTR) return true;
    if (got < 0 && errno == EAGAIN) return false;
    if (got <= 0) {
      fd.reset();
      return false;
    }
    into.append(block.data(), static_cast<std::size_t>(got));
    return into.size() < kDrained;
  }

  std::optional<std::string> take_line() {
    const auto end = input_.find('\n', searched_);
    if (end == std::string::npos) {
      searched_ = input_.size();
      return std::nullopt;
    }
    std::string line = input_.substr(0, end);
    input_.erase(0, end + 1);
    searched_ = 0;
    return line;
  }

  std::int64_t look_at(std::string_view line) {
    if (const auto id = answer_id(line)) return *id;
    if (core::trim(line).empty()) return -1;
    if (remains_.foreign_lines++ == 0) remains_.first_foreign = line.substr(0, kShown);
    return -1;
  }

  [[nodiscard]] bool has_ended() {
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) != pid_) return false;
    pid_ = -1;
    remains_.how = WIFEXITED(status) ? "exit status " + std::to_string(WEXITSTATUS(status))
                                     : "signal " + std::to_string(WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    return true;
  }

  void kill_group() {
    ::kill(-pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

  void describe_logs() {
    for (const auto line : core::split(log_text_, '\n')) {
      if (core::trim(line).empty()) continue;
      if (remains_.log_lines++ == 0) remains_.first_log = line.substr(0, kShown);
      remains_.last_log = line.substr(0, kShown);
    }
  }

  [[nodiscard]] tl::unexpected<core::Error> late() const {
    if (limits_.cancelled != nullptr && limits_.cancelled->load(std::memory_order_relaxed)) {
      return core::fail(ErrorCode::cancelled, "stopped");
    }
    return core::fail(ErrorCode::environment,
                      "no answer within " + core::short_number(static_cast<double>(limits_.answer.count()) / 1000.0) + " s",
                      "look at what it does; --timeout SECONDS waits longer");
  }

  // The other side is gone: how, and its last words.
  tl::unexpected<core::Error> ended() {
    if (!remains_.is_process) return core::fail(ErrorCode::environment, "the server closed the connection");
    const auto deadline = Clock::now() + limits_.end;
    while (!has_ended() && pump(deadline, true)) continue;
    while (drain(log_, log_text_)) continue;
    Remains said;
    std::swap(said, remains_);
    describe_logs();
    std::swap(said, remains_);
    std::string message = "the server ended before it answered";
    if (!remains_.how.empty()) message += " (" + remains_.how + ")";
    if (!said.first_log.empty()) message += ": " + said.first_log;
    return core::fail(ErrorCode::invalid_input, std::move(message), "run the command by hand to see why");
  }

  PeerLimits limits_;
  base::Descriptor to_, from_, log_, ended_;
  pid_t pid_ = -1;
  std::string input_, log_text_;
  std::size_t searched_ = 0;
  Remains remains_;
};

}  // namespace

bool wait_for(int fd, short events, Clock::time_point deadline, const std::atomic<bool>* cancelled) {
  pollfd polled{fd, events, 0};
  for (;;) {
    if (cancelled != nullptr && cancelled->load(std::memory_order_relaxed)) return false;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    const int ready = ::poll(&polled, 1, static_cast<int>(std::min<long long>(left, 250)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

std::optional<std::int64_t> answer_id(std::string_view line) {
  const auto message = nlohmann::json::parse(line, nullptr, false);
  if (!message.is_object() || message.value("jsonrpc", nlohmann::json()) != "2.0") return std::nullopt;
  const auto id = message.find("id");
  const bool answer = id != message.end() && id->is_number_integer() && (message.contains("result") || message.contains("error"));
  return answer ? id->get<std::int64_t>() : -1;
}

Expected<std::unique_ptr<Peer>> start_program(const Program& program, const PeerLimits& limits) {
  auto peer = std::make_unique<LinePeer>(limits);
  if (auto started = peer->start(program); !started) return core::fail(started.error());
  return std::unique_ptr<Peer>(std::move(peer));
}

Expected<std::unique_ptr<Peer>> connect_unix(const std::string& path, const PeerLimits& limits) {
  auto peer = std::make_unique<LinePeer>(limits);
  if (auto connected = peer->connect(path); !connected) return core::fail(connected.error());
  return std::unique_ptr<Peer>(std::move(peer));
}

}  // namespace plumbline::cli
