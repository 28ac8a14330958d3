#include "registry/s3/client.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <system_error>
#include <thread>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/files.hpp"
#include "registry/io.hpp"
#include "registry/s3/signing.hpp"
#include "registry/s3/xml.hpp"

namespace plumbline::registry::s3 {

using core::ErrorCode;
using core::Expected;
using core::fail;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::size_t kThreads = 12;
constexpr int kAttempts = 9;
constexpr int kAttemptsWhenStopped = 3;  // of what has to come to its end
constexpr auto kFirstPause = std::chrono::milliseconds(40);
constexpr auto kLongestPause = std::chrono::milliseconds(4000);
constexpr std::size_t kPiece = 256U << 10;
constexpr const char* kWriter = "x-amz-meta-plumbline-writer";
constexpr std::string_view kNothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

// Random, so that writers that met once do not meet again; a server that says how long is believed within bounds.
std::chrono::milliseconds pause_after(int attempt, std::string_view retry_after) {
  static thread_local std::mt19937_64 random{std::random_device{}()};
  const auto most = std::min<std::int64_t>(kLongestPause.count(), kFirstPause.count() << std::min(attempt, 10));
  std::int64_t pause = std::uniform_int_distribution<std::int64_t>(most / 4, most)(random);
  if (const auto seconds = core::parse_int(retry_after); seconds && *seconds > 0)
    pause = std::max(pause, std::min<std::int64_t>(*seconds * 1000, kLongestPause.count()));
  return std::chrono::milliseconds(pause);
}

}  // namespace

bool is_busy(int status) {
  return status == 408 || status == 409 || status == 425 || status == 429 || status == 500 || status == 502 || status == 503 ||
         status == 504;
}

core::Status in_parallel(std::size_t count, const std::function<core::Status(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  core::Status status;
  const auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      if (auto done = work(i); !done) {
        const std::lock_guard lock(mutex);
        if (status) status = std::move(done);
        next = count;
      }
    }
  };
  std::vector<std::thread> threads;
  try {
    for (std::size_t i = 1; i < std::min(count, kThreads); ++i) threads.emplace_back(run);
  } catch (const std::system_error&) {  // as many as this machine gives
  }
  run();
  for (std::thread& thread : threads) thread.join();
  return status;
}

Client::Client(Settings settings, Environment environment, std::function<bool()> stop)
    : settings_(std::move(settings)), credentials_(std::move(environment), settings_), stop_(std::move(stop)) {}

std::uint64_t Client::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

std::vector<std::pair<std::string, std::string>> Client::condition(const std::string& writer) const {
  if (settings_.google) return {{"x-goog-if-generation-match", "0"}, {"x-goog-meta-plumbline-writer", writer}};
  return {{"if-none-match", "*"}, {kWriter, writer}};
}

std::string Client::path_of(const std::string& key) const {
  std::string path = settings_.path_style ? "/" + settings_.address.bucket : std::string();
  if (!key.empty() || path.empty()) path += "/" + encoded(key, true);
  return path;
}

Expected<net::HttpRequest> Client::request_of(const Call& call) {
  auto credentials = credentials_.get();
  if (!credentials) return fail(credentials.error());
  net::HttpRequest request;
  request.method = call.method;
  const std::string path = path_of(call.key);
  const std::string query = query_text(call.query);
  request.path = path + (query.empty() ? "" : "?" + query);
  Signed to_sign;
  to_sign.method = call.method;
  to_sign.host = settings_.endpoint.authority;
  to_sign.path = path;
  to_sign.query = call.query;
  to_sign.headers = call.headers;
  to_sign.payload_sha256 = call.content != nullptr ? std::string_view(call.content->sha256) : kNothing;
  to_sign.time = std::chrono::system_clock::now();
  request.headers = signed_headers(to_sign, settings_, *credentials);
  if (call.content == nullptr) return request;
  request.headers.emplace_back("Content-Type", "application/octet-stream");
  if (call.content->file.empty()) {
    request.body = call.content->bytes;
    return request;
  }
  const auto fd = std::make_shared<io::Descriptor>(::open(call.content->file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!fd->valid()) return fail(io::read_error(call.content->file, errno));
  if (::lseek(fd->get(), static_cast<off_t>(call.content->offset), SEEK_SET) < 0)
    return fail(io::read_error(call.content->file, errno));
  request.more_bytes = call.content->size;
  auto block = std::make_shared<std::string>();
  request.more = [fd, block, file = call.content->file, left = call.content->size]() mutable -> Expected<std::string_view> {
    block->resize(static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, left)));
    const auto got = ::read(fd->get(), block->data(), block->size());
    if (got <= 0) return fail(ErrorCode::environment, file + " ended while it was being sent");
    left -= static_cast<std::uint64_t>(got);
    return std::string_view(*block).substr(0, static_cast<std::size_t>(got));
  };
  return request;
}

