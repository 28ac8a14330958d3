// What `bisect` answers.
#pragma once

#include <string>

#include "core/results/bisect.hpp"

namespace plumbline::reports {

[[nodiscard]] std::string bisect_json(const core::BisectResult& result);
[[nodiscard]] std::string bisect_step_json(int status, const std::string& message);  // --step
[[nodiscard]] std::string bisect_text(const core::BisectResult& result, bool colour, int width);
[[nodiscard]] std::string bisect_markdown(const core::BisectResult& result);  // --out FILE.md

}  // namespace plumbline::reports
