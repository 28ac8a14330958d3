// links: server
// Arbitrary bytes as requests, in one piece and cut at places that the input chooses: both must come to the same requests and the
// same fault. The first byte says how the rest is cut, the second the bounds.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "server/transport/http/parser.hpp"

namespace {

using namespace plumbline::server::transport::http;

class Reader {
 public:
  explicit Reader(const ParserBounds& bounds) : parser_(bounds) {}

  void feed(std::string_view bytes) {
    while (!bytes.empty() && parser_.stage() != RequestParser::Stage::failed) {
      const std::size_t used = parser_.feed(bytes);
      if (used > bytes.size() || (used == 0 && parser_.stage() != RequestParser::Stage::done)) std::abort();
      bytes.remove_prefix(used);
      if (parser_.stage() == RequestParser::Stage::done) note(parser_.keep_alive(), parser_.take());
    }
  }
  [[nodiscard]] std::string said() const {
    return said_ + std::to_string(static_cast<int>(parser_.stage())) + " " + std::to_string(parser_.fault().status) + " " +
           parser_.fault().text;
  }

 private:
  void note(bool keep, const Request& request) {
    if (request.target.empty() || request.target.front() != '/') std::abort();
    said_.append(request.method).append(" ").append(request.target).append(keep ? " keep" : " close");
    for (const auto& [name, value] : request.headers) {
      if (name.empty() || (name + value).find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos) std::abort();
      said_.append("\n").append(name).append("=").append(value);
    }
    said_.append("\n").append(request.body).append("\n");
  }

  RequestParser parser_;
  std::string said_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  ParserBounds bounds;
  bounds.body_bytes = 64U + data[1];
  bounds.head_bytes = 128U + 4U * data[1];
  Reader whole(bounds);
  whole.feed(bytes);

  Reader cut(bounds);
  std::uint32_t random = data[0] + 1U;
  for (std::size_t at = 0; at < bytes.size();) {
    random = random * 1664525U + 1013904223U;
    const std::size_t piece = data[0] == 0 ? 1 : std::min<std::size_t>(1 + (random >> 24U) % (1U + data[0]), bytes.size() - at);
    cut.feed(bytes.substr(at, piece));
    at += piece;
  }
  if (whole.said() != cut.said()) std::abort();
  return 0;
}
