#include "net/answer_reader.hpp"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "base/characters.hpp"
#include "core/citing.hpp"
#include "core/text.hpp"

namespace plumbline::net {

using core::ErrorCode;
using core::Expected;
using core::fail;

namespace {

constexpr std::size_t kHeadBytes = 64U << 10;
constexpr std::size_t kChunkLine = 4096;
constexpr std::uint64_t kLongest = 1ULL << 40;  // of a body or a chunk
constexpr int kBeforeAtMost = 16;

bool is_token(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return base::is_letter(c) || base::is_digit(c) || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  });
}

std::optional<HttpAnswer> parse_head(std::string_view head) {
  HttpAnswer answer;
  auto lines = core::split(head, '\n');
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {  // the last one's end was cut off
    if (!lines[i].ends_with('\r')) return std::nullopt;
    lines[i].remove_suffix(1);
  }
  if (lines.empty() || !lines[0].starts_with("HTTP/1.") || lines[0].size() < 12 || lines[0][8] != ' ') return std::nullopt;
  const auto digits = lines[0].substr(9, 3);
  if (!std::all_of(digits.begin(), digits.end(), base::is_digit) || (lines[0].size() > 12 && lines[0][12] != ' '))
    return std::nullopt;
  answer.status = static_cast<int>(core::parse_int(digits).value_or(0));
  if (answer.status < 100 || answer.status > 599) return std::nullopt;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto colon = std::min(lines[i].find(':'), lines[i].size());
    const auto name = lines[i].substr(0, colon), value = lines[i].substr(std::min(colon + 1, lines[i].size()));
    const bool plain = value.find('\r') == std::string_view::npos && value.find('\0') == std::string_view::npos;
    if (colon == lines[i].size() || !is_token(name) || !plain) return std::nullopt;
    answer.headers.emplace_back(core::to_lower(name), core::trim(value));
  }
  return answer;
}

// Nothing for what is no number of bytes.
std::optional<std::uint64_t> size_in(std::string_view text, int base) {
  std::uint64_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size, base);
  const bool good = error == std::errc() && end == text.data() + text.size() && !text.empty() && size <= kLongest;
  return good ? std::optional(size) : std::nullopt;
}

}  // namespace

Expected<bool> AnswerReader::find_head() {
  const auto not_http = [this] {
    return fail(ErrorCode::invalid_input,
                "what answers is not an HTTP server: it sent " + core::cited(std::string_view(text_).substr(0, 60)));
  };
  for (;;) {
    const auto end = text_.find("\r\n\r\n");
    const std::string_view start = "HTTP/1.";
    const auto most = std::min(start.size(), text_.size());
    if (text_.compare(0, most, start, 0, most) != 0) return not_http();
    if (end == std::string::npos ? text_.size() > kHeadBytes + 3 : end > kHeadBytes)
      return fail(ErrorCode::invalid_input,
                  "the head of the server's answer has more than " + std::to_string(kHeadBytes >> 10) + " KiB");
    if (end == std::string::npos) return false;
    auto answer = parse_head(std::string_view(text_).substr(0, end));
    if (!answer) return not_http();
    text_.erase(0, end + 4);
    if (answer->status >= 200) {
      answer_ = std::move(*answer);
      has_head_ = true;
      return true;
    }
    if (++before_ > kBeforeAtMost)  // what comes before is no answer yet
      return fail(ErrorCode::invalid_input,
                  "the server said " + std::to_string(before_) + " times that it will answer (status 100 to 199), and did not");
  }
}

