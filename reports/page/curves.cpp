#include "reports/page/curves.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "core/results/dimension_words.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "reports/page/dimensions.hpp"
#include "reports/page/html.hpp"
#include "reports/page/scales.hpp"
#include "reports/page/svg.hpp"
#include "reports/page/tone.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {
namespace {

constexpr std::size_t kMostRows = 20'000, kFewestPoints = 4, kMostPoints = 256, kPointsMarked = 40, kNumbers = 80;
constexpr double kFurthest = 150;  // percent: larger changes stand at the edge

struct Gathered {
  Curve curve;
  double worst = 0;
  bool judged = false, moves = false;
};
using Groups = std::map<std::string, Gathered>;

// Dimensions that say the same of every row need not be said of a curve.
std::vector<core::Id> constant_dimensions(const core::Comparison& all) {
  std::map<core::Id, std::set<core::Id>> values;
  for (const core::Delta& delta : all.deltas) {
    const core::Row* row = all.row(delta);
    if (row == nullptr) continue;
    for (const auto& [name, value] : all.side(delta).dims(*row)) values[name].insert(value);
  }
  std::vector<core::Id> out;
  for (const auto& [name, seen] : values) {
    if (seen.size() == 1) out.push_back(name);
  }
  return out;
}

// The rows along one dimension, put together by what else they say.
Groups along(const core::Comparison& all, core::Id dimension, std::vector<core::Id> unsaid) {
  unsaid.push_back(dimension);
  Groups groups;
  for (std::uint32_t i = 0; i < all.deltas.size(); ++i) {
    const core::Delta& delta = all.deltas[i];
    const core::Row* row = all.row(delta);
    if (row == nullptr || row->value_count == 0) continue;
    const core::Measurement& side = all.side(delta);
    const auto dims = side.dims(*row);
    const auto found = std::ranges::find(dims, dimension, &std::pair<core::Id, core::Id>::first);
    if (found == dims.end()) continue;
    const std::string_view value = side.pool().view(found->second), name = side.pool().view(dimension);
    const auto x = core::parse_double(value);
    if (!x || !std::isfinite(*x)) continue;
    std::string title = title_without(side, *row, unsaid);
    Gathered& group = groups[title];
    group.curve.title = std::move(title);
    group.curve.dimension = name;
    group.curve.points.push_back({*x, core::dimension_value_text(name, value), i});
    group.moves = group.moves || delta.baseline != 0 || delta.current != 0;
    group.judged = group.judged || delta.state != core::State::context;
    if (delta.adverse && delta.state != core::State::context)
      group.worst = std::max(group.worst, std::isfinite(delta.used) ? delta.used : 1e9);
  }
  for (auto& [title, group] : groups) std::ranges::sort(group.curve.points, {}, &CurvePoint::x);
  std::erase_if(groups, [](const auto& one) {
    const std::vector<CurvePoint>& points = one.second.curve.points;
    const bool twice = std::ranges::adjacent_find(points, {}, &CurvePoint::x) != points.end();
    return twice || !one.second.judged || !one.second.moves || points.size() < kFewestPoints || points.size() > kMostPoints;
  });
  return groups;
}

std::size_t rows_in(const Groups& groups) {
  std::size_t sum = 0;
  for (const auto& [title, group] : groups) sum += group.curve.points.size();
  return sum;
}

// The values above, their change in percent below.
constexpr double kValues = 200, kSpace = 16, kChange = 60, kBottom = kValues + kSpace + kChange;

struct Drawing {
  Scale x, y;
  double change = 1;  // the largest that is drawn, in percent either way
  [[nodiscard]] double left(double value) const { return 100 * x.at(value); }
  [[nodiscard]] double top(double value) const { return kValues * (1 - y.at(value)); }
  [[nodiscard]] double below(double pct) const {
    return kValues + kSpace + kChange * (0.5 - 0.46 * std::clamp(pct / change, -1.0, 1.0));
  }
};

std::string beside(double y, std::string_view words) {
  return "<text x=\"-7\" y=\"" + svg::number(y + 4) + "\" class=\"faint end\">" + markup(words) + "</text>";
}

// Names of places that were measured, as many as a telephone has room for.
std::string names_of_places(const Curve& curve, const Drawing& drawing) {
  std::string out;
  double last = -100;
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    const double x = drawing.left(curve.points[i].x);
    const bool end = i + 1 == curve.points.size();
    if (!end && (x - last < 20 || x > 80)) continue;
    last = x;
    out += svg::line(x, kBottom, x, kBottom + 4, "zero") + svg::text(x, kBottom + 17,
                                                                     shorten_middle(one_line(curve.points[i].words), 9),
                                                                     end      ? "faint end"
                                                                     : i == 0 ? "faint"
                                                                              : "faint mid");
  }
  return out;
}

