// The line that every report begins with: verdict and tier, of what, and the sentence that matters. Asked once, so that page,
// Markdown and terminal say the same. Internal to reports/.
#pragma once

#include <string>

#include "core/results/diff.hpp"
#include "core/results/outliers.hpp"

namespace plumbline::reports {

struct Headline {
  core::Verdict verdict = core::Verdict::green;
  core::Tier tier = core::Tier::draft;
  std::string of, sentence;  // as they are: whoever writes them down escapes them
};

// The first reason, or how many rows were compared; of two captures how long the work took, and why.
[[nodiscard]] Headline headline_of(const core::DiffResult& result);
[[nodiscard]] Headline headline_of(const core::OutliersResult& result);

// At most so many bytes, on one line, without secrets.
[[nodiscard]] std::string short_sentence(const Headline& headline, std::size_t bytes = 160);

}  // namespace plumbline::reports
