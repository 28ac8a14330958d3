#include "server/transport/network/connection.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <exception>

namespace plumbline::server::transport::network {
namespace {

constexpr std::size_t kForgottenBytes = 64U << 20;  // read after our last word, until it is taken for malice
constexpr milliseconds kLastLinger{200};            // when the process is about to end

}  // namespace

std::optional<std::size_t> Connections::no_room_for(const Peer& peer) {
  const bool local = peer.account.has_value();
  if (!local && !peer.loopback) {
    const auto at = places_.find(peer.place);
    if (at != places_.end() && at->second >= limits.connections_each &&
        !close_idlest([&](const Peer& other) { return other.place == peer.place; },
                      fmt::format("{} of {} are open, as many as one address may have", at->second, peer.place))) {
      return at->second;
    }
  }
  const std::size_t there = local ? unix_ : tcp_;
  if (there < (local ? limits.unix_connections : limits.connections)) return std::nullopt;
  const auto of_its_kind = [&](const Peer& other) { return other.account.has_value() == local; };
  if (close_idlest(of_its_kind, fmt::format("{} {} are open, as many as there may be", there,
                                            local ? "on Unix sockets" : "over TCP and HTTP"))) {
    return std::nullopt;
  }
  return there;
}

bool Connections::free_a_descriptor() {
  return close_idlest([](const Peer&) { return true; }, fmt::format("no descriptors are left, with {} open", all.size()));
}

// Whoever has come and asked for nothing goes before those who have asked before, once there was time to ask: many silent
// connections at once must not drive out the conversations of others.
bool Connections::close_idlest(const std::function<bool(const Peer&)>& among, const std::string& why) {
  const auto now = std::chrono::steady_clock::now();
  std::shared_ptr<Connection> idlest;
  std::pair<bool, Connection::Time> its;
  for (const auto& connection : all) {
    const auto idle = connection->idle();
    if (!idle || !among(connection->peer())) continue;
    const bool silent = !idle->has_asked && now - idle->since >= limits.first_word;
    const std::pair<bool, Connection::Time> rank{!silent, idle->since};
    if (idlest != nullptr && rank >= its) continue;
    idlest = connection;
    its = rank;
  }
  if (idlest == nullptr) return false;
  idlest->close();
  ++traffic->evicted;
  evictions.note(now - its.second, why);
  return true;
}

void Connections::count(const Connection& connection, bool comes) {
  if (!connection.is_served()) return;
  std::size_t& kind = connection.peer().account ? unix_ : tcp_;
  comes ? ++kind : --kind;
  if (connection.peer().account) return;
  std::size_t& place = places_[connection.peer().place];
  comes ? ++place : --place;
  if (place == 0) places_.erase(connection.peer().place);
}

void Connections::add(std::shared_ptr<Connection> connection) {
  const auto [at, added] = all.insert(std::move(connection));
  if (added) count(**at, true);
  traffic->open = all.size();
  const std::lock_guard lock(mutex_);
  count_ = all.size();
}

void Connections::remove(const std::shared_ptr<Connection>& connection) {
  if (all.erase(connection) == 1) count(*connection, false);
  traffic->open = all.size();
  const std::lock_guard lock(mutex_);
  count_ = all.size();
  if (count_ == 0) none_.notify_all();
}

bool Connections::some_have_just_come() const {
  const auto now = std::chrono::steady_clock::now();
  return std::any_of(all.begin(), all.end(), [&](const auto& connection) {
    const auto idle = connection->idle();
    return idle && !idle->has_asked && now - idle->since < limits.just_come;
  });
}

void Connections::drain(milliseconds at_most) {
  *draining = true;
  const auto now = all;  // it changes meanwhile
  for (const auto& connection : now) connection->drain(at_most);
}

void Connections::cut() {
  evictions.end();
  const auto now = all;
  for (const auto& connection : now) connection->close();
}

bool Connections::wait_for_none(milliseconds at_most) {
  std::unique_lock lock(mutex_);
  return none_.wait_for(lock, at_most, [this] { return count_ == 0; });
}

Connection::Connection(Connections& home, std::unique_ptr<Stream> stream, Peer peer)
    : home_(home),
      peer_(std::move(peer)),
      stream_(std::move(stream)),
      handshake_timer_(home.reactor),
      write_timer_(home.reactor),
      linger_timer_(home.reactor) {}

void Connection::open() {
  outbox_ = std::make_shared<Outbox>(home_.limits.queue_bytes, [&reactor = home_.reactor, weak = weak_from_this()] {
    reactor.post([weak] {
      if (const auto self = weak.lock()) self->flush();
    });
  });
  after(handshake_timer_, home_.limits.handshake, [this] { close(); });
  stream_->open([self = shared_from_this()](const std::string& problem) {
    if (self->closed_) return;
    if (!problem.empty()) {
      ++self->home_.traffic->faults;
      return self->close();
    }
    self->guarded([&] { self->opened(); });
    self->read();
  });
}

void Connection::after(Timer& timer, milliseconds delay, std::function<void()> what) {
  timer.start(delay, [weak = weak_from_this(), what = std::move(what)] {
    const auto self = weak.lock();
    if (self && !self->closed_) self->guarded(what);
  });
}

// Out of memory, or a fault of ours: this connection ends, the others go on.
void Connection::guarded(const std::function<void()>& what) {
  try {
    what();
  } catch (const std::exception&) {
    close();
  }
}

void Connection::read_on(bool wanted) {
  wants_read_ = wanted;
  read();
}

void Connection::read() {
  if (closed_ || reading_ || at_end_ || !(wants_read_ || finishing_)) return;
  reading_ = true;
  stream_->read(buffer_.data(), buffer_.size(),
                [self = shared_from_this()](Io result, std::size_t bytes) { self->heard(result, bytes); });
}

void Connection::heard(Io result, std::size_t bytes) {
  reading_ = false;
  if (closed_) return;
  if (result == Io::failed) return close();
  if (result == Io::ended) {
    at_end_ = true;
    if (finishing_) {
      if (ending_) close();
      return;
    }
    return guarded([this] { ended(); });
  }
  home_.traffic->bytes_in += bytes;
  if (finishing_) {
    forgotten_ += bytes;
    if (forgotten_ > kForgottenBytes) return close();
  } else {
    guarded([&] { received({buffer_.data(), bytes}); });
  }
  read();
}

void Connection::flush() {
  if (closed_ || writing_) return;
  if (at_ == batch_.size()) {
    batch_ = outbox_->take();
    at_ = 0;
  }
  if (batch_.empty()) {
    write_timer_.put_off();
    if (finishing_) return end();
    return guarded([this] { sent_all(); });
  }
  pieces_.clear();
  for (std::size_t i = at_; i < batch_.size(); ++i) pieces_.emplace_back(batch_[i]);
  pieces_.front().remove_prefix(offset_);
  writing_ = true;
  after(write_timer_, home_.limits.write, [this] { close(); });
  stream_->write(pieces_, [self = shared_from_this()](Io result, std::size_t bytes) {
    self->writing_ = false;
    if (self->closed_) return;
    if (result != Io::done) return self->close();
    self->home_.traffic->bytes_out += bytes;
    self->outbox_->sent(bytes);
    for (self->offset_ += bytes; self->at_ < self->batch_.size() && self->offset_ >= self->batch_[self->at_].size();
         ++self->at_) {
      self->offset_ -= self->batch_[self->at_].size();
      self->batch_[self->at_] = std::string();
    }
    self->guarded([&] { self->sent(); });
    self->flush();
  });
}

void Connection::finish() {
  if (closed_ || finishing_) return;
  finishing_ = true;
  handshake_timer_.cancel();
  flush();
  read();
}

void Connection::end() {
  if (ending_) return;
  ending_ = true;
  after(linger_timer_, *home_.draining ? std::min(kLastLinger, home_.limits.linger) : home_.limits.linger, [this] { close(); });
  stream_->end([self = shared_from_this()] {
    if (self->at_end_) self->close();
  });
}

void Connection::close() {
  if (closed_) return;
  closed_ = true;
  const auto self = shared_from_this();
  handshake_timer_.cancel();
  write_timer_.cancel();
  linger_timer_.cancel();
  outbox_->close();
  stream_->close();
  closed();
  home_.remove(self);
}

void Farewell::opened() {
  outbox_->put(std::move(text_));
  finish();
}

}  // namespace plumbline::server::transport::network
