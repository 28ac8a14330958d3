// The grammars of single libraries' kernel names, for family.cpp. Private to names/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/characters.hpp"
#include "profiles/names/family.hpp"

namespace plumbline::profiles {

// What the parts ask of a name, made once. Stays where it was made: the words point into it.
struct NameWords {
  explicit NameWords(std::string_view canonical_name);
  NameWords(const NameWords&) = delete;
  NameWords& operator=(const NameWords&) = delete;
  ~NameWords() = default;
  std::string_view canonical;            // its first 16 KiB
  std::string lower;                     // of that
  std::vector<std::string_view> tokens;  // runs of letters and digits in lower
  std::string precision;
};

using base::is_digit;
[[nodiscard]] bool is_number(std::string_view text);

[[nodiscard]] KernelFamily gemm_family(const NameWords& words);
[[nodiscard]] KernelFamily gemv_family(const NameWords& words);
[[nodiscard]] KernelFamily convolution_family(const NameWords& words);
[[nodiscard]] KernelFamily attention_family(const NameWords& words);
[[nodiscard]] KernelFamily collective_family(const NameWords& words);

}  // namespace plumbline::profiles
