#include "server/transport/network/reactor.hpp"

#ifndef ASIO_STANDALONE
#define ASIO_STANDALONE
#endif
#ifndef ASIO_NO_DEPRECATED
#define ASIO_NO_DEPRECATED
#endif
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <asio/error.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/generic/stream_protocol.hpp>
#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/post.hpp>
#include <asio/ssl.hpp>
#include <asio/steady_timer.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "server/transport/network/tls.hpp"

namespace plumbline::server::transport::network {
namespace {

using Socket = asio::generic::stream_protocol::socket;
using Error = asio::error_code;

constexpr int kAcceptsAtOnce = 64;                           // then others get their turn
constexpr std::size_t kPiecesAtOnce = 64;                    // of one write
constexpr std::chrono::milliseconds kOutOfDescriptors{100};  // until accepting is tried again

}  // namespace

struct Reactor::Impl {
  asio::io_context context{1};
  asio::executor_work_guard<asio::io_context::executor_type> alive{context.get_executor()};
  std::once_flag started;
  std::thread thread;

  // What a task throws (out of memory) ends that task alone.
  void run() {
    while (true) {
      try {
        run_awake();
        return;
      } catch (const std::exception&) {
      }
    }
  }

  // A client that has just been answered often asks again at once; going to sleep and being woken costs more than looking out.
  void run_awake() {
    constexpr std::chrono::microseconds kAwake{200};
    auto busy_until = std::chrono::steady_clock::now();
    while (!context.stopped()) {
      const std::size_t done = std::chrono::steady_clock::now() < busy_until ? context.poll() : context.run_one();
      if (done > 0) busy_until = std::chrono::steady_clock::now() + kAwake;
    }
  }

  // The loop's thread takes no signals: those are for the thread that waits for them.
  void start() {
    sigset_t all;
    sigset_t former;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &former);
    thread = std::thread([this] { run(); });
    pthread_sigmask(SIG_SETMASK, &former, nullptr);
  }
};

Reactor::Reactor() : impl_(std::make_unique<Impl>()) {}
Reactor::~Reactor() { stop(); }

void Reactor::post(std::function<void()> task) {
  std::call_once(impl_->started, [this] { impl_->start(); });
  asio::post(impl_->context, std::move(task));
}

void Reactor::stop() {
  impl_->alive.reset();
  if (impl_->thread.joinable()) impl_->thread.join();
}

// A connection starts and cancels its timers with every message. Telling the kernel each time would cost more than the message:
// what has been armed stays armed, and looks when it comes whether it is wanted, later, or not at all.
struct Timer::State : std::enable_shared_from_this<Timer::State> {
  using Clock = std::chrono::steady_clock;

  explicit State(Reactor& reactor) : timer(reactor.impl().context) {}

  void arm() {
    const std::uint64_t mine = ++round;
    armed = true;
    timer.expires_at(due);  // what was armed before is taken back, and its handler has an older round
    timer.async_wait([self = shared_from_this(), mine](Error) {
      if (mine == self->round) self->come();
    });
  }
  void come() {
    armed = false;
    if (!fire) return;
    if (Clock::now() < due) return arm();
    const auto now = std::exchange(fire, nullptr);
    now();
  }
  void disarm() {
    fire = nullptr;
    if (!armed) return;
    ++round;
    armed = false;
    timer.cancel();
  }

  asio::steady_timer timer;
  Clock::time_point due;
  std::function<void()> fire;
  bool armed = false;
  std::uint64_t round = 0;  // of the wait that counts
};

Timer::Timer(Reactor& reactor) : state_(std::make_shared<State>(reactor)) {}
Timer::~Timer() { state_->disarm(); }

void Timer::start(std::chrono::milliseconds after, std::function<void()> fire) {
  state_->fire = std::move(fire);
  state_->due = State::Clock::now() + after;
  if (!state_->armed || state_->due < state_->timer.expiry()) state_->arm();
}

void Timer::cancel() { state_->disarm(); }
void Timer::put_off() { state_->fire = nullptr; }

namespace {

Io io_of(Error error) {
  if (!error) return Io::done;
  // A TLS stream that ends without saying so may have been cut by anybody.
  return error == asio::error::eof ? Io::ended : Io::failed;
}

std::vector<asio::const_buffer> buffers_of(const std::vector<std::string_view>& pieces) {
  std::vector<asio::const_buffer> buffers;
  for (const std::string_view piece : pieces) {
    if (buffers.size() == kPiecesAtOnce) break;
    buffers.emplace_back(piece.data(), piece.size());
  }
  return buffers;
}

Socket socket_of(Reactor& reactor, int fd) {
  sockaddr address{};
  socklen_t size = sizeof address;
  getsockname(fd, &address, &size);
  Socket socket(reactor.impl().context);
  Error error;
  socket.assign(asio::generic::stream_protocol(address.sa_family, 0), fd, error);
  if (error) {
    close(fd);
    throw std::system_error(error);
  }
  return socket;
}

class PlainStream final : public Stream {
 public:
  PlainStream(Reactor& reactor, int fd) : socket_(socket_of(reactor, fd)) {}

