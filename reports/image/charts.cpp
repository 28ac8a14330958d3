#include "reports/image/charts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/text.hpp"
#include "core/units.hpp"
#include "reports/page/dots.hpp"
#include "reports/page/scales.hpp"
#include "reports/page/tone.hpp"
#include "reports/short_keys.hpp"
#include "reports/text.hpp"

namespace plumbline::reports::image {
namespace {

// Those of the page by day: reports/page/style.hpp.
constexpr Colour kWorse{217, 88, 13}, kWorseInk{166, 54, 3}, kBetter{42, 120, 200}, kBetterInk{11, 83, 148}, kFlat{141, 152, 165},
    kBand{227, 232, 239};
constexpr double kWords = 13, kSmall = 11.5;
constexpr std::size_t kRowsDrawn = 14, kQuietRows = 8, kWordsInCells = 12;

bool is_bad(std::string_view tone) { return tone == "bad" || tone == "doubt"; }
Colour fill_of(std::string_view tone) { return is_bad(tone) ? kWorse : tone == "good" ? kBetter : kFlat; }
Colour ink_of(std::string_view tone) { return is_bad(tone) ? kWorseInk : tone == "good" ? kBetterInk : kSoft; }

void mark(Canvas& canvas, Point at, std::string_view tone, double radius) {
  if (tone == "doubt")
    canvas.ring(at, radius, kWorse, kGround);
  else
    canvas.circle(at, radius, fill_of(tone));
}

struct Sign {
  enum class Shape : std::uint8_t { dot, ring, square, line } shape;
  Colour colour;
  std::string words;
  bool used = true;
};
double draw_legend(Canvas& canvas, double top, std::initializer_list<Sign> signs) {
  double x = kMargin;
  for (const Sign& sign : signs) {
    if (!sign.used) continue;
    const Point middle{x + 6, top + 10};
    switch (sign.shape) {
      case Sign::Shape::dot:
        canvas.circle(middle, 5, sign.colour);
        break;
      case Sign::Shape::ring:
        canvas.ring(middle, 5, sign.colour, kGround);
        break;
      case Sign::Shape::square:
        canvas.rect(middle.first - 6, middle.second - 6, 12, 12, sign.colour);
        break;
      case Sign::Shape::line:
        canvas.line({middle.first - 7, middle.second}, {middle.first + 7, middle.second}, sign.colour, 2);
        break;
    }
    canvas.text(x + 18, top + 14, sign.words, kSmall, kSoft);
    x += 18 + text_width(sign.words, kSmall) + 22;
  }
  return 22;
}

Colour mixed(Colour of, double part) {
  const auto one = [part](std::uint8_t value) { return static_cast<std::uint8_t>(std::lround(255 + (value - 255) * part)); };
  return {one(of.red), one(of.green), one(of.blue)};
}

// Which colours a picture has: its legend says no more than is there.
struct Tones {
  bool bad = false, doubt = false, good = false;
  void take(std::string_view tone) {
    bad = bad || tone == "bad";
    doubt = doubt || tone == "doubt";
    good = good || tone == "good";
  }
};

// At its tolerance a cell is light, at three times that dark.
double strength(const RowView& row) { return !std::isfinite(row.used) || row.used >= 3 ? 0.76 : row.used >= 1.7 ? 0.5 : 0.26; }

void draw_cell(Canvas& canvas, const RowView& row, double x, double y, double width, double height, bool words) {
  const std::string_view tone = tone_of(row);
  if (tone == "doubt") {
    canvas.rect(x + 1, y + 1, width - 2, height - 2, kGround);
    canvas.frame(x + 1, y + 1, width - 2, height - 2, kWorse);
  } else {
    canvas.rect(x + 1, y + 1, width - 2, height - 2, tone == "flat" ? kBand : mixed(fill_of(tone), strength(row)));
  }
  if (row.culprit) canvas.frame(x + 1, y + 1, width - 2, height - 2, kInk, 2);
  if (!words || !row.delta_pct) return;
  const double scale = std::fabs(*row.delta_pct) < 10 ? 10 : 1;
  canvas.text(x + width / 2, y + height / 2 + 4, core::signed_number(std::round(*row.delta_pct * scale) / scale, 4), kSmall, kInk,
              Align::middle);
}

}  // namespace

double draw_fall(Canvas& canvas, double top, const Fall& fall) {
  constexpr double kRow = 40, kBar = 14, kUnder = 18;
  const FallAxis axis(fall);
  const double width = kWidth - 2 * kMargin;
  const auto at = [&](std::int64_t ns) { return kMargin + width * axis.at(ns); };
  double y = top;
  const auto line = [&](const std::string& name, const std::string& value, double from, double to, Colour colour) {
    canvas.text(kMargin, y + 13, fitted(one_line(name), kWords, width * 0.78), kWords, kInk);
    canvas.text(kMargin + width, y + 13, value, kWords, kInk, Align::right);
    canvas.rect(from, y + kUnder, std::max(to - from, 2.0), kBar, colour);
  };
  line("baseline, " + fall.of, time_text(fall.baseline_ns), kMargin, at(fall.baseline_ns), kFlat);
  std::int64_t running = fall.baseline_ns;
  for (const FallPart& part : fall.parts) {
    canvas.line({at(running), y + kUnder}, {at(running), y + kRow + kUnder + kBar}, kLine);
    y += kRow;
    const std::int64_t next = running + part.delta_ns;
    line(part_label(part), signed_time_text(part.delta_ns), at(std::min(running, next)), at(std::max(running, next)),
         part.delta_ns > 0 ? kWorse : kBetter);
    running = next;
  }
  canvas.line({at(running), y + kUnder}, {at(running), y + kRow + kUnder}, kLine);
  y += kRow;
  line("candidate, " + fall.of, time_text(fall.candidate_ns), kMargin, at(fall.candidate_ns), kFlat);
  y += kRow;
  if (axis.low > 0) {
    canvas.text(kMargin, y + 10, "The axis begins at " + time_text(std::llround(axis.low)) + ".", kSmall, kFaint);
    y += 18;
  }
  return y - top +
         draw_legend(canvas, y,
                     {{Sign::Shape::square, kWorse, "longer",
                       std::ranges::any_of(fall.parts, [](const FallPart& part) { return part.delta_ns > 0; })},
                      {Sign::Shape::square, kBetter, "shorter",
                       std::ranges::any_of(fall.parts, [](const FallPart& part) { return part.delta_ns < 0; })}});
}

double draw_matrix(Canvas& canvas, double top, const Matrix& matrix, const Rows& rows) {
  const double names = 64, width = (kWidth - 2 * kMargin - names) / static_cast<double>(matrix.cols.size());
  const double height = std::min(34.0, 440.0 / static_cast<double>(matrix.rows.size()));
  const bool words = matrix.cols.size() <= kWordsInCells && height >= 16;
  canvas.text(kMargin, top + 13, fitted(one_line(matrix.title) + ": change in percent", kWords, kWidth - 2 * kMargin), kWords,
              kSoft);
  const double first = top + 44;
  Tones tones;
  bool part = false;
  const std::size_t every_column = std::max<std::size_t>(1, (matrix.cols.size() + 15) / 16);
  const auto every_row = static_cast<std::size_t>(std::max(1.0, std::ceil(13 / height)));
  for (std::size_t x = 0; x < matrix.cols.size(); x += every_column)
    canvas.text(kMargin + names + width * (static_cast<double>(x) + 0.5), first - 7, shorten_middle(one_line(matrix.cols[x]), 8),
                kSmall, kFaint, Align::middle);
  for (std::size_t y = 0; y < matrix.rows.size(); ++y) {
    const double place = first + height * static_cast<double>(y);
    if (y % every_row == 0)
      canvas.text(kMargin + names - 8, place + height / 2 + 4, fitted(one_line(matrix.rows[y]), kSmall, names - 8), kSmall,
                  kFaint, Align::right);
    for (std::size_t x = 0; x < matrix.cols.size(); ++x) {
      const int delta = matrix.deltas[y][x];
      if (delta < 0) continue;
      const RowView row = rows.at(static_cast<std::size_t>(delta));
      tones.take(tone_of(row));
      part = part || row.culprit;
      if (row.baseline || row.current)
        draw_cell(canvas, row, kMargin + names + width * static_cast<double>(x), place, width, height, words);
    }
  }
  const double end = first + height * static_cast<double>(matrix.rows.size()) + 8;
  return end - top +
         draw_legend(canvas, end,
                     {{Sign::Shape::square, mixed(kWorse, 0.76), "worse beyond tolerance", tones.bad},
                      {Sign::Shape::ring, kWorse, "suspect or not decided", tones.doubt},
                      {Sign::Shape::square, mixed(kBetter, 0.5), "better", tones.good},
                      {Sign::Shape::square, kBand, "within tolerance"},
                      {Sign::Shape::ring, kInk, "framed: the part that regressed", part}});
}

double draw_curve(Canvas& canvas, double top, const Curve& curve, const Rows& rows) {
  constexpr double kLeft = kMargin + 70, kRight = kWidth - kMargin, kHigh = 330;
  std::vector<RowView> views;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const CurvePoint& point : curve.points) {
    views.push_back(rows.at(point.delta));
    for (const auto& value : {views.back().baseline, views.back().current}) {
      if (!value) continue;
      low = std::min(low, *value);
      high = std::max(high, *value);
    }
  }
  if (low > high) return 0;
  const std::optional<double> ceiling = ceiling_of(views);
  const Scale across(curve.points.front().x, curve.points.back().x), up(low, std::max(high, ceiling.value_or(high)));
  const double first = top + 30, foot = first + kHigh;
  const auto left = [&](double value) { return kLeft + (kRight - kLeft) * across.at(value); };
  const auto height = [&](double value) { return foot - kHigh * up.at(value); };
  canvas.text(kMargin, top + 13,
              fitted(one_line(curve.title) + " by " + one_line(curve.dimension) + (up.logarithmic() ? ", logarithmic" : ""),
                     kWords, kWidth - 2 * kMargin),
              kWords, kSoft);
  for (const double tick : up.ticks()) {
    canvas.line({kLeft, height(tick)}, {kRight, height(tick)}, kLine);
    canvas.text(kLeft - 8, height(tick) + 4, core::short_number(tick, 4), kSmall, kFaint, Align::right);
  }
  double last = -1000;
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    const double x = left(curve.points[i].x);
    const bool end = i + 1 == curve.points.size();
    if (!end && (x - last < 84 || kRight - x < 84)) continue;
    last = x;
    canvas.line({x, foot}, {x, foot + 5}, kFaint);
    canvas.text(x, foot + 19, shorten_middle(one_line(curve.points[i].words), 11), kSmall, kFaint,
                end      ? Align::right
                : i == 0 ? Align::left
                         : Align::middle);
  }
  canvas.line({kLeft, foot}, {kRight, foot}, kFaint);
  if (ceiling) {
    canvas.line({kLeft, height(*ceiling)}, {kRight, height(*ceiling)}, kBetterInk, 1.5);
    const auto held = std::ranges::find_if(views, [](const RowView& row) { return row.sol != nullptr; });
    canvas.text(kLeft + 6, height(*ceiling) - 5, "ceiling: " + figure(*ceiling, held->unit), kSmall, kBetterInk);
  }
  for (const bool baseline : {true, false}) {
    std::vector<Point> places;
    for (std::size_t i = 0; i < views.size(); ++i) {
      const std::optional<double>& value = baseline ? views[i].baseline : views[i].current;
      if (value) places.emplace_back(left(curve.points[i].x), height(*value));
    }
    canvas.polyline(places, baseline ? kFlat : kInk, 2);
  }
  Tones tones;
  for (std::size_t i = 0; i < views.size(); ++i) {
    const std::string_view tone = tone_of(views[i]);
    tones.take(tone);
    if (views[i].current && tone != "flat") mark(canvas, {left(curve.points[i].x), height(*views[i].current)}, tone, 5);
  }
  return foot + 28 - top +
         draw_legend(canvas, foot + 28,
                     {{Sign::Shape::line, kFlat, "baseline"},
                      {Sign::Shape::line, kInk, "this run"},
                      {Sign::Shape::dot, kWorse, "regressed", tones.bad},
                      {Sign::Shape::ring, kWorse, "suspect or not decided", tones.doubt},
                      {Sign::Shape::dot, kBetter, "better", tones.good}});
}

