#include "profiles/names/ranges.hpp"

#include <algorithm>
#include <array>

#include "base/characters.hpp"
#include "core/text.hpp"

namespace plumbline::profiles {
namespace {

// What emit_nvtx writes behind an operator's name; the first of them begins the tail.
constexpr std::array<std::string_view, 4> kTails = {", op_id = ", ", seq = ", ", sizes = ", ", input_op_ids = "};
// Words whose number counts instances, written without anything between ("layer12").
constexpr std::array<std::string_view, 16> kCounters = {"step",       "iter",  "iteration", "layer", "layers", "block",
                                                        "microbatch", "batch", "epoch",     "stage", "chunk",  "rank",
                                                        "expert",     "mb",    "bucket",    "seq"};

using base::is_digit;
using base::is_letter;
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

bool counts(std::string_view text) {  // does the word that ends here count something?
  std::size_t from = text.size();
  while (from > 0 && is_letter(text[from - 1]) && text.size() - from <= 12) --from;
  const std::string word = core::to_lower(text.substr(from));
  return std::find(kCounters.begin(), kCounters.end(), word) != kCounters.end();
}

std::size_t run_end(std::string_view text, std::size_t from, bool (*belongs)(char)) {
  while (from < text.size() && belongs(text[from])) ++from;
  return from;
}

void clip(std::string& text) {
  if (text.size() <= kRangeNameBytes) return;
  constexpr std::string_view kMore = "…";
  std::size_t at = kRangeNameBytes - kMore.size();
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) --at;
  text.resize(at);
  text += kMore;
}

}  // namespace

std::string range_name(std::string_view name) {
  for (const std::string_view tail : kTails) name = name.substr(0, name.find(tail));
  std::string result;
  for (std::size_t i = 0; i < name.size() && result.size() <= kRangeNameBytes;) {
    if (!is_digit(name[i])) {
      result += name[i++];
      continue;
    }
    const bool address =
        name[i] == '0' && i + 2 < name.size() && (name[i + 1] == 'x' || name[i + 1] == 'X') && is_hex(name[i + 2]);
    const std::size_t end = address ? run_end(name, i + 2, is_hex) : run_end(name, i, is_digit);
    const bool inside = i > 0 && is_letter(name[i - 1]);
    const bool before = end < name.size() && is_letter(name[end]);
    if ((inside && !counts(name.substr(0, i))) || before) {
      result += name.substr(i, std::min(end - i, kRangeNameBytes + 1));
    } else if (result.empty() || result.back() != '#') {
      result += '#';
    }
    i = end;
  }
  clip(result);
  return result;
}

}  // namespace plumbline::profiles
