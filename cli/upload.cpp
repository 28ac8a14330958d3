#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/descriptor.hpp"
#include "cli/remote.hpp"
#include "core/citing.hpp"
#include "core/text.hpp"

namespace plumbline::cli {
namespace {

using core::ErrorCode;
using net::http_exchange;
using net::HttpAnswer;
using net::HttpRequest;
using net::parse_http_url;
using verbs::Status;

constexpr int kAttempts = 10;  // in a row of which nothing arrived
constexpr std::size_t kPiece = 256U << 10;
constexpr std::uint64_t kAskedWhere = 64ULL << 20;  // and more: the server's registry may be in a bucket that takes it itself
constexpr int kDirectAttempts = 3;
constexpr std::chrono::milliseconds kFirstPause{200}, kLongestPause{5'000};

// Where the server sends an upload, and with which headers.
struct Elsewhere {
  net::HttpUrl url;  // with its query in the path
  std::vector<std::pair<std::string, std::string>> headers;
};

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c < '\x7f'; });
}

// Of an answer 307. Nothing for what cannot be used: the file crosses no network in the clear that its server would not have it
// cross either, and only headers of a store go along.
std::optional<Elsewhere> elsewhere_of(const HttpAnswer& answer, bool secure) {
  const std::string_view location = answer.header("location");
  const auto query = location.find('?');
  auto url = parse_http_url(location.substr(0, query));
  const auto said = nlohmann::json::parse(answer.body, nullptr, false);
  if (!url || !is_plain(location) || (secure && !url->tls) || !said.is_object() || !said.contains("headers")) return std::nullopt;
  if (query != std::string_view::npos) url->path += location.substr(query);
  Elsewhere out{std::move(*url), {}};
  if (!said["headers"].is_object()) return std::nullopt;
  for (const auto& [name, value] : said["headers"].items()) {
    const bool known = name.starts_with("x-amz-") || name.starts_with("x-goog-") || name == "if-none-match";
    if (known && value.is_string() && is_plain(name) && is_plain(value.get_ref<const std::string&>()))
      out.headers.emplace_back(name, value.get<std::string>());
  }
  return out;
}

struct There {
  bool whole = false;
  std::uint64_t bytes = 0;
};

class Sending {
 public:
  Sending(const Server& server, const std::string& path, const std::string& digest, std::uint64_t bytes,
          const std::function<void(std::uint64_t)>& progress)
      : server_(server), path_(path), bytes_(bytes), progress_(progress) {
    request_path_ = "/blobs/sha256/" + digest;
  }

  Status run() {
    std::uint64_t reached = 0;
    for (int left = kAttempts;; --left) {
      auto step = try_once();
      if (step && *step) return {};
      if (!step && (!may_pass(step.error()) || left == 0)) return core::fail(std::move(step.error()));
      if (furthest_ > reached) left = kAttempts;
      reached = std::max(reached, furthest_);
      if (left == 0) {
        return core::fail(ErrorCode::environment, "the upload of " + core::cited_path(path_) + " does not get on",
                          "somebody else may be sending it: try again later", path_);
      }
      pause(kAttempts - left);
    }
  }

 private:
  // True when it is there.
  verbs::Expected<bool> try_once() {
    const auto there = look();
    if (!there) return core::fail(there.error());
    if (there->whole) return true;
    furthest_ = std::max(furthest_, there->bytes);
    if (there->bytes == 0 && bytes_ >= kAskedWhere && direct_left_ > 0) {
      const auto elsewhere = ask_where();
      if (!elsewhere) return core::fail(elsewhere.error());
      if (*elsewhere) return put_there(**elsewhere);
      direct_left_ = 0;
    }
    return put(there->bytes);
  }

  verbs::Expected<std::optional<Elsewhere>> ask_where() {
    HttpRequest request;
    request.method = "PUT";
    request.path = request_path_;
    request.headers = server_.headers();
    request.headers.emplace_back("Content-Range", "bytes */" + std::to_string(bytes_));
    const auto answer = http_exchange(server_.url, request, server_.limits);
    if (!answer) return core::fail(answer.error());
    if (answer->status == 413 || answer->status == 507) return core::fail(refusal(*answer));
    return answer->status == 307 ? elsewhere_of(*answer, server_.url.tls) : std::nullopt;
  }

  // False: it is to be looked for again, or sent to the server after all.
  verbs::Expected<bool> put_there(const Elsewhere& elsewhere) {
    --direct_left_;
    HttpRequest request;
    request.method = "PUT";
    request.path = elsewhere.url.path;
    request.headers = elsewhere.headers;
    auto file = read_from(0, request);
    if (!file) return core::fail(file.error());
    auto answer = http_exchange(elsewhere.url, request, server_.limits);
    if (!answer && answer.error().code == ErrorCode::path_not_allowed && !server_.limits.ca_file.empty()) {
      // The server's authority need not be that of the bucket.
      net::HttpLimits limits = server_.limits;
      limits.ca_file.clear();
      file = read_from(0, request);
      if (!file) return core::fail(file.error());
      answer = http_exchange(elsewhere.url, request, limits);
    }
    if (!answer && (refused_ || stopped())) return core::fail(answer.error());
    const bool taken = answer && (answer->status / 100 == 2 || answer->status == 412);
    const bool passes = answer && (answer->status >= 500 || answer->status == 409 || answer->status == 429);
    if (!taken && !passes && answer) direct_left_ = 0;
    return false;
  }

