#include "profiles/readers/bytes/json_stream.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/text.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::string_view kBrokenHint = "write the trace again; jq . FILE names the first place that is not JSON";

using How = JsonReader::How;
using Answer = JsonReader::Answer;

// The part of the text that is in memory: what was not consumed of the last part, and new bytes behind it.
class Window {
 public:
  Window(ByteSource& source, const JsonBounds& bounds) : source_(source), bounds_(bounds) { grow(bounds.window); }

  [[nodiscard]] const JsonText& text() const { return text_; }
  [[nodiscard]] char operator[](std::size_t at) const { return bytes_[at]; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool ended() const { return ended_; }

  // Lets go of what stands before `keep`, which must not be inside a string, and reads on. False at the text's end, or when
  // what is kept fills all that a value may take: ended() tells which.
  core::Expected<bool> more(std::size_t keep) {
    const std::size_t kept = size_ - keep;
    if (ended_) return false;
    if (kept > capacity_ / 2) {
      if (capacity_ >= 2 * bounds_.value) return false;
      std::unique_ptr<char[]> old = std::move(bytes_);
      grow(std::min(capacity_ * 2, 2 * bounds_.value));
      std::memcpy(bytes_.get(), old.get() + keep, kept);
    } else {
      std::memmove(bytes_.get(), bytes_.get() + keep, kept);
    }
    return fill(kept, {});
  }
  // Lets go of everything; the next bytes go on where these ended, inside a string or not.
  core::Expected<bool> next() {
    const JsonState state = text_.end_state();
    size_ = 0;
    if (ended_) return false;
    return fill(0, state);
  }
  // Takes `at` as a place outside strings, whatever the marks say.
  void restart(std::size_t at) {
    std::memmove(bytes_.get(), bytes_.get() + at, size_ - at);
    size_ -= at;
    mark({});
  }

 private:
  void grow(std::size_t capacity) {
    capacity_ = capacity;
    bytes_ = std::make_unique_for_overwrite<char[]>(capacity + JsonText::kPadding);
  }
  void mark(JsonState state) {
    std::memset(bytes_.get() + size_, 0, JsonText::kPadding);
    text_.mark({bytes_.get(), size_}, state);
  }
  core::Expected<bool> fill(std::size_t kept, JsonState state) {
    if (bounds_.stop && bounds_.stop()) return core::fail(core::ErrorCode::cancelled, "cancelled");
    if (bounds_.progress) bounds_.progress(source_.taken());
    size_ = kept;
    const std::uint64_t allowed = bounds_.text - read_;
    const std::size_t most = static_cast<std::size_t>(std::min<std::uint64_t>(capacity_ - kept, allowed));
    while (size_ - kept < most) {
      const auto got = source_.read(bytes_.get() + size_, most - (size_ - kept));
      if (!got) return core::fail(got.error());
      if (*got == 0) break;
      size_ += *got;
    }
    const std::size_t fresh = size_ - kept;
    read_ += fresh;
    ended_ = fresh < capacity_ - kept;
    mark(state);
    return fresh > 0;
  }

  ByteSource& source_;
  const JsonBounds& bounds_;
  std::unique_ptr<char[]> bytes_;
  std::size_t capacity_ = 0, size_ = 0;
  std::uint64_t read_ = 0;
  bool ended_ = false;
  JsonText text_;
};

class Stream {
 public:
  Stream(ByteSource& source, JsonReader& reader, const JsonBounds& bounds)
      : source_(source), window_(source, bounds), reader_(reader), bounds_(bounds) {}
  core::Expected<JsonEnd> run();

 private:
  struct Level {
    bool object = false;
    JsonReader::Take elements;  // how is enter where the reader is asked one by one
  };
  enum class Next : std::uint8_t { go_on, over };
  using Step = core::Expected<Next>;

  Step step();
  Step root();
  Step member();
  Step element(Level level);
  // The value at `at`, of which all from at_ on must stay; what `key` views must too.
  Step value(std::size_t at, std::string_view key, JsonReader::Take take);
  Step whole(std::size_t at, std::string_view key, JsonReader::Take take);
  Step pass_over(std::size_t at);
  Step lost(std::size_t at);
  Step restart();
  Step cut() {
    end_.cut = true;
    return Next::over;
  }
  // Reads on for a value that is not whole; over when there is no more.
  Step need_more() {
    const auto more = window_.more(at_);
    if (!more) return core::fail(more.error());
    at_ = 0;
    if (*more) return Next::go_on;
    return cut();
  }
  JsonReader::Take ask(JsonKind kind) { return reader_.take(path_, kind); }

