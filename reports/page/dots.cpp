#include "reports/page/dots.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/text.hpp"
#include "reports/page/html.hpp"
#include "reports/page/scales.hpp"
#include "reports/page/svg.hpp"
#include "reports/page/tone.hpp"
#include "reports/short_keys.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {
namespace {

constexpr std::size_t kTrialsDrawn = 40;
constexpr double kHeight = 30, kMiddle = 15, kBefore = 6, kAfter = 24;

std::vector<double> trials(const core::Measurement& side, std::uint32_t row, double factor, double baseline) {
  std::vector<double> out;
  if (row == core::kNoRow || baseline == 0) return out;
  const std::span<const double> values = side.values(side.rows()[row]);
  if (values.size() < 2) return out;
  for (const double value : values.first(std::min(values.size(), kTrialsDrawn)))
    out.push_back(100 * (value * factor - baseline) / std::fabs(baseline));
  return out;
}

}  // namespace

DrawnRow drawn_row(const Rows& rows, std::uint32_t index) {
  DrawnRow out{.row = rows.at(index), .baseline = {}, .current = {}};
  out.band = band_pct(out.row);
  const core::Comparison* all = rows.comparison();
  if (all == nullptr || !out.row.baseline) return out;
  const core::Delta& delta = all->deltas[index];
  const auto factor = std::ranges::lower_bound(all->unit_factors, index, {}, &std::pair<std::uint32_t, double>::first);
  const bool converted = factor != all->unit_factors.end() && factor->first == index;
  out.baseline = trials(*all->baseline, delta.baseline_row, 1, delta.baseline);
  out.current = trials(*all->current, delta.current_row, converted ? factor->second : 1, delta.baseline);
  return out;
}

std::vector<std::uint32_t> rows_to_draw(const Rows& rows, std::size_t most, std::size_t quiet) {
  std::vector<std::uint32_t> shown;
  for (const std::uint32_t index : rows.top(most * 4)) {
    const core::State state = rows.at(index).state;
    const bool left_out = state == core::State::context || (state == core::State::unchanged && shown.size() >= quiet);
    if (shown.size() < most && !left_out) shown.push_back(index);
  }
  return shown;
}

double reach_of(const std::vector<DrawnRow>& all) {
  double reach = 0;
  const auto take = [&reach](double pct) { reach = std::max(reach, std::fabs(pct)); };
  for (const DrawnRow& one : all) {
    if (one.row.delta_pct) take(*one.row.delta_pct);
    take(std::min(1.5 * one.band, 60.0));
    for (const std::vector<double>* side : {&one.baseline, &one.current}) std::ranges::for_each(*side, take);
    if (one.row.statistics != nullptr && one.row.statistics->interval_low_pct) take(*one.row.statistics->interval_low_pct);
    if (one.row.statistics != nullptr && one.row.statistics->interval_high_pct) take(*one.row.statistics->interval_high_pct);
  }
  return reach;
}

