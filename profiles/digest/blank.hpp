// A row as it is before anything is said of it: what a digest leaves out is at this.
#pragma once

#include <type_traits>

#include "core/results/common.hpp"

namespace plumbline::profiles {

template <class Row>
[[nodiscard]] Row blank() {
  if constexpr (std::is_default_constructible_v<Row>) {
    return Row{};
  } else {
    return Row{core::WarningCode("digest_folded"), {}};  // its code is always said
  }
}

}  // namespace plumbline::profiles
