#include "server/transport/http/parser.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <boost/beast/http/parser.hpp>
#include <optional>

#include "core/text.hpp"
#include "server/transport/http/request_target.hpp"

namespace plumbline::server::transport::http {

namespace beast = boost::beast::http;
using boost::beast::error_code;

namespace {

// "\r\n" of the chunk before, sixteen digits, "\r\n", and the "\r\n" that ends the body.
constexpr std::size_t kChunkLineBytes = 22;

Fault bad_chunk() { return {400, "the body's chunks are malformed; chunk extensions and trailers are not taken"}; }

// A string that takes the memory of what has come. The library's own takes at once what the client has declared.
struct GrowingBody {
  using value_type = std::string;
  class reader {  // NOLINT(readability-identifier-naming): Beast's name
   public:
    template <bool IsRequest, class Fields>
    reader(beast::header<IsRequest, Fields>&, std::string& body) : body_(body) {}
    void init(const boost::optional<std::uint64_t>&, error_code& error) { error = {}; }
    template <class Buffers>
    std::size_t put(const Buffers& buffers, error_code& error) {
      error = {};
      const std::size_t before = body_.size();
      for (auto at = boost::asio::buffer_sequence_begin(buffers); at != boost::asio::buffer_sequence_end(buffers); ++at) {
        const boost::asio::const_buffer piece = *at;
        body_.append(static_cast<const char*>(piece.data()), piece.size());
      }
      return body_.size() - before;
    }
    void finish(error_code& error) { error = {}; }

   private:
    std::string& body_;
  };
};

boost::asio::const_buffer buffer(std::string_view bytes) { return {bytes.data(), bytes.size()}; }
std::string_view view(boost::beast::string_view text) { return {text.data(), text.size()}; }

Request head_of(const beast::request_header<>& header) {
  Request request;
  request.method = std::string(view(header.method_string()));
  request.target = std::string(view(header.target()));
  for (const auto& field : header) {
    request.headers.emplace_back(core::to_lower(view(field.name_string())), std::string(core::trim(view(field.value()))));
  }
  if (const std::string target = request.target; const auto absolute = absolute_target(target)) {
    request.target = (absolute->rest.starts_with('/') ? "" : "/") + std::string(absolute->rest);
    for (auto& [name, value] : request.headers) {
      if (name == "host") value = absolute->authority;
    }
  }
  return request;
}

}  // namespace

struct RequestParser::Beast {
  explicit Beast(const ParserBounds& bounds) {
    parser.eager(true);
    // HeadCheck has seen to the bound; the library counts a little differently.
    parser.header_limit(static_cast<std::uint32_t>(bounds.head_bytes + 64));
    parser.body_limit(bounds.body_bytes);
    parser.on_chunk_header(on_chunk);
  }
  [[nodiscard]] std::size_t fields() const {
    return static_cast<std::size_t>(std::distance(parser.get().begin(), parser.get().end()));
  }

  beast::request_parser<GrowingBody> parser;
  std::function<void(std::uint64_t, boost::beast::string_view, error_code&)> on_chunk =
      [this](std::uint64_t size, boost::beast::string_view extensions, error_code& error) {
        chunk_left = size;
        if (!extensions.empty()) error = beast::error::bad_chunk_extension;
      };
  std::uint64_t chunk_left = 0;  // bytes of the current chunk that have not come yet
  std::string line;              // of a chunk's header, as far as it has come
  std::size_t head_fields = 0;
};

RequestParser::RequestParser(const ParserBounds& bounds) : bounds_(bounds), check_(bounds) {}
RequestParser::~RequestParser() = default;

std::size_t RequestParser::feed(std::string_view bytes) {
  std::size_t used = 0;
  while (used < bytes.size()) {
    const std::string_view rest = bytes.substr(used);
    if (stage_ == Stage::idle || stage_ == Stage::head) {
      used += feed_head(rest);
    } else if (stage_ == Stage::body) {
      used += beast_->parser.chunked() ? feed_chunks(rest) : feed_body(rest);
    } else {
      break;
    }
  }
  return used;
}

std::size_t RequestParser::feed_head(std::string_view bytes) {
  stage_ = Stage::head;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (!check_.take(bytes[i])) {
      fail(check_.fault());
      return i + 1;
    }
    if (!check_.in_empty_line()) head_ += bytes[i];
    if (check_.complete()) {
      end_of_head();
      return i + 1;
    }
  }
  return bytes.size();
}

