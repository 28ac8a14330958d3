#include "verdict/advising/axis.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "core/text.hpp"

namespace plumbline::verdict {

namespace {

using core::Delta;
using core::State;

constexpr std::uint64_t kAxisRows = 200'000;  // rows looked at for clusters: beyond that the regressed ones and a sample

bool counts(const Delta& d) { return d.state != State::context && d.state != State::added; }
bool sound(const core::Comparison& c, const core::RowMarks& marks, const Delta& d) {
  return d.state == State::regressed && !marks.suspect(c.index(d));
}

// What a row could be said to belong to: its dims, and the words of its path that are not its metric.
template <class Visit>
void visit_axes(const core::Comparison& c, const Delta& d, Visit&& visit) {
  const core::Row* row = c.row(d);
  if (row == nullptr) return;
  const core::Measurement& side = c.side(d);
  std::string_view matrix_row;  // a device that is slow with every other is one row and one column of a matrix
  for (const auto& [name, value] : side.dims(*row)) {
    const std::string_view dim = side.pool().view(name), at = side.pool().view(value);
    visit(std::string(dim) + "=" + std::string(at));
    if (dim == "row") matrix_row = at;
    if (dim == "row" || (dim == "col" && at != matrix_row)) visit("row or col=" + std::string(at));
  }
  visit("metric " + std::string(side.metric(*row)));
  const std::string_view key = side.key(*row);
  std::size_t start = 0;
  for (std::size_t i = 0; i <= key.size(); ++i) {
    const bool word = i < key.size() && (std::isalnum(static_cast<unsigned char>(key[i])) != 0 || key[i] == '_');
    if (word) continue;
    if (i - start >= 2) {
      const std::string_view text = key.substr(start, i - start);
      if (text != side.metric(*row)) visit(std::string(text));
    }
    start = i + 1;
  }
}

// "64MiB", "1048576", "4K" as a number of the base unit; nullopt for anything else. Counts without a unit are numbers too.
std::optional<double> magnitude(std::string_view text) {
  std::size_t digits = 0;
  while (digits < text.size() && (std::isdigit(static_cast<unsigned char>(text[digits])) != 0 || text[digits] == '.')) ++digits;
  if (digits == 0) return std::nullopt;
  const auto number = core::parse_double(text.substr(0, digits));
  if (!number) return std::nullopt;
  std::string unit = core::to_lower(text.substr(digits));
  if (unit.empty()) return number;
  if (unit.back() == 'b') unit.pop_back();
  const bool binary = !unit.empty() && unit.back() == 'i';
  if (binary) unit.pop_back();
  if (unit.empty()) return binary ? std::nullopt : number;
  static constexpr std::string_view kPrefixes = "kmgt";
  const std::size_t power = unit.size() == 1 ? kPrefixes.find(unit.front()) : std::string_view::npos;
  if (power == std::string_view::npos) return std::nullopt;
  return *number * std::pow(binary ? 1024.0 : 1000.0, static_cast<double>(power + 1));
}

double score_of(const Axis& axis) {
  const double recall = static_cast<double>(axis.regressed) / static_cast<double>(axis.regressed_total);
  const double precision = static_cast<double>(axis.regressed) / static_cast<double>(axis.rows);
  return 2 * recall * precision / (recall + precision);
}

// Ordered axes: every row that has a magnitude on it, by value. Regressions that begin (or end) at a point are a threshold.
struct Scale {
  struct Point {
    double value;
    std::string text;
    bool regressed;
  };
  std::vector<Point> points;
};

std::optional<Axis> best_threshold(const std::string& name, std::vector<Scale::Point>& points, std::uint64_t regressed_total) {
  std::stable_sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
  const auto total =
      static_cast<std::uint64_t>(std::count_if(points.begin(), points.end(), [](const auto& p) { return p.regressed; }));
  if (total == 0 || total == points.size()) return std::nullopt;
  std::optional<Axis> best;
  const auto consider = [&](std::string text, std::uint64_t regressed, std::uint64_t rows) {
    if (10 * regressed < 9 * regressed_total || 10 * regressed < 9 * rows || rows == points.size()) return;
    Axis axis{std::move(text), regressed, regressed_total, rows};
    if (!best || score_of(axis) > score_of(*best)) best = std::move(axis);
  };
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i > 0 && points[i].value != points[i - 1].value) {
      consider(name + " >= " + points[i].text, total - below, points.size() - i);
      consider(name + " <= " + points[i - 1].text, below, i);
    }
    below += points[i].regressed ? 1 : 0;
  }
  return best;
}

