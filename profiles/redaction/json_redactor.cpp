#include "profiles/redaction/json_redactor.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <set>
#include <string_view>
#include <vector>

#include "core/privacy.hpp"
#include "core/text.hpp"
#include "profiles/readers/bytes/json_values.hpp"
#include "profiles/redaction/json_texts.hpp"
#include "profiles/redaction/plain_words.hpp"

namespace plumbline::profiles {
namespace {

class Redactor {
 public:
  explicit Redactor(JsonCapture capture) : root_(json_keys(capture)) {}
  // False: this is not JSON.
  bool take(std::string_view piece) {
    constexpr std::string_view kMark = "\xEF\xBB\xBF";
    if (at_start_ && piece.starts_with(kMark)) piece.remove_prefix(kMark.size());
    at_start_ = at_start_ && piece.empty();
    for (std::size_t at = 0; at < piece.size();) {
      if (in_string_) {
        at = string_bytes(piece, at);
        if (!in_string_) string_ended();
      } else if (in_scalar_ && is_scalar(piece[at])) {
        if (token_.size() < kLongestScalar) token_ += piece[at];
        ++at;
      } else {
        if (in_scalar_ && !scalar_ended()) return false;
        if (!byte(piece[at++])) return false;
      }
    }
    return true;
  }
  bool finish(Redaction& done) {
    if (in_scalar_ && !scalar_ended()) return false;
    done.bytes = with_names();
    done.taken_out = taken_.places();
    return true;
  }
  [[nodiscard]] std::size_t size() const { return out_.size() + token_.size() + marks_.size() * sizeof(Mark); }

 private:
  enum class Awaits : std::uint8_t { key, colon, value, separator };
  struct Level {
    bool object = false;
    bool dropped = false;            // nothing of it is written
    bool any = false;                // something in it was
    const JsonKeys* keys = nullptr;  // of an object: its members; of an array: those of the objects in it; null: none
    JsonRule text = JsonRule::number;
    std::string_view name;  // the key above, for the report
  };
  struct Mark {  // a name that is put in at the end
    std::size_t at = 0;
    const std::string* name = nullptr;
  };
  static constexpr std::size_t kDepth = 512, kLongestScalar = 64;

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
        return close(c);
      case ':':
        if (awaits_ != Awaits::colon) return false;
        awaits_ = Awaits::value;
        return true;
      case ',':
        if (awaits_ == Awaits::colon || levels_.empty()) return false;
        awaits_ = levels_.back().object ? Awaits::key : Awaits::value;
        return true;
      default:
        break;
    }
    if (is_json_space(c)) return true;
    if (awaits_ != Awaits::value || !is_scalar(c)) return false;
    in_scalar_ = true;
    token_.assign(1, c);
    return true;
  }
  bool open(char c) {
    if (awaits_ != Awaits::value || levels_.size() >= kDepth) return false;
    Level inside;
    inside.object = c == '{';
    if (levels_.empty()) {
      inside.keys = inside.object ? root_.object : root_.element;
    } else if (levels_.back().object) {
      inside.dropped = levels_.back().dropped || key_ == nullptr;
      if (key_ != nullptr) {
        inside.keys = key_->inside;
        inside.text = key_->text;
        inside.name = key_name_;
      }
    } else {
      inside = levels_.back();
      inside.object = c == '{';
      inside.any = false;
    }
    if (!inside.dropped) {
      begin_value();
      out_ += c;
    }
    levels_.push_back(inside);
    awaits_ = inside.object ? Awaits::key : Awaits::value;
    return true;
  }
  bool close(char c) {
    if (levels_.empty() || levels_.back().object != (c == '}') || awaits_ == Awaits::colon) return false;
    // After "a": something must stand.
    if (levels_.back().object && awaits_ == Awaits::value) return false;
    if (!levels_.back().dropped) out_ += c;
    levels_.pop_back();
    awaits_ = Awaits::separator;
    return true;
  }

  // What stands before a value that is written.
  void begin_value() {
    if (levels_.empty()) return;
    Level& level = levels_.back();
    if (level.any) out_ += levels_.size() <= 2 && !level.object ? ",\n" : ",";
    level.any = true;
    if (level.object) out_.append("\"").append(key_name_).append("\":");
  }
  // Whether the value that begins is written; if not it is counted.
  bool writes() {
    if (levels_.empty()) return false;  // a text that is one value is no capture
    return !levels_.back().dropped && (!levels_.back().object || key_ != nullptr);
  }

