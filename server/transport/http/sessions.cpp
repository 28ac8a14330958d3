#include "server/transport/http/sessions.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "server/access/seal.hpp"

namespace plumbline::server::transport::http {
namespace {

constexpr std::size_t kParts = 4;  // of all sessions; one owner has one of them

}  // namespace

std::string error_text(std::string_view id, const jsonrpc::RpcError& error) {
  return jsonrpc::error_line(id.empty() ? "null" : id, error);
}

std::string no_such_session(std::string_view id) {
  return error_text(id,
                    {jsonrpc::kInvalidRequest, "there is no such session, or no longer: begin a new one with initialize", ""});
}

void Streams::send(std::string line) {
  const auto streams = listening();
  for (const bool connected : {true, false}) {
    for (const auto& stream : streams) {
      if (stream->connected() == connected && stream->offer(line)) return;
    }
  }
  ++house_->metrics.dropped;
}

std::vector<std::shared_ptr<Stream>> Streams::listening() {
  std::vector<std::shared_ptr<Stream>> found;
  const std::lock_guard lock(mutex_);
  for (auto at = kept_.rbegin(); at != kept_.rend(); ++at) {  // the newest first
    if (at->stream->listens()) found.push_back(at->stream);
  }
  return found;
}

void Streams::add(const std::shared_ptr<Stream>& stream) {
  {
    const std::lock_guard lock(mutex_);
    if (!closed_) {
      kept_.push_back({stream, {}});
      tidy_locked();
      return;
    }
  }
  stream->abandon(404, no_such_session(""));
}

std::shared_ptr<Stream> Streams::find(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  const auto at = std::find_if(kept_.begin(), kept_.end(),
                               [&](const Kept& kept) { return kept.stream->number() == number && kept.stream->can_resume(); });
  return at == kept_.end() ? nullptr : at->stream;
}

bool Streams::in_use() {
  const std::lock_guard lock(mutex_);
  return std::any_of(kept_.begin(), kept_.end(), [](const Kept& kept) { return kept.stream->connected(); });
}

void Streams::tidy() {
  const std::lock_guard lock(mutex_);
  tidy_locked();
}

void Streams::tidy_locked() {
  const auto now = clock_();
  std::erase_if(kept_, [&](Kept& kept) {
    if (!kept.stream->finished()) return false;
    if (!kept.stream->can_resume()) return true;
    if (!kept.ended) kept.ended = now;
    return now - *kept.ended >= options_.linger;
  });
  // Those that nobody reads are held within bounds: first go those that have ended, then those that have not, oldest first.
  std::size_t count = 0, bytes = 0;
  for (const Kept& kept : kept_) {
    if (kept.stream->connected()) continue;
    ++count;
    bytes += kept.stream->bytes();
  }
  for (const bool ended : {true, false}) {
    std::erase_if(kept_, [&](const Kept& kept) {
      if (count <= options_.streams && bytes <= options_.stream_bytes) return false;
      if (kept.stream->connected() || kept.stream->finished() != ended) return false;
      --count;
      bytes -= std::min(bytes, kept.stream->bytes());
      return true;
    });
  }
}

bool Streams::may_listen() {
  const std::lock_guard lock(mutex_);
  const auto reads = [](const Kept& kept) { return kept.stream->listens() && kept.stream->connected(); };
  return static_cast<std::size_t>(std::count_if(kept_.begin(), kept_.end(), reads)) < options_.listening;
}

void Streams::end_listening() {
  for (const auto& stream : listening()) stream->abandon(404, no_such_session(""));
}

void Streams::end_all() {
  std::vector<Kept> streams;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    streams.swap(kept_);
  }
  for (const Kept& kept : streams) kept.stream->abandon(404, no_such_session(""));
}

LegacySession::LegacySession(mcp::Host& host, mcp::SessionOptions options, std::shared_ptr<Streams> the_streams)
    : id(access::random_token()),
      owner(options.who.id()),
      anonymous(options.who.how == access::How::loopback),
      session(host, std::move(options)),
      streams(std::move(the_streams)),
      used(host.options.clock()) {}

std::optional<std::string> Sessions::add(const std::shared_ptr<LegacySession>& session) {
  const std::size_t each = session->anonymous ? options_.most : std::max<std::size_t>(1, options_.most / kParts);
  std::shared_ptr<LegacySession> idlest;
  {
    const std::lock_guard lock(mutex_);
    std::size_t own = 0;
    for (const auto& [id, other] : sessions_) {
      if (other->owner != session->owner) continue;
      ++own;
      if (idlest != nullptr && other->used.load() >= idlest->used.load()) continue;
      if (other->session.wait_idle({}) && !other->streams->in_use()) idlest = other;
    }
    if (own < each && sessions_.size() < options_.most) {
      idlest = nullptr;
    } else if (idlest != nullptr) {
      sessions_.erase(idlest->id);
    } else if (own > 0) {
      return fmt::format("{} sessions are open, and something runs in every one: try again later", own);
    } else {
      return fmt::format("{} sessions of others are open: try again later", sessions_.size());
    }
    sessions_.emplace(session->id, session);
  }
  ++metrics_.sessions_opened;
  if (idlest != nullptr) {
    ++metrics_.sessions_expired;
    close(*idlest);
  }
  return std::nullopt;
}

std::shared_ptr<LegacySession> Sessions::find(std::string_view id, std::string_view owner) {
  const std::lock_guard lock(mutex_);
  const auto at = sessions_.find(id);
  if (at == sessions_.end() || at->second->owner != owner) return nullptr;
  at->second->used = clock_();
  return at->second;
}

void Sessions::end(const std::shared_ptr<LegacySession>& session) {
  {
    const std::lock_guard lock(mutex_);
    if (sessions_.erase(session->id) == 0) return;
  }
  close(*session);
}

void Sessions::tidy() {
  const auto now = clock_();
  for (const auto& session : all()) {
    session->streams->tidy();
    if (!session->session.wait_idle({}) || session->streams->in_use()) {
      session->used = now;
    } else if (now - session->used.load() >= options_.idle_for) {
      end(session);
      ++metrics_.sessions_expired;
    }
  }
}

std::size_t Sessions::size() const {
  const std::lock_guard lock(mutex_);
  return sessions_.size();
}

std::vector<std::shared_ptr<LegacySession>> Sessions::all() const {
  std::vector<std::shared_ptr<LegacySession>> found;
  const std::lock_guard lock(mutex_);
  found.reserve(sessions_.size());
  for (const auto& [id, session] : sessions_) found.push_back(session);
  return found;
}

void Sessions::close(LegacySession& session) {
  session.session.cancel_all();
  session.streams->end_all();
}

}  // namespace plumbline::server::transport::http
