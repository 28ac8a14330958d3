// A terminal's means: colours when asked for, sentences in lines and columns that line up, whatever the text and however wide the
// terminal is. Internal to reports/.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/results/common.hpp"

namespace plumbline::reports {

enum class Paint { none, bold, dim, red, yellow, green, cyan };

class Terminal {
 public:
  explicit Terminal(bool colour) : colour_(colour) {}
  [[nodiscard]] std::string paint(Paint paint, std::string_view text) const;
  [[nodiscard]] std::string verdict(core::Verdict verdict) const;  // bold, in its colour
  // Wrapped at `width` columns, every line indented by `indent`, the first one after `lead`.
  [[nodiscard]] static std::string wrap(std::string_view lead, std::string_view text, int width);

 private:
  bool colour_;
};

// Columns that are used of a terminal: tables of more are hard to follow with the eye, sentences even sooner.
inline constexpr int kNarrowest = 40, kWidest = 160, kWidestSentence = 120;
[[nodiscard]] int columns_used(int width);

// A sentence in lines of at most `width` columns, the first after `lead`, the others below its text. A word that no line has room
// for is cut in the middle; a path never is. Past `most` lines the rest of the sentence is left out.
[[nodiscard]] std::vector<std::string> sentence_lines(std::string_view lead, std::string_view text, int width,
                                                      std::size_t most = static_cast<std::size_t>(-1));

// Columns with a header. The first column is left-aligned. Where the line is too wide, columns that may give way go, then the
// first column is cut in the middle, then the widest of the others.
class Table {
 public:
  struct Cell {
    std::string text;
    Paint paint = Paint::none;
  };
  explicit Table(std::vector<std::string> header, std::vector<bool> left = {})
      : header_(std::move(header)), left_(std::move(left)) {}
  // A name that its column has no room for stands on a line of its own, whole where the line has room.
  void keep_names() { keep_names_ = true; }
  // A column that may be left out; the first that is named goes first.
  void may_go(std::size_t column) { may_go_.push_back(column); }
  // A column that has nothing to say.
  void leave_out(std::size_t column) { left_out_.push_back(column); }
  void add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  [[nodiscard]] std::string text(const Terminal& terminal, int width) const;
  // The header first, then a line (of a kept name two) for each row.
  [[nodiscard]] std::vector<std::vector<std::string>> lines(const Terminal& terminal, int width) const;

 private:
  [[nodiscard]] std::vector<int> widths(int width) const;  // 0: the column is left out

  std::vector<std::string> header_;
  std::vector<bool> left_;  // per column; right-aligned where absent (but the first)
  std::vector<std::vector<Cell>> rows_;
  std::vector<std::size_t> may_go_, left_out_;
  bool keep_names_ = false;
};

}  // namespace plumbline::reports
