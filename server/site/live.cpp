#include "server/site/live.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace plumbline::server::site {
namespace {

using transport::http::Exchange;

constexpr std::chrono::milliseconds kTick{700};
constexpr std::chrono::milliseconds kAge{300};    // a page that was asked for just now has looked already
constexpr std::chrono::milliseconds kWait{5000};  // for a registry that takes long to look at
constexpr std::size_t kStreams = 512, kStreamsEach = 128;
constexpr int kQuietLooks = 15;

std::string event(const std::string& stamp) { return fmt::format("id: {0}\nevent: change\ndata: {0}\n\n", stamp); }

}  // namespace

bool Live::may_add(const std::string& who) {
  const std::lock_guard lock(mutex_);
  const auto same =
      std::count_if(streams_.begin(), streams_.end(), [&](const auto& each) { return each.second.interest.who == who; });
  return !draining_ && streams_.size() < kStreams && static_cast<std::size_t>(same) < kStreamsEach;
}

bool Live::add(Interest interest, const std::shared_ptr<Exchange>& exchange, const transport::http::Headers& headers) {
  if (!may_add(interest.who)) return false;
  exchange->begin_stream(200, headers);  // before anybody else may write to it
  exchange->write("retry: 2000\n\n");
  std::uint64_t id = 0;
  bool begin = false;
  {
    const std::lock_guard lock(mutex_);
    if (!draining_) {
      id = ++last_;
      streams_.emplace(id, Stream{std::move(interest), exchange, 0});
      begin = !ticking_;
      ticking_ = true;
    }
  }
  if (id == 0) {
    exchange->end();
    return true;
  }
  exchange->on_gone([live = weak_from_this(), id] {
    if (const auto self = live.lock()) self->remove(id);
  });
  if (begin) tick_later();
  return true;
}

void Live::tick_later() {
  host_.timers.after(kTick, [live = weak_from_this()] {
    if (const auto self = live.lock()) self->tick();
  });
}

void Live::remove(std::uint64_t id) {
  std::shared_ptr<Exchange> ended;  // outside the lock: its end may be our own caller
  const std::lock_guard lock(mutex_);
  const auto at = streams_.find(id);
  if (at == streams_.end()) return;
  ended = std::move(at->second.exchange);
  streams_.erase(at);
}

void Live::tick() {
  bool look_now = false;
  {
    const std::lock_guard lock(mutex_);
    ticking_ = !streams_.empty() && !draining_;
    if (!ticking_) return;
    look_now = !std::exchange(looking_, true);
  }
  tick_later();
  if (!look_now) return;
  try {
    host_.executor.submit(
        [live = weak_from_this()] {
          if (const auto self = live.lock()) self->look();
        },
        "site streams");
  } catch (const std::exception&) {  // no thread to be had: the next tick tries again
    const std::lock_guard lock(mutex_);
    looking_ = false;
  }
}

void Live::look() {
  const auto summary = overview_->read_here(kWait, kAge);
  struct Told {
    std::uint64_t id = 0;
    std::shared_ptr<Exchange> exchange;
    std::string text;
  };
  std::vector<Told> told;
  std::map<std::string, std::string> stamps;
  {
    const std::lock_guard lock(mutex_);
    looking_ = false;
    for (auto& [id, stream] : streams_) {
      std::string& stamp = stamps[stream.interest.scope];
      if (stamp.empty()) stamp = summary->stamp(stream.interest.scope);
      const bool changed = stamp != stream.interest.stamp;
      if (!changed && ++stream.quiet < kQuietLooks) continue;
      stream.quiet = 0;
      stream.interest.stamp = stamp;
      told.push_back({id, stream.exchange, changed ? event(stamp) : ": still here\n\n"});
    }
  }
  for (Told& each : told) {
    if (each.exchange->write(std::move(each.text))) continue;
    each.exchange->end();
    remove(each.id);
  }
}

void Live::drain() {
  std::map<std::uint64_t, Stream> ending;
  {
    const std::lock_guard lock(mutex_);
    draining_ = true;
    ending.swap(streams_);
  }
  for (auto& [id, stream] : ending) stream.exchange->end();
}

}  // namespace plumbline::server::site
