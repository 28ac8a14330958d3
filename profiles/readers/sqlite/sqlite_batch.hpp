// Some rows of a SQLite table with the columns that were asked for, as every scan hands them over, whether it went through
// SQLite or over the pages themselves. A cell is an integer, text (a blob's bytes count as text) or nothing: NULL, a real
// number, a column that the table lacks. Row after row in flat arrays, reused from batch to batch. What a row gives out is
// valid until the batch is filled again. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::profiles {

enum class CellKind : std::uint8_t { nothing, integer, text };

class RowBatch {
 public:
  class Row {
   public:
    [[nodiscard]] std::optional<std::int64_t> integer(std::size_t column) const {
      if (kinds_[column] != CellKind::integer) return std::nullopt;
      return values_[column];
    }
    [[nodiscard]] std::int64_t integer_or(std::size_t column, std::int64_t otherwise) const {
      return kinds_[column] == CellKind::integer ? values_[column] : otherwise;
    }
    // "" for anything that is not text or a blob.
    [[nodiscard]] std::string_view text(std::size_t column) const {
      return kinds_[column] == CellKind::text ? batch_->texts_[static_cast<std::size_t>(values_[column])] : std::string_view();
    }
    [[nodiscard]] bool has(std::size_t column) const { return kinds_[column] != CellKind::nothing; }
    [[nodiscard]] std::int64_t rowid() const { return rowid_; }

   private:
    friend class RowBatch;
    Row(const RowBatch* batch, std::size_t row)
        : batch_(batch),
          values_(batch->values_.data() + row * batch->columns_),
          kinds_(batch->kinds_.data() + row * batch->columns_),
          rowid_(batch->rowids_[row]) {}
    const RowBatch* batch_;
    const std::int64_t* values_;
    const CellKind* kinds_;
    std::int64_t rowid_;
  };

  explicit RowBatch(std::size_t columns) : columns_(columns) {}
  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] std::size_t size() const { return rows_; }
  [[nodiscard]] Row operator[](std::size_t row) const { return {this, row}; }
  [[nodiscard]] std::int64_t rowid(std::size_t row) const { return rowids_[row]; }

  void clear() {
    rows_ = 0;
    texts_.clear();
    kept_.clear();
  }
  // A new last row, with nothing in its cells.
  void add_row(std::int64_t rowid) {
    if (rows_ == rowids_.size()) {
      const std::size_t room = rows_ < 256 ? 512 : rows_ * 2;
      rowids_.resize(room);
      values_.resize(room * columns_);
      kinds_.resize(room * columns_);
    }
    rowids_[rows_] = rowid;
    for (std::size_t i = rows_ * columns_, end = i + columns_; i < end; ++i) kinds_[i] = CellKind::nothing;
    ++rows_;
  }
  // Cells of the last row.
  void set_integer(std::size_t column, std::int64_t value) {
    const std::size_t at = (rows_ - 1) * columns_ + column;
    values_[at] = value;
    kinds_[at] = CellKind::integer;
  }
  void set_text(std::size_t column, std::string_view bytes) {  // which must stay where they are
    const std::size_t at = (rows_ - 1) * columns_ + column;
    values_[at] = static_cast<std::int64_t>(texts_.size());
    kinds_[at] = CellKind::text;
    texts_.push_back(bytes);
  }
  // Bytes that live as long as this filling of the batch does.
  [[nodiscard]] std::string_view keep(std::string bytes) { return kept_.emplace_back(std::move(bytes)); }

 private:
  std::size_t columns_ = 0, rows_ = 0;
  std::vector<std::int64_t> rowids_;
  std::vector<std::int64_t> values_;
  std::vector<CellKind> kinds_;
  std::vector<std::string_view> texts_;
  std::deque<std::string> kept_;
};

}  // namespace plumbline::profiles
