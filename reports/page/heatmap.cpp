#include "reports/page/heatmap.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/text.hpp"
#include "reports/page/html.hpp"
#include "reports/page/svg.hpp"
#include "reports/page/tone.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {
namespace {

constexpr std::size_t kWordsOnAnyScreen = 8, kWordsOnWideScreens = 16, kCellsOfTable = 400, kCellsOfSides = 1024;
constexpr int kShades = 6;
constexpr double kTop = 20;

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  void take(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  // The shade of a value between the least and the most of both sides.
  [[nodiscard]] int shade(double value) const {
    return high <= low ? kShades / 2 : static_cast<int>(std::lround((kShades - 1) * (value - low) / (high - low)));
  }
};

class Heatmap {
 public:
  Heatmap(const Matrix& matrix, const Rows& rows) : matrix_(matrix) {
    for (const std::vector<int>& line : matrix.deltas) {
      for (const int delta : line) {
        cells_.push_back(delta < 0 ? RowView() : rows.at(static_cast<std::size_t>(delta)));
        for (const auto& value : {cells_.back().baseline, cells_.back().current}) {
          if (value) range_.take(*value);
        }
      }
    }
  }

  enum class Shows : std::uint8_t { baseline, current, change };
  [[nodiscard]] std::string panel(std::string_view name, Shows shows) const {
    const double side = height();
    std::string out = "<figure><figcaption>" + std::string(name) + "</figcaption><svg class=\"heat" + text_rule() +
                      "\" width=\"100%\" height=\"" + svg::number(kTop + side * static_cast<double>(matrix_.rows.size())) +
                      "\" role=\"img\" aria-label=\"" + html::plain(matrix_.title + ", " + std::string(name), 200) + "\">";
    const double width = 100 / static_cast<double>(matrix_.cols.size());
    const std::size_t every_column = std::max<std::size_t>(1, (matrix_.cols.size() + 11) / 12);
    const std::size_t every_row = std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(12 / side)));
    for (std::size_t x = 0; x < matrix_.cols.size(); x += every_column)
      out +=
          svg::text(width * (static_cast<double>(x) + 0.5), kTop - 7, shorten_middle(one_line(matrix_.cols[x]), 6), "faint mid");
    for (std::size_t y = 0; y < matrix_.rows.size(); ++y) {
      const double top = kTop + side * static_cast<double>(y);
      if (y % every_row == 0)
        out += "<text x=\"-6\" y=\"" + svg::number(top + side / 2 + 4) + "\" class=\"faint end\">" +
               html::plain(matrix_.rows[y], 6) + "</text>";
      for (std::size_t x = 0; x < matrix_.cols.size(); ++x) {
        if (matrix_.deltas[y][x] >= 0)
          out += cell(cells_[y * matrix_.cols.size() + x], shows, width * static_cast<double>(x), top, width, side);
      }
    }
    return out + "</svg></figure>";
  }

  // Of a large one the change alone is drawn: three times as many cells would weigh a megabyte.
  [[nodiscard]] bool is_large() const { return cells_.size() > kCellsOfSides; }

  [[nodiscard]] std::string table() const {
    html::Table out({{"Row"}, {"Column"}, {"Baseline", true}, {"Current", true}, {"Change", true}, {"State"}});
    const bool all = cells_.size() <= kCellsOfTable;
    std::size_t left_out = 0;
    for (std::size_t y = 0; y < matrix_.rows.size(); ++y) {
      for (std::size_t x = 0; x < matrix_.cols.size(); ++x) {
        const RowView& row = cells_[y * matrix_.cols.size() + x];
        if (matrix_.deltas[y][x] < 0 || (!row.baseline && !row.current)) continue;
        if (!all && tone_of(row) == "flat") {
          ++left_out;
          continue;
        }
        if (out.rows() == kCellsOfTable) {
          ++left_out;
          continue;
        }
        out.row().cell(matrix_.rows[y]).cell(matrix_.cols[x]).cell(baseline_cell(row)).cell(current_cell(row));
        out.cell(change_cell(row)).markup(html::chip(state_text(row), tone_of(row)));
      }
    }
    return out.text(matrix_.title) + (left_out == 0 ? "" : html::note(grouped(left_out) + " further cells are in deltas.jsonl."));
  }

 private:
  [[nodiscard]] double height() const {
    return matrix_.cols.size() <= kWordsOnAnyScreen ? 30 : matrix_.cols.size() <= 16 ? 22 : 10;
  }
  [[nodiscard]] std::string text_rule() const {
    if (matrix_.cols.size() <= kWordsOnAnyScreen) return {};
    return matrix_.cols.size() <= kWordsOnWideScreens ? " words-if-wide" : " no-words";
  }

  [[nodiscard]] std::string cell(const RowView& row, Shows shows, double x, double y, double width, double height) const {
    const std::optional<double>& value = shows == Shows::baseline ? row.baseline : row.current;
    std::string tone, words;
    if (shows == Shows::change) {
      const std::string_view kind = tone_of(row);
      tone = kind == "flat"    ? "same"
             : kind == "doubt" ? "d-doubt"
                               : std::string(kind == "bad" ? "d-bad" : "d-good") + strength(row);
      if (row.delta_pct) words = brief_percent(*row.delta_pct);
    } else if (value) {
      tone = "v" + std::to_string(range_.shade(*value));
      words = core::short_number(*value, 3);
    } else {
      tone = "none";
    }
    if (shows == Shows::change && !row.delta_pct && !row.baseline && !row.current) tone = "none";
    const double middle = y + height / 2 + 4;
    std::string out =
        svg::rect(x + 0.15, y + 1, width - 0.3, height - 2, tone + (shows == Shows::change && row.culprit ? " part" : ""));
    if (!words.empty() && matrix_.cols.size() <= kWordsOnWideScreens) out += svg::text(x + width / 2, middle, words, "mid");
    if (shows != Shows::change || (is_large() && tone_of(row) == "flat")) return out;
    return "<g><title>" + title_of(row) + "</title>" + out + "</g>";
  }
  static std::string title_of(const RowView& row) {
    return markup(one_line(row.key) + ": " + baseline_cell(row) + " -> " + current_cell(row) + ", " + state_text(row) +
                  (row.culprit ? ", in the part that regressed" : ""));
  }
  // At its tolerance a cell is light, at three times that dark.
  static std::string strength(const RowView& row) {
    return !std::isfinite(row.used) || row.used >= 3 ? "3" : row.used >= 1.7 ? "2" : "1";
  }
  static std::string brief_percent(double pct) {
    const double scale = std::fabs(pct) < 10 ? 10 : 1;
    return core::signed_number(std::round(pct * scale) / scale, 4);
  }

  const Matrix& matrix_;
  std::vector<RowView> cells_;
  Range range_;
};

}  // namespace

std::string heatmaps(const Matrix& matrix, const Rows& rows) {
  const Heatmap map(matrix, rows);
  std::string panels = map.panel("Change, percent", Heatmap::Shows::change);
  if (!map.is_large()) panels += map.panel("Baseline", Heatmap::Shows::baseline) + map.panel("Current", Heatmap::Shows::current);
  return "<p>" + html::code(matrix.title, 120) + "</p>\n<div class=\"panels three\">" + panels + "</div>\n" +
         html::legend({{"d-bad2", "worse beyond tolerance"},
                       {"d-doubt", "suspect or not decided"},
                       {"d-good2", "better"},
                       {"same", "within tolerance"},
                       {"frame", "the part that regressed"}}) +
         html::folded("Numbers of these pictures", map.table());
}

}  // namespace plumbline::reports
