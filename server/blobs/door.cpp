#include "server/blobs/door.hpp"

#include <fmt/core.h>

#include <atomic>
#include <charconv>
#include <mutex>
#include <utility>

#include "core/text.hpp"
#include "registry/files.hpp"

namespace plumbline::server::blobs {

using transport::http::BodySink;
using transport::http::Exchange;
using transport::http::Headers;
using transport::http::Request;

namespace {

void answer(Exchange& exchange, int status, Headers headers, const std::string& json) {
  headers.emplace_back("Content-Type", "application/json");
  headers.emplace_back("Cache-Control", "no-store");
  exchange.reply(status, std::move(headers), json + "\n");
}

void refuse(Exchange& exchange, int status, std::string_view code, std::string_view message, Headers headers = {}) {
  answer(exchange, status, std::move(headers), "{\"code\":" + core::quoted(code) + ",\"message\":" + core::quoted(message) + "}");
}

void refuse(Exchange& exchange, const Refused& refused) {
  using enum Refused::Why;
  const Headers there = {{"Upload-Offset", std::to_string(refused.have)}, {"Upload-Complete", "?0"}};
  const Headers later = {{"Retry-After", "1"}};
  switch (refused.why) {
    case Refused::Why::offset:
      return refuse(exchange, 409, "offset", refused.text, there);
    case under_way:
      return refuse(exchange, 409, "under_way", refused.text, there);
    case digest:
      return refuse(exchange, 422, "digest_mismatch", refused.text);
    case too_large:
      return refuse(exchange, 413, "too_large", refused.text);
    case quota:
      return refuse(exchange, 507, "quota_exceeded", refused.text);
    case disk_full:
      return refuse(exchange, 507, "disk_full", refused.text);
    case busy:
      return refuse(exchange, 503, "busy", refused.text, later);
    case failed:
      return refuse(exchange, 500, "failed", refused.text);
  }
}

void confirm(Exchange& exchange, int status, const std::string& digest, std::uint64_t bytes, bool whole) {
  answer(exchange, status, {{"Upload-Offset", std::to_string(bytes)}, {"Upload-Complete", whole ? "?1" : "?0"}},
         "{\"blob\":\"blob:sha256:" + digest + "\",\"bytes\":" + std::to_string(bytes) + "}");
}

// For the client itself to put it there.
void redirect(Exchange& exchange, const registry::UploadPermit& permit) {
  std::string headers;
  for (const auto& [name, value] : permit.headers)
    headers += (headers.empty() ? "" : ",") + core::quoted(name) + ":" + core::quoted(value);
  answer(exchange, 307, {{"Location", permit.url}},
         "{\"method\":\"PUT\",\"url\":" + core::quoted(permit.url) + ",\"headers\":{" + headers +
             "},\"valid_s\":" + std::to_string(permit.valid.count()) + "}");
}

bool parse_number(std::string_view text, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

// One upload; its steps follow each other.
struct Work {
  Work(Store& the_store, std::shared_ptr<Exchange> the_exchange) : store(the_store), exchange(std::move(the_exchange)) {}

  void start() {
    const std::lock_guard lock(mutex);
    static_cast<void>(begin());
  }
  bool begin() {
    if (begun) return !over;
    begun = true;
    if (!in_parts && total >= kSentDirectly && goes_elsewhere()) return false;
    if (asks) return say_standing();
    auto made = store.begin(client, digest, from, total);
    if (!made) return give_up(made.error());
    upload = std::move(*made);
    return true;
  }
  void write(std::string_view piece) {
    const std::lock_guard lock(mutex);
    if (!begin() || upload == nullptr) return;  // what is there already is sent for nothing
    if (const auto refused = upload->write(piece)) give_up(*refused);
  }
  void end() {
    const std::lock_guard lock(mutex);
    if (!begin()) return;
    over = true;
    if (upload == nullptr) return confirm(*exchange, 200, digest, total, true);
    const auto whole = upload->finish();
    const std::uint64_t have = upload->have();
    upload.reset();
    if (!whole) return refuse(*exchange, whole.error());
    confirm(*exchange, *whole ? 201 : 202, digest, have, *whole);
  }
  bool goes_elsewhere() {
    if (store.look(client, digest).value_or(Standing{}).whole) {
      confirm(*exchange, 200, digest, total, true);
    } else {
      const auto permit = store.permit(client, digest, total);
      if (!permit) return !give_up(permit.error());
      if (!*permit) return false;
      redirect(*exchange, **permit);
    }
    over = true;
    return true;
  }
  bool say_standing() {
    over = true;
    const Standing there = store.look(client, digest).value_or(Standing{});
    if (there.whole) {
      confirm(*exchange, 200, digest, there.bytes, true);
    } else {
      exchange->reply(
          204, {{"Cache-Control", "no-store"}, {"Upload-Offset", std::to_string(there.bytes)}, {"Upload-Complete", "?0"}}, "");
    }
    return false;
  }
  bool give_up(const Refused& refused) {
    over = true;
    upload.reset();
    refuse(*exchange, refused);
    return false;
  }

  std::mutex mutex;  // a step may begin before the one before has ended
  Store& store;
  const std::shared_ptr<Exchange> exchange;
  std::string client, digest;
  std::uint64_t from = 0, total = 0;
  bool in_parts = false;  // a part that is sent here
  bool asks = false;      // where to; nothing is sent
  std::unique_ptr<Upload> upload;
  bool begun = false, over = false;
};

class Receiving final : public BodySink {
 public:
  Receiving(transport::WorkerPool& threads, std::shared_ptr<Work> work)
      : threads_(threads), work_(std::move(work)), owner_(fmt::format("{}", static_cast<const void*>(work_.get()))) {}

  // What cannot be taken is refused before its body comes.
  void start() {
    threads_.submit([work = work_] { work->start(); }, owner_);
  }
  void take(std::string piece, std::function<void()> taken) override {
    threads_.submit(
        [work = work_, piece = std::move(piece), taken = std::move(taken)] {
          work->write(piece);
          taken();
        },
        owner_);
  }
  void end() override {
    threads_.submit([work = work_] { work->end(); }, owner_);
  }

 private:
  transport::WorkerPool& threads_;
  const std::shared_ptr<Work> work_;
  const std::string owner_;
};

}  // namespace

std::optional<std::string> digest_in(std::string_view target) {
  constexpr std::string_view kHere = "/blobs/sha256/";
  if (!target.starts_with(kHere) || !registry::is_sha256_hex(target.substr(kHere.size()))) return std::nullopt;
  return std::string(target.substr(kHere.size()));
}

std::optional<ContentRange> parse_content_range(std::string_view text) {
  constexpr std::string_view kUnit = "bytes ";
  ContentRange range;
  if (!text.starts_with(kUnit)) return std::nullopt;
  text.remove_prefix(kUnit.size());
  const std::size_t dash = text.find('-');
  const std::size_t slash = text.find('/');
  if (dash == std::string_view::npos || slash == std::string_view::npos || dash > slash) return std::nullopt;
  const bool numbers = parse_number(text.substr(0, dash), range.from) &&
                       parse_number(text.substr(dash + 1, slash - dash - 1), range.to) &&
                       parse_number(text.substr(slash + 1), range.total);
  if (!numbers || range.to < range.from || range.to >= range.total) return std::nullopt;
  return range;
}

std::optional<std::uint64_t> asked_total(std::string_view text) {
  constexpr std::string_view kUnknown = "bytes */";
  std::uint64_t total = 0;
  if (!text.starts_with(kUnknown) || !parse_number(text.substr(kUnknown.size()), total)) return std::nullopt;
  return total;
}

void Door::handle(Request request, std::shared_ptr<Exchange> exchange, const access::Principal& who) {
  const auto digest = digest_in(request.target);
  if (!digest) return refuse(*exchange, 404, "not_found", "an upload is /blobs/sha256/ and 64 hexadecimal digits in lower case");
  if (request.method != "HEAD") return refuse(*exchange, 405, "method", "PUT and HEAD are served here", {{"Allow", "PUT, HEAD"}});
  threads_.submit([&store = store_, digest = *digest, client = who.id(), exchange = std::move(exchange)] {
    const auto standing = store.look(client, digest);
    Headers headers = {{"Cache-Control", "no-store"}, {"Upload-Limit", fmt::format("max-size={}", store.options().quota_each)}};
    if (!standing) return exchange->reply(404, std::move(headers), "");
    headers.emplace_back("Upload-Offset", std::to_string(standing->bytes));
    headers.emplace_back("Upload-Complete", standing->whole ? "?1" : "?0");
    exchange->reply(standing->whole ? 200 : 204, std::move(headers), "");
  });
}

std::unique_ptr<BodySink> Door::receive(Request head, std::shared_ptr<Exchange> exchange, const access::Principal& who) {
  const auto answered = [&](int status, std::string_view code, std::string_view message) {
    refuse(*exchange, status, code, message);
    return nullptr;
  };
  const auto digest = digest_in(head.target);
  if (!digest) return answered(404, "not_found", "an upload is /blobs/sha256/ and 64 hexadecimal digits in lower case");
  std::uint64_t length = 0;
  const auto said = head.first("content-length");
  if (!said) return answered(411, "length_required", "an upload says its Content-Length");
  if (!parse_number(*said, length)) return answered(400, "length", "Content-Length is not a number");
  if (head.first("content-encoding"))
    return answered(415, "coding", "an upload is its bytes as they are, without a Content-Encoding");
  auto work = std::make_shared<Work>(store_, exchange);
  work->client = who.id();
  work->digest = *digest;
  work->total = length;
  bool conflict = false;
  if (const auto text = head.one("content-range", conflict); text || conflict) {
    const auto range = conflict ? std::nullopt : parse_content_range(*text);
    const auto asked = conflict || length != 0 ? std::nullopt : asked_total(*text);
    if (!asked && (!range || range->to - range->from + 1 != length))
      return answered(400, "range", "Content-Range is \"bytes A-B/TOTAL\", and B - A + 1 the Content-Length");
    work->asks = asked.has_value();
    work->in_parts = range.has_value();
    work->from = range ? range->from : 0;
    work->total = range ? range->total : *asked;
  }
  auto receiving = std::make_unique<Receiving>(threads_, std::move(work));
  receiving->start();
  return receiving;
}

void Door::tidy() {
  threads_.submit([&store = store_] { store.tidy(); });
}

}  // namespace plumbline::server::blobs
