#include "server/transport/http/event_stream.hpp"

#include <fmt/core.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

namespace plumbline::server::transport::http {
namespace {

std::string event_id(std::uint64_t stream, std::uint64_t number) { return fmt::format("{}-{}", stream, number); }

// In seconds: the error itself says it, since not every client sees the header.
std::string retry_after(const std::string& error_line) {
  static const nlohmann::json::json_pointer kSeconds("/error/data/retryAfterSeconds");
  const auto line = nlohmann::json::parse(error_line, nullptr, false);
  return line.contains(kSeconds) ? line.at(kSeconds).dump() : "1";
}

}  // namespace

std::string sse_event(std::string_view data, std::string_view id) {
  std::string event;
  event.reserve(data.size() + id.size() + 16);
  if (!id.empty()) event.append("id: ").append(id).append("\n");
  while (true) {
    const std::size_t end = data.find_first_of("\r\n");
    event.append("data: ").append(data.substr(0, end)).append("\n");
    if (end == std::string_view::npos) break;
    data.remove_prefix(end + (data.substr(end).starts_with("\r\n") ? 2 : 1));
  }
  event.append("\n");
  return event;
}

std::string sse_priming(std::string_view id, std::chrono::milliseconds retry) {
  return fmt::format("id: {}\nretry: {}\ndata:\n\n", id, retry.count());
}

std::uint64_t ReplayBuffer::add(std::string message) {
  bytes_ += message.size();
  messages_.push_back(std::move(message));
  while (messages_.size() > 1 && (messages_.size() > most_ || bytes_ > most_bytes_)) {
    bytes_ -= messages_.front().size();
    messages_.pop_front();
  }
  return ++last_;
}

std::vector<std::pair<std::uint64_t, std::string_view>> ReplayBuffer::after(std::uint64_t number) const {
  std::vector<std::pair<std::uint64_t, std::string_view>> found;
  std::uint64_t at = last_ - messages_.size();
  for (const std::string& message : messages_) {
    if (++at > number) found.emplace_back(at, message);
  }
  return found;
}

std::optional<EventId> parse_event_id(std::string_view text) {
  EventId id;
  const char* const end = text.data() + text.size();
  const auto stream = std::from_chars(text.data(), end, id.stream);
  if (stream.ec != std::errc() || stream.ptr == end || *stream.ptr != '-') return std::nullopt;
  const auto number = std::from_chars(stream.ptr + 1, end, id.number);
  if (number.ec != std::errc() || number.ptr != end) return std::nullopt;
  return id;
}

Stream::Stream(std::shared_ptr<StreamHouse> house, StreamKind kind, std::shared_ptr<Exchange> exchange)
    : house_(std::move(house)),
      kind_(std::move(kind)),
      exchange_(std::move(exchange)),
      replay_(house_->bounds.replay, house_->bounds.replay_bytes) {}

Stream::~Stream() {
  house_->timers.cancel(timer_);
  if (exchange_ == nullptr) return;
  if (opened_) {
    close();
  } else {
    reply(500, "text/plain", "this is a fault of the server: the request was not answered\n");
  }
}

void Stream::start() {
  std::shared_ptr<Exchange> exchange;
  {
    const std::lock_guard lock(mutex_);
    if (exchange_ == nullptr) return;
    if (kind_.listens && !opened_) open();
    if (waiting_.empty() && (opened_ || kind_.events)) arm(opened_ ? house_->times.keep_alive : house_->times.patience);
    exchange = exchange_;
  }
  watch(exchange);
}

void Stream::accept() {
  std::unique_lock lock(mutex_);
  ended_ = true;
  if (exchange_ != nullptr && !opened_) reply(202, "", "");
  tell_if_out(lock);
}

void Stream::send(std::string line) {
  if (!offer(line)) ++house_->metrics.dropped;
}

bool Stream::offer(const std::string& line, bool surely) {
  const std::lock_guard lock(mutex_);
  if (ended_) return false;
  if (!opened_ && exchange_ != nullptr && kind_.events) open();
  return opened_ && deliver(line, surely);
}

void Stream::answer(std::string line, int status) {
  std::unique_lock lock(mutex_);
  if (ended_) return;
  ended_ = true;
  if (!opened_ && exchange_ != nullptr && !line.empty() && !kind_.json && status == 200) open();
  if (opened_) {
    if (!line.empty()) deliver(line, true);
    flush();
  } else if (exchange_ != nullptr && line.empty()) {
    reply(200, "text/event-stream", "");  // a cancelled request has no answer: only an empty stream can say that
  } else if (exchange_ != nullptr) {
    reply(status, "application/json", std::move(line));
  }
  tell_if_out(lock);
}

void Stream::release() {
  const std::lock_guard lock(mutex_);
  if (kind_.resumable == 0 || ended_ || exchange_ == nullptr || !kind_.events) return;
  if (!opened_) open();
  close();
}

void Stream::gone(const Exchange* exchange) {
  std::unique_lock lock(mutex_);
  if (exchange_.get() != exchange) return;
  if (opened_) --house_->metrics.streams;
  house_->timers.cancel(timer_);
  exchange_ = nullptr;
  waiting_.clear();
  if (!opened_ || kind_.resumable == 0) ended_ = true;
  tell_if_out(lock, true);
}

void Stream::resume(const std::shared_ptr<Exchange>& exchange, std::uint64_t number) {
  {
    const std::lock_guard lock(mutex_);
    if (exchange_ != nullptr) close();  // the old connection may be dead without knowing it
    connect(exchange);
    for (const auto& [at, message] : replay_.after(number)) waiting_.push_back(sse_event(message, event_id(kind_.resumable, at)));
    flush();
    if (exchange_ == nullptr) return;
    if (waiting_.empty()) arm(house_->times.keep_alive);
  }
  watch(exchange);
}

void Stream::watch(const std::shared_ptr<Exchange>& exchange) {
  exchange->on_gone([self = weak_from_this(), which = exchange.get()] {
    if (const auto stream = self.lock()) stream->gone(which);
  });
}

void Stream::abandon(int status, std::string line) {
  std::unique_lock lock(mutex_);
  if (!opened_ && exchange_ != nullptr) reply(status, "application/json", std::move(line));
  ended_ = true;
  waiting_.clear();
  if (exchange_ != nullptr) close();
  tell_if_out(lock);
}

bool Stream::connected() const {
  const std::lock_guard lock(mutex_);
  return exchange_ != nullptr;
}

bool Stream::finished() const {
  const std::lock_guard lock(mutex_);
  return out();
}

bool Stream::can_resume() const {
  const std::lock_guard lock(mutex_);
  return opened_ && kind_.resumable != 0;
}

std::size_t Stream::bytes() const {
  const std::lock_guard lock(mutex_);
  return replay_.bytes();
}

void Stream::connect(std::shared_ptr<Exchange> exchange) {
  exchange_ = std::move(exchange);
  house_->metrics.answered(kind_.listens || opened_ ? "GET" : "POST", 200);
  ++house_->metrics.streams;
  Headers headers = kind_.headers;
  headers.emplace_back("Content-Type", "text/event-stream");
  headers.emplace_back("Cache-Control", "no-cache");
  headers.emplace_back("X-Accel-Buffering", "no");
  exchange_->begin_stream(200, std::move(headers));
}

void Stream::open() {
  connect(std::move(exchange_));
  opened_ = true;
  if (kind_.resumable != 0) exchange_->write(sse_priming(event_id(kind_.resumable, 0), house_->times.retry));
}

bool Stream::deliver(const std::string& line, bool last) {
  std::string event;
  if (kind_.resumable != 0) {
    const std::uint64_t number = replay_.add(line);
    event = sse_event(line, event_id(kind_.resumable, number));
  } else {
    event = sse_event(line);
  }
  if (exchange_ == nullptr) return kind_.resumable != 0;
  if (!last && waiting_.size() >= house_->bounds.waiting) return false;
  waiting_.push_back(std::move(event));
  flush();
  return true;
}

// Writes what waits, as far as there is room, and ends the stream behind the last of it.
void Stream::flush() {
  while (exchange_ != nullptr && !waiting_.empty()) {
    // A copy, since what is refused must be kept; short but for answers, of which there is one.
    if (!exchange_->write(waiting_.front())) return arm(house_->times.again);
    waiting_.pop_front();
  }
  if (exchange_ != nullptr && ended_) close();
}

void Stream::close() {
  house_->timers.cancel(timer_);
  exchange_->end();
  exchange_ = nullptr;
  waiting_.clear();
  --house_->metrics.streams;
}

void Stream::arm(std::chrono::milliseconds delay) {
  house_->timers.cancel(timer_);
  // While something waits for room the stream must live on, whoever else has let go of it.
  if (waiting_.empty()) {
    timer_ = house_->timers.after(delay, [self = weak_from_this()] {
      if (const auto stream = self.lock()) stream->tick();
    });
  } else {
    timer_ = house_->timers.after(delay, [self = shared_from_this()] { self->tick(); });
  }
}

void Stream::tick() {
  std::unique_lock lock(mutex_);
  if (exchange_ == nullptr) return;
  if (!waiting_.empty()) {
    flush();
  } else if (!opened_) {
    open();
  } else {
    exchange_->write(std::string(kKeepAlive));
  }
  if (exchange_ != nullptr && waiting_.empty()) arm(house_->times.keep_alive);
  tell_if_out(lock);
}

void Stream::tell_if_out(std::unique_lock<std::mutex>& lock, bool left) {
  if (!out() || std::exchange(told_, true)) return;
  lock.unlock();
  if (on_finished_) on_finished_(left);
}

void Stream::reply(int status, std::string_view type, std::string body) {
  house_->timers.cancel(timer_);
  house_->metrics.answered(kind_.listens ? "GET" : "POST", status);
  Headers headers = kind_.headers;
  if (!type.empty()) headers.emplace_back("Content-Type", type);
  if (type == "text/event-stream") headers.emplace_back("Cache-Control", "no-cache");
  if (status == 403 && !house_->forbidden.empty()) headers.emplace_back("WWW-Authenticate", house_->forbidden);
  if (status == 429) headers.emplace_back("Retry-After", retry_after(body));
  std::exchange(exchange_, nullptr)->reply(status, std::move(headers), std::move(body));
}

}  // namespace plumbline::server::transport::http
