#include "reports/page/history_chart.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/text.hpp"
#include "reports/page/html.hpp"
#include "reports/page/svg.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {
namespace {

constexpr double kHeight = 150;

// "20261123T1504…" as people write it: "2026-11-23".
std::string day_of(std::string_view slug) {
  if (slug.size() < 8) return one_line(slug);
  return std::string(slug.substr(0, 4)) + "-" + std::string(slug.substr(4, 2)) + "-" + std::string(slug.substr(6, 2));
}

class Picture {
 public:
  explicit Picture(const core::HistoryLine& line) : line_(line) {
    low_ = high_ = line.current;
    for (const double value : line.values) take(value);
    if (const auto band = noise()) {
      take(band->first);
      take(band->second);
    }
    const double room = high_ > low_ ? (high_ - low_) * 0.08 : std::max(std::fabs(high_), 1.0) * 0.05;
    low_ -= room;
    high_ += room;
  }

  [[nodiscard]] std::string svg(std::string_view tone) const {
    const std::string words =
        "history of " + (line_.key.empty() ? std::string("the value") : shorten_middle(one_line(line_.key), 90)) + ": " +
        core::counted(line_.values.size(), "entry", "entries") + ", " + core::counted(line_.changes.size(), "change") +
        " of level, this run at " + figure(line_.current, line_.unit);
    std::string out = svg::open(kHeight + 22, words, "plot");
    if (const auto band = noise()) out += svg::rect(0, top(band->second), 100, top(band->first) - top(band->second), "band");
    const double step = svg::nice((high_ - low_) / 3);
    for (int i = 0; i < 16; ++i) {
      const double tick = (std::ceil(low_ / step) + i) * step;
      if (tick > high_) break;
      out += svg::line(0, top(tick), 100, top(tick), "grid") + "<text x=\"-7\" y=\"" + svg::number(top(tick) + 4) +
             "\" class=\"faint end\">" + markup(core::short_number(tick, 4)) + "</text>";
    }
    for (const std::size_t change : line_.changes) {
      const double x = (left(change) + left(change - 1)) / 2;
      out += svg::line(x, 0, x, kHeight, "change") +
             svg::text(x + (x > 70 ? -0.6 : 0.6), 11, "level changed", x > 70 ? "soft end" : "soft");
    }
    std::vector<std::pair<double, double>> places;
    for (std::size_t i = 0; i < line_.values.size(); ++i) places.emplace_back(left(i), 100 * top(line_.values[i]) / kHeight);
    places.emplace_back(100, 100 * top(line_.current) / kHeight);
    out += "<svg width=\"100%\" height=\"" + svg::number(kHeight) + "\">" + svg::polyline(places, "line-was") + "</svg>";
    for (std::size_t i = 0; i < line_.values.size(); ++i) {
      out +=
          "<g><title>" + html::plain(line_.slugs[i] + ": " + figure(line_.values[i], line_.unit)) + "</title>" +
          svg::circle(left(i), top(line_.values[i]), line_.baseline == i ? 4.5 : 2.6, line_.baseline == i ? "now ring" : "now") +
          "</g>";
    }
    out += svg::circle(100, top(line_.current), 5.5, "this " + std::string(tone)) +
           svg::text(99, top(line_.current) + (top(line_.current) > kHeight / 2 ? -10 : 18),
                     "this run " + figure(line_.current, line_.unit), "end");
    out += svg::text(0, kHeight + 17, day_of(line_.slugs.front()), "faint") + svg::text(100, kHeight + 17, "now", "faint end");
    return out + "</svg>";
  }

  [[nodiscard]] std::string numbers() const {
    html::Table table({{"Entry"}, {"Value", true}, {"What"}});
    for (std::size_t i = 0; i < line_.values.size(); ++i) {
      std::string what = line_.baseline == i ? "the baseline" : "";
      if (std::ranges::find(line_.changes, i) != line_.changes.end()) what += what.empty() ? "a new level" : ", a new level";
      table.row().cell(line_.slugs[i]).cell(figure(line_.values[i], line_.unit)).cell(what);
    }
    table.row().cell("this run").cell(figure(line_.current, line_.unit)).cell("");
    return table.text("History of " + (line_.key.empty() ? std::string("the value") : line_.key));
  }

 private:
  void take(double value) {
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
  }
  // Around what this run is compared with.
  [[nodiscard]] std::optional<std::pair<double, double>> noise() const {
    if (!line_.noise_floor_pct) return std::nullopt;
    const double at = line_.values[line_.baseline.value_or(line_.values.size() - 1)];
    const double reach = std::fabs(at) * *line_.noise_floor_pct / 100;
    return std::pair(at - reach, at + reach);
  }
  [[nodiscard]] double left(std::size_t i) const {
    return 100 * static_cast<double>(i) / static_cast<double>(line_.values.size());
  }
  [[nodiscard]] double top(double value) const { return kHeight * (high_ - value) / (high_ - low_); }

  const core::HistoryLine& line_;
  double low_, high_;
};

}  // namespace

std::string history_chart(const core::HistoryLine& line, std::string_view name, std::string_view tone) {
  if (line.values.empty() || line.slugs.size() != line.values.size()) return {};
  const Picture picture(line);
  std::string floor;
  if (line.noise_floor_pct) floor = ", noise ±" + core::short_number(*line.noise_floor_pct, 2) + "%";
  return "<figure><figcaption>" + html::code(name.empty() ? "value" : name, 90) + " <small>" +
         core::counted(line.values.size(), "entry", "entries") + floor + "</small></figcaption>" + picture.svg(tone) +
         html::folded("Numbers of this picture", picture.numbers()) + "</figure>\n";
}

}  // namespace plumbline::reports