std::string axes(const Curve& curve, const Drawing& drawing) {
  std::string out;
  for (const double tick : drawing.y.ticks()) {
    const double top = drawing.top(tick);
    out += svg::line(0, top, 100, top, "grid") + beside(top, core::short_number(tick, 4));
  }
  for (const double part : {1.0, -1.0}) {
    const double y = drawing.below(part * drawing.change);
    out += svg::line(0, y, 100, y, "grid") + beside(y, core::signed_number(part * drawing.change, 3) + "%");
  }
  return out + names_of_places(curve, drawing);
}

std::string line_of(const Curve& curve, const std::vector<RowView>& rows, const Drawing& drawing, bool baseline) {
  std::vector<std::pair<double, double>> places;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::optional<double>& value = baseline ? rows[i].baseline : rows[i].current;
    if (value) places.emplace_back(drawing.left(curve.points[i].x), 100 * (1 - drawing.y.at(*value)));
  }
  return "<svg width=\"100%\" height=\"" + svg::number(kValues) + "\">" +
         svg::polyline(places, baseline ? "line-was" : "line-now") + "</svg>";
}

// The change at each place, over the tolerance of the first judged one.
std::string changes_of(const Curve& curve, const std::vector<RowView>& rows, const Drawing& drawing) {
  std::string out;
  const auto judged = std::ranges::find_if(rows, [](const RowView& row) { return band_pct(row) > 0; });
  if (judged != rows.end()) {
    const auto [from, to] = band_ends(*judged, std::min(band_pct(*judged), drawing.change));
    out += svg::rect(0, drawing.below(to), 100, drawing.below(from) - drawing.below(to), "band");
  }
  out += svg::line(0, drawing.below(0), 100, drawing.below(0), "zero");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].delta_pct) continue;
    const double x = drawing.left(curve.points[i].x), y = drawing.below(*rows[i].delta_pct);
    const std::string tone(tone_of(rows[i]));
    out += svg::line(x, drawing.below(0), x, y, tone + " stem");
    if (tone != "flat") out += svg::circle(x, y, 3.2, tone + " dot");
  }
  return out;
}

std::string marks_of(const Curve& curve, const std::vector<RowView>& rows, const Drawing& drawing) {
  std::string out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const RowView& row = rows[i];
    if (!row.current) continue;
    const std::string_view tone = tone_of(row);
    if (tone == "flat") {
      if (rows.size() <= kPointsMarked) out += svg::circle(drawing.left(curve.points[i].x), drawing.top(*row.current), 2, "now");
      continue;
    }
    out += "<g><title>" +
           html::plain(curve.points[i].words + ": " + baseline_cell(row) + " → " + current_cell(row) + " (" + change_cell(row) +
                       "), " + state_text(row)) +
           "</title>" + svg::circle(drawing.left(curve.points[i].x), drawing.top(*row.current), 4.2, std::string(tone) + " dot") +
           "</g>";
  }
  return out;
}

std::string numbers_of(const Curve& curve, const std::vector<RowView>& rows) {
  html::Table table({{curve.dimension}, {"Baseline", true}, {"Current", true}, {"Change", true}, {"State"}});
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (table.rows() == kNumbers || (rows.size() > kNumbers && tone_of(rows[i]) == "flat")) {
      ++left_out;
      continue;
    }
    table.row().cell(curve.points[i].words).cell(baseline_cell(rows[i])).cell(current_cell(rows[i])).cell(change_cell(rows[i]));
    table.markup(html::chip(state_text(rows[i]), tone_of(rows[i])));
  }
  return table.text(curve.title) +
         (left_out == 0 ? std::string() : html::note(grouped(left_out) + " further points are in deltas.jsonl."));
}

}  // namespace

