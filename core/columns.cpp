#include "core/columns.hpp"

#include <algorithm>
#include <vector>

#include "core/unicode.hpp"

namespace plumbline::core {
namespace {

struct Range {
  char32_t first, last;
};
// Unicode 14 East Asian Width W and F, and emoji that terminals draw wide; coarse where a whole block is wide.
constexpr Range kWide[] = {{0x1100, 0x115F},   {0x231A, 0x231B},   {0x23E9, 0x23EC},  {0x2614, 0x2615},   {0x26A1, 0x26A1},
                           {0x2705, 0x2705},   {0x274C, 0x274C},   {0x2E80, 0x303E},  {0x3041, 0x33FF},   {0x3400, 0x4DBF},
                           {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},   {0xA960, 0xA97F},  {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},
                           {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},  {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF},
                           {0x1F900, 0x1F9FF}, {0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD}};
constexpr Range kZero[] = {{0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A},
                           {0x064B, 0x065F}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200D},
                           {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}};

template <std::size_t N>
bool within(const Range (&table)[N], char32_t c) {
  return std::any_of(std::begin(table), std::end(table), [c](Range r) { return c >= r.first && c <= r.last; });
}

int width_of(char32_t c) {
  if (c < 0x300) return 1;
  if (within(kZero, c)) return 0;
  return within(kWide, c) ? 2 : 1;
}

// What a cut in the middle keeps: about half from the front, the rest from the back. `size` says what one code point costs.
template <class Size>
std::string cut_middle(std::string_view text, std::size_t room, std::size_t mark, Size size) {
  struct Piece {
    std::size_t from, cost;
  };
  std::vector<Piece> pieces;
  std::size_t total = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t from = at;
    const char32_t c = next_code_point(text, at);
    const std::size_t cost = size(c, at - from);
    pieces.push_back({from, cost});
    total += cost;
  }
  if (total <= room) return std::string(text);
  if (room <= mark) return room >= mark && mark > 0 ? "…" : std::string();
  const std::size_t keep = room - mark;
  std::size_t front = 0, front_cost = 0;
  while (front < pieces.size() && front_cost + pieces[front].cost <= (keep + 1) / 2) front_cost += pieces[front++].cost;
  std::size_t back = pieces.size(), back_cost = 0;
  while (back > front && front_cost + back_cost + pieces[back - 1].cost <= keep) back_cost += pieces[--back].cost;
  const std::size_t head_end = front < pieces.size() ? pieces[front].from : text.size();
  const std::size_t tail = back < pieces.size() ? pieces[back].from : text.size();
  std::string out(text.substr(0, head_end));
  out += "…";
  out += text.substr(tail);
  return out;
}

}  // namespace

int display_width(std::string_view text) {
  int width = 0;
  for (std::size_t at = 0; at < text.size();) width += width_of(next_code_point(text, at));
  return width;
}

std::string shorten_middle(std::string_view text, int width) {
  return cut_middle(text, static_cast<std::size_t>(std::max(width, 0)), 1,
                    [](char32_t c, std::size_t) { return static_cast<std::size_t>(width_of(c)); });
}

std::string pad_right(std::string_view text, int width) {
  return std::string(text) + std::string(static_cast<std::size_t>(std::max(0, width - display_width(text))), ' ');
}

std::string pad_left(std::string_view text, int width) {
  return std::string(static_cast<std::size_t>(std::max(0, width - display_width(text))), ' ') + std::string(text);
}

}  // namespace plumbline::core
