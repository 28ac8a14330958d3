// Why a GPU did nothing, in words: one table for findings, reports and figures. analysis/gaps.hpp says how a cause is found.
#pragma once

#include <span>
#include <string_view>

namespace plumbline::core {

struct GapCause {
  std::string_view name;    // in results: "data_loading"; "" stands for gaps that are too short to be looked at one by one
  std::string_view brief;   // on a box of a figure: "data loading"
  std::string_view label;   // of a bar, behind "GPU idle: ": "waits for data loading"
  std::string_view before;  // of a sentence: "the GPU waits" 3 ms more …
  std::string_view after;   // … "for data loading"; "" where nothing follows
  std::string_view host;    // what the host does meanwhile: "the host loads data"
  std::string_view lever;   // what would end it
};

[[nodiscard]] std::span<const GapCause> gap_causes();
// That of "unknown" for a name that is none of them.
[[nodiscard]] const GapCause& gap_cause(std::string_view name);

}  // namespace plumbline::core
