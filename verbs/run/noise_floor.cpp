#include "verbs/run/noise_floor.hpp"

#include <array>
#include <cmath>
#include <map>

#include "core/experiment/paired_power.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"
#include "verbs/environment.hpp"
#include "verbs/resolving/session.hpp"
#include "verbs/run/bench.hpp"

namespace plumbline::verbs {
namespace {

constexpr std::uint32_t kMostPairs = 60;
constexpr std::uint32_t kFewestPairs = 5;
constexpr std::array<std::uint32_t, 5> kTrials{5, 7, 12, 21, 30};
// Some hundredths of a second of one processor, in any shell.
constexpr const char* kLoop = "i=0; while [ $i -lt 40000 ]; do i=$((i+1)); done";

RunRequest request_of(double seconds) {
  RunRequest request;
  for (const char* label : {"A", "B"}) {
    RunRequest::Side side;
    side.label = label;
    side.command = kLoop;
    side.start.argv = {"/bin/sh", "-c", kLoop};
    request.sides.push_back(std::move(side));
  }
  request.measures = Measures::time;
  request.budget_s = seconds;
  return request;
}

}  // namespace

Expected<NoiseFloor> measure_noise_floor(double seconds, const Context& context) {
  auto scratch = ScratchFolder::make(context);
  if (!scratch) return core::fail(scratch.error());
  const RunRequest request = request_of(seconds);
  Bench bench(request, context, scratch->path());
  if (auto ok = bench.begin(); !ok) return core::fail(ok.error());
  auto ready = bench.warm_up();
  if (!ready) return core::fail(ready.error());
  for (std::uint32_t block = 1; *ready && block <= kMostPairs; ++block) {
    show_progress(context, std::max(bench.elapsed_s() / seconds, static_cast<double>(block) / kMostPairs),
                  "measuring the noise of this machine");
    auto through = bench.run_block(block);
    if (!through) return core::fail(through.error());
    if (!*through) break;
  }
  NoiseFloor out;
  std::vector<double> walls;
  std::map<std::uint32_t, std::array<double, 2>> pairs;
  for (const core::RunTrial& trial : bench.result().trials) {
    if (trial.block == 0 || !trial.ok || trial.file.empty()) continue;
    walls.push_back(std::log(trial.wall_s));
    pairs[trial.block][trial.side] = std::log(trial.wall_s);
    if (!trial.disturbed.empty() && out.disturbed++ == 0) out.disturbance = trial.disturbed.front();
  }
  out.pairs = static_cast<std::uint32_t>(pairs.size());
  if (out.pairs < kFewestPairs) {
    return core::fail(ErrorCode::limit_exceeded,
                      "the time was enough for " + core::counted(out.pairs, "pair") + " of trials, and five are needed",
                      "give --budget more time");
  }
  std::vector<double> differences;
  for (const auto& [block, pair] : pairs) differences.push_back(pair[1] - pair[0]);
  const double sigma = core::sample_stddev(differences) / std::sqrt(2.0);
  out.trial_s = std::exp(core::median(walls));
  out.run_cv_pct = 100 * core::sample_stddev(walls);
  out.pair_cv_pct = 100 * sigma;
  for (const std::uint32_t trials : kTrials) {
    if (const auto excess = core::paired_mde80(trials, sigma))
      out.sees.emplace_back(trials, 100 * std::expm1(std::log1p(kNoiseTolerance) + *excess));
  }
  return out;
}

}  // namespace plumbline::verbs
