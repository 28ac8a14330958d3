#include "formats/name_memo.hpp"

#include <cstring>

#include "base/characters.hpp"

namespace plumbline::formats {
namespace {

constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
constexpr std::uint64_t kHighs = 0x8080808080808080ULL;
constexpr std::size_t kFreeRun = 3;  // so many digits in a row are a number, not part of a word

using base::is_digit;

std::uint64_t word_at(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

// Whether eight bytes are the pattern's, but for digits where the mask lets any digit stand.
bool fits(std::uint64_t word, std::uint64_t pattern, std::uint64_t mask) {
  const std::uint64_t digits = word ^ (kOnes * '0');                                  // 0..9 where there is a digit
  const std::uint64_t no_digit = ((digits + kOnes * (0x80 - 10)) | digits) & kHighs;  // a carry can only say no
  return (((word ^ pattern) & ~mask) | (no_digit & mask)) == 0;
}

// Calls visit(begin, end, free) for each stretch of the name; free: a run of digits of which any will do.
template <class Visit>
void visit_stretches(std::string_view name, Visit&& visit) {
  for (std::size_t i = 0; i < name.size();) {
    const bool digit = is_digit(name[i]);
    std::size_t end = i + 1;
    while (end < name.size() && is_digit(name[end]) == digit) ++end;
    visit(i, end, digit && end - i >= kFreeRun);
    i = end;
  }
}

}  // namespace

NameMemo::Recent& NameMemo::place_of(std::uint32_t scope, std::string_view name) {
  // Of the name only what its shape keeps may be used: its length and its first character if that is no digit.
  const auto first = static_cast<unsigned char>(name.empty() || is_digit(name.front()) ? '0' : name.front());
  return recent_[(scope * 7U + static_cast<std::uint32_t>(name.size()) * 13U + first) % recent_.size()];
}

bool NameMemo::same_shape(const Recent& recent, std::string_view name) {
  if (name.size() < 8) {
    for (std::size_t i = 0; i < name.size(); ++i) {
      if (recent.digits[i] != 0 ? !is_digit(name[i]) : name[i] != recent.name[i]) return false;
    }
    return true;
  }
  const auto word_fits = [&](std::size_t i) {
    return fits(word_at(name.data() + i), word_at(recent.name.data() + i), word_at(recent.digits.data() + i));
  };
  for (std::size_t i = 0; i + 8 <= name.size(); i += 8) {
    if (!word_fits(i)) return false;
  }
  return word_fits(name.size() - 8);
}

void NameMemo::remember(Recent& recent, std::uint32_t scope, std::string_view name, std::uint32_t answer) {
  if (name.size() > kLongest) return;
  recent.length = static_cast<std::uint32_t>(name.size());
  recent.scope = scope;
  recent.answer = answer;
  name.copy(recent.name.data(), name.size());  // the empty name may have no address, which memcpy must not be given
  visit_stretches(name, [&](std::size_t begin, std::size_t end, bool free) {
    std::memset(recent.digits.data() + begin, free ? 0xFF : 0, end - begin);
  });
}

void NameMemo::spell(std::uint32_t scope, std::string_view name) {
  spelled_.assign(reinterpret_cast<const char*>(&scope), sizeof scope);
  visit_stretches(name, [&](std::size_t begin, std::size_t end, bool free) {
    if (free) {
      spelled_.append("000");
    } else {
      spelled_.append(name, begin, end - begin);
    }
  });
}

const std::uint32_t* NameMemo::find(std::uint32_t scope, std::string_view name) {
  Recent& recent = place_of(scope, name);
  if (recent.length == name.size() && recent.scope == scope && !name.empty() && same_shape(recent, name)) return &recent.answer;
  spell(scope, name);
  const auto it = all_.find(spelled_);
  if (it == all_.end()) return nullptr;
  remember(recent, scope, name, it->second);
  return &it->second;
}

void NameMemo::put(std::uint32_t scope, std::string_view name, std::uint32_t answer) {
  spell(scope, name);
  all_.insert_or_assign(spelled_, answer);
  remember(place_of(scope, name), scope, name, answer);
}

}  // namespace plumbline::formats
