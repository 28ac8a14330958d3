// Runs of one build as calibrate takes them: files, a folder of them, or what `run --keep` kept. Private to verbs/calibrate/.
#pragma once

#include <string>
#include <vector>

#include "core/codes/warnings.hpp"
#include "core/measurement.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {

struct NoiseSeries {
  std::string key;
  core::Direction direction = core::Direction::unknown;
  std::vector<double> values;  // medians, in the order of the runs
};

struct NoiseRun {
  std::size_t runs = 0;
  std::vector<NoiseSeries> keys;  // judged rows of the first run, in its order
  std::vector<core::Warning> warnings;
};

// `paths`: one file a run; or a single folder or run.json. A scalar's row is called `scalar`.
[[nodiscard]] Expected<NoiseRun> read_noise_run(const std::vector<std::string>& paths, const Arguments& arguments,
                                                const Context& context, std::string_view scalar);

}  // namespace plumbline::verbs