  void string_ended() {
    if (awaits_ == Awaits::key) {
      key();
      awaits_ = Awaits::colon;
      return;
    }
    awaits_ = Awaits::separator;
    if (!writes()) return;
    begin_value();
    const bool in_object = levels_.back().object;
    text(in_object ? key_->text : levels_.back().text, in_object ? std::string_view(key_name_) : levels_.back().name);
  }
  // As it is spelled: readers know no other spelling either.
  void key() {
    const Level& level = levels_.back();
    key_ = nullptr;
    if (level.dropped) return;
    if (level.keys != nullptr && token_.size() <= kLongestKey) key_ = level.keys->find(token_);
    if (key_ != nullptr) {
      key_name_ = token_;
    } else {
      taken_.add(known_key(json_name(std::string_view(token_).substr(0, kLongestKey))));
    }
  }
  void text(JsonRule rule, std::string_view key) {
    if (rule == JsonRule::name) {
      name(key);
    } else if (token_.empty()) {
      out_ += "\"\"";
    } else if (const auto clean = texts_.clean(rule, token_); clean && *clean != token_) {
      taken_.add(key.empty() ? "texts" : key);
      out_ += json_quoted(*clean);
    } else {
      out_.append("\"").append(token_).append("\"");
    }
  }
  void name(std::string_view key) {
    const std::string name = json_name(token_);
    const bool cleaned = apart_.add(name);
    if (cleaned) taken_.add(key.empty() ? "names" : key);
    if (cleaned || name.find(core::kRedacted) != std::string::npos) {
      marks_.push_back({out_.size(), &*marked_.emplace(name).first});
    } else if (token_.size() > kLongestName) {
      out_ += json_quoted(name);
    } else {
      out_.append("\"").append(token_).append("\"");
    }
  }
  bool scalar_ended() {
    in_scalar_ = false;
    awaits_ = Awaits::separator;
    constexpr auto kWords =
        std::to_array<std::string_view>({"true", "false", "null", "NaN", "Infinity", "-Infinity", "inf", "-inf", "nan", "-nan"});
    const bool word = std::find(kWords.begin(), kWords.end(), token_) != kWords.end();
    if (!word && (token_.size() >= kLongestScalar || !is_plain_number(token_) || token_.starts_with("0x"))) return false;
    if (!writes()) return true;
    begin_value();
    out_ += token_;
    return true;
  }

  // The names are known to their end only when all were seen: two that differ in a secret stay two by a number.
  std::string with_names() {
    if (marks_.empty()) return std::move(out_);
    apart_.settle();
    std::string whole;
    whole.reserve(out_.size() + marks_.size() * 16);
    std::size_t from = 0;
    for (const Mark& mark : marks_) {
      whole.append(out_, from, mark.at - from);
      const std::string* shown = apart_.find(*mark.name);
      whole += json_quoted(shown == nullptr ? *mark.name : *shown);
      from = mark.at;
    }
    return whole.append(out_, from);
  }

  static constexpr std::size_t kLongestKey = 200;
  JsonRoot root_;
  std::string out_, token_, key_name_;
  std::vector<Level> levels_;
  const JsonKey* key_ = nullptr;
  Awaits awaits_ = Awaits::value;
  bool at_start_ = true, in_string_ = false, escaped_ = false, in_scalar_ = false;
  std::vector<Mark> marks_;
  std::set<std::string> marked_;
  NamesApart apart_;
  JsonTexts texts_;
  TakenOut taken_;
};

}  // namespace

core::Expected<Redaction> redacted_json(ByteSource& source, JsonCapture capture, std::uint64_t most, const std::string& name) {
  constexpr std::size_t kPiece = std::size_t{256} << 10U;
  const auto not_json = [&name] {
    return core::fail(
        core::ErrorCode::invalid_input,
        name + " cannot be redacted: it is not whole JSON, so nothing says what in it is a name and what a value",
        "write the trace again (jq . FILE names the first place that is not JSON), or record it without --redact if "
        "all that it holds may be kept",
        name);
  };
  const auto piece = std::make_unique_for_overwrite<char[]>(kPiece);
  Redactor redactor(capture);
  for (std::uint64_t taken = 0;;) {
    const auto got = source.read(piece.get(), kPiece);
    if (!got) return core::fail(got.error());
    if (*got == 0) break;
    taken += *got;
    if (taken > most || redactor.size() > most) {
      return core::fail(
          core::ErrorCode::limit_exceeded,
          name + " cannot be redacted: its text is longer than " + std::to_string(most >> 20U) + " MiB, the most that is",
          "record a shorter trace, or record this one without --redact if all that it holds may be kept", name);
    }
    if (!redactor.take({piece.get(), *got})) return not_json();
  }
  Redaction done;
  if (!redactor.finish(done)) return not_json();
  return done;
}

}  // namespace plumbline::profiles
