// The cells of a table: what is kept of each and what it is. Lines that hold nothing but decimals and bare words, as nearly all
// lines of long tables are, are split and read in one pass over their bytes; quotes, blanks, comments and lines with another
// number of fields are left to Lines, which gives the same cells for those that are read here.
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "core/large_block.hpp"
#include "formats/generic/delimited_table.hpp"
#include "formats/readers.hpp"

namespace plumbline::formats::delimited {
namespace {

bool ends_in_digit(std::string_view text) { return !text.empty() && text.back() >= '0' && text.back() <= '9'; }

unsigned digit_of(char c) { return static_cast<unsigned>(static_cast<unsigned char>(c)) - '0'; }

}  // namespace

// Of another line, the one at this byte of the text: the first thousand tell how many there may be.
void Table::make_room(std::size_t at) {
  constexpr std::size_t kMany = 1000;
  if (cells_.size() + columns_.size() <= cells_.capacity() && line_starts_.size() < line_starts_.capacity()) return;
  const std::size_t before = line_count();
  const std::size_t lines = before < kMany ? 2 * kMany : (input_.bytes.size() / (at / before + 1) + kMany) * 21 / 20;
  core::reserve_large(cells_, std::max({lines * columns_.size(), 2 * cells_.size(), cells_.size() + columns_.size()}));
  core::reserve_large(line_starts_, std::max({lines, 2 * before, before + 1}));
}

// A line's cells, and what they are.
core::Status Table::keep(const std::vector<std::string_view>& line) {
  last_line_fields_ = line.size();
  if (line.size() != columns_.size()) {
    std::string example;  // asked for once: lines are counted from the text's beginning
    if (writer_.found(Finding::ragged_lines) == 0)
      example = "line " + std::to_string(json::place_of(input_.bytes, lines_->start()).line);
    writer_.find(Finding::ragged_lines, example);
  }
  make_room(lines_->start());
  const char* const start = input_.bytes.data() + lines_->start();
  line_starts_.push_back(start);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::string_view content = i < line.size() ? line[i] : std::string_view();
    if (content.size() > std::numeric_limits<std::uint32_t>::max()) {
      return core::fail(core::ErrorCode::limit_exceeded, "a cell of more than 4 GiB", "split the file", input_.name);
    }
    Column& column = columns_[i];
    Field& field = cells_.emplace_back();
    // Texts with doubled quotes were written anew: they stand in no line.
    const bool in_line = content.data() >= start && content.data() < input_.bytes.data() + input_.bytes.size();
    const auto at = static_cast<std::size_t>(in_line ? content.data() - start : 0);
    if (content.empty() || (in_line && content.size() <= Field::kLongest && at < Field::kApart)) {
      field.at = static_cast<std::uint32_t>(at);
      field.length = static_cast<std::uint32_t>(content.size()) & Field::kLongest;
    } else {
      field.at = Field::kApart;
      field.length = static_cast<std::uint32_t>(texts_apart_.size()) & Field::kLongest;
      texts_apart_.push_back(content);
    }
    field.plain = plain_decimal(content, field.value);
    field.kind = field.plain ? Cell::number : unusual_cell(content);
    if (field.kind == Cell::number || field.kind == Cell::grouped) ++column.numbers;
    if (field.kind == Cell::text) ++column.texts;
    if (field.kind == Cell::number && !ends_in_digit(content) && !leaf_of_text(content).unit.empty()) column.cell_units = true;
  }
  if (texts_apart_.size() > Field::kLongest) {
    return core::fail(core::ErrorCode::limit_exceeded, "a table of more than 268435455 cells with doubled quotes",
                      "split the file", input_.name);
  }
  if (line_count() < std::numeric_limits<std::uint32_t>::max()) return {};
  return core::fail(core::ErrorCode::limit_exceeded, "a table of more than 4294967295 lines", "split the file", input_.name);
}