  verbs::Expected<There> look() {
    HttpRequest request;
    request.method = "HEAD";
    request.path = request_path_;
    request.headers = server_.headers();
    const auto answer = http_exchange(server_.url, request, server_.limits);
    if (!answer) return core::fail(answer.error());
    const std::int64_t offset = core::parse_int(answer->header("upload-offset")).value_or(0);
    if (answer->status == 200) return There{true, bytes_};
    if (answer->status == 204 && offset > 0 && static_cast<std::uint64_t>(offset) < bytes_)
      return There{false, static_cast<std::uint64_t>(offset)};
    if (answer->status == 204 || answer->status == 404) return There{};
    if (answer->status == 429 || answer->status == 503)  // passes
      return core::fail(ErrorCode::environment, "the server has too much to do to take " + core::cited_path(path_),
                        "try again when its other calls have ended", path_);
    return core::fail(refusal(*answer));
  }

  // The file's bytes as the body of a request. What it gives is to live as long as the request.
  struct Reading {
    base::Descriptor file;
    std::unique_ptr<char[]> block;
    std::uint64_t sent = 0;
  };
  verbs::Expected<std::shared_ptr<Reading>> read_from(std::uint64_t from, HttpRequest& request) {
    auto reading = std::make_shared<Reading>();
    reading->file.reset(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
    if (!reading->file.valid() || ::lseek(reading->file.get(), static_cast<off_t>(from), SEEK_SET) < 0)
      return core::fail(unreadable(errno));
    reading->block = std::make_unique_for_overwrite<char[]>(kPiece);
    reading->sent = from;
    request.more_bytes = bytes_ - from;
    request.more = [this, &at = *reading]() -> verbs::Expected<std::string_view> {
      const ssize_t got = ::read(at.file.get(), at.block.get(), std::min<std::uint64_t>(kPiece, bytes_ - at.sent));
      if (got < 0) return core::fail(unreadable(errno));
      if (got == 0) {
        refused_ = true;
        return core::fail(ErrorCode::invalid_input, path_ + " became shorter while it was sent",
                          "wait until its writer has finished, then repeat", path_);
      }
      at.sent += static_cast<std::uint64_t>(got);
      if (progress_) progress_(at.sent);
      return std::string_view(at.block.get(), static_cast<std::size_t>(got));
    };
    return reading;
  }

  verbs::Expected<bool> put(std::uint64_t from) {
    HttpRequest request;
    request.method = "PUT";
    request.path = request_path_;
    request.headers = server_.headers();
    request.headers.emplace_back("Content-Type", "application/octet-stream");
    if (from > 0 || bytes_ >= kAskedWhere) {  // with it a server takes a large one itself
      request.headers.emplace_back(
          "Content-Range", "bytes " + std::to_string(from) + "-" + std::to_string(bytes_ - 1) + "/" + std::to_string(bytes_));
    }
    const auto reading = read_from(from, request);
    if (!reading) return core::fail(reading.error());
    const auto answer = http_exchange(server_.url, request, server_.limits);
    if (!answer) return core::fail(answer.error());
    if (answer->status == 200 || answer->status == 201) return true;
    const bool passes = answer->status == 408 || answer->status == 409 || answer->status == 429 || answer->status == 503;
    if (passes) return false;  // look again where it stands
    return core::fail(refusal(*answer));
  }

  // What another attempt may find better.
  [[nodiscard]] bool may_pass(const core::Error& error) const {
    return error.code == ErrorCode::environment && !refused_ && !stopped();
  }
  [[nodiscard]] bool stopped() const {
    return server_.limits.cancelled != nullptr && server_.limits.cancelled->load(std::memory_order_relaxed);
  }
  void pause(int attempt) const {
    auto left = std::min(kFirstPause * (1 << std::min(attempt, 5)), kLongestPause);
    for (; left.count() > 0 && !stopped(); left -= std::chrono::milliseconds(50))
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }

  core::Error unreadable(int error) {
    refused_ = true;
    return {ErrorCode::environment, "cannot read " + core::cited_path(path_) + ": " + std::strerror(error), {}, path_};
  }

  core::Error refusal(const HttpAnswer& answer) {
    refused_ = true;
    const auto said = nlohmann::json::parse(answer.body, nullptr, false);
    std::string message = said.is_object() ? said.value("message", std::string()) : std::string();
    if (message.empty() && said.is_object() && said.contains("error") && said["error"].is_object())
      message = said["error"].value("message", std::string());
    if (!message.empty()) message = ": " + message;
    const std::string what = "the server does not take " + core::cited_path(path_);
    switch (answer.status) {
      case 401:
        return {ErrorCode::path_not_allowed, what + message,
                "--bearer-env VAR names the variable that holds a token of the server", path_};
      case 403:
        return {ErrorCode::path_not_allowed, what + message, "an upload needs a token that may write", path_};
      case 404:
      case 405:
        return {ErrorCode::not_found, what + ": it takes no uploads", "ask its operator: plumbline serve --blob-quota", path_};
      case 413:
        return {ErrorCode::limit_exceeded, what + message, "ask its operator: plumbline serve --blob-quota", path_};
      case 422:
        return {ErrorCode::invalid_input, what + message,
                "it changed while it was sent: wait until its writer has finished, then repeat", path_};
      case 507:
        return {ErrorCode::environment, what + message, "try again later, or ask its operator for room", path_};
      default:
        return {ErrorCode::environment, what + ": HTTP " + std::to_string(answer.status) + message, {}, path_};
    }
  }

  const Server& server_;
  const std::string& path_;
  const std::uint64_t bytes_;
  const std::function<void(std::uint64_t)>& progress_;
  std::string request_path_;
  std::uint64_t furthest_ = 0;
  int direct_left_ = kDirectAttempts;
  bool refused_ = false;
};

}  // namespace

Status upload(const Server& server, const std::string& path, const std::string& digest, std::uint64_t bytes,
              const std::function<void(std::uint64_t sent)>& progress) {
  return Sending(server, path, digest, bytes, progress).run();
}

}  // namespace plumbline::cli
