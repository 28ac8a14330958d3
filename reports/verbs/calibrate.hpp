// What `calibrate` answers: tolerances with what each costs, and the lines for plumbline.yaml.
#pragma once

#include <string>

#include "core/results/calibrate.hpp"

namespace plumbline::reports {

[[nodiscard]] std::string calibrate_json(const core::CalibrateResult& result);
[[nodiscard]] std::string calibrate_text(const core::CalibrateResult& result, bool colour, int width);
[[nodiscard]] std::string calibrate_yaml(const core::CalibrateResult& result);  // `rules:` of plumbline.yaml

}  // namespace plumbline::reports