// A cell that is no plain decimal, up to the separator or the line's end, where `at` stands then. False: Lines has to say what
// it is.
bool Table::word(const char*& at, const char* begin, char separator, std::size_t c) {
  while (*at != separator && *at != '\n') ++at;
  const char* end = at;
  if (*at == '\n' && end > begin && end[-1] == '\r') --end;
  std::string_view text(begin, static_cast<std::size_t>(end - begin));
  if (!text.empty() && (static_cast<unsigned char>(text.front()) <= ' ' || static_cast<unsigned char>(text.back()) <= ' ' ||
                        text.front() == '"' || text.size() > Field::kLongest)) {
    return false;
  }
  const std::size_t line = line_starts_.size() - 1;
  Field& kept = cells_.emplace_back();
  kept.at = static_cast<std::uint32_t>(begin - line_starts_.back());
  kept.length = static_cast<std::uint32_t>(text.size()) & Field::kLongest;
  // Words repeat from line to line.
  if (line > 0 && !field(line - 1, c).plain && cell(line - 1, c) == text) {
    kept.kind = field(line - 1, c).kind;
    return true;
  }
  kept.kind = unusual_cell(text);
  if (kept.kind == Cell::number && !ends_in_digit(text) && !leaf_of_text(text).unit.empty()) columns_[c].cell_units = true;
  return true;
}

// The line at `at`, which has a line feed; `at` stands behind that then. False: nothing was kept of it.
bool Table::plain_line(const char*& at, char separator) {
  constexpr std::size_t kMostDigits = 18;
  const char* p = at;
  if (static_cast<unsigned char>(*p) <= ' ' || *p == '#') return false;
  make_room(static_cast<std::size_t>(at - input_.bytes.data()));
  const std::size_t columns = columns_.size();
  line_starts_.push_back(at);
  for (std::size_t c = 0; c < columns; ++c, ++p) {
    const char* const begin = p;
    const bool negative = *p == '-';
    if (negative) ++p;
    const char* const whole = p;
    std::uint64_t digits = 0;
    unsigned digit = 0;
    for (; (digit = digit_of(*p)) <= 9; ++p) digits = digits * 10 + digit;
    auto count = static_cast<std::size_t>(p - whole);
    std::size_t fraction = 0;
    bool decimal = count > 0;
    if (decimal && *p == '.') {
      const char* const after = ++p;
      for (; (digit = digit_of(*p)) <= 9; ++p) digits = digits * 10 + digit;
      fraction = static_cast<std::size_t>(p - after);
      decimal = fraction > 0;
      count += fraction;
    }
    const char* const end = p;
    if (*p == '\r' && p[1] == '\n') ++p;
    decimal = decimal && (*p == separator || *p == '\n') && count <= kMostDigits && digits < (1ULL << 53U);
    if (decimal) {
      const double exact = static_cast<double>(digits);
      const double read = fraction == 0 ? exact : exact / kDecimalPowers[fraction];
      Field& kept = cells_.emplace_back();
      kept.value = negative ? -read : read;
      kept.at = static_cast<std::uint32_t>(begin - at);
      kept.length = static_cast<std::uint32_t>(end - begin) & Field::kLongest;
      kept.kind = Cell::number;
      kept.plain = true;
    } else if (p = end; !word(p, begin, separator, c)) {
      return false;
    }
    if ((*p == '\n') != (c + 1 == columns)) return false;  // another number of fields
  }
  if (static_cast<std::size_t>(p - at) >= Field::kApart) return false;  // a cell could not tell where it stands
  for (std::size_t c = 0; c < columns; ++c) {
    const Cell kind = cells_[cells_.size() - columns + c].kind;
    if (kind == Cell::number || kind == Cell::grouped) ++columns_[c].numbers;
    if (kind == Cell::text) ++columns_[c].texts;
  }
  at = p;
  return true;
}

// The lines that follow, as long as they are plain ones before `end`, which stands behind a line feed.
void Table::plain_lines(char separator, const char* end) {
  const char* const text = input_.bytes.data();
  if (lines_->at() >= input_.bytes.size()) return;
  const char* at = text + lines_->at();
  const char* start = nullptr;
  while (at < end && !writer_.halted() && line_count() + 1 < std::numeric_limits<std::uint32_t>::max()) {
    const char* const line = at;
    const std::size_t cells = cells_.size(), lines = line_starts_.size();
    if (!plain_line(at, separator)) {
      cells_.resize(cells);
      line_starts_.resize(lines);
      break;
    }
    start = line;
  }
  if (start == nullptr) return;
  last_line_fields_ = columns_.size();
  lines_->go_on_at(static_cast<std::size_t>(at - text), static_cast<std::size_t>(start - text));
}

}  // namespace plumbline::formats::delimited
