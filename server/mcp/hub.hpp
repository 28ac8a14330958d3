// Who wants to hear of what: listens of the modern era and subscriptions of legacy sessions, on resources and tasks. Watches
// the subscribed resources (once a second, and at once after a call that writes) by the version texts that the catalogue
// gives, on worker threads. Thread-safe. A sink is never called after remove() has returned.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "server/mcp/catalogue.hpp"
#include "server/transport/timers.hpp"
#include "server/transport/transport.hpp"

namespace plumbline::server::mcp {

struct Event {
  enum class Kind { resource_updated, task } kind = Kind::resource_updated;
  std::string subject;  // the URI, the task's id
  std::string params;   // task: JSON members of the notification's params; else ""
};

struct Interest {
  std::set<std::string, std::less<>> uris;
  std::set<std::string, std::less<>> tasks;
};

class Hub {
 public:
  using Id = std::uint64_t;
  using Sink = std::function<void(const Event& event)>;  // short; must not call the hub

  Hub(const Catalogue& catalogue, transport::Executor& executor, transport::Timers& timers);
  Hub(const Hub&) = delete;
  Hub& operator=(const Hub&) = delete;

  // Of those URIs that can be watched, how they are now. Looks at the disk.
  using Versions = std::map<std::string, std::string, std::less<>>;
  [[nodiscard]] Versions look_at(const std::set<std::string, std::less<>>& uris) const;
  // From `versions` on (look_at) every change of the interest's URIs is told.
  Id add(Interest interest, Versions versions, Sink sink);
  void change(Id id, Interest interest, Versions versions = {});
  void remove(Id id);

  void publish(const Event& event);
  // Something was written: look at once.
  void look_soon();
  [[nodiscard]] std::size_t size() const;

 private:
  struct Listener {
    Interest interest;
    Sink sink;
    std::mutex calling;
    bool open = true;
  };
  void watch(Versions versions);  // mutex held
  void tick();
  void look();

  const Catalogue& catalogue_;
  transport::Executor& executor_;
  transport::Timers& timers_;
  mutable std::mutex mutex_;
  std::map<Id, std::shared_ptr<Listener>> listeners_;
  Versions versions_;  // of every subscribed URI
  Id last_ = 0;
  bool ticking_ = false;
  bool looking_ = false;
};

}  // namespace plumbline::server::mcp
