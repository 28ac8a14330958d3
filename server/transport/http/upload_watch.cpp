#include "server/transport/http/upload_watch.hpp"

#include <utility>

#include "core/text.hpp"
#include "server/access/audit.hpp"

namespace plumbline::server::transport::http {
namespace {

using access::Outcome;

Outcome outcome_of(int status) {
  if (status < 300) return Outcome::ok;
  return status == 403 || status == 429 || status == 503 ? Outcome::refused : Outcome::error;
}

class WatchedExchange final : public Exchange {
 public:
  WatchedExchange(std::shared_ptr<Exchange> exchange, std::shared_ptr<UploadWatch> watch)
      : exchange_(std::move(exchange)), watch_(std::move(watch)) {}
  void reply(int status, Headers headers, std::string body) override {
    watch_->answered(status);
    exchange_->reply(status, std::move(headers), std::move(body));
  }
  void begin_stream(int status, Headers headers) override {
    watch_->answered(status);
    exchange_->begin_stream(status, std::move(headers));
  }
  bool write(std::string bytes) override { return exchange_->write(std::move(bytes)); }
  void end() override { exchange_->end(); }
  void on_gone(std::function<void()> gone) override { exchange_->on_gone(std::move(gone)); }

 private:
  const std::shared_ptr<Exchange> exchange_;
  const std::shared_ptr<UploadWatch> watch_;
};

class WatchedSink final : public BodySink {
 public:
  WatchedSink(std::unique_ptr<BodySink> sink, std::shared_ptr<UploadWatch> watch)
      : sink_(std::move(sink)), watch_(std::move(watch)) {}
  void take(std::string piece, std::function<void()> taken) override {
    watch_->came(piece.size());
    sink_->take(std::move(piece), std::move(taken));
  }
  void end() override { sink_->end(); }

 private:
  const std::unique_ptr<BodySink> sink_;
  const std::shared_ptr<UploadWatch> watch_;
};

}  // namespace

UploadWatch::UploadWatch(mcp::Host& host, Metrics& metrics, const Request& head, access::Principal who)
    : host_(host),
      metrics_(metrics),
      who_(std::move(who)),
      peer_(head.peer),
      method_(head.method == "PUT" ? "blobs/put" : "blobs/head"),
      target_(head.target),
      began_(host.options.clock()) {}

UploadWatch::~UploadWatch() {
  if (!told_) tell(Outcome::cancelled, "");
}

std::optional<Refusal> UploadWatch::enter() {
  if (host_.options.limits == nullptr) return std::nullopt;
  auto ticket = host_.options.limits->enter(who_.id());
  if (ticket) {
    ticket_ = std::move(*ticket);
    return std::nullopt;
  }
  answered(429);
  return Refusal{429,
                 {{"Content-Type", "application/json"},
                  {"Cache-Control", "no-store"},
                  {"Retry-After", std::to_string(ticket.error().retry_after.count())}},
                 R"({"code":"too_many_requests","message":)" + core::quoted(ticket.error().message) + "}\n"};
}

void UploadWatch::answered(int status) {
  const Outcome outcome = outcome_of(status);
  tell(outcome, outcome == Outcome::ok ? "" : std::to_string(status));
}

void UploadWatch::tell(Outcome outcome, const std::string& code) {
  if (told_.exchange(true)) return;
  if (method_ == "blobs/put") metrics_.upload_ended(to_string(outcome), bytes_);
  if (host_.options.audit == nullptr) return;
  access::AuditedCall call;
  call.at = std::chrono::system_clock::now();
  call.who = who_;
  call.peer = peer_;
  call.tool = method_;
  call.arguments = target_;
  call.outcome = outcome;
  call.code = code;
  call.duration = std::chrono::duration_cast<std::chrono::microseconds>(host_.options.clock() - began_);
  call.bytes = bytes_;
  host_.options.audit->write(call);
}

std::shared_ptr<Exchange> watched(std::shared_ptr<Exchange> exchange, std::shared_ptr<UploadWatch> watch) {
  return std::make_shared<WatchedExchange>(std::move(exchange), std::move(watch));
}

std::unique_ptr<BodySink> watched(std::unique_ptr<BodySink> sink, std::shared_ptr<UploadWatch> watch) {
  if (sink == nullptr) return nullptr;
  return std::make_unique<WatchedSink>(std::move(sink), std::move(watch));
}

}  // namespace plumbline::server::transport::http
