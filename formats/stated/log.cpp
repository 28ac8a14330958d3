#include "formats/stated/log.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "core/text.hpp"
#include "formats/stated/collector.hpp"
#include "formats/stated/pattern.hpp"
#include "formats/stated/table_lines.hpp"

namespace plumbline::formats::stated {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// A line of the statement, ready to be held against the text.
struct Ready {
  const Line* line = nullptr;
  Pattern pattern;
  std::size_t block = kNone;              // index into the reader's blocks
  std::vector<const Field*> fields = {};  // of its holes
};

class Reader {
 public:
  Reader(const Statement& statement, const Input& input, const ReadOptions& options, Account* account)
      : statement_(statement), input_(input), lines_(input.bytes), rows_(statement, input, options), account_(account) {}

  core::Expected<core::Measurement> read() {
    if (auto ready = prepare(); !ready) return core::fail(ready.error());
    std::string_view line;
    while (lines_.next(line) && !rows_.halted()) {
      const std::string_view text = core::trim(line);
      if (text.empty()) {
        blank();
        continue;
      }
      std::string_view by = take(text);
      if (by.empty()) by = this->line(with_label(line));
      if (!by.empty() && account_ != nullptr) account_->lines.push_back({lines_.number(), std::string(by)});
    }
    if (is_cut_row()) {
      return core::fail(rows_.error("the file ends inside a row of results",
                                    "the copy is incomplete or the run was stopped; copy it again or run it again", last_row_));
    }
    const bool must_end =
        std::any_of(statement_.lines.begin(), statement_.lines.end(), [](const Line& one) { return one.turn == Turn::ends; });
    return rows_.finish(must_end, core::ErrorCode::invalid_input);
  }

 private:
  core::Status prepare() {
    for (const Line& one : statement_.lines) {
      auto pattern = Pattern::parse(one.text);
      if (!pattern) return core::fail(pattern.error());
      auto block = block_of(one.within);
      if (!block) return core::fail(block.error());
      ready_.push_back({&one, std::move(*pattern), *block, {}});
      for (const std::string& hole : ready_.back().pattern.holes()) ready_.back().fields.push_back(rows_.field(hole));
    }
    for (const Table& one : statement_.tables) {
      auto block = block_of(one.within);
      if (!block) return core::fail(block.error());
      table_blocks_.push_back(*block);
    }
    for (const Matrix& one : statement_.matrices) {
      auto pattern = Pattern::parse(one.heading);
      if (!pattern) return core::fail(pattern.error());
      matrices_.push_back(std::move(*pattern));
    }
    return {};
  }

  // "22: 819" without its "22: ", which may be srun's label, with it again; "" where it has none.
  [[nodiscard]] std::string_view with_label(std::string_view line) const {
    const std::string_view text = input_.bytes;
    if (line.data() < text.data() || line.data() >= text.data() + text.size()) return {};  // rid of its colours
    const auto at = static_cast<std::size_t>(line.data() - text.data());
    const std::size_t feed = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
    const std::size_t begin = feed == std::string_view::npos ? 0 : feed + 1;
    const std::string_view whole = text.substr(begin, at - begin + line.size());
    return core::trim(whole.substr(0, at - begin)).empty() ? std::string_view() : core::trim(whole);
  }

  core::Expected<std::size_t> block_of(std::string_view within) {
    if (within.empty()) return kNone;
    const auto known =
        std::find_if(blocks_.begin(), blocks_.end(), [&](const Pattern& of) { return of.text() == core::trim(within); });
    const auto index = static_cast<std::size_t>(known - blocks_.begin());
    if (known != blocks_.end()) return index;
    auto block = Pattern::parse(within);
    if (!block) return core::fail(block.error());
    blocks_.push_back(std::move(*block));
    return index;
  }

  // The end of a table or block that has begun; a matrix and a table of commas have blank lines between their rows.
  void blank() {
    if (rows_of_table_ > 0 && table_->separator != ',') columns_.clear();
    if (rows_of_block_ > 0) block_ = kNone;
  }

  // By what the line was taken, "" where it was left.
  std::string_view take(std::string_view text) {
    if (!columns_.empty()) {
      if (is_rule(text)) return "table";
      if (table_row(text)) return "table";
    }
    if (matrix_ != kNone && matrix_line(text)) return "matrix";
    if (const std::string_view by = line(text); !by.empty()) return by;
    return heading(text);
  }

