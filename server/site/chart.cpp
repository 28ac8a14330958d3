#include "server/site/chart.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "core/statistics.hpp"
#include "core/text.hpp"
#include "reports/text.hpp"
#include "server/site/page.hpp"

namespace plumbline::server::site {
namespace {

constexpr double kLeft = 74, kRightMargin = 14, kTop = 26, kBottom = 226;
constexpr double kWide = 1000, kNarrow = 380;  // a telephone has a figure of its own, so that its letters can be read
constexpr std::size_t kDots = 120;             // more would be a smear

constexpr std::string_view kSheet =
    R"html(<svg class="trend {{size}}" viewBox="0 0 {{width}} 260" role="img" aria-label="{{title}}">
{{#bands}}<rect class="band" x="{{x}}" y="{{y}}" width="{{width}}" height="{{height}}"/>{{/bands}}
{{#ticks}}<line class="grid" x1="74" x2="{{right}}" y1="{{y}}" y2="{{y}}"/><text class="end" x="66" y="{{text_y}}">{{text}}</text>{{/ticks}}
{{#bands}}<line class="level" x1="{{x}}" x2="{{x2}}" y1="{{level_y}}" y2="{{level_y}}"/>{{/bands}}
<polyline class="line" points="{{points}}"/>
{{#dots}}<circle class="dot" cx="{{x}}" cy="{{y}}" r="3"><title>{{text}}</title></circle>{{/dots}}
{{#changes}}<line class="change" x1="{{x}}" x2="{{x}}" y1="26" y2="226"/><text class="changed {{anchor}}" x="{{text_x}}" y="18">{{text}}</text>{{/changes}}
{{#accepted}}<rect class="accepted" x="{{x}}" y="{{y}}" width="10" height="10" transform="rotate(45 {{cx}} {{cy}})"><title>{{text}}</title></rect>{{/accepted}}
<text x="74" y="248">{{first}}</text><text class="end" x="{{right}}" y="248">{{last}}</text></svg>)html";

struct Point {
  const core::HistoryEntry* entry = nullptr;
  double value = 0;
};

std::string at(double value) { return core::short_number(std::round(value * 10) / 10, 6); }

// 1, 2 or 5 times a power of ten, at least `value`.
double nice(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (value <= step * power * (1 + 1e-9)) return step * power;
  }
  return 10 * power;
}

// One level of the series: from one change to the next.
struct Level {
  std::size_t from = 0, to = 0;  // points, the last one not counted
  double middle = 0;
};

class Drawing {
 public:
  Drawing(const core::HistoryResult& history, double width) : history_(history), width_(width) {
    for (const core::HistoryEntry& entry : history.entries) {
      if (entry.value && std::isfinite(*entry.value) && entry.unit == history.whole.unit)
        points_.push_back({&entry, *entry.value});
    }
  }

  TrendFigure draw() {
    TrendFigure figure;
    if (points_.size() < 2) return figure;
    find_levels();
    find_range();
    draw_ticks();
    figure.band = draw_bands();
    draw_values();
    figure.changes = draw_changes();
    figure.accepted = draw_accepted();
    data_.set("title", title()).set("size", width_ == kWide ? "wide" : "narrow");
    data_.set("width", at(width_)).set("right", at(right()));
    data_.set("first", time_text(points_.front().entry->slug).substr(0, 10));
    data_.set("last", time_text(points_.back().entry->slug).substr(0, 10));
    figure.svg = render(kSheet, data_);
    return figure;
  }

 private:
  [[nodiscard]] double right() const { return width_ - kRightMargin; }
  [[nodiscard]] double x(std::size_t i) const {
    return kLeft + 8 + (right() - kLeft - 16) * static_cast<double>(i) / static_cast<double>(points_.size() - 1);
  }
  [[nodiscard]] double y(double value) const { return kBottom - (kBottom - kTop) * (value - low_) / (high_ - low_); }

  void find_levels() {
    std::map<std::size_t, const core::HistoryChangePoint*> changes;
    for (const core::HistoryChangePoint& change : history_.whole.change_points) {
      const auto point =
          std::find_if(points_.begin(), points_.end(), [&](const Point& one) { return one.entry->slug == change.slug; });
      if (point != points_.end()) changes[static_cast<std::size_t>(point - points_.begin())] = &change;
    }
    std::size_t from = 0;
    for (const auto& [index, change] : changes) {
      levels_.push_back({from, index, change->before});
      from = index;
    }
    double middle = 0;
    if (changes.empty()) {
      std::vector<double> values;
      for (const Point& point : points_) values.push_back(point.value);
      middle = core::median(values);
    } else {
      middle = changes.rbegin()->second->after;
    }
    levels_.push_back({from, points_.size(), middle});
  }

  void find_range() {
    low_ = high_ = points_.front().value;
    for (const Point& point : points_) {
      low_ = std::min(low_, point.value);
      high_ = std::max(high_, point.value);
    }
    const double share = history_.whole.noise_floor_pct.value_or(0) / 100;
    for (const Level& level : levels_) {
      low_ = std::min(low_, level.middle - share * std::abs(level.middle));
      high_ = std::max(high_, level.middle + share * std::abs(level.middle));
    }
    double range = high_ - low_;
    const bool equal = !(range > 1e-9 * std::abs(high_));  // as far as any figure shows, and doubles have places for its ticks
    if (equal || !std::isfinite(range)) range = std::max(std::abs(high_), 1.0) * 0.1;
    low_ -= range * 0.06;
    high_ += range * 0.06;
  }

  void draw_ticks() {
    const double step = nice((high_ - low_) / 5);
    double tick = std::ceil(low_ / step) * step;
    while (tick <= high_) {
      Data& one = data_.item("ticks");
      one.set("y", at(y(tick)))
          .set("text_y", at(y(tick) + 4))
          .set("text", reports::figure(std::abs(tick) < step / 1e6 ? 0 : tick));
      tick += step;
    }
  }

  bool draw_bands() {
    const double share = history_.whole.noise_floor_pct.value_or(0) / 100;
    for (const Level& level : levels_) {
      const double half = share * std::abs(level.middle);
      const double from = x(level.from), to = x(level.to - 1);
      Data& band = data_.item("bands");
      band.set("x", at(from)).set("x2", at(to)).set("width", at(std::max(to - from, 0.0)));
      band.set("y", at(y(level.middle + half))).set("height", at(y(level.middle - half) - y(level.middle + half)));
      band.set("level_y", at(y(level.middle)));
    }
    return share > 0;
  }

  void draw_values() {
    std::string line;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      line += at(x(i)) + "," + at(y(points_[i].value)) + " ";
      if (points_.size() > kDots) continue;
      data_.item("dots").set("x", at(x(i))).set("y", at(y(points_[i].value))).set("text", words(points_[i]));
    }
    data_.set("points", line);
  }

  bool draw_changes() {
    bool any = false;
    for (const core::HistoryChangePoint& change : history_.whole.change_points) {
      const auto point =
          std::find_if(points_.begin(), points_.end(), [&](const Point& one) { return one.entry->slug == change.slug; });
      if (point == points_.end()) continue;
      const auto index = static_cast<std::size_t>(point - points_.begin());
      const double where = index == 0 ? x(0) : (x(index - 1) + x(index)) / 2;
      const bool at_the_end = where > width_ * 0.8;
      Data& one = data_.item("changes");
      one.set("x", at(where)).set("text_x", at(at_the_end ? where - 5 : where + 5)).set("anchor", at_the_end ? "end" : "");
      one.set("text", change.change_pct ? reports::signed_percent(*change.change_pct) : std::string("level changed"));
      any = true;
    }
    return any;
  }

  bool draw_accepted() {
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (!points_[i].entry->accepted) continue;
      const double cx = x(i), cy = y(points_[i].value);
      Data& one = data_.item("accepted");
      one.set("x", at(cx - 5))
          .set("y", at(cy - 5))
          .set("cx", at(cx))
          .set("cy", at(cy))
          .set("text", words(points_[i]) + ", accepted");
      return true;
    }
    return false;
  }

  [[nodiscard]] std::string words(const Point& point) const {
    return time_text(point.entry->slug) + " UTC: " + value_text(point.value, history_.whole.unit);
  }
  [[nodiscard]] std::string title() const {
    return core::counted(points_.size(), "value") + " of " + history_.family + "/" + history_.measurement + ", from " +
           value_text(points_.front().value, history_.whole.unit) + " to " +
           value_text(points_.back().value, history_.whole.unit) + ", with " +
           core::counted(history_.whole.change_points.size(), "change of level", "changes of level") +
           "; the table below has them";
  }

  const core::HistoryResult& history_;
  const double width_;
  std::vector<Point> points_;
  std::vector<Level> levels_;
  double low_ = 0, high_ = 1;
  Data data_;
};

}  // namespace

TrendFigure trend_figure(const core::HistoryResult& history) {
  TrendFigure figure = Drawing(history, kWide).draw();
  figure.svg += Drawing(history, kNarrow).draw().svg;
  return figure;
}

}  // namespace plumbline::server::site
