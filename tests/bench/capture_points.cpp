// What becomes of captures whose truth is known: shares of RED, GREEN and GREEN VERDICT of drawn captures whose typical steps
// scatter from capture to capture (lognormal), each with steps of its own. Nothing changed, and every step 8 % slower, under the
// gate of 5 %. The exit status is 1 where from three captures a side on RED of nothing exceeds 2 % by more than two Monte-Carlo
// errors. bench_capture_points [DRAWS]: 2,000 a cell. tests/bench/capture_points.py draws files, and asks the program.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "profiles/diff/diff.hpp"
#include "profiles/diff/trials.hpp"
#include "verdict/capture_trials.hpp"
#include "verdict/captures.hpp"

namespace {

using namespace plumbline;
using Random = std::mt19937_64;

constexpr int kSteps = 12;
constexpr double kWithin = 0.005;  // of the steps of one capture
constexpr double kStepNs = 1e6;

profiles::Profile drawn(double level, double cv, Random& random) {
  std::normal_distribution<double> normal;
  const double typical = kStepNs * level * std::exp(std::sqrt(std::log1p(cv * cv)) * normal(random));
  profiles::Profile out;
  out.info.context = {{"environment.hostname", "node"}, {"hardware.gpu", "GPU"}};
  out.steps.basis = "marker";
  out.steps.name = "ProfilerStep#";
  std::int64_t span = 0;
  for (int i = 0; i < kSteps; ++i) {
    profiles::Step step;
    step.wall_ns = std::llround(typical * std::exp(kWithin * normal(random)));
    span += step.wall_ns;
    out.steps.steps.push_back(step);
  }
  profiles::NamedAggregate kernel;
  kernel.name = "gemm";
  kernel.aggregate = {kSteps * 4, span / 2, 0, 0, 0, 0, false};
  out.kernels.push_back(kernel);
  out.info.kernel_ns = span / 2;
  out.info.kernels = kSteps * 4;
  profiles::DeviceWall device;
  device.buckets.span_ns = span;
  device.buckets.compute_ns = span / 2;
  device.buckets.idle_ns = span - span / 2;
  out.devices.push_back(device);
  return out;
}

std::vector<profiles::Profile> side(int captures, double level, double cv, Random& random) {
  std::vector<profiles::Profile> out;
  for (int i = 0; i < captures; ++i) out.push_back(drawn(level, cv, random));
  return out;
}

verdict::CaptureJudgement judged(const std::vector<profiles::Profile>& before, const std::vector<profiles::Profile>& after) {
  if (before.size() == 1) {
    const profiles::CaptureEvidence evidence = profiles::diff(before[0], after[0], {});
    return verdict::judge_captures({before[0], after[0], evidence});
  }
  const profiles::TrialWalls walls = profiles::measure_trials(before, after, {});
  const std::vector<std::string> names(before.size(), "capture");
  const verdict::CaptureTrials trials{before, after, walls, names, names, true, 0};
  const profiles::Profile& a = before[walls.baseline_middle];
  const profiles::Profile& b = after[walls.candidate_middle];
  const profiles::CaptureEvidence evidence = profiles::diff(a, b, {});
  return verdict::judge_captures({a, b, evidence, false, &trials});
}

struct Share {
  double red = 0, yellow = 0, green_verdict = 0;
};
Share share(int captures, double level, double cv, int draws, Random& random) {
  Share out;
  for (int i = 0; i < draws; ++i) {
    const auto before = side(captures, 1, cv, random);
    const auto after = side(captures, level, cv, random);
    const verdict::CaptureJudgement one = judged(before, after);
    out.red += one.verdict == core::Verdict::red ? 1 : 0;
    out.yellow += one.verdict == core::Verdict::yellow ? 1 : 0;
    out.green_verdict += one.verdict == core::Verdict::green && one.tier == core::Tier::verdict ? 1 : 0;
  }
  return {out.red / draws, out.yellow / draws, out.green_verdict / draws};
}

}  // namespace

int main(int argc, char** argv) {
  const int draws = argc > 1 ? std::atoi(argv[1]) : 2000;
  Random random(20261122);
  int missed = 0;
  std::puts("                      nothing changed                     +8 %");
  std::puts("  CV  captures    RED %  YELLOW %  GREEN VERDICT %    RED %  YELLOW %");
  for (const double cv : {0.01, 0.03, 0.05}) {
    for (const int captures : {1, 2, 3, 5, 10}) {
      const Share same = share(captures, 1, cv, draws, random);
      const Share slower = share(captures, 1.08, cv, draws, random);
      std::printf("%3.0f %%  %8d  %7.1f  %8.1f  %15.1f  %7.1f  %8.1f\n", 100 * cv, captures, 100 * same.red, 100 * same.yellow,
                  100 * same.green_verdict, 100 * slower.red, 100 * slower.yellow);
      const double error = std::sqrt(0.02 * 0.98 / draws);
      if (captures >= 3 && same.red > 0.02 + 2 * error) ++missed;
    }
  }
  return missed == 0 ? 0 : 1;
}
