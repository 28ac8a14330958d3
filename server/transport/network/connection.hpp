// One connection, whatever is spoken on it: opening, reading with pauses, writing from its outbox with a time limit, and a polite
// end (everything sent, our side shut, the other side's rest read and forgotten for a while, so that no reset destroys the last
// answer). Everything runs on the reactor's thread. The set keeps the connections alive; what they began keeps them until it
// ends.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "server/transport/network/address.hpp"
#include "server/transport/network/evictions.hpp"
#include "server/transport/network/limits.hpp"
#include "server/transport/network/outbox.hpp"
#include "server/transport/network/reactor.hpp"
#include "server/transport/network/shares.hpp"

namespace plumbline::server::transport::network {

class Connection;

// The connections of one network and what they share.
struct Connections {
  Connections(Reactor& the_reactor, const NetworkLimits& the_limits, Evictions::Tell tell = {})
      : reactor(the_reactor),
        limits(the_limits),
        held(the_limits.held, the_limits.held_each),
        evictions(the_reactor, the_limits.evictions, std::move(tell)) {}

  Reactor& reactor;
  NetworkLimits limits;  // as it stands once somebody is let in
  const std::shared_ptr<Traffic> traffic = std::make_shared<Traffic>();
  const std::shared_ptr<std::atomic<bool>> draining = std::make_shared<std::atomic<bool>>(false);

  // The reactor's thread.
  // Sees to it that another one may come, for which that of its kind that has been idle for longest may have to go. Nothing, or
  // how many there are when none of them can go.
  [[nodiscard]] std::optional<std::size_t> no_room_for(const Peer& peer);
  // There are no descriptors left: the idlest of all goes. False when none can.
  [[nodiscard]] bool free_a_descriptor();
  // Those that are only told that there are too many.
  [[nodiscard]] std::size_t farewells() const { return all.size() - tcp_ - unix_; }
  void add(std::shared_ptr<Connection> connection);
  void remove(const std::shared_ptr<Connection>& connection);
  // And may be about to ask for something.
  [[nodiscard]] bool some_have_just_come() const;
  void drain(milliseconds at_most);
  void cut();
  Shares held;  // bytes of HTTP bodies and of lines that have not come whole
  Evictions evictions;
  std::unordered_set<std::shared_ptr<Connection>> all;

  // Any other. False when there are still some after `at_most`.
  [[nodiscard]] bool wait_for_none(milliseconds at_most);

 private:
  [[nodiscard]] bool close_idlest(const std::function<bool(const Peer&)>& among, const std::string& why);
  void count(const Connection& connection, bool comes);

  std::size_t tcp_ = 0, unix_ = 0;                       // of those that are served
  std::unordered_map<std::string, std::size_t> places_;  // and of these how many from where, on TCP

  std::mutex mutex_;
  std::condition_variable none_;
  std::size_t count_ = 0;
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Time = std::chrono::steady_clock::time_point;

  Connection(Connections& home, std::unique_ptr<Stream> stream, Peer peer);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  virtual ~Connection() = default;

  void open();
  // Nothing new is begun; what is under way may take that long; then the end.
  virtual void drain(milliseconds at_most) = 0;
  // At once.
  void close();

  [[nodiscard]] const Peer& peer() const { return peer_; }
  // It counts, unlike one that is only told that there are too many.
  [[nodiscard]] virtual bool is_served() const { return true; }
  struct Idle {
    Time since;
    bool has_asked = false;  // anything, since it came
  };
  // Nothing when something is asked on it that it could be closed in the middle of.
  [[nodiscard]] virtual std::optional<Idle> idle() const { return std::nullopt; }

 protected:
  virtual void opened() = 0;
  virtual void received(std::string_view bytes) = 0;
  virtual void ended() = 0;   // the other side sends nothing more
  virtual void sent() {}      // some of what waited
  virtual void sent_all() {}  // nothing waits at the moment
  virtual void closed() {}    // for whatever reason, once

  void read_on(bool wanted);
  // Sends what waits, then the polite end. Nothing is received any more.
  void finish();
  void flush();

  // Does something later unless the connection is closed by then.
  void after(Timer& timer, milliseconds delay, std::function<void()> what);
  Connections& home_;
  const Peer peer_;
  const std::unique_ptr<Stream> stream_;
  std::shared_ptr<Outbox> outbox_;  // once open
  Timer handshake_timer_;           // runs until the derived class cancels it
  bool finishing_ = false;

 private:
  void read();
  void heard(Io result, std::size_t bytes);
  void end();
  void guarded(const std::function<void()>& what);

  std::array<char, 16U << 10> buffer_;
  std::vector<std::string> batch_;  // being written, from batch_[at_] byte offset_ on
  std::size_t at_ = 0;
  std::size_t offset_ = 0;
  std::vector<std::string_view> pieces_;
  Timer write_timer_;
  Timer linger_timer_;
  std::size_t forgotten_ = 0;
  bool wants_read_ = true;
  bool reading_ = false;
  bool writing_ = false;
  bool at_end_ = false;  // of the other side's bytes
  bool ending_ = false;
  bool closed_ = false;
};

// Says one thing and goes.
class Farewell final : public Connection {
 public:
  Farewell(Connections& home, std::unique_ptr<Stream> stream, Peer peer, std::string text)
      : Connection(home, std::move(stream), std::move(peer)), text_(std::move(text)) {}
  void drain(milliseconds) override { finish(); }
  [[nodiscard]] bool is_served() const override { return false; }

 protected:
  void opened() override;
  void received(std::string_view) override {}
  void ended() override {}

 private:
  std::string text_;
};

}  // namespace plumbline::server::transport::network
