// Pieces of a page as text. What comes from files passes plain() or Table::cell(); everything else that is put in is markup of
// ours. Internal to reports/.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::reports::html {

// One line without secrets, cut in the middle, escaped.
[[nodiscard]] std::string plain(std::string_view text, int width = 400);
// A sentence of ours: from one value to another an arrow.
[[nodiscard]] std::string sentence(std::string_view text, int width = 1000);
[[nodiscard]] std::string code(std::string_view text, int width = 400);
// A word with its sign, so that no colour is needed to read it: "✕ regressed". `tone`: "bad" "doubt" "good" "flat" or "".
[[nodiscard]] std::string chip(std::string_view words, std::string_view tone = {});

struct Column {
  std::string name;
  bool number = false;
};

// A table with a heading a column; of the kind "rows" the style knows which columns are numbers, so that cells need not say. End
// tags that HTML does not ask for are left out: of a thousand rows they are a tenth.
class Table {
 public:
  explicit Table(const std::vector<Column>& columns, std::string_view kind = {});
  // The first cell of a row is its heading.
  Table& row(std::string_view tone = {});
  Table& cell(std::string_view text, int width = 160) { return markup(plain(text, width)); }
  Table& markup(std::string_view made, std::string_view tone = {});
  [[nodiscard]] bool empty() const { return rows_ == 0; }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  // With a box around it that scrolls sideways where the screen is too narrow; `name` is what a screen reader calls it.
  [[nodiscard]] std::string text(std::string_view name) const;

 private:
  std::string head_, body_;
  std::vector<bool> numbers_;
  std::size_t rows_ = 0, column_ = 0;
};

struct SectionStyle {
  bool wide = false;  // over the whole width of the page
  bool accent = false;
};
[[nodiscard]] std::string section(std::string_view title, std::string_view body, SectionStyle style = {});
// Folded, with its title to open it by.
[[nodiscard]] std::string folded(std::string_view title, std::string_view body, bool open = false);
[[nodiscard]] std::string note(std::string_view text);
// What the colours and marks of a figure mean, each a class and its words.
struct Mark {
  std::string_view tone;
  std::string words;
};
[[nodiscard]] std::string legend(const std::vector<Mark>& marks);

}  // namespace plumbline::reports::html
