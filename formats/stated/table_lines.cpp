#include "formats/stated/table_lines.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "core/units.hpp"
#include "formats/csv_cells.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats::stated {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// console.table() of JavaScript quotes words.
std::string_view without_quotes(std::string_view cell) {
  const bool quoted = cell.size() >= 2 && cell.front() == '\'' && cell.back() == '\'';
  return quoted ? cell.substr(1, cell.size() - 2) : cell;
}

// What a heading takes at the beginning of a text, any blanks for one, with a blank or the end behind it: 0 where it does not
// fit.
struct Taken {
  std::size_t length = 0;
  std::string_view number = {};  // in its hole
};
Taken taken_by(std::string_view heading, std::string_view text) {
  Taken taken;
  std::size_t at = 0;
  for (std::size_t i = 0; i < heading.size(); ++i) {
    if (heading[i] == '{') {
      const std::size_t end = std::min(text.find_first_not_of("0123456789.", at), text.size());
      if (end <= at) return {};
      taken.number = text.substr(at, end - at);
      at = end;
      i = std::min(heading.find('}', i), heading.size() - 1);
    } else if (heading[i] == ' ') {
      if (at >= text.size() || !is_blank(text[at])) return {};
      while (at < text.size() && is_blank(text[at])) ++at;
    } else if (at < text.size() && text[at] == heading[i]) {
      ++at;
    } else {
      return {};
    }
  }
  if (at != text.size() && !is_blank(text[at])) return {};
  taken.length = at;
  return taken;
}

HeadingCell column_of(const Table& table, std::string_view cell) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Taken taken = taken_by(table.columns[i].heading, cell);
    if (!cell.empty() && taken.length == cell.size()) return {i, std::string(taken.number)};
  }
  return {};
}

// Headings may hold blanks: of those that fit at a place the longest is meant.
std::vector<HeadingCell> heading_of_words(std::string_view line, const Table& table) {
  std::vector<HeadingCell> made;
  for (std::string_view rest = core::trim(line); !rest.empty(); rest = core::trim(rest)) {
    HeadingCell best;
    std::size_t longest = 0;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const Taken taken = taken_by(table.columns[i].heading, rest);
      if (taken.length <= longest) continue;
      longest = taken.length;
      best = {i, std::string(taken.number)};
    }
    if (best.column == kOther) longest = std::min(rest.find_first_of(" \t"), rest.size());
    made.push_back(std::move(best));
    rest.remove_prefix(longest);
  }
  return made;
}

}  // namespace

void split_cells(std::string_view line, char separator, std::vector<std::string_view>& cells, std::vector<std::string>& kept) {
  line = core::trim(line);
  if (separator == ' ') {
    split_blanks(line, cells);
    std::erase(cells, ":");  // drawn between a name and its numbers
    if (cells.size() > 1 && cells.front().size() > 1 && cells.front().ends_with(':')) cells.front().remove_suffix(1);
    return;
  }
  cells.clear();
  if (separator == '|') {  // edges are no cells
    for (const std::string_view edge : {"|", "\xE2\x94\x82"}) {
      if (line.starts_with(edge)) line.remove_prefix(edge.size());
      if (line.ends_with(edge)) line.remove_suffix(edge.size());
    }
    const std::string_view bar = line.find("\xE2\x94\x82") == std::string_view::npos ? "|" : "\xE2\x94\x82";
    for (std::size_t at = 0;;) {
      const std::size_t end = line.find(bar, at);
      cells.push_back(without_quotes(core::trim(line.substr(at, end - at))));
      if (end == std::string_view::npos) return;
      at = end + bar.size();
    }
  }
  if (line.find('"') == std::string_view::npos) {
    for (const std::string_view cell : core::split(line, separator)) cells.push_back(core::trim(cell));
    return;
  }
  kept = csv_cells(line, separator);
  for (const std::string& cell : kept) cells.push_back(core::trim(cell));
}

bool is_rule(std::string_view line) {
  constexpr std::string_view kDrawn = "-=+|:_* \t";
  std::size_t drawn = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (kDrawn.find(line[i]) != std::string_view::npos) {
      if (!is_blank(line[i])) ++drawn;
    } else if (line.substr(i).starts_with("\xE2\x94") || line.substr(i).starts_with("\xE2\x95")) {  // box drawing
      i += 2;
      ++drawn;
    } else {
      return false;
    }
  }
  return drawn >= 3;
}

std::string_view hole_of(std::string_view heading) {
  const std::size_t open = heading.find('{'), close = heading.find('}');
  return open == std::string_view::npos || close == std::string_view::npos ? std::string_view()
                                                                           : heading.substr(open + 1, close - open - 1);
}

std::vector<HeadingCell> heading_of(std::string_view line, const Table& table) {
  if (table.columns.empty() || line.find(table.columns.front().heading) == std::string_view::npos) return {};
  std::vector<HeadingCell> made;
  if (table.separator == ' ') {
    made = heading_of_words(line, table);
  } else {
    std::vector<std::string_view> cells;
    std::vector<std::string> kept;
    split_cells(line, table.separator, cells, kept);
    for (const std::string_view cell : cells) made.push_back(column_of(table, cell));
  }
  for (std::size_t i = 0; i < made.size(); ++i) {
    const auto before = made.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(made.begin(), before, made[i]) != before) made[i] = {};
  }
  const std::size_t needed = std::min<std::size_t>(2, table.columns.size());
  for (std::size_t i = 0; i < needed; ++i) {
    if (std::none_of(made.begin(), made.end(), [&](const HeadingCell& cell) { return cell.column == i; })) return {};
  }
  return made;
}

void join_cells(std::vector<std::string_view>& cells, std::size_t wanted) {
  const auto join = [&](std::size_t at) {
    const char* const end = cells[at + 1].data() + cells[at + 1].size();
    cells[at] = {cells[at].data(), static_cast<std::size_t>(end - cells[at].data())};
    cells.erase(cells.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  };
  for (std::size_t i = 0; i + 1 < cells.size() && cells.size() > wanted; ++i) {
    if (core::parse_double(cells[i]) && core::parse_unit(cells[i + 1]).quantity != core::Quantity::unknown) join(i);
  }
  while (cells.size() > wanted && cells.size() > 1) join(0);
}

}  // namespace plumbline::formats::stated
