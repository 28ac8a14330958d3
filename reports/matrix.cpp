#include "reports/matrix.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/text.hpp"
#include "reports/chart.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {
namespace {

constexpr std::size_t kMatrices = 12, kLines = 64;
constexpr double kLeft = 90, kTop = 24, kRight = 990, kLargest = 56, kTextFrom = 38;

// Rows or columns of one matrix, in the order in which they come.
struct Axis {
  std::vector<std::string> names;
  std::unordered_map<core::Id, std::size_t> places;
  std::size_t place(core::Id id, std::string_view name) {
    const auto [at, fresh] = places.try_emplace(id, names.size());
    if (fresh) names.emplace_back(name);
    return at->second;
  }
};

struct Cell {
  std::size_t row, col;
  std::uint32_t delta;
};
struct Gathered {
  std::string title;
  Axis rows, cols;
  std::vector<Cell> cells;
  double worst = 0;
};

// What of a key is no coordinate: "test[p2p=on,row=0,col=1].bandwidth" -> "test p2p=on bandwidth".
std::string title_of(const core::Measurement& side, const core::Row& row, core::Id row_dim, core::Id col_dim) {
  const std::string_view key = side.key(row);
  std::string title(key.substr(0, key.find('[')));
  for (const auto& [name, value] : side.dims(row)) {
    if (name == row_dim || name == col_dim) continue;
    title.append(" ").append(side.pool().view(name)).append("=").append(side.pool().view(value));
  }
  title.append(" ").append(side.metric(row));
  if (const std::string_view unit = side.unit(row); !unit.empty()) title.append(", ").append(unit);
  return title;
}

}  // namespace

std::vector<Matrix> matrices_of(const core::DiffResult& result) {
  if (result.comparison() == nullptr) return {};
  const core::Comparison& c = *result.comparison();
  core::StringPool& pool = c.baseline->pool();
  const core::Id row_dim = pool.intern("row"), col_dim = pool.intern("col");
  std::map<std::string, Gathered> found;
  for (std::uint32_t i = 0; i < c.deltas.size(); ++i) {
    const core::Delta& delta = c.deltas[i];
    const core::Row* row = c.row(delta);
    if (row == nullptr || row->dims == 0) continue;
    const core::Measurement& side = c.side(delta);
    std::optional<core::Id> at_row, at_col;
    for (const auto& [name, value] : side.dims(*row)) {
      if (name == row_dim) at_row = value;
      if (name == col_dim) at_col = value;
    }
    if (!at_row || !at_col) continue;
    std::string title = title_of(side, *row, row_dim, col_dim);
    Gathered& matrix = found[title];
    if (matrix.title.empty()) matrix.title = std::move(title);
    const std::size_t y = matrix.rows.place(*at_row, pool.view(*at_row)), x = matrix.cols.place(*at_col, pool.view(*at_col));
    matrix.cells.push_back({y, x, i});
    if (delta.adverse && std::isfinite(delta.used)) matrix.worst = std::max(matrix.worst, delta.used);
  }
  std::vector<const Gathered*> shown;
  for (const auto& [title, matrix] : found) {
    const bool one_cell = matrix.rows.names.size() < 2 && matrix.cols.names.size() < 2;
    if (!one_cell && matrix.rows.names.size() <= kLines && matrix.cols.names.size() <= kLines) shown.push_back(&matrix);
  }
  std::stable_sort(shown.begin(), shown.end(), [](const Gathered* a, const Gathered* b) { return a->worst > b->worst; });
  if (shown.size() > kMatrices) shown.resize(kMatrices);
  std::vector<Matrix> out;
  for (const Gathered* one : shown) {
    Matrix matrix{one->title, one->rows.names, one->cols.names, {}};
    matrix.deltas.assign(matrix.rows.size(), std::vector<int>(matrix.cols.size(), -1));
    for (const Cell& cell : one->cells) matrix.deltas[cell.row][cell.col] = static_cast<int>(cell.delta);
    out.push_back(std::move(matrix));
  }
  return out;
}

std::string matrix_chart(const Matrix& matrix, const Rows& rows) {
  const double side = std::min(kLargest, (kRight - kLeft) / static_cast<double>(matrix.cols.size()));
  const double height = kTop + side * static_cast<double>(matrix.rows.size()) + 4;
  const auto at = [](double value) { return core::short_number(std::round(value * 10) / 10, 6); };
  const auto text = [&](double x, double y, std::string_view words, std::string_view tone) {
    return "<text x=\"" + at(x) + "\" y=\"" + at(y) + "\" class=\"" + std::string(tone) + "\">" + markup(words) + "</text>";
  };
  std::string out = "<svg viewBox=\"0 0 1000 " + at(height) + "\" role=\"img\" aria-label=\"" + markup(matrix.title) + "\">";
  // Every name where there is room, else every so many.
  const std::size_t every = std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(20 / side)));
  for (std::size_t x = 0; x < matrix.cols.size(); x += every) {
    out +=
        text(kLeft + side * (static_cast<double>(x) + 0.5), kTop - 8, shorten_middle(one_line(matrix.cols[x]), 8), "faint mid");
  }
  for (std::size_t y = 0; y < matrix.rows.size(); ++y) {
    const double top = kTop + side * static_cast<double>(y);
    if (y % every == 0) out += text(kLeft - 8, top + side / 2 + 4, shorten_middle(one_line(matrix.rows[y]), 12), "faint end");
    for (std::size_t x = 0; x < matrix.cols.size(); ++x) {
      if (matrix.deltas[y][x] < 0) continue;
      const RowView row = rows.at(static_cast<std::size_t>(matrix.deltas[y][x]));
      const double left = kLeft + side * static_cast<double>(x);
      // At its tolerance a cell has half its strength, at three times that all of it.
      const double strength = row.state == core::State::unchanged && std::isfinite(row.used) ? 0.25
                              : std::isfinite(row.used) ? std::clamp(0.35 + 0.2 * row.used, 0.4, 1.0)
                                                        : 1.0;
      out += "<g><title>" +
             markup(one_line(std::string(row.key)) + ": " + baseline_cell(row) + " -> " + current_cell(row) + ", " +
                    state_text(row) + (row.culprit ? ", in the part that regressed" : "")) +
             "</title><rect x=\"" + at(left + 1) + "\" y=\"" + at(top + 1) + "\" width=\"" + at(side - 2) + "\" height=\"" +
             at(side - 2) + "\" rx=\"2\" class=\"" + std::string(tone_of(row)) + (row.culprit ? " part" : "") +
             "\" fill-opacity=\"" + core::short_number(strength, 2) + "\"/>";
      if (side >= kTextFrom) {
        const double scale = row.delta_pct && std::fabs(*row.delta_pct) < 10 ? 10 : 1;
        const std::string words =
            row.delta_pct ? core::signed_number(std::round(*row.delta_pct * scale) / scale, 4) : std::string("–");
        out += text(left + side / 2, top + side / 2 + 4, words, "mid");
      }
      out += "</g>";
    }
  }
  return out + "</svg>";
}

}  // namespace plumbline::reports
