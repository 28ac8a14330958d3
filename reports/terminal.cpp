#include "reports/terminal.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {

std::string Terminal::paint(Paint paint, std::string_view text) const {
  if (!colour_ || paint == Paint::none) return std::string(text);
  constexpr const char* kCodes[] = {"", "1", "2", "31", "33", "32", "36"};
  return std::string("\x1b[") + kCodes[static_cast<int>(paint)] + "m" + std::string(text) + "\x1b[0m";
}

std::string Terminal::verdict(core::Verdict verdict) const {
  if (!colour_) return std::string(to_string(verdict));
  constexpr const char* kCodes[] = {"1;32", "1;33", "1;31"};
  return std::string("\x1b[") + kCodes[static_cast<int>(verdict)] + "m" + std::string(to_string(verdict)) + "\x1b[0m";
}

namespace {

// Words of a line; a quotation is one word, so that a text of others never begins a line.
std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  bool quoted = false;
  std::size_t from = 0;
  for (std::size_t at = 0; at <= line.size(); ++at) {
    if (at < line.size() && line[at] == '"' && (at == 0 || line[at - 1] != '\\')) quoted = !quoted;
    if (at < line.size() && (line[at] != ' ' || quoted)) continue;
    if (at > from) words.push_back(line.substr(from, at - from));
    from = at + 1;
  }
  return words;
}

}  // namespace

std::string Terminal::wrap(std::string_view lead, std::string_view text, int width) {
  const int indent = display_width(lead);
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  std::string out(lead);
  int at = indent;
  bool start = true;
  const std::string line = one_line(text);  // the words are views into it
  for (const std::string_view word : words_of(line)) {
    const int size = display_width(word);
    if (!start && at + 1 + size > width) {
      out += "\n" + margin;
      at = indent;
      start = true;
    }
    if (!start) out += ' ', ++at;
    out += word;
    at += size;
    start = false;
  }
  return out + "\n";
}

std::string Table::text(const Terminal& terminal, int width) const {
  const std::size_t columns = header_.size();
  std::vector<int> widths(columns);
  for (std::size_t c = 0; c < columns; ++c) {
    widths[c] = display_width(header_[c]);
    for (const std::vector<Cell>& row : rows_) widths[c] = std::max(widths[c], display_width(row[c].text));
    if (c > 0) widths[c] = std::min(widths[c], 44);
  }
  int rest = 2;
  for (std::size_t c = 1; c < columns; ++c) rest += widths[c] + 2;
  widths[0] = std::min(widths[0], std::max(16, width - rest));
  const auto line = [&](const std::vector<Cell>& cells) {
    std::string out = "  ";
    for (std::size_t c = 0; c < columns; ++c) {
      const std::string text = shorten_middle(cells[c].text, widths[c]);
      const bool left = c == 0 || (c < left_.size() && left_[c]);
      const std::string blanks(static_cast<std::size_t>(std::max(0, widths[c] - display_width(text))), ' ');
      if (!left) out += blanks;
      out += terminal.paint(cells[c].paint, text);
      if (c + 1 == columns) break;
      if (left) out += blanks;
      out += "  ";
    }
    return out + "\n";
  };
  std::vector<Cell> head;
  for (const std::string& name : header_) head.push_back({name, Paint::dim});
  std::string out = line(head);
  for (std::vector<Cell> row : rows_) {
    if (keep_names_ && display_width(row[0].text) > widths[0]) {
      out += "  " + terminal.paint(row[0].paint, shorten_middle(row[0].text, std::max(16, width - 2))) + "\n";
      row[0].text.clear();
    }
    out += line(row);
  }
  return out;
}

}  // namespace plumbline::reports
