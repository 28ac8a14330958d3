// A terminal's means: colours when asked for, and columns that line up whatever the text. Internal to reports/.
#pragma once

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

// Columns with a header; the first column is left-aligned and gives way (cut in the middle) when the line is too wide.
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
  void add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  [[nodiscard]] std::string text(const Terminal& terminal, int width) const;

 private:
  std::vector<std::string> header_;
  std::vector<bool> left_;  // per column; right-aligned where absent (but the first)
  std::vector<std::vector<Cell>> rows_;
  bool keep_names_ = false;
};

}  // namespace plumbline::reports
