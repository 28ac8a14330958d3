// What a store that is far away can do besides: its lines are listed by names alone, and what lists and choices ask for of them
// is brought as far as it is needed. A store on a file system has nothing to bring.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "registry/store.hpp"

namespace plumbline::registry {

class FarLines {
 public:
  virtual ~FarLines() = default;
  // Newest first, and nothing but their names: whoever reads one brings it first.
  [[nodiscard]] virtual core::Expected<std::vector<std::string>> newest_names(Kind kind, std::string_view family,
                                                                              std::string_view measurement,
                                                                              std::size_t at_most) const = 0;
  // What lists and choices ask for of these.
  [[nodiscard]] virtual core::Status bring_heads(Kind kind, std::string_view family, std::string_view measurement,
                                                 std::span<const std::string> slugs) const = 0;
};

}  // namespace plumbline::registry
