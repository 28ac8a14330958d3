#include "server/mcp/hub.hpp"

#include <vector>

namespace plumbline::server::mcp {
namespace {
constexpr std::chrono::milliseconds kTick{1000};
}  // namespace

Hub::Hub(const Catalogue& catalogue, transport::Executor& executor, transport::Timers& timers)
    : catalogue_(catalogue), executor_(executor), timers_(timers) {}

Hub::Versions Hub::look_at(const std::set<std::string, std::less<>>& uris) const {
  Versions versions;
  const auto& version = catalogue_.resources().version;
  if (!version) return versions;
  for (const std::string& uri : uris) {
    if (auto now = version(uri)) versions.emplace(uri, std::move(*now));
  }
  return versions;
}

Hub::Id Hub::add(Interest interest, Versions versions, Sink sink) {
  auto listener = std::make_shared<Listener>();
  listener->interest = std::move(interest);
  listener->sink = std::move(sink);
  const std::lock_guard lock(mutex_);
  listeners_.emplace(++last_, std::move(listener));
  watch(std::move(versions));
  return last_;
}

void Hub::change(Id id, Interest interest, Versions versions) {
  const std::lock_guard lock(mutex_);
  if (const auto at = listeners_.find(id); at != listeners_.end()) at->second->interest = std::move(interest);
  watch(std::move(versions));
}

// What is watched already keeps the version that others were told last.
void Hub::watch(Versions versions) {
  versions_.merge(versions);
  if (ticking_ || versions_.empty()) return;
  timers_.after(kTick, [this] { tick(); });
  ticking_ = true;
}

void Hub::remove(Id id) {
  std::shared_ptr<Listener> listener;
  {
    const std::lock_guard lock(mutex_);
    const auto at = listeners_.find(id);
    if (at == listeners_.end()) return;
    listener = std::move(at->second);
    listeners_.erase(at);
  }
  const std::lock_guard calling(listener->calling);
  listener->open = false;
}

void Hub::publish(const Event& event) {
  std::vector<std::shared_ptr<Listener>> interested;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, listener] : listeners_) {
      const auto& subjects = event.kind == Event::Kind::task ? listener->interest.tasks : listener->interest.uris;
      if (subjects.find(event.subject) != subjects.end()) interested.push_back(listener);
    }
  }
  for (const auto& listener : interested) {
    const std::lock_guard calling(listener->calling);
    if (listener->open) listener->sink(event);
  }
}

std::size_t Hub::size() const {
  const std::lock_guard lock(mutex_);
  return listeners_.size();
}

void Hub::tick() {
  look_soon();
  const std::lock_guard lock(mutex_);
  ticking_ = !versions_.empty();
  if (ticking_) timers_.after(kTick, [this] { tick(); });
}

void Hub::look_soon() {
  {
    const std::lock_guard lock(mutex_);
    if (looking_ || versions_.empty()) return;
    looking_ = true;
  }
  try {
    executor_.submit([this] { look(); });
  } catch (const std::exception&) {  // no thread to be had: the next tick tries again
    const std::lock_guard lock(mutex_);
    looking_ = false;
  }
}

void Hub::look() {
  Versions before;
  {
    const std::lock_guard lock(mutex_);
    looking_ = false;
    // What nobody listens to any more is forgotten.
    std::set<std::string_view> wanted;
    for (const auto& [id, listener] : listeners_) wanted.insert(listener->interest.uris.begin(), listener->interest.uris.end());
    std::erase_if(versions_, [&](const auto& item) { return wanted.find(item.first) == wanted.end(); });
    before = versions_;
  }
  for (const auto& [uri, version] : before) {
    std::optional<std::string> now;
    try {
      now = catalogue_.resources().version(uri);
    } catch (const std::exception&) {  // unreadable now: unchanged until it can be read again
      continue;
    }
    if (!now || *now == version) continue;
    {
      const std::lock_guard lock(mutex_);
      const auto at = versions_.find(uri);
      if (at == versions_.end() || at->second == *now) continue;
      at->second = *now;
    }
    publish({Event::Kind::resource_updated, uri, ""});
  }
}

}  // namespace plumbline::server::mcp