std::vector<Curve> curves_of(const core::DiffResult& result) {
  const core::Comparison* all = result.comparison();
  if (all == nullptr || all->deltas.size() > kMostRows) return {};
  std::set<core::Id> dimensions;
  for (const core::Delta& delta : all->deltas) {
    const core::Row* row = all->row(delta);
    if (row == nullptr || row->dims == 0) continue;
    for (const auto& [name, value] : all->side(delta).dims(*row)) dimensions.insert(name);
  }
  const std::vector<core::Id> unsaid = constant_dimensions(*all);
  Groups best;
  for (const core::Id dimension : dimensions) {
    const std::string_view name = all->baseline->pool().view(dimension);
    if (name == "row" || name == "col" || name == "case") continue;
    Groups groups = along(*all, dimension, unsaid);
    if (rows_in(groups) > rows_in(best) || (rows_in(groups) == rows_in(best) && groups.size() < best.size()))
      best = std::move(groups);
  }
  std::vector<Gathered> found;
  found.reserve(best.size());
  for (auto& [title, group] : best) found.push_back(std::move(group));
  std::ranges::stable_sort(found, std::greater<>(), &Gathered::worst);
  std::vector<Curve> out;
  out.reserve(found.size());
  for (Gathered& one : found) out.push_back(std::move(one.curve));
  return out;
}

std::optional<double> ceiling_of(const std::vector<RowView>& rows) {
  for (const RowView& row : rows) {
    if (row.sol == nullptr) continue;
    if (const auto factor = core::conversion_factor(row.sol->ceiling_unit, row.unit)) return row.sol->ceiling_value * *factor;
  }
  return std::nullopt;
}

std::string curve_chart(const Curve& curve, const Rows& rows) {
  std::vector<RowView> views;
  double low = std::numeric_limits<double>::infinity(), high = -low, change = 0;
  for (const CurvePoint& point : curve.points) {
    views.push_back(rows.at(point.delta));
    change = std::max(change, std::fabs(views.back().delta_pct.value_or(0)));
    change = std::max(change, std::min(1.3 * band_pct(views.back()), 60.0));
    for (const auto& value : {views.back().baseline, views.back().current}) {
      if (!value) continue;
      low = std::min(low, *value);
      high = std::max(high, *value);
    }
  }
  if (low > high) return {};
  const std::optional<double> ceiling = ceiling_of(views);
  const Drawing drawing{{curve.points.front().x, curve.points.back().x},
                        {low, std::max(high, ceiling.value_or(high))},
                        svg::nice(std::clamp(change, 0.1, kFurthest))};
  std::string out =
      "<figure><figcaption>" + html::code(curve.title, 90) + " <small>by " + html::plain(curve.dimension, 40) +
      (drawing.y.logarithmic() ? ", logarithmic" : "") + "</small></figcaption>" +
      svg::open(kBottom + 22, shorten_middle(one_line(curve.title), 120) + " by " + curve.dimension + ", baseline and current",
                "plot");
  out += axes(curve, drawing);
  if (ceiling) {
    const double top = drawing.top(*ceiling);
    const RowView& held = *std::ranges::find_if(views, [](const RowView& row) { return row.sol != nullptr; });
    out +=
        svg::line(0, top, 100, top, "ceiling") +
        svg::text(0.5, top - 4, shorten_middle(one_line(held.sol->ceiling_key), 30) + " " + figure(*ceiling, held.unit), "soft");
  }
  out += line_of(curve, views, drawing, true) + line_of(curve, views, drawing, false) + marks_of(curve, views, drawing) +
         changes_of(curve, views, drawing) + "</svg>";
  return out + html::folded("Numbers of this picture", numbers_of(curve, views)) + "</figure>\n";
}

}  // namespace plumbline::reports
