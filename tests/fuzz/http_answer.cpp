// links: net
// Arbitrary bytes as the answer of a server, in one piece and cut at places that the input chooses: both must come to the same
// answer or the same error. The first byte says how the rest is cut, the second whom the answer is for and how long it may be.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "net/answer_reader.hpp"

namespace {

using plumbline::net::AnswerReader;

constexpr std::string_view kCited = ": it sent ";  // how much of it has come by then depends on the pieces

class Reader {
 public:
  explicit Reader(std::uint8_t how)
      : bound_(16U + (how & 63U)),
        reader_((how & 128U) != 0, bound_,
                (how & 64U) == 0 ? AnswerReader::Sink() : [this](std::string_view piece) -> plumbline::core::Status {
                  sunk_ += piece;
                  return {};
                }) {}

  // Whether more is wanted.
  bool feed(std::string_view bytes) {
    if (auto taken = reader_.take(bytes); !taken) {
      error_ = taken.error().message;
      error_.erase(std::min(error_.find(kCited), error_.size()));
      return false;
    }
    return !reader_.is_whole(true);
  }
  [[nodiscard]] std::string said() const {
    if (!error_.empty()) return error_;
    std::string said =
        std::to_string(static_cast<int>(reader_.has_head())) + std::to_string(static_cast<int>(reader_.is_whole(false)));
    if (!reader_.has_head()) return said;
    const auto& answer = reader_.answer();
    if (answer.status < 200 || answer.status > 599 || answer.body.size() > bound_) std::abort();
    said += " " + std::to_string(answer.status);
    for (const auto& [name, value] : answer.headers) {
      const bool upper = std::any_of(name.begin(), name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
      if (name.empty() || upper || (name + value).find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos) std::abort();
      said.append("\n").append(name).append("=").append(value);
    }
    if (answer.status == 202) return said;  // whole once its head is, and what follows is not waited for
    if (!sunk_.empty() && !answer.body.empty()) std::abort();
    return said.append("\n").append(answer.body).append(sunk_);
  }

 private:
  std::size_t bound_;
  AnswerReader reader_;
  std::string error_, sunk_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  Reader whole(data[1]);
  whole.feed(bytes);

  Reader cut(data[1]);
  std::uint32_t random = data[0] + 1U;
  for (std::size_t at = 0; at < bytes.size();) {
    random = random * 1664525U + 1013904223U;
    const std::size_t piece = data[0] == 0 ? 1 : std::min<std::size_t>(1 + (random >> 24U) % (1U + data[0]), bytes.size() - at);
    if (!cut.feed(bytes.substr(at, piece))) break;
    at += piece;
  }
  if (whole.said() != cut.said()) std::abort();
  return 0;
}
