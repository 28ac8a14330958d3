// The lines of a delimited text as fields, without copying: a field is a view into the text, or into texts kept here where
// doubled quotes had to be undone. Private to formats/. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/csv_field.hpp"
#include "core/text.hpp"

namespace plumbline::formats {

// Reads one table: lines of fields, quotes resolved, blank and comment lines passed over.
class Lines {
 public:
  Lines(std::string_view text, char separator) : text_(text), separator_(separator) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
  }
  // False at the end, or where a quote never closes (see broken()).
  bool next(std::vector<std::string_view>& fields) {
    fields.clear();
    while (at_ < text_.size()) {
      const std::size_t line_end = std::min(text_.find('\n', at_), text_.size());
      const std::string_view line = core::trim(text_.substr(at_, line_end - at_));
      if (line.empty()) {
        at_ = line_end + 1;
      } else if (line.front() == '#') {
        ++comments_;
        last_comment_ = line;
        at_ = line_end + 1;
      } else {
        break;
      }
    }
    if (at_ >= text_.size()) return false;
    start_ = at_;
    for (;;) {
      fields.push_back(field());
      if (broken_) return false;
      if (at_ >= text_.size()) return true;
      const char c = text_[at_++];
      if (c == '\n') return true;
    }
  }
  [[nodiscard]] bool broken() const { return broken_; }
  [[nodiscard]] std::size_t start() const { return start_; }
  // Where the next line begins. A reader that takes lines itself says so with go_on_at(), the start of the last one included.
  [[nodiscard]] std::size_t at() const { return at_; }
  void go_on_at(std::size_t at, std::size_t start) {
    at_ = at;
    start_ = start;
  }
  [[nodiscard]] std::uint64_t comments() const { return comments_; }
  [[nodiscard]] std::string_view last_comment() const { return last_comment_; }

 private:
  // Up to (not over) the separator or the line's end.
  std::string_view field() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (at_ < text_.size() && text_[at_] == '"') {
      const base::QuotedField quoted = base::quoted_field(text_, at_, unescaped_);
      broken_ = !quoted.closed;
      if (broken_) return {};
      while (at_ < text_.size() && text_[at_] != separator_ && text_[at_] != '\n') ++at_;
      return quoted.content;
    }
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != separator_ && text_[at_] != '\n') ++at_;
    return core::trim(text_.substr(begin, at_ - begin));
  }

  std::string_view text_;
  char separator_;
  std::size_t at_ = 0, start_ = 0;
  bool broken_ = false;
  std::uint64_t comments_ = 0;
  std::string_view last_comment_;
  std::deque<std::string> unescaped_;
};

}  // namespace plumbline::formats
