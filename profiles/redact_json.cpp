#include "profiles/redact_json.hpp"

#include <algorithm>
#include <cctype>
#include <memory>
#include <string_view>
#include <vector>

#include "core/privacy.hpp"
#include "profiles/readers/bytes/json_values.hpp"

namespace plumbline::profiles {
namespace {

using core::NameSays;

constexpr std::string_view kQuotedRedacted = "\"[redacted]\"";

void append_json_string(std::string& out, std::string_view text) {  // what json_name() gives holds no control characters
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

class Redactor {
 public:
  // False: this is not JSON.
  bool take(std::string_view piece) {
    constexpr std::string_view kMark = "\xEF\xBB\xBF";
    if (out_.empty() && piece.starts_with(kMark)) piece.remove_prefix(kMark.size());
    for (std::size_t at = 0; at < piece.size();) {
      if (in_string_) {
        at = string_bytes(piece, at);
        if (!in_string_) string_ended();
      } else if (in_scalar_ && is_scalar(piece[at])) {
        token_ += piece[at++];
      } else {
        if (in_scalar_) scalar_ended();
        if (!byte(piece[at++])) return false;
      }
    }
    return true;
  }
  std::string finish() {
    if (in_scalar_) scalar_ended();
    return std::move(out_);
  }
  [[nodiscard]] std::size_t size() const { return out_.size() + token_.size(); }

 private:
  enum class Awaits : std::uint8_t { key, colon, value, separator };
  struct Level {
    bool object = false, environment = false;
    NameSays above = NameSays::nothing;
    bool option = false;  // of an array: the text before was "--token"
  };
  static constexpr std::size_t kDepth = 512;

  // Words that are no JSON (NaN, Infinity) are passed on.
  static bool is_scalar(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '+' || c == '-' || c == '.' || c == '_';
  }
  std::size_t string_bytes(std::string_view piece, std::size_t at) {
    while (at < piece.size()) {
      if (escaped_) {
        escaped_ = false;
        token_ += piece[at++];
        continue;
      }
      const std::size_t mark = std::min(piece.find_first_of("\"\\", at), piece.size());
      token_ += piece.substr(at, mark - at);
      if (mark == piece.size()) return mark;
      at = mark + 1;
      if (piece[mark] == '"') {
        in_string_ = false;
        return at;
      }
      escaped_ = true;
      token_ += '\\';
    }
    return at;
  }

  bool byte(char c) {
    switch (c) {
      case '"':
        if (awaits_ != Awaits::key && awaits_ != Awaits::value) return false;
        in_string_ = true;
        token_.clear();
        return true;
      case '{':
      case '[':
        return open(c);
      case '}':
      case ']':
        if (levels_.empty() || levels_.back().object != (c == '}') || awaits_ == Awaits::colon) return false;
        levels_.pop_back();
        awaits_ = Awaits::separator;
        break;
      case ':':
        if (awaits_ != Awaits::colon) return false;
        awaits_ = Awaits::value;
        break;
      case ',':
        if (awaits_ == Awaits::colon || levels_.empty()) return false;
        awaits_ = levels_.back().object ? Awaits::key : Awaits::value;
        break;
      default:
        if (is_json_space(c)) break;
        if (awaits_ != Awaits::value || !is_scalar(c)) return false;
        in_scalar_ = true;
        token_.assign(1, c);
        return true;
    }
    out_ += c;
    return true;
  }
  bool open(char c) {
    if (awaits_ != Awaits::value || levels_.size() >= kDepth) return false;
    Level inside = around();
    inside.object = c == '{';
    inside.option = false;
    if (in_object()) {
      // {"token": {"text": "the"}} may be a word; what looks drawn by chance is none.
      inside.above = std::max(inside.above, key_says_ == NameSays::token ? NameSays::random : key_says_);
      inside.environment = inside.environment || key_is_environment_;
    }
    levels_.push_back(inside);
    awaits_ = inside.object ? Awaits::key : Awaits::value;
    out_ += c;
    return true;
  }
  [[nodiscard]] bool in_object() const { return !levels_.empty() && levels_.back().object; }
  [[nodiscard]] Level around() const { return levels_.empty() ? Level() : levels_.back(); }

  void string_ended() {
    if (awaits_ == Awaits::key) {
      key();
      awaits_ = Awaits::colon;
    } else {
      value();
      awaits_ = Awaits::separator;
    }
  }
  void key() {
    const std::string name = json_name(std::string_view(token_).substr(0, kLongestName));
    key_says_ = core::name_says(name);
    key_is_environment_ = core::names_environment(name);
    text(name);
  }
  void value() {
    const Level here = around();
    if (token_.empty()) {
      out_ += "\"\"";
      return;
    }
    const NameSays says = in_object() ? std::max(here.above, key_says_) : here.above;
    const bool environment = here.environment || (in_object() && key_is_environment_);
    const std::string name = json_name(std::string_view(token_).substr(0, kLongestName));
    const bool awaits = core::awaits_secret(name);
    const bool of_option = here.option && !awaits;
    if (!levels_.empty() && !here.object) levels_.back().option = awaits;
    if (environment || of_option || says >= NameSays::token || (says == NameSays::random && core::looks_random(name))) {
      out_ += kQuotedRedacted;
    } else {
      text(name);
    }
  }
  // The text in token_, which `name` shows, without the secrets inside.
  void text(const std::string& name) {
    if (token_.size() > kLongestName && core::may_hold_secret(token_)) {
      out_ += kQuotedRedacted;
    } else if (const auto clean = finder_.scrubbed(name)) {
      append_json_string(out_, *clean);
    } else {
      out_ += '"';
      out_ += token_;
      out_ += '"';
    }
  }
  void scalar_ended() {
    in_scalar_ = false;
    const Level here = around();
    const bool environment = here.environment || (in_object() && key_is_environment_);
    if (!levels_.empty()) levels_.back().option = false;
    if (environment && token_ != "null") {
      out_ += kQuotedRedacted;
    } else {
      out_ += token_;
    }
    awaits_ = Awaits::separator;
  }

  std::string out_, token_;
  std::vector<Level> levels_;
  Awaits awaits_ = Awaits::value;
  bool in_string_ = false, escaped_ = false, in_scalar_ = false;
  NameSays key_says_ = NameSays::nothing;
  bool key_is_environment_ = false;
  core::SecretFinder finder_;
};

}  // namespace

core::Expected<std::string> redacted_json(ByteSource& source, std::uint64_t most, const std::string& name) {
  constexpr std::size_t kPiece = std::size_t{256} << 10U;
  const auto piece = std::make_unique_for_overwrite<char[]>(kPiece);
  Redactor redactor;
  for (std::uint64_t taken = 0;;) {
    const auto got = source.read(piece.get(), kPiece);
    if (!got) return core::fail(got.error());
    if (*got == 0) break;
    taken += *got;
    if (taken > most || redactor.size() > most) {
      return core::fail(
          core::ErrorCode::limit_exceeded,
          name + " cannot be redacted: its text is longer than " + std::to_string(most >> 20U) + " MiB, the most that is",
          "record a shorter trace, or remove the environment yourself and record the cleaned file", name);
    }
    if (!redactor.take({piece.get(), *got})) {
      return core::fail(core::ErrorCode::invalid_input,
                        name + " cannot be redacted: it is not whole JSON, so nothing says what in it is a name and what a value",
                        "write the trace again (jq . FILE names the first place that is not JSON), or remove the environment "
                        "yourself and record the cleaned file",
                        name);
    }
  }
  return redactor.finish();
}

}  // namespace plumbline::profiles
