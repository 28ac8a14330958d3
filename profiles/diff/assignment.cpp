#include "profiles/diff/assignment.hpp"

#include <algorithm>
#include <limits>

namespace plumbline::profiles {
namespace {

// One more row at a time: the cheapest path from it to a free column, costs kept at zero or above by the potentials.
class Assignment {
 public:
  Assignment(const std::vector<std::int64_t>& worth, std::size_t rows, std::size_t columns)
      : worth_(worth), rows_(rows), columns_(columns), size_(std::max(rows, columns)) {}

  std::vector<std::size_t> run() {
    row_of_.assign(size_ + 1, kNobody);
    row_potential_.assign(size_, 0);
    column_potential_.assign(size_ + 1, 0);
    for (std::size_t row = 0; row < size_; ++row) add(row);
    std::vector<std::size_t> result(rows_, kNobody);
    for (std::size_t column = 0; column < columns_; ++column) {
      const std::size_t row = row_of_[column];
      if (row < rows_ && worth_[row * columns_ + column] > 0) result[row] = column;
    }
    return result;
  }

 private:
  [[nodiscard]] std::int64_t cost(std::size_t row, std::size_t column) const {
    return row < rows_ && column < columns_ ? -worth_[row * columns_ + column] : 0;
  }

  void add(std::size_t row) {
    constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();
    std::vector<std::int64_t> distance(size_ + 1, kFar);
    std::vector<std::size_t> before(size_ + 1, size_);
    std::vector<bool> seen(size_ + 1, false);
    std::size_t column = size_;  // where the new row stands before it has a column
    row_of_[column] = row;
    do {
      seen[column] = true;
      const std::size_t from = row_of_[column];
      std::int64_t least = kFar;
      std::size_t next = size_;
      for (std::size_t j = 0; j < size_; ++j) {
        if (seen[j]) continue;
        const std::int64_t reduced = cost(from, j) - row_potential_[from] - column_potential_[j];
        if (reduced < distance[j]) {
          distance[j] = reduced;
          before[j] = column;
        }
        if (distance[j] < least) {
          least = distance[j];
          next = j;
        }
      }
      for (std::size_t j = 0; j <= size_; ++j) {
        if (seen[j]) {
          row_potential_[row_of_[j]] += least;
          column_potential_[j] -= least;
        } else if (distance[j] != kFar) {
          distance[j] -= least;
        }
      }
      column = next;
    } while (row_of_[column] != kNobody);
    for (; column != size_; column = before[column]) row_of_[column] = row_of_[before[column]];
    row_of_[size_] = kNobody;
  }

  const std::vector<std::int64_t>& worth_;
  std::size_t rows_, columns_, size_;
  std::vector<std::size_t> row_of_;  // of a column; the last stands for the row on its way
  std::vector<std::int64_t> row_potential_, column_potential_;
};

}  // namespace

std::vector<std::size_t> best_assignment(const std::vector<std::int64_t>& worth, std::size_t rows, std::size_t columns) {
  if (rows == 0 || columns == 0) return std::vector<std::size_t>(rows, kNobody);
  return Assignment(worth, rows, columns).run();
}

}  // namespace plumbline::profiles