std::optional<Axis> scale_axis(const core::Comparison& c, const core::RowMarks& marks, std::uint64_t regressed_total) {
  if (c.deltas.size() > kAxisRows) return std::nullopt;
  std::map<std::string, Scale> scales;
  for (const Delta& d : c.deltas) {
    if (!counts(d)) continue;
    const core::Row* row = c.row(d);
    if (row == nullptr) continue;
    const core::Measurement& side = c.side(d);
    const auto add = [&](const std::string& name, std::string_view text) {
      if (const auto value = magnitude(text)) scales[name].points.push_back({*value, std::string(text), sound(c, marks, d)});
    };
    for (const auto& [name, value] : side.dims(*row)) add(std::string(side.pool().view(name)), side.pool().view(value));
    if (!side.dims(*row).empty()) continue;
    // A path part that is a size by itself ("all_reduce.64MiB.busbw").
    for (const std::string_view part : core::split(side.key(*row), '.')) {
      if (!part.empty() && std::isdigit(static_cast<unsigned char>(part.front())) != 0 &&
          std::isalpha(static_cast<unsigned char>(part.back())) != 0) {
        add("size", part);
      }
    }
  }
  std::optional<Axis> best;
  for (auto& [name, scale] : scales) {
    auto found = best_threshold(name, scale.points, regressed_total);
    if (found && (!best || score_of(*found) > score_of(*best))) best = std::move(found);
  }
  return best;
}

}  // namespace

std::optional<Axis> suspect_axis(const core::Comparison& c, const core::RowMarks& marks) {
  std::uint64_t regressed = 0;
  for (const Delta& d : c.deltas) regressed += sound(c, marks, d) ? 1 : 0;
  if (regressed < 2 || regressed > kAxisRows) return std::nullopt;
  std::map<std::string, Axis> axes;
  std::uint64_t total = 0;
  for (const Delta& d : c.deltas) {
    if (!sound(c, marks, d)) continue;
    visit_axes(c, d, [&](const std::string& name) {
      Axis& axis = axes[name];
      ++axis.regressed;
    });
  }
  std::erase_if(axes, [&](const auto& entry) { return 2 * entry.second.regressed < regressed; });
  std::optional<Axis> scale = scale_axis(c, marks, regressed);
  if (axes.empty()) return scale;
  const std::size_t step = std::max<std::size_t>(1, c.deltas.size() / kAxisRows);
  std::uint64_t looked = 0;
  for (std::size_t i = 0; i < c.deltas.size(); i += step) {
    const Delta& d = c.deltas[i];
    if (d.state == State::context || d.state == State::added) continue;
    ++looked;
    visit_axes(c, d, [&](const std::string& name) {
      if (const auto it = axes.find(name); it != axes.end()) ++it->second.rows;
    });
  }
  total = looked;
  const Axis* best = nullptr;
  double best_score = 0;
  for (auto& [name, axis] : axes) {
    axis.name = name;
    axis.regressed_total = regressed;
    axis.rows = std::max(axis.rows, axis.regressed);
    // Shared by all rows alike: no axis. A good one holds most regressed rows and few others.
    if (10 * axis.rows > 8 * total && axis.rows > axis.regressed) continue;
    const double recall = static_cast<double>(axis.regressed) / static_cast<double>(regressed);
    const double precision = static_cast<double>(axis.regressed) / static_cast<double>(axis.rows);
    if (recall < 0.6 || precision < 0.6) continue;
    const double score = score_of(axis);
    if (best == nullptr || score > best_score + 1e-9) {
      best = &axis;
      best_score = score;
    }
  }
  if (scale && (best == nullptr || score_of(*scale) > best_score + 1e-9)) return scale;
  if (best == nullptr || (best->regressed == total && regressed == total)) return std::nullopt;
  return *best;
}

}  // namespace plumbline::verdict