double draw_changes(Canvas& canvas, double top, const Rows& rows) {
  constexpr double kRow = 34, kLeft = kMargin + 330, kWide = 320, kRight = kWidth - kMargin;
  std::vector<DrawnRow> all;
  std::vector<std::string_view> keys;
  Tones tones;
  bool bands = false, trials = false;
  for (const std::uint32_t index : rows_to_draw(rows, kRowsDrawn, kQuietRows)) {
    all.push_back(drawn_row(rows, index));
    keys.push_back(all.back().row.key);
    tones.take(tone_of(all.back().row));
    bands = bands || all.back().band > 0;
    trials = trials || !all.back().baseline.empty() || !all.back().current.empty();
  }
  if (std::ranges::none_of(all, [](const DrawnRow& one) { return one.row.delta_pct.has_value(); })) return 0;
  const ShortKeys brief(keys);
  const ChangeAxis axis(reach_of(all));
  const auto at = [&axis](double pct) { return kLeft + kWide * axis.at(pct); };
  double y = top;
  if (const std::string shared = brief.shared(); !shared.empty()) {
    canvas.text(kMargin, y + 13, fitted("All rows: " + one_line(shared), kWords, kRight - kMargin), kWords, kSoft);
    y += 24;
  }
  for (const int side : {-1, 0, 1})
    canvas.text(at(axis.end() * side), y + 12, side == 0 ? "0" : core::signed_number(axis.end() * side, 4) + "%", kSmall, kFaint,
                Align::middle);
  y += 18;
  for (const DrawnRow& one : all) {
    const RowView& row = one.row;
    const std::string_view tone = tone_of(row);
    const double middle = y + kRow / 2;
    if (one.band > 0) {
      const auto [from, to] = band_ends(row, one.band);
      canvas.rect(at(from), y, at(to) - at(from), kRow, kBand);
    }
    for (int i = -axis.ticks(); i <= axis.ticks(); ++i)
      canvas.line({at(axis.step() * i), y}, {at(axis.step() * i), y + kRow}, i == 0 ? kFaint : kLine);
    for (const double pct : one.baseline) canvas.ring({at(pct), middle - 10}, 3, kFaint, kGround, 1);
    for (const double pct : one.current) canvas.circle({at(pct), middle + 10}, 3, fill_of(tone));
    if (row.delta_pct) {
      canvas.line({at(0), middle}, {at(*row.delta_pct), middle}, fill_of(tone), 2);
      if (row.statistics != nullptr && row.statistics->interval_low_pct && row.statistics->interval_high_pct) {
        for (const double end : {*row.statistics->interval_low_pct, *row.statistics->interval_high_pct})
          canvas.line({at(end), middle - 5}, {at(end), middle + 5}, kInk, 1.3);
        canvas.line({at(*row.statistics->interval_low_pct), middle}, {at(*row.statistics->interval_high_pct), middle}, kInk, 1.3);
      }
      mark(canvas, {at(*row.delta_pct), middle}, tone, 5.5);
    }
    canvas.text(kMargin, middle + 4, fitted(one_line(brief.of(row.key)), kWords, kLeft - kMargin - 12), kWords, kInk);
    const std::string change = one_line(change_cell(row));
    canvas.text(kRight, middle + 4, change, kWords, ink_of(tone), Align::right);
    const double room = kRight - text_width(change, kWords) - 14 - (kLeft + kWide + 10);
    const std::string values = one_line(short_cell(row.baseline, row.baseline_text, row)) + " → " +
                               one_line(short_cell(row.current, row.current_text, row));
    canvas.text(kLeft + kWide + 10, middle + 4, fitted(values, kWords, room), kWords, kInk);
    y += kRow;
  }
  if (rows.size() > all.size()) {
    canvas.text(kMargin, y + 16, core::counted(rows.size() - all.size(), "more row") + " in the report", kSmall, kFaint);
    y += 22;
  }
  return y + 6 - top +
         draw_legend(canvas, y + 6,
                     {{Sign::Shape::dot, kWorse, "worse beyond tolerance", tones.bad},
                      {Sign::Shape::ring, kWorse, "suspect or not decided", tones.doubt},
                      {Sign::Shape::dot, kBetter, "better", tones.good},
                      {Sign::Shape::square, kBand, "tolerance", bands},
                      {Sign::Shape::ring, kFaint, "trial of the baseline (above), of this run (below)", trials}});
}

}  // namespace plumbline::reports::image