void RequestParser::end_of_head() {
  beast_ = std::make_unique<Beast>(bounds_);
  streams_ = !bounds_.streams.empty() && head_.starts_with(bounds_.streams);
  const std::uint64_t at_most = streams_ ? bounds_.streamed_bytes : bounds_.body_bytes;
  beast_->parser.body_limit(at_most);
  error_code error;
  beast_->parser.put(buffer(head_), error);
  head_.clear();
  if (error == beast::error::body_limit) return fail({413, fmt::format("the body has more than {} bytes", at_most)});
  if (error && error != beast::error::need_more) return fail({400, "the request's head is malformed: " + error.message()});
  if (Fault fault = fault_of_fields(); fault.status != 0) return fail(std::move(fault));
  beast_->head_fields = beast_->fields();
  stage_ = beast_->parser.is_done() ? Stage::done : Stage::body;
}

// What the library lets pass though two readers could disagree on it.
Fault RequestParser::fault_of_fields() {
  const auto& fields = beast_->parser.get();
  if (fields.count(beast::field::host) != 1) return {400, "a request has exactly one Host header"};
  const std::size_t lengths = fields.count(beast::field::content_length);
  const std::size_t codings = fields.count(beast::field::transfer_encoding);
  if (lengths + codings > 1) return {400, "a request has one Content-Length or one Transfer-Encoding, not both and none twice"};
  if (lengths == 1) {
    const std::string_view length = view(fields[beast::field::content_length]);
    if (length.find_first_not_of("0123456789") != std::string_view::npos) return {400, "Content-Length is not a number"};
  }
  if (codings == 1 && core::to_lower(view(fields[beast::field::transfer_encoding])) != "chunked") {
    return {501, "the only Transfer-Encoding that is taken is chunked"};
  }
  if (streams_ && codings == 1) return {411, "an upload says its Content-Length"};
  if (const auto expect = fields.find(beast::field::expect); expect != fields.end()) {
    if (fields.count(beast::field::expect) != 1 || core::to_lower(view(expect->value())) != "100-continue") {
      return {417, "the only expectation that can be met is 100-continue"};
    }
    expects_ = true;
  }
  return {};
}

std::size_t RequestParser::feed_body(std::string_view bytes) {
  error_code error;
  const std::size_t used = beast_->parser.put(buffer(bytes), error);
  if (error && error != beast::error::need_more) {
    fail({400, "the body is malformed: " + error.message()});
  } else if (beast_->parser.is_done()) {
    stage_ = Stage::done;
  }
  return used;
}

// The library reads a chunk's header as a whole; it gets it at the ends of lines, so that it always sees the same.
std::size_t RequestParser::feed_chunks(std::string_view bytes) {
  error_code error;
  std::size_t used = 0;
  if (beast_->chunk_left > 0) {
    used = beast_->parser.put(buffer(bytes.substr(0, std::min<std::uint64_t>(beast_->chunk_left, bytes.size()))), error);
    beast_->chunk_left -= used;
    if (error && error != beast::error::need_more) fail(bad_chunk());
    return used;
  }
  beast_->line += bytes.front();
  const bool ends = bytes.front() == '\n';
  const bool bare = ends && (beast_->line.size() < 2 || beast_->line[beast_->line.size() - 2] != '\r');
  if (ends && !bare) beast_->line.erase(0, beast_->parser.put(buffer(beast_->line), error));
  if (error == beast::error::body_limit) {
    fail({413, fmt::format("the body has more than {} bytes", bounds_.body_bytes)});
  } else if (bare || (error && error != beast::error::need_more) || beast_->line.size() > kChunkLineBytes ||
             beast_->fields() != beast_->head_fields) {
    fail(bad_chunk());
  } else if (beast_->parser.is_done()) {
    stage_ = Stage::done;
  }
  return 1;
}

void RequestParser::fail(Fault fault) {
  stage_ = Stage::failed;
  fault_ = std::move(fault);
  beast_.reset();
}

bool RequestParser::take_expectation() { return stage_ == Stage::body && std::exchange(expects_, false); }

bool RequestParser::keep_alive() const { return stage_ == Stage::done && beast_->parser.keep_alive(); }

std::string RequestParser::take_piece() { return std::exchange(beast_->parser.get().body(), {}); }

Request RequestParser::head() const { return head_of(beast_->parser.get()); }

Request RequestParser::take() {
  auto message = beast_->parser.release();
  Request request = head_of(message);
  request.body = std::move(message.body());
  beast_.reset();
  check_ = HeadCheck(bounds_);
  expects_ = streams_ = false;
  stage_ = Stage::idle;
  return request;
}

}  // namespace plumbline::server::transport::http