// Where the body ends. A length that is not understood is an error: read to the end of the connection it would be believed whole
// wherever it was cut.
core::Status AnswerReader::understand_length() {
  std::vector<std::string_view> codings, lengths;
  for (const auto& [name, value] : answer_.headers) {
    if (name == "transfer-encoding") codings.push_back(value);
    if (name == "content-length") lengths.push_back(value);
  }
  if (to_head_ || answer_.status == 204 || answer_.status == 304) {
    ends_ = Ends::at_once;
    return {};
  }
  two_lengths_ = !codings.empty() && !lengths.empty();
  if (!codings.empty()) {
    if (codings.size() > 1 || core::to_lower(codings.front()) != "chunked")
      return fail(ErrorCode::invalid_input, "the answer's Transfer-Encoding is " +
                                                core::cited(codings.size() > 1 ? "said twice" : codings.front().substr(0, 60)) +
                                                ", and only chunked is understood");
    ends_ = Ends::at_last_chunk;
    return {};
  }
  if (lengths.empty()) return {};
  const auto length = size_in(lengths.front(), 10);
  const bool one = std::all_of(lengths.begin(), lengths.end(), [&](std::string_view other) { return other == lengths.front(); });
  if (!length || !one) {
    const std::string_view wrong = one ? lengths.front() : lengths[1];
    return fail(ErrorCode::invalid_input,
                "the answer's Content-Length is " + core::cited(wrong.substr(0, 60)) +
                    (one ? ", which is no number of bytes up to 2^40" : " and " + core::cited(lengths.front().substr(0, 60))));
  }
  ends_ = Ends::at_length;
  left_ = *length;
  return {};
}

core::Status AnswerReader::hand_on(std::string_view piece) {
  if (to_sink()) return sink_(piece);
  if (answer_.body.size() + piece.size() > message_bytes_)
    return fail(ErrorCode::limit_exceeded, "the server's answer has more than " + std::to_string(message_bytes_ >> 20) + " MiB");
  answer_.body += piece;
  return {};
}

bool AnswerReader::chunk_line(std::string_view line) {
  if (std::exchange(after_chunk_, false)) return line.empty();
  if (trailers_) {
    last_ = line.empty();
    trailing_ += line.size() + 2;
    return trailing_ <= kHeadBytes;
  }
  const auto size = size_in(line.substr(0, line.find_first_of("; \t")), 16);
  if (!size) return false;
  left_ = *size;
  trailers_ = *size == 0;
  return true;
}

core::Status AnswerReader::take_body() {
  std::string_view rest = text_;
  core::Status status;
  const auto hand = [&](std::uint64_t most) {
    const auto piece = rest.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(most, rest.size())));
    rest.remove_prefix(piece.size());
    if (ends_ != Ends::with_connection) left_ -= piece.size();
    status = hand_on(piece);
  };
  const auto no_chunks = [] { return fail(ErrorCode::invalid_input, "the answer's chunks are not well formed"); };
  while (status && !rest.empty()) {
    if (ends_ == Ends::at_once || last_ || (ends_ == Ends::at_length && left_ == 0)) break;
    if (ends_ == Ends::with_connection && answer_.status == 202) {
      rest = {};  // it is whole without: whatever has come by then is no part of it
    } else if (ends_ == Ends::with_connection) {
      hand(rest.size());
    } else if (left_ > 0) {
      hand(left_);
      after_chunk_ = ends_ == Ends::at_last_chunk && left_ == 0;
    } else {
      const auto line = rest.find("\r\n");
      if (line == std::string_view::npos ? rest.size() > kChunkLine : line >= kChunkLine || !chunk_line(rest.substr(0, line)))
        return no_chunks();
      if (line == std::string_view::npos) break;
      rest.remove_prefix(line + 2);
    }
  }
  text_.erase(0, text_.size() - rest.size());
  return status;
}

core::Status AnswerReader::take(std::string_view bytes) {
  text_ += bytes;
  if (!has_head_) {
    if (text_.empty()) return {};
    const auto found = find_head();
    if (!found) return fail(found.error());
    if (!*found) return {};
    if (auto good = understand_length(); !good) return good;
  }
  return take_body();
}

bool AnswerReader::is_whole(bool open) const {
  if (!has_head_) return false;
  switch (ends_) {
    case Ends::at_once:
      return true;
    case Ends::at_length:
      return left_ == 0;
    case Ends::at_last_chunk:
      return last_;
    case Ends::with_connection:
      return !open || answer_.status == 202;
  }
  return false;
}

bool AnswerReader::may_be_followed() const {
  return ends_ != Ends::with_connection && is_whole(true) && text_.empty() && !two_lengths_;
}

}  // namespace plumbline::net
