#include "formats/generic/delimited_guess.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/text.hpp"
#include "formats/generic/lines.hpp"
#include "formats/generic/measured_text.hpp"
#include "formats/readers.hpp"

namespace plumbline::formats::delimited {
namespace {

using core::ValueState;

constexpr std::array<char, 3> kSeparators = {'\t', ',', ';'};

bool is_blank(std::string_view text) {
  if (text.empty() || text == "-") return true;
  if (text.size() > 5 || (text.front() | 0x20) != 'n') return false;
  const std::string lower = core::to_lower(text);
  return lower == "n/a" || lower == "na" || lower == "null" || lower == "none";
}

// Where fewer lines agree with the header, some of them must show that they are lines of a table: a number stands in them.
constexpr double kAgrees = 0.8;

// One name and numbers under it. Words may stand among them ("FAILED") where the file is said to be a table.
Guess one_column(std::string_view head, bool whole, bool said_table) {
  constexpr std::size_t kLongestName = 100;
  Lines lines(head, '\t');
  std::vector<std::string_view> fields;
  if (!lines.next(fields) || fields.size() != 1 || fields[0].size() > kLongestName || cell_of(fields[0]) != Cell::text) return {};
  std::vector<Cell> cells;
  while (cells.size() < 40 && lines.next(fields)) {
    if (fields.size() != 1) return {};
    cells.push_back(cell_of(fields[0]));
  }
  if (!whole && cells.size() > 1 && cells.size() < 40) cells.pop_back();
  const auto numbers = std::count(cells.begin(), cells.end(), Cell::number);
  const auto texts = std::count(cells.begin(), cells.end(), Cell::text);
  if (numbers == 0 || (said_table ? texts >= numbers : texts > 0)) return {};
  return {'\t', 1, cells.size() + 1, 1};
}

}  // namespace

Cell unusual_cell(std::string_view text) {
  if (is_blank(text)) return Cell::absent;
  if (leaf_of_text(text).state != ValueState::text) return Cell::number;
  return is_grouped_number(text) ? Cell::grouped : Cell::text;
}

Guess guess_separator(const Input& input, bool said_table) {
  const std::string_view head = head_of(input);
  const bool whole = input.bytes.size() <= kHead;
  Guess best;
  for (const char separator : kSeparators) {
    Lines lines(head, separator);
    std::vector<std::string_view> fields;
    std::vector<std::size_t> counts;
    std::vector<bool> numbers;
    while (counts.size() < 40 && lines.next(fields)) {
      counts.push_back(fields.size());
      numbers.push_back(
          std::any_of(fields.begin(), fields.end(), [](std::string_view text) { return cell_of(text) == Cell::number; }));
    }
    // A quote that never closes is told of when the line is read.
    if (lines.broken() && !fields.empty() && counts.size() == 1) counts.push_back(counts.front());
    if (!whole && counts.size() > 1 && counts.size() < 40) counts.pop_back();  // the head may end inside a line
    if (counts.size() < 2 || counts.front() < 2) continue;
    const auto same = std::count(counts.begin(), counts.end(), counts.front());
    const double agreement = static_cast<double>(same) / static_cast<double>(counts.size());
    if (agreement < kAgrees) {
      bool measured = false;
      for (std::size_t i = 1; i < counts.size(); ++i) measured = measured || (counts[i] == counts.front() && numbers[i]);
      if (!measured || (agreement < 0.5 && !said_table)) continue;
    }
    if (agreement > best.agreement + 1e-9) best = {separator, counts.front(), counts.size(), agreement};
  }
  if (best.agreement >= kAgrees) return best;
  const Guess single = one_column(head, whole, said_table);
  return single.separator != 0 ? single : best;
}

bool is_header_only(std::string_view head) {
  Lines lines(head, ',');
  std::vector<std::string_view> header, more;
  return lines.next(header) && !lines.next(more) && !lines.broken() &&
         std::any_of(header.begin(), header.end(), [](std::string_view text) { return cell_of(text) == Cell::text; });
}

}  // namespace plumbline::formats::delimited