  std::string_view line(std::string_view text) {
    if (text.empty()) return {};
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      if (!blocks_[i].match(text, values_)) continue;
      block_ = i;
      rows_of_block_ = 0;
    }
    for (const Ready& one : ready_) {
      const char first = one.pattern.first();
      if (first != '\0' && first != text.front()) continue;
      if (one.block != kNone && one.block != block_) continue;
      if (!fits(one, text)) continue;
      rows_.turn(one.line->turn, lines_.number(), text);
      (void)rows_.take(given_, {one.line->point, {}, one.line->of_last});
      if (one.block != kNone) ++rows_of_block_;
      return one.line->text;
    }
    return {};
  }
  // Whether the text is that line, with a value for every metric; what it holds is in given_ then.
  bool fits(const Ready& one, std::string_view text) {
    for (std::size_t further = 0; one.pattern.match(text, values_, further); ++further) {
      given_.clear();
      for (std::size_t i = 0; i < values_.size(); ++i) {
        given_.push_back({one.pattern.holes()[i], one.fields[i], values_[i], {}});
      }
      if (one.line->row) {
        for (Given& bar : given_) {
          if (bar.text == "-") bar.field = nullptr;
        }
        keep_bad_cells();
      }
      if (!one.line->says.empty()) given_.push_back({one.line->says, rows_.field(one.line->says), one.line->value, {}});
      if (fits()) return true;
      const bool name_first = given_.front().field == nullptr || given_.front().field->holds != Holds::metric;
      if (values_.size() < 2 || !name_first) return false;
    }
    return false;
  }
  // Of a row some of whose metrics have values: what is none has failed.
  void keep_bad_cells() {
    const auto is_metric = [](const Given& one) { return one.field != nullptr && one.field->holds == Holds::metric; };
    const auto is_value = [&](const Given& one) { return is_metric(one) && value_of(*one.field, one.text).has_value(); };
    if (std::none_of(given_.begin(), given_.end(), is_value)) return;
    for (Given& one : given_) {
      if (is_metric(one) && !is_value(one)) one.values = {failed_value(one.text)};
    }
  }
  // Asked before a line may begin another run.
  [[nodiscard]] bool fits() const {
    return std::all_of(given_.begin(), given_.end(), [&](const Given& one) {
      if (one.name == "#") return one.text == "-" || core::parse_double(one.text).has_value();
      if (one.field == nullptr || one.field->holds != Holds::metric || !one.values.empty()) return true;
      return has_unit(*one.field) && value_of(*one.field, one.text).has_value();
    });
  }
  // A unit that the line itself says is one word.
  [[nodiscard]] bool has_unit(const Field& field) const {
    const std::string_view hole = hole_of(field.declared.unit);
    return hole.empty() || std::any_of(given_.begin(), given_.end(), [&](const Given& one) {
             return one.name == hole && !one.text.empty() && one.text.find(' ') == std::string_view::npos;
           });
  }

  std::string_view heading(std::string_view text) {
    for (std::size_t i = 0; i < matrices_.size(); ++i) {
      if (!matrices_[i].match(text, values_)) continue;
      matrix_ = i;
      matrix_own_.clear();
      for (std::size_t hole = 0; hole < values_.size(); ++hole) {
        matrix_own_.emplace_back(matrices_[i].holes()[hole], values_[hole]);
      }
      names_.clear();
      lines_to_names_ = statement_.matrices[i].names_at;
      if (lines_to_names_ == 0) {
        split_blanks(text, cells_);
        names_.assign(cells_.begin(), cells_.end());
        columns_of_matrix_ = 0;
      }
      return "matrix";
    }
    for (std::size_t i = 0; i < statement_.tables.size(); ++i) {
      if (table_blocks_[i] != kNone && table_blocks_[i] != block_) continue;
      auto columns = heading_of(text, statement_.tables[i]);
      if (columns.empty()) continue;
      table_ = &statement_.tables[i];
      if (table_->turn == Turn::begins) rows_.begin_with_table(lines_.number());
      columns_ = std::move(columns);
      in_order_.clear();
      for (std::size_t column = 0; column < columns_.size(); ++column) {
        if (columns_[column].column != kOther) in_order_.push_back(column);
      }
      if (table_->as_stated) {
        std::stable_sort(in_order_.begin(), in_order_.end(),
                         [&](std::size_t a, std::size_t b) { return columns_[a].column < columns_[b].column; });
      }
      rows_of_table_ = 0;
      above_.clear();
      return "table";
    }
    return {};
  }

  bool table_row(std::string_view text) {
    split_cells(text, table_->separator, cells_, kept_);
    if (table_->rows_only && cells_.size() > 1 && cell(cells_[1])) return plain_row();
    if (table_->separator == ' ') join_cells(cells_, columns_.size());
    return row_of_cells();
  }
  bool row_of_cells() {
    bool number = false;
    if (cells_.size() == columns_.size()) {
      given_.clear();
      for (const std::size_t i : in_order_) {
        const Column& column = table_->columns[columns_[i].column];
        if (column.heading == table_->fills_down) {
          if (cells_[i].empty()) cells_[i] = above_;
          above_ = cells_[i];
        }
        if (cells_[i].empty()) continue;
        const Field* const field = rows_.field(column.field);
        given_.push_back({column.field, field, cells_[i], {}, hole_of(column.heading), columns_[i].number});
        number = number || (field != nullptr && field->holds == Holds::metric);
      }
    }
    if (number && table_->separator != ' ') keep_bad_cells();
    if (number && fits() && rows_.take(given_, {table_->point, table_->busy})) {
      ++rows_of_table_;
      ++rows_of_block_;
      return true;
    }
    // Lines between a heading and its first row say units and the like, so do rows of a drawn table without a number.
    const bool ends = table_->separator == ' ' || cells_.size() != columns_.size();
    if (rows_of_table_ > 0 && ends) columns_.clear();
    return false;
  }

