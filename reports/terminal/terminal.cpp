#include "reports/terminal/terminal.hpp"

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

std::string Terminal::wrap(std::string_view lead, std::string_view text, int width) {
  std::string out;
  for (const std::string& line : sentence_lines(lead, text, width)) out += line + "\n";
  return out;
}

int columns_used(int width) { return std::clamp(width, kNarrowest, kWidest); }

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

// An absolute path, also quoted or in a list: somebody has to be able to copy it.
bool is_path(std::string_view word) {
  const std::size_t at = word.find_first_not_of("\"'`(,");
  return at != std::string_view::npos && word[at] == '/';
}

std::vector<std::string> wrapped(std::string_view lead, std::string_view line, int width) {
  const int indent = display_width(lead);
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  std::vector<std::string> out = {std::string(lead)};
  int at = indent;
  bool start = true;
  for (const std::string_view whole : words_of(line)) {
    const int room = std::max(width - indent, 1);
    const std::string word = is_path(whole) ? std::string(whole) : shorten_middle(whole, room);
    const int size = display_width(word);
    if (!start && at + 1 + size > width) {
      out.push_back(margin);
      at = indent;
      start = true;
    }
    if (!start) out.back() += ' ', ++at;
    out.back() += word;
    at += size;
    start = false;
  }
  return out;
}

}  // namespace

std::vector<std::string> sentence_lines(std::string_view lead, std::string_view text, int width, std::size_t most) {
  std::vector<std::string> out = wrapped(lead, one_line(text), width);
  if (out.size() <= most) return out;
  out.resize(std::max<std::size_t>(most, 1));
  std::string& last = out.back();
  const std::size_t start = out.size() == 1 ? lead.size() : static_cast<std::size_t>(display_width(lead));
  // Words go until there is room for the dots; the first one of a line stays.
  while (display_width(last) + 2 > width) {
    const std::string_view kept = words_of(std::string_view(last).substr(start)).back();
    const std::size_t from = static_cast<std::size_t>(kept.data() - last.data());
    if (from <= start) break;
    last.resize(from - 1);
  }
  if (display_width(last) + 2 > width && !is_path(std::string_view(last).substr(start))) last = shorten_middle(last, width - 2);
  last += " …";
  return out;
}

// ---- tables -----------------------------------------------------------------------------------------------------------------

namespace {

constexpr int kMargin = 2, kBetween = 2;
constexpr int kWidestCell = 44;  // of the columns behind the first
constexpr int kLegibleName = 36, kShortestName = 8, kShortestCell = 4;

int line_width(const std::vector<int>& widths) {
  int sum = kMargin - kBetween;
  for (const int width : widths) sum += width == 0 ? 0 : width + kBetween;
  return sum;
}

}  // namespace

std::vector<int> Table::widths(int width) const {
  std::vector<int> out(header_.size());
  for (std::size_t c = 0; c < out.size(); ++c) {
    out[c] = std::max(1, display_width(header_[c]));
    for (const std::vector<Cell>& row : rows_) out[c] = std::max(out[c], display_width(row[c].text));
    if (c > 0) out[c] = std::min(out[c], kWidestCell);
  }
  for (const std::size_t column : left_out_) out[column] = 0;
  const auto excess = [&] { return line_width(out) - width; };
  for (const std::size_t column : may_go_) {
    if (excess() <= 0 || out[0] - excess() >= std::min(out[0], kLegibleName)) break;
    out[column] = 0;
  }
  if (excess() > 0) out[0] = std::max(out[0] - excess(), std::min(out[0], kShortestName));
  while (excess() > 0) {
    const auto widest = std::max_element(out.begin() + (out.size() > 1 ? 1 : 0), out.end());
    if (*widest <= kShortestCell) break;
    --*widest;
  }
  return out;
}

std::vector<std::vector<std::string>> Table::lines(const Terminal& terminal, int width) const {
  const std::vector<int> widths = this->widths(width);
  const std::size_t last = static_cast<std::size_t>(
      std::find_if(widths.rbegin(), widths.rend(), [](int w) { return w > 0; }).base() - widths.begin() - 1);
  const auto line = [&](const std::vector<Cell>& cells) {
    std::string out(kMargin, ' ');
    for (std::size_t c = 0; c <= last; ++c) {
      if (widths[c] == 0) continue;
      const std::string text = shorten_middle(cells[c].text, widths[c]);
      const bool left = c == 0 || (c < left_.size() && left_[c]);
      const std::string blanks(static_cast<std::size_t>(std::max(0, widths[c] - display_width(text))), ' ');
      if (!left) out += blanks;
      out += terminal.paint(cells[c].paint, text);
      if (c == last) break;
      if (left) out += blanks;
      out.append(kBetween, ' ');
    }
    return out.substr(0, out.find_last_not_of(' ') + 1);
  };
  std::vector<Cell> head;
  for (const std::string& name : header_) head.push_back({name, Paint::dim});
  std::vector<std::vector<std::string>> out = {{line(head)}};
  for (std::vector<Cell> row : rows_) {
    std::vector<std::string> of_row;
    if (keep_names_ && display_width(row[0].text) > widths[0]) {
      const std::string name = shorten_middle(row[0].text, std::max(kShortestName, width - kMargin));
      of_row.push_back(std::string(kMargin, ' ') + terminal.paint(row[0].paint, name));
      row[0].text.clear();
    }
    of_row.push_back(line(row));
    out.push_back(std::move(of_row));
  }
  return out;
}

std::string Table::text(const Terminal& terminal, int width) const {
  std::string out;
  for (const std::vector<std::string>& row : lines(terminal, width)) {
    for (const std::string& line : row) out += line + "\n";
  }
  return out;
}

}  // namespace plumbline::reports