Client::Tried Client::attempt(const Call& call, net::HttpRequest request) {
  // What the disk of the copy says, or a file that is being sent, is not what the server says.
  Tried out;
  const auto noted = [&out](const core::Error& error) {
    out.ours = true;
    return fail(error);
  };
  if (call.sink) {
    request.sink = [&](std::string_view piece) -> core::Status {
      if (auto done = call.sink(piece); !done) return noted(done.error());
      return {};
    };
  }
  if (request.more) {
    request.more = [&noted, more = std::move(request.more)]() -> Expected<std::string_view> {
      auto piece = more();
      if (!piece) return noted(piece.error());
      return piece;
    };
  }
  net::HttpLimits limits;
  limits.answer = std::chrono::seconds(30);
  limits.message_bytes = 64U << 20;
  if (!call.to_end) limits.stop = stop_;
  limits.ca_file = settings_.ca_file;
  std::optional<net::HttpConnection> connection;
  {
    const std::lock_guard lock(mutex_);
    ++requests_;
    if (!idle_.empty() && !call.once) {
      connection = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!connection) connection.emplace(settings_.endpoint);
  out.answer = connection->exchange(request, limits);
  out.was_open = connection->was_open();
  const std::lock_guard lock(mutex_);
  if (out.answer && idle_.size() < 2 * kThreads) idle_.push_back(std::move(*connection));
  return out;
}

Expected<net::HttpAnswer> Client::call(const Call& call) {
  for (int attempt_number = 0;; ++attempt_number) {
    if (!call.to_end && is_stopped()) return fail(ErrorCode::cancelled, "stopped");
    if (call.restart) {
      if (auto begun = call.restart(); !begun) return fail(begun.error());
    }
    auto request = request_of(call);
    if (!request) return fail(request.error());
    Tried tried = attempt(call, std::move(*request));
    Expected<net::HttpAnswer>& answer = tried.answer;
    if (tried.ours) return fail(answer.error());
    const bool lost = !answer && answer.error().code == ErrorCode::environment;
    const bool busy = answer && is_busy(answer->status);
    const bool last =
        attempt_number + 1 >= kAttempts || (call.to_end && attempt_number + 1 >= kAttemptsWhenStopped && is_stopped());
    if ((!lost && !busy) || last) {
      if (!answer) return fail(named(answer.error()));
      return std::move(answer);
    }
    if (lost && tried.was_open) continue;  // it had been idle, and the server had ended it
    const auto until = Clock::now() + pause_after(attempt_number, answer ? answer->header("retry-after") : std::string_view());
    while (Clock::now() < until) {
      if (!call.to_end && is_stopped()) return fail(ErrorCode::cancelled, "stopped");
      std::this_thread::sleep_for(std::min<Clock::duration>(until - Clock::now(), std::chrono::milliseconds(50)));
    }
  }
}

// Of what went wrong between here and the server.
core::Error Client::named(core::Error error) const {
  const bool between =
      error.code == ErrorCode::environment || error.code == ErrorCode::path_not_allowed || error.code == ErrorCode::invalid_input;
  if (!between) return error;
  error.message = "the store " + settings_.address.text() + " does not answer: " + error.message;
  error.hint = error.code == ErrorCode::path_not_allowed
                   ? "AWS_CA_BUNDLE names the authority that signed its certificate"
                   : "AWS_ENDPOINT_URL names its server; here it is " +
                         std::string(settings_.endpoint.tls ? "https://" : "http://") + settings_.endpoint.authority;
  return error;
}

tl::unexpected<core::Error> Client::refused(const net::HttpAnswer& answer, const std::string& key) const {
  const std::string code = element(answer.body, "Code").value_or("");
  const std::string place = settings_.address.text();
  const std::string status = code.empty() ? "status " + std::to_string(answer.status)
                                          : core::cited_word(code) + " (" + std::to_string(answer.status) + ")";
  std::string hint;
  if (code == "NoSuchBucket") hint = "make the bucket first; plumbline makes none";
  if (code == "AccessDenied")
    hint = "the credentials need s3:ListBucket of the bucket, s3:GetObject and s3:PutObject of what is below the prefix";
  if (code == "InvalidAccessKeyId" || code == "SignatureDoesNotMatch")
    hint = "look at AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_PROFILE";
  if (code == "RequestTimeTooSkewed") hint = "this machine's clock is wrong";
  if (code == "PermanentRedirect" || code == "AuthorizationHeaderMalformed") hint = "AWS_REGION names the bucket's region";
  const auto message = element(answer.body, "Message");
  return fail(
      ErrorCode::environment,
      place + ": " + status + (message && !message->empty() ? ": " + core::cited(std::string_view(*message).substr(0, 200)) : ""),
      hint, key.empty() ? place : "s3://" + settings_.address.bucket + "/" + key);
}

Expected<bool> Client::is_ours(const std::string& key, const Content& content, const std::string& writer, bool to_end) {
  Sha256 sha;
  Call call;
  call.key = key;
  call.to_end = to_end;
  call.restart = [&sha] {
    sha = Sha256();
    return core::Status();
  };
  call.sink = [&sha](std::string_view piece) {
    sha.update(piece);
    return core::Status();
  };
  const auto there = this->call(call);
  if (!there) return fail(there.error());
  if (there->status != 200) return fail(refused(*there, key).value());
  // A server may keep no such word: then what is the same is taken for ours.
  const auto named = there->header(settings_.google ? "x-goog-meta-plumbline-writer" : kWriter);
  return sha.hex() == content.sha256 && (named.empty() || named == writer);
}

Expected<Put> Client::put_once(const std::string& key, const Content& content, bool to_end) {
  const std::string writer = io::hex_random(16);
  Call call;
  call.method = "PUT";
  call.key = key;
  call.headers = condition(writer);
  call.content = &content;
  call.to_end = to_end;
  const auto answer = this->call(call);
  if (!answer) return fail(answer.error());
  if (answer->status == 200 || answer->status == 201 || answer->status == 204) return Put::made;
  if (answer->status == 501) return Put::unsupported;
  if (answer->status != 412) return refused(*answer, key);
  // Of an attempt whose answer was lost, or of somebody else?
  const auto ours = is_ours(key, content, writer, to_end);
  if (!ours) return fail(ours.error());
  return *ours ? Put::made : Put::taken;
}

Expected<std::string> Client::get(const std::string& key, std::uint64_t at_most) {
  std::string text;
  Call call;
  call.key = key;
  call.restart = [&text] {
    text.clear();
    return core::Status();
  };
  call.sink = [&](std::string_view piece) -> core::Status {
    if (text.size() + piece.size() > at_most)
      return fail(ErrorCode::limit_exceeded,
                  key + " has more than the " + std::to_string(at_most) + " bytes that are read at most");
    text += piece;
    return {};
  };
  const auto answer = this->call(call);
  if (!answer) return fail(answer.error());
  if (answer->status == 404 && element(answer->body, "Code") != "NoSuchBucket")
    return fail(ErrorCode::not_found, "there is no s3://" + settings_.address.bucket + "/" + key, {}, key);
  if (answer->status != 200) return refused(*answer, key);
  return text;
}

Expected<std::string> Client::get_to(const std::string& key, int fd, std::uint64_t at_most) {
  Sha256 sha;
  std::uint64_t size = 0;
  Call call;
  call.key = key;
  call.restart = [&]() -> core::Status {
    sha = Sha256();
    size = 0;
    if (::ftruncate(fd, 0) != 0 || ::lseek(fd, 0, SEEK_SET) != 0) return fail(io::write_error(key, "the cache", errno));
    return {};
  };
  call.sink = [&](std::string_view piece) -> core::Status {
    size += piece.size();
    if (size > at_most)
      return fail(ErrorCode::limit_exceeded,
                  key + " has more than the " + std::to_string(at_most) + " bytes that are read at most");
    sha.update(piece);
    if (const int error = io::write_all(fd, piece); error != 0) return fail(io::write_error(key, "the cache", error));
    return {};
  };
  const auto answer = this->call(call);
  if (!answer) return fail(answer.error());
  if (answer->status == 404 && element(answer->body, "Code") != "NoSuchBucket")
    return fail(ErrorCode::not_found, "there is no s3://" + settings_.address.bucket + "/" + key, {}, key);
  if (answer->status != 200) return refused(*answer, key);
  return sha.hex();
}

Expected<bool> Client::exists(const std::string& key) {
  const auto size = size_of(key);
  if (!size) return fail(size.error());
  return size->has_value();
}

Expected<std::optional<std::uint64_t>> Client::size_of(const std::string& key) {
  Call call;
  call.method = "HEAD";
  call.key = key;
  const auto answer = this->call(call);
  if (!answer) return fail(answer.error());
  if (answer->status == 404) return std::nullopt;
  if (answer->status != 200) return refused(*answer, key);
  const auto length = core::parse_int(answer->header("content-length"));
  return static_cast<std::uint64_t>(std::max<std::int64_t>(length.value_or(0), 0));
}

Expected<Client::Permit> Client::permit_put(const std::string& key, const std::string& sha256, std::uint64_t size,
                                            std::chrono::seconds valid) {
  auto credentials = credentials_.get();
  if (!credentials) return fail(credentials.error());
  const std::string path = path_of(key);
  Signed to_sign;
  to_sign.method = "PUT";
  to_sign.host = settings_.endpoint.authority;
  to_sign.path = path;
  to_sign.headers = {settings_.google ? std::pair("x-goog-if-generation-match", "0") : std::pair("if-none-match", "*"),
                     {settings_.google ? "x-goog-content-sha256" : "x-amz-content-sha256", sha256},
                     {"content-length", std::to_string(size)}};
  to_sign.payload_sha256 = sha256;
  to_sign.time = std::chrono::system_clock::now();
  const std::string query = presigned_query(to_sign, valid, settings_, *credentials);
  return Permit{(settings_.endpoint.tls ? "https://" : "http://") + settings_.endpoint.authority + path + "?" + query,
                std::move(to_sign.headers)};
}

Expected<Page> Client::list(const std::string& prefix, const std::string& after, const std::string& delimiter,
                            const std::string& token) {
  Call call;
  call.query = {{"list-type", "2"}, {"prefix", prefix}, {"max-keys", "1000"}};
  if (!delimiter.empty()) call.query.emplace_back("delimiter", delimiter);
  if (!token.empty()) call.query.emplace_back("continuation-token", token);
  if (token.empty() && !after.empty()) call.query.emplace_back("start-after", after);
  const auto answer = this->call(call);
  if (!answer) return fail(answer.error());
  if (answer->status != 200) return refused(*answer, {});
  const auto truncated = element(answer->body, "IsTruncated");
  if (!truncated || answer->body.rfind("</ListBucketResult>") == std::string::npos) {
    return fail(ErrorCode::environment, settings_.address.text() + ": what answers there does not list as S3 does",
                "AWS_ENDPOINT_URL names the server; here it is " + settings_.endpoint.authority, settings_.address.text());
  }
  Page page;
  for (const auto content : elements(answer->body, "Contents")) {
    auto key = element(content, "Key");
    if (!key) continue;
    page.keys.push_back(std::move(*key));
    page.etags.push_back(element(content, "ETag").value_or(std::string()));
    std::erase(page.etags.back(), '"');
  }
  for (const auto common : elements(answer->body, "CommonPrefixes")) {
    if (auto inner = element(common, "Prefix")) page.prefixes.push_back(std::move(*inner));
  }
  for (const auto* names : {&page.keys, &page.prefixes}) {
    const std::string* before = &after;
    for (const std::string& name : *names) {
      if (!name.starts_with(prefix) || name <= *before) {
        return fail(ErrorCode::environment, settings_.address.text() + ": the server does not list in order",
                    core::cited(name) + " came where keys of " + core::cited(prefix) + " behind " + core::cited(*before) +
                        " were asked for",
                    settings_.address.text());
      }
      before = &name;
    }
  }
  page.next = truncated == "true" ? element(answer->body, "NextContinuationToken").value_or("") : "";
  if (truncated == "true" && page.next.empty()) {
    return fail(ErrorCode::environment, settings_.address.text() + ": the server lists a part and does not say how to go on",
                "it does not answer ListObjectsV2 as it is specified");
  }
  return page;
}

void Client::remove(const std::string& key) {
  Call call;
  call.method = "DELETE";
  call.key = key;
  call.once = true;
  call.to_end = true;
  if (auto request = request_of(call)) static_cast<void>(attempt(call, std::move(*request)));
}

Expected<net::HttpAnswer> Client::ask_bucket(const std::string& question) {
  Call call;
  call.query = {{question, ""}};
  return this->call(call);
}

Expected<net::HttpAnswer> Client::try_once(const std::string& key, std::string_view bytes) {
  const Content content{bytes, {}, bytes.size(), sha256_hex(bytes)};
  Call call;
  call.method = "PUT";
  call.key = key;
  call.headers = condition(io::hex_random(16));
  call.content = &content;
  call.once = true;
  auto request = request_of(call);
  if (!request) return fail(request.error());
  auto tried = attempt(call, std::move(*request));
  if (!tried.answer && !tried.ours) return fail(named(tried.answer.error()));
  return std::move(tried.answer);
}

}  // namespace plumbline::registry::s3