namespace {

class Axis : public ChangeAxis {
 public:
  using ChangeAxis::ChangeAxis;
  [[nodiscard]] double at(double pct) const { return 100 * ChangeAxis::at(pct); }
  [[nodiscard]] std::string grid(double height) const {
    std::string out;
    for (int i = -ticks(); i <= ticks(); ++i)
      out += svg::line(at(step() * i), 0, at(step() * i), height, i == 0 ? "zero" : "grid");
    return out;
  }
  [[nodiscard]] std::string labels() const {
    std::string out;
    // Three are enough to read it by, and have room on a telephone.
    for (const int side : {-1, 0, 1}) {
      out += svg::text(50.0 * (side + 1), 11, side == 0 ? "0" : core::signed_number(end() * side, 4) + "%",
                       side < 0    ? "faint"
                       : side == 0 ? "faint mid"
                                   : "faint end");
    }
    return out;
  }
};

std::string svg_of(const DrawnRow& one, const Axis& axis) {
  const RowView& row = one.row;
  const std::string tone(tone_of(row));
  std::string out = "<svg class=\"dots\" width=\"100%\" height=\"30\" aria-hidden=\"true\">";
  if (one.band > 0) {
    const auto [from, to] = band_ends(row, one.band);
    out += svg::rect(axis.at(from), 0, axis.at(to) - axis.at(from), kHeight, "band");
  }
  out += axis.grid(kHeight);
  for (const double pct : one.baseline) out += svg::circle(axis.at(pct), kBefore, 2.4, "trial");
  for (const double pct : one.current) out += svg::circle(axis.at(pct), kAfter, 2.4, tone + " trial-now");
  if (row.delta_pct) {
    const double x = axis.at(*row.delta_pct);
    out += svg::line(axis.at(0), kMiddle, x, kMiddle, tone + " stem");
    if (row.statistics != nullptr && row.statistics->interval_low_pct && row.statistics->interval_high_pct) {
      const double low = axis.at(*row.statistics->interval_low_pct), high = axis.at(*row.statistics->interval_high_pct);
      out += svg::line(low, kMiddle, high, kMiddle, "whisker") + svg::line(low, kMiddle - 4, low, kMiddle + 4, "whisker") +
             svg::line(high, kMiddle - 4, high, kMiddle + 4, "whisker");
    }
    out += svg::circle(x, kMiddle, 4.5, tone + (row.culprit ? " dot part" : " dot"));
    if (axis.beyond(*row.delta_pct))
      out += svg::text(*row.delta_pct > 0 ? 95 : 5, kMiddle + 4, *row.delta_pct > 0 ? "»" : "«", *row.delta_pct > 0 ? "end" : "");
  }
  return out + "</svg>";
}

std::string interval_words(const RowView& row) {
  if (row.statistics == nullptr || !row.statistics->interval_low_pct || !row.statistics->interval_high_pct) return "–";
  return core::signed_number(*row.statistics->interval_low_pct, 3) + " to " +
         core::signed_number(*row.statistics->interval_high_pct, 3) + "%";
}

}  // namespace

std::string dots_table(const Rows& rows, std::span<const std::uint32_t> shown) {
  std::vector<DrawnRow> all;
  std::vector<std::string_view> keys;
  bool number = false, bands = false, trials = false, whiskers = false;
  for (const std::uint32_t index : shown) {
    all.push_back(drawn_row(rows, index));
    const DrawnRow& one = all.back();
    keys.push_back(one.row.key);
    number = number || one.row.delta_pct.has_value();
    bands = bands || one.band > 0;
    trials = trials || !one.baseline.empty() || !one.current.empty();
    whiskers = whiskers || interval_words(one.row) != "–";
  }
  if (!number) return {};
  const ShortKeys brief(keys);
  const Axis axis(reach_of(all));
  std::string out =
      "<table class=\"drawn\">\n<thead><tr><th scope=col>Row<th scope=col class=draw><span class=said>Change in percent of the "
      "baseline</span><svg class=\"axis\" width=\"100%\" height=\"14\" aria-hidden=\"true\">" +
      axis.labels() + "</svg><th scope=col class=num>Baseline<th scope=col class=num>Current<th scope=col class=num>Change" +
      (whiskers ? "<th scope=col class=num>Interval" : "") + "<th scope=col>State</thead>\n<tbody>";
  for (const DrawnRow& one : all) {
    const RowView& row = one.row;
    const std::string tone(tone_of(row));
    out += "\n<tr><th scope=row>" + html::code(brief.of(row.key), 90) + (row.headline ? " " + html::chip("headline") : "") +
           (row.gate ? " " + html::chip("gate") : "") + "<td class=draw>" + svg_of(one, axis) + "<td class=\"num from\">" +
           html::plain(baseline_cell(row), 40) + "<td class=\"num to\">" + html::plain(current_cell(row), 40) +
           "<td class=\"num change " + tone + "\">" + html::plain(change_cell(row), 40);
    if (whiskers) out += "<td class=\"num interval\">" + interval_words(row);
    out += "<td class=state>" + html::chip(state_text(row), tone);
  }
  out += "</tbody></table>\n";
  std::vector<html::Mark> marks = {
      {"dot bad", "worse beyond tolerance"}, {"dot doubt", "suspect or not decided"}, {"dot good", "better"}};
  if (bands) marks.push_back({"band", "tolerance"});
  if (trials) marks.push_back({"trial", "a trial of the baseline, above the line; of this run, below it"});
  if (whiskers) marks.push_back({"whisker", "interval of the change"});
  const std::string shared = brief.shared();
  return (shared.empty() ? std::string() : html::note("All rows: " + html::code(shared, 200))) + out + html::legend(marks);
}

}  // namespace plumbline::reports
