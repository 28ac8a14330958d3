#include "reports/page/matrix.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "reports/page/dimensions.hpp"

namespace plumbline::reports {
namespace {

constexpr std::size_t kMatrices = 12, kLines = 64;

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

}  // namespace

std::vector<Matrix> matrices_of(const core::DiffResult& result) {
  if (result.comparison() == nullptr) return {};
  const core::Comparison& c = *result.comparison();
  const core::StringPool& pool = c.baseline->pool();
  const core::Id row_dim = pool.find("row"), col_dim = pool.find("col");
  if (row_dim == core::kNoId || col_dim == core::kNoId) return {};  // no row has such dimensions
  const core::Id axes[] = {row_dim, col_dim};
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
    std::string title = title_without(side, *row, axes);
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

}  // namespace plumbline::reports
