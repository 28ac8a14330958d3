// The first picture of a comparison's page as an image: for chats, pull requests and clients of MCP that show images and no
// pages.
#pragma once

#include <string>

#include "core/results/diff.hpp"

namespace plumbline::reports {

// PNG, 1000 pixels wide and at most 760 high: the verdict, the sentence under it, and the picture of what moved: the waterfall of
// a step (captures), the matrix, the curve, or the rows that changed most; the words alone where nothing has a number that can be
// drawn.
[[nodiscard]] std::string diff_png(const core::DiffResult& result);

}  // namespace plumbline::reports
