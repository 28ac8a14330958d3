// One answer for all names of a shape: runs of three and more digits do not change what a name says, so "key_0001" and
// "key_0002" share what was found out about the first of them. Shorter runs inside a word count (p99, f1, e2e). Names come
// in turn (a record's fields, over and over) or in one long row of numbered keys: the last ones of each length are told
// apart by comparing words of eight bytes, without building or hashing a text. Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace plumbline::formats {

class NameMemo {
 public:
  // The answer under `scope` for the shape of `name`; null when there is none yet. Valid until the next call.
  [[nodiscard]] const std::uint32_t* find(std::uint32_t scope, std::string_view name);
  // For the scope and name that find() was last asked about.
  void put(std::uint32_t scope, std::string_view name, std::uint32_t answer);

 private:
  static constexpr std::size_t kLongest = 48;  // longer names are rare: they are looked up
  struct Recent {
    std::array<char, kLongest> name{};
    std::array<char, kLongest> digits{};  // 0xFF where any digit will do
    std::uint32_t length = 0, scope = 0, answer = 0;
  };
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };

  Recent& place_of(std::uint32_t scope, std::string_view name);
  static bool same_shape(const Recent& recent, std::string_view name);
  static void remember(Recent& recent, std::uint32_t scope, std::string_view name, std::uint32_t answer);
  void spell(std::uint32_t scope, std::string_view name);

  std::array<Recent, 64> recent_;
  std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>> all_;
  std::string spelled_;
};

}  // namespace plumbline::formats