  ByteSource& source_;
  Window window_;
  JsonReader& reader_;
  const JsonBounds& bounds_;
  std::size_t at_ = 0;
  std::vector<Level> levels_;
  std::vector<std::string> path_;
  bool began_ = false, root_is_array_ = false;
  std::uint64_t remarked_ = 0;
  JsonEnd end_;
};

Stream::Step Stream::root() {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (!began_ && std::string_view(window_.text().bytes() + at_, window_.size() - at_).starts_with(kMark)) {
    at_ += kMark.size();
    began_ = true;
    return Next::go_on;
  }
  const JsonKind kind = json_kind(window_[at_]);
  if (kind != JsonKind::object && kind != JsonKind::array)
    return core::fail(core::ErrorCode::invalid_input, "the text is neither a JSON object nor an array");
  began_ = true;
  root_is_array_ = kind == JsonKind::array;
  const JsonReader::Take take = ask(kind);
  if (take.how == How::skip) {
    end_.stopped = true;
    return Next::over;
  }
  return value(at_, {}, take);
}

Stream::Step Stream::member() {
  if (window_[at_] != '"') {  // no key: whatever it is, go on behind it
    ++at_;
    return Next::go_on;
  }
  JsonCursor cursor(window_.text(), at_ + 1);
  const std::size_t key_end = cursor.next();
  const std::size_t colon = cursor.next();
  std::size_t at = colon + 1;
  while (at < window_.size() && is_json_space(window_[at])) ++at;
  if (colon >= window_.size() || at >= window_.size()) return need_more();
  if (window_[colon] != ':') {
    at_ = key_end + 1;
    return Next::go_on;
  }
  const std::string_view key(window_.text().bytes() + at_ + 1, key_end - at_ - 1);
  path_.emplace_back(key);
  const JsonReader::Take take = ask(json_kind(window_[at]));
  const std::size_t depth = levels_.size();
  Step step = value(at, key, take);
  if (levels_.size() == depth) path_.pop_back();  // else it was entered
  return step;
}

Stream::Step Stream::element(Level level) {
  JsonReader::Take take = level.elements;
  if (take.how != How::enter) {
    take.how = How::whole;
    return value(at_, {}, take);
  }
  path_.emplace_back();
  const std::size_t depth = levels_.size();
  Step step = value(at_, {}, ask(json_kind(window_[at_])));
  if (levels_.size() == depth) path_.pop_back();
  return step;
}

Stream::Step Stream::value(std::size_t at, std::string_view key, JsonReader::Take take) {
  const JsonKind kind = json_kind(window_[at]);
  const bool container = kind == JsonKind::object || kind == JsonKind::array;
  switch (take.how) {
    case How::whole:
      return whole(at, key, take);
    case How::enter:
    case How::each:
      if (!container || (take.how == How::each && kind != JsonKind::array) || levels_.size() >= bounds_.depth) break;
      levels_.push_back({kind == JsonKind::object, take.how == How::each ? take : JsonReader::Take{How::enter, 0}});
      at_ = at + 1;
      return Next::go_on;
    case How::skip:
      break;
  }
  return pass_over(at);
}

Stream::Step Stream::whole(std::size_t at, std::string_view key, JsonReader::Take take) {
  const JsonText& text = window_.text();
  std::size_t past = json_end(text, at);
  const JsonKind kind = json_kind(window_[at]);
  if (past == kJsonCut) {
    if (kind == JsonKind::scalar && window_.ended()) {
      past = window_.size();
    } else {
      // A stray quote makes a value seem without end: look inside before gathering megabytes of it.
      constexpr std::size_t kSuspicious = std::size_t{64} << 10U;
      if (kind == JsonKind::object && (window_.size() - at > kSuspicious || window_.ended()) &&
          json_members(text, at, [](std::string_view, const JsonValue&) { return true; }) == JsonWalk::malformed)
        return lost(at);
      const bool ended_before = window_.ended();
      const auto more = window_.more(at_);
      if (!more) return core::fail(more.error());
      if (*more || window_.ended() != ended_before) {
        at_ = 0;
        return Next::go_on;  // and meet it again
      }
      if (window_.ended()) return cut();
      ++end_.oversized;
      return pass_over(at);
    }
  }
  const bool quoted = kind == JsonKind::string;
  const JsonValue found{kind, at, past, {text.bytes() + at + (quoted ? 1 : 0), past - at - (quoted ? 2 : 0)}};
  switch (reader_.value(take.tag, key, text, found)) {
    case Answer::stop:
      end_.stopped = true;
      return Next::over;
    case Answer::malformed:
      return lost(at);
    case Answer::go_on:
      break;
  }
  at_ = past;
  return Next::go_on;
}

// To behind the value at `at`, through as many windows as it takes.
Stream::Step Stream::pass_over(std::size_t at) {
  const std::size_t past = json_end(window_.text(), at);
  if (past != kJsonCut) {
    at_ = past;
    return Next::go_on;
  }
  const JsonKind kind = json_kind(window_[at]);
  std::size_t depth = 0;
  std::size_t from = kind == JsonKind::string ? at + 1 : at;
  for (;;) {
    if (kind == JsonKind::scalar) {
      while (from < window_.size() && !is_json_space(window_[from]) && window_[from] != ',' && window_[from] != ']' &&
             window_[from] != '}')
        ++from;
      if (from < window_.size()) break;
    } else {
      JsonCursor cursor(window_.text(), from);
      std::size_t mark = cursor.next();
      for (; mark < window_.size(); mark = cursor.next()) {
        const char c = window_[mark];
        if (kind == JsonKind::string) break;           // its closing quote
        const bool object = kind == JsonKind::object;  // as json_end(): of an object braces count, of an array both
        if (c == '{' || (c == '[' && !object)) ++depth;
        if ((c == '}' || (c == ']' && !object)) && --depth == 0) break;
      }
      from = mark + 1;
      if (mark < window_.size()) break;
    }
    const auto more = window_.next();
    if (!more) return core::fail(more.error());
    from = 0;
    if (!*more) {
      at_ = 0;
      return cut();
    }
  }
  at_ = from;
  return Next::go_on;
}

// Behind a broken element: on with what looks like the next one, a brace behind a comma or bracket and before a quote.
Stream::Step Stream::lost(std::size_t at) {
  if (++end_.malformed > bounds_.malformed) {
    return core::fail(core::ErrorCode::invalid_input,
                      "the text is not JSON: " + core::counted(end_.malformed, "element") + " of it make no sense",
                      std::string(kBrokenHint));
  }
  std::size_t from = at + 1;
  for (;;) {
    const auto* const bytes = window_.text().bytes();
    for (std::size_t i = from; i < window_.size(); ++i) {
      const auto* const brace = static_cast<const char*>(std::memchr(bytes + i, '{', window_.size() - i));
      if (brace == nullptr) break;
      i = static_cast<std::size_t>(brace - bytes);
      std::size_t before = i, behind = i + 1;
      while (before > from && is_json_space(bytes[before - 1])) --before;
      while (behind < window_.size() && is_json_space(bytes[behind])) ++behind;
      if (before == from || behind == window_.size() || bytes[behind] != '"') continue;
      if (bytes[before - 1] != ',' && bytes[before - 1] != '[') continue;
      at_ = i;
      return Next::go_on;
    }
    constexpr std::size_t kTail = 256;  // more than stands between a comma and the quote behind it
    if (window_.ended()) return cut();
    const std::size_t keep = window_.size() - std::min(kTail, window_.size() - from);
    const auto more = window_.more(keep);
    if (!more) return core::fail(more.error());
    from = 0;
    if (!*more) return cut();
  }
}

// Marks the window anew from here. Each time costs a window, so all together are bounded.
Stream::Step Stream::restart() {
  constexpr std::uint64_t kMostBytes = std::uint64_t{8} << 30U;
  remarked_ += window_.size();
  if (remarked_ > kMostBytes) {
    return core::fail(core::ErrorCode::invalid_input, "the text is not JSON: quotes in it do not pair", std::string(kBrokenHint));
  }
  window_.restart(at_);
  at_ = 0;
  return Next::go_on;
}

Stream::Step Stream::step() {
  while (at_ < window_.size() && is_json_space(window_[at_])) ++at_;
  if (at_ >= window_.size()) {
    const auto more = window_.more(window_.size());
    if (!more) return core::fail(more.error());
    at_ = 0;
    if (*more) return Next::go_on;
    if (levels_.size() == 1 && root_is_array_ && !end_.cut) {
      end_.open_array = true;  // the trace event format allows that
    } else if (!levels_.empty()) {
      end_.cut = true;
    }
    return Next::over;
  }
  // A stray quote outside any element has turned the marks inside out.
  constexpr std::string_view kMarked = "\"{}[]:,";
  if (!window_.text().marked(at_) && kMarked.find(window_[at_]) != std::string_view::npos) return restart();
  if (levels_.empty()) {
    if (began_ && window_[at_] != '{' && window_[at_] != '[') return Next::over;
    return root();
  }
  const char c = window_[at_];
  if (c == ',' || c == ':') {
    ++at_;
    return Next::go_on;
  }
  if (c == '}' || c == ']') {
    ++at_;
    levels_.pop_back();
    if (levels_.empty()) return Next::over;
    path_.pop_back();
    return Next::go_on;
  }
  const Level level = levels_.back();
  return level.object ? member() : element(level);
}

core::Expected<JsonEnd> Stream::run() {
  for (;;) {
    const Step next = step();
    if (!next) return core::fail(next.error());
    if (*next == Next::over) break;
  }
  if (!began_) return core::fail(core::ErrorCode::invalid_input, "the text is empty");
  if (end_.stopped) return end_;
  // What stands behind the text is nobody's, but only at its end a source knows whether what it unpacked was whole.
  for (bool rest = true; rest;) {
    const auto more = window_.next();
    if (!more) return core::fail(more.error());
    rest = *more;
  }
  end_.source = source_.ending();
  end_.cut = end_.cut || end_.source.cut;
  return end_;
}

}  // namespace

core::Expected<JsonEnd> stream_json(ByteSource& source, JsonReader& reader, const JsonBounds& bounds) {
  return Stream(source, reader, bounds).run();
}

}  // namespace plumbline::profiles
