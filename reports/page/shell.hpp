// What every page of ours is made of: a file by itself, no request, no script that it needs, light and dark as the reader has it,
// light on paper. The first screen is the verdict, a sentence and a picture; everything else comes below. Internal to reports/.
#pragma once

#include <string>
#include <string_view>

#include "core/results/common.hpp"
#include "core/results/verdict.hpp"

namespace plumbline::reports {

struct Page {
  core::Verdict verdict = core::Verdict::green;
  core::Tier tier = core::Tier::draft;
  std::string name;        // what was compared: "serving / decode-throughput"
  std::string sentence;    // the answer; text, as are the name and the title
  std::string title;       // of the window; "" for the verdict and the name
  std::string under;       // markup below the sentence
  std::string picture;     // markup beside it, "" where there is nothing to draw
  std::string sections;    // markup
  std::string footer;      // text
  std::string_view style;  // beyond that of every page
};
[[nodiscard]] std::string page_text(const Page& page);

}  // namespace plumbline::reports