  bool plain_row() {
    cell_before_ = rows_of_table_ > 0 ? last_cell_ : std::string();
    last_cell_ = cells_.back();
    last_row_ = lines_.number();
    if (cells_.size() != columns_.size() || !row_of_cells()) rows_.ragged(lines_.number());
    return true;
  }
  // Every row prints its last column with the same number of decimals.
  [[nodiscard]] bool is_cut_row() const {
    const auto decimals = [](std::string_view text) { return text.size() - std::min(text.find('.'), text.size()); };
    return lines_.cut() && last_row_ == lines_.number() &&
           (cell_before_.empty() || decimals(last_cell_) == 0 || decimals(last_cell_) != decimals(cell_before_));
  }

  // "GPU  0  1  2", then "0  10.5  11.0  9.8" a line; the name of the first column may be missing, or be of several words.
  bool matrix_line(std::string_view text) {
    if (is_rule(text)) return true;
    const Matrix& matrix = statement_.matrices[matrix_];
    split_blanks(text, cells_);
    if (names_.empty()) {
      if (--lines_to_names_ == 0) names_.assign(cells_.begin(), cells_.end());
      columns_of_matrix_ = 0;
      return true;
    }
    const Field* const field = rows_.field(matrix.field);
    if (field == nullptr) return end_matrix();
    std::size_t columns = 0;  // the row's name is what is before its numbers, a word at least
    while (columns + 1 < cells_.size() && value_of(*field, cells_[cells_.size() - 1 - columns])) ++columns;
    if (columns_of_matrix_ == 0) columns_of_matrix_ = columns;
    if (columns == 0 || columns != columns_of_matrix_ || names_.size() < columns) return end_matrix();
    const std::string_view last = cells_[cells_.size() - 1 - columns];
    const std::string_view row(cells_[0].data(), static_cast<std::size_t>(last.data() + last.size() - cells_[0].data()));
    const std::size_t words = words_of_columns();
    for (std::size_t i = 0; i < columns; ++i) {
      const std::string name = name_of_column(i, words);
      given_.clear();
      for (const auto& [hole, value] : matrix_own_) given_.push_back({hole, rows_.field(hole), value, {}});
      given_.push_back({matrix.row, rows_.field(matrix.row), row, {}});
      given_.push_back({matrix.column, rows_.field(matrix.column), name, {}});
      given_.push_back({matrix.field, field, cells_[cells_.size() - columns + i], {}});
      (void)rows_.take(given_, {matrix.point});
    }
    return true;
  }
  // The words of the heading are the name of the first column, of any number of words or none, and those of the others, of as
  // many each and of one form: "16 bytes", "64 bytes".
  [[nodiscard]] std::size_t words_of_columns() const {
    const auto is_number = [](const std::string& word) { return core::parse_double(word).has_value(); };
    for (std::size_t words = (names_.size() - 1) / columns_of_matrix_; words > 1; --words) {
      const std::size_t first = names_.size() - words * columns_of_matrix_;
      bool alike = columns_of_matrix_ > 1 || is_number(names_[first]);  // "Numa node 0" is column 0 of a machine with one
      for (std::size_t i = first + words; i < names_.size(); ++i) {
        alike = alike && is_number(names_[i]) == is_number(names_[i - words]);
      }
      if (alike) return words;
    }
    return 1;
  }
  [[nodiscard]] std::string name_of_column(std::size_t column, std::size_t words) const {
    const std::size_t first = names_.size() - words * (columns_of_matrix_ - column);
    std::string name = names_[first];
    for (std::size_t i = 1; i < words; ++i) name.append(" ").append(names_[first + i]);
    return name;
  }
  bool end_matrix() {
    matrix_ = kNone;
    return false;
  }

  const Statement& statement_;
  const Input& input_;
  LogLines lines_;
  Collector rows_;
  Account* account_;
  std::vector<Ready> ready_;
  std::vector<Pattern> blocks_, matrices_;
  std::vector<std::size_t> table_blocks_;  // as Ready::block
  std::vector<std::string_view> values_, cells_;
  std::vector<std::string> kept_;
  std::vector<Given> given_;
  std::size_t block_ = kNone, rows_of_block_ = 0;
  const Table* table_ = nullptr;
  std::vector<HeadingCell> columns_;   // of the table that is being read
  std::vector<std::size_t> in_order_;  // its cells that are columns of the statement
  std::size_t rows_of_table_ = 0;
  std::size_t last_row_ = 0;             // line of the last row of a table that has nothing but rows
  std::string last_cell_, cell_before_;  // of that table
  std::string above_;                    // of its column that fills down
  std::size_t matrix_ = kNone, columns_of_matrix_ = 0, lines_to_names_ = 0;
  std::vector<std::pair<std::string, std::string>> matrix_own_;  // holes of its heading
  std::vector<std::string> names_;                               // of its columns
};

}  // namespace

core::Expected<core::Measurement> read_log(const Statement& statement, const Input& input, const ReadOptions& options,
                                           Account* account) {
  return Reader(statement, input, options, account).read();
}

}  // namespace plumbline::formats::stated