  void open(std::function<void(std::string)> done) override {
    asio::post(socket_.get_executor(), [done = std::move(done)] { done({}); });
  }
  void read(char* to, std::size_t size, Done done) override {
    socket_.async_read_some(asio::buffer(to, size),
                            [done = std::move(done)](Error error, std::size_t bytes) { done(io_of(error), bytes); });
  }
  void write(const std::vector<std::string_view>& pieces, Done done) override {
    socket_.async_write_some(buffers_of(pieces),
                             [done = std::move(done)](Error error, std::size_t bytes) { done(io_of(error), bytes); });
  }
  void end(std::function<void()> done) override {
    Error ignored;
    socket_.shutdown(Socket::shutdown_send, ignored);
    asio::post(socket_.get_executor(), std::move(done));
  }
  void close() override {
    Error ignored;
    socket_.close(ignored);
  }
  [[nodiscard]] std::optional<std::string> certificate() const override { return std::nullopt; }

 private:
  Socket socket_;
};

class TlsStream final : public Stream {
 public:
  TlsStream(Reactor& reactor, int fd, std::shared_ptr<const TlsContext> tls)
      : tls_(std::move(tls)), context_(shared(*tls_)), stream_(socket_of(reactor, fd), context_) {}

  void open(std::function<void(std::string)> done) override {
    stream_.async_handshake(asio::ssl::stream_base::server, [done = std::move(done)](Error error) {
      done(error ? "the TLS handshake failed: " + error.message() : std::string());
    });
  }
  void read(char* to, std::size_t size, Done done) override {
    stream_.async_read_some(asio::buffer(to, size),
                            [done = std::move(done)](Error error, std::size_t bytes) { done(io_of(error), bytes); });
  }
  void write(const std::vector<std::string_view>& pieces, Done done) override {
    stream_.async_write_some(asio::buffer(pieces.front()),
                             [done = std::move(done)](Error error, std::size_t bytes) { done(io_of(error), bytes); });
  }
  void end(std::function<void()> done) override {
    stream_.async_shutdown([this, done = std::move(done)](Error) {
      Error ignored;
      stream_.lowest_layer().shutdown(Socket::shutdown_send, ignored);
      done();
    });
  }
  void close() override {
    Error ignored;
    stream_.lowest_layer().close(ignored);
  }
  [[nodiscard]] std::optional<std::string> certificate() const override {
    return client_certificate(const_cast<asio::ssl::stream<Socket>&>(stream_).native_handle());
  }

 private:
  static asio::ssl::context shared(const TlsContext& tls) {
    SSL_CTX_up_ref(tls.native());
    return asio::ssl::context(tls.native());
  }

  std::shared_ptr<const TlsContext> tls_;
  asio::ssl::context context_;
  asio::ssl::stream<Socket> stream_;
};

}  // namespace

std::unique_ptr<Stream> make_stream(Reactor& reactor, int fd, std::shared_ptr<const TlsContext> tls) {
  if (tls) return std::make_unique<TlsStream>(reactor, fd, std::move(tls));
  return std::make_unique<PlainStream>(reactor, fd);
}

struct Acceptor::State : std::enable_shared_from_this<Acceptor::State> {
  State(Reactor& reactor, int listening, std::function<void(int)> on_accepted, std::function<bool()> on_none_left)
      : descriptor(reactor.impl().context, listening),
        pause(reactor),
        accepted(std::move(on_accepted)),
        out_of_descriptors(std::move(on_none_left)) {}

  asio::posix::stream_descriptor descriptor;
  Timer pause;
  std::function<void(int)> accepted;
  std::function<bool()> out_of_descriptors;

  void wait() {
    descriptor.async_wait(asio::posix::descriptor_base::wait_read, [self = shared_from_this()](Error error) {
      if (!error && self->descriptor.is_open()) self->take();
    });
  }
  void take() {
    bool freed = false;  // for the one that comes next: what does not help once is not done again
    for (int i = 0; i < kAcceptsAtOnce; ++i) {
      const int fd = accept4(descriptor.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (fd >= 0) {
        freed = false;
        accepted(fd);
        if (!descriptor.is_open()) return;
      } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        if (!freed && out_of_descriptors()) {
          freed = true;
          continue;
        }
        // Still readable: without a pause this would spin.
        pause.start(kOutOfDescriptors, [weak = weak_from_this()] {
          if (const auto self = weak.lock()) self->wait();
        });
        return;
      } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
        break;
      }
    }
    wait();
  }
};

Acceptor::Acceptor(Reactor& reactor, int fd, std::function<void(int)> accepted, std::function<bool()> out_of_descriptors)
    : state_(std::make_shared<State>(reactor, fd, std::move(accepted), std::move(out_of_descriptors))) {}
Acceptor::~Acceptor() { close(); }
void Acceptor::start() { state_->wait(); }

void Acceptor::take_waiting() {
  constexpr int kQueue = 4096;  // as many as the kernel lets wait
  for (int i = 0; i < kQueue && state_->descriptor.is_open(); ++i) {
    const int fd = accept4(state_->descriptor.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0) {
      state_->accepted(fd);
    } else if (errno != EINTR && errno != ECONNABORTED) {
      return;
    }
  }
}

void Acceptor::close() {
  state_->pause.cancel();
  Error ignored;
  state_->descriptor.close(ignored);
}

}  // namespace plumbline::server::transport::network
