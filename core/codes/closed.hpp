// A code of a closed list: one of a table's entries, so that a text which is not there does not compile. Codes compare and sort
// by their place in the table.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace plumbline::core {

void this_code_is_not_in_the_table();  // nowhere defined: that a constant calls it is the compiler's error

template <const auto& kEntries>
class ClosedCode {
 public:
  consteval ClosedCode(const char* text) : index_(index_of(text)) {  // implicit: a code is written as its text
    if (index_ == kEntries.size()) this_code_is_not_in_the_table();
  }
  // For texts that are read back.
  [[nodiscard]] static constexpr std::optional<ClosedCode> find(std::string_view text) {
    const std::uint8_t index = index_of(text);
    return index < kEntries.size() ? std::optional(ClosedCode(index)) : std::nullopt;
  }

  [[nodiscard]] constexpr std::string_view text() const { return kEntries[index_].text; }
  [[nodiscard]] constexpr std::string_view meaning() const { return kEntries[index_].meaning; }
  [[nodiscard]] constexpr auto weight() const requires requires { kEntries[0].weight; }
  { return kEntries[index_].weight; }
  friend constexpr bool operator==(ClosedCode, ClosedCode) = default;
  // NOLINTNEXTLINE(modernize-use-nullptr): the comparison with 0 is the compiler's own
  friend constexpr std::strong_ordering operator<=>(ClosedCode, ClosedCode) = default;

 private:
  static_assert(kEntries.size() < std::numeric_limits<std::uint8_t>::max());
  explicit constexpr ClosedCode(std::uint8_t index) : index_(index) {}
  static constexpr std::uint8_t index_of(std::string_view text) {
    std::uint8_t index = 0;
    while (index < kEntries.size() && kEntries[index].text != text) ++index;
    return index;
  }

  std::uint8_t index_;
};

}  // namespace plumbline::core
