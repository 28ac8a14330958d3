#include "formats/stated/table_lines.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "core/units.hpp"
#include "formats/csv_cells.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats::stated {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// The heading at the beginning of the text, any blanks for one, and a blank or the end behind it: its length, else 0.
std::size_t heading_length(std::string_view text, std::string_view heading) {
  std::size_t at = 0;
  for (const char c : heading) {
    if (c == ' ') {
      if (at >= text.size() || !is_blank(text[at])) return 0;
      while (at < text.size() && is_blank(text[at])) ++at;
    } else if (at < text.size() && text[at] == c) {
      ++at;
    } else {
      return 0;
    }
  }
  return at == text.size() || is_blank(text[at]) ? at : 0;
}

std::size_t column_of(const Table& table, std::string_view heading) {
  const auto found =
      std::find_if(table.columns.begin(), table.columns.end(), [&](const Column& one) { return one.heading == heading; });
  return found == table.columns.end() ? kOther : static_cast<std::size_t>(found - table.columns.begin());
}

// Headings may hold blanks: of those that fit at a place the longest is meant.
std::vector<std::size_t> heading_of_words(std::string_view line, const Table& table) {
  std::vector<std::size_t> made;
  for (std::string_view rest = core::trim(line); !rest.empty(); rest = core::trim(rest)) {
    std::size_t best = kOther, longest = 0;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const std::size_t length = heading_length(rest, table.columns[i].heading);
      if (length <= longest) continue;
      longest = length;
      best = i;
    }
    made.push_back(best);
    if (best == kOther) longest = std::min(rest.find_first_of(" \t"), rest.size());
    rest.remove_prefix(longest);
  }
  return made;
}

}  // namespace

void split_cells(std::string_view line, char separator, std::vector<std::string_view>& cells, std::vector<std::string>& kept) {
  line = core::trim(line);
  if (separator == ' ') {
    split_blanks(line, cells);
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
      cells.push_back(core::trim(line.substr(at, end - at)));
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

std::vector<std::size_t> heading_of(std::string_view line, const Table& table) {
  if (table.columns.empty() || line.find(table.columns.front().heading) == std::string_view::npos) return {};
  std::vector<std::size_t> made;
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
    if (std::find(made.begin(), before, made[i]) != before) made[i] = kOther;
  }
  const std::size_t needed = std::min<std::size_t>(2, table.columns.size());
  for (std::size_t i = 0; i < needed; ++i) {
    if (std::find(made.begin(), made.end(), i) == made.end()) return {};
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
