// The one thread that waits for sockets: an asio event loop behind interfaces of ours, so that asio is compiled once. The
// thread starts when the first task is posted. Everything here belongs to that thread, callbacks included, but for
// Reactor::post. A callback never runs inside the call that it was given to.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::server::transport::network {

class TlsContext;

class Reactor {
 public:
  Reactor();
  Reactor(const Reactor&) = delete;
  Reactor& operator=(const Reactor&) = delete;
  ~Reactor();  // stop()

  // From any thread. Nothing may be posted after stop() has returned.
  void post(std::function<void()> task);
  // Waits until nothing is under way any more: whoever began something (a read, a timer) has ended it before or is about to.
  // Not from the reactor's thread.
  void stop();

  struct Impl;
  [[nodiscard]] Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

// Fires once per start(); starting again replaces what was to come.
class Timer {
 public:
  explicit Timer(Reactor& reactor);
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer();  // cancel()
  void start(std::chrono::milliseconds after, std::function<void()> fire);
  void cancel();
  void put_off();  // as cancel(), for what is started again soon: the kernel is not told

 private:
  struct State;
  std::shared_ptr<State> state_;
};

enum class Io : std::uint8_t {
  done,
  ended,  // the other side will send nothing more
  failed  // reset, closed, broken TLS
};

// A connected byte stream, plain or TLS. At most one read and one write at a time; buffers stay valid until the callback. Every
// callback comes, after close() with Io::failed, and the stream must live until then.
class Stream {
 public:
  using Done = std::function<void(Io result, std::size_t bytes)>;

  virtual ~Stream() = default;
  // The TLS handshake, nothing without TLS. `problem` is "" or what went wrong.
  virtual void open(std::function<void(std::string problem)> done) = 0;
  virtual void read(char* to, std::size_t size, Done done) = 0;
  // Writes what the other side takes at once, a part of it perhaps.
  virtual void write(const std::vector<std::string_view>& pieces, Done done) = 0;
  // Nothing more will be written; reading goes on. With TLS the callback may wait for the other side.
  virtual void end(std::function<void()> done) = 0;
  virtual void close() = 0;
  // Of the verified client certificate, once open.
  [[nodiscard]] virtual std::optional<std::string> certificate() const = 0;
};

// Takes over `fd`. Null context: no TLS.
[[nodiscard]] std::unique_ptr<Stream> make_stream(Reactor& reactor, int fd, std::shared_ptr<const TlsContext> tls);

// Waits for connections on a listening, non-blocking socket, which it takes over. `out_of_descriptors` is asked to close
// something when there are no descriptors or no memory for another one: false when it cannot, then accepting pauses for a moment.
class Acceptor {
 public:
  Acceptor(Reactor& reactor, int fd, std::function<void(int fd)> accepted, std::function<bool()> out_of_descriptors);
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;
  ~Acceptor();  // close()
  void start();
  void take_waiting();  // those that have connected and wait to be taken, at once
  void close();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace plumbline::server::transport::network
