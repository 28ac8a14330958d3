#include "verbs/run/noise_floor.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>

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

RunRequest request_of(double seconds, const std::vector<std::string>& launcher) {
  RunRequest request;
  for (const char* label : {"A", "B"}) {
    RunRequest::Side side;
    side.label = label;
    side.command = kLoop;
    side.start.argv = launcher;
    side.start.argv.insert(side.start.argv.end(), {"/bin/sh", "-c", kLoop});
    request.sides.push_back(std::move(side));
  }
  request.measures = Measures::time;
  request.budget_s = seconds;
  return request;
}

// Of what a command can do for itself: what needs root changes the machine for all, and is only advised.
struct Setting {
  std::string what, how;
  std::vector<std::string> launcher;
};

std::vector<Setting> settings_to_try(const core::Context& facts, const Context& context) {
  std::vector<Setting> out;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  const auto taskset = find_program("taskset", context);
  if (taskset && ::sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) > 1) {
    // The last one: the first serves most interrupts.
    int processor = CPU_SETSIZE - 1;
    while (!CPU_ISSET(processor, &allowed)) --processor;
    const std::string number = std::to_string(processor);
    out.push_back({"pinned to processor " + number, "taskset -c " + number + " CMD", {*taskset, "-c", number}});
  }
  const auto randomized = facts.find("environment.aslr");
  const auto setarch = find_program("setarch", context);
  if (setarch && randomized != facts.end() && randomized->second != "off")
    out.push_back({"addresses not randomized", "setarch -R CMD", {*setarch, "-R"}});
  return out;
}

// A loop in pairs. Several are measured in turn, a pair of each.
class Loop {
 public:
  Loop(double seconds, const std::vector<std::string>& launcher, const Context& context, const std::string& folder)
      : request_(request_of(seconds, launcher)), bench_(request_, context, folder) {}

  // False where it was asked to stop.
  Expected<bool> begin() {
    if (auto ok = bench_.begin(); !ok) return core::fail(ok.error());
    return bench_.warm_up();
  }
  // Whether all warm-ups ended well: a sandbox may forbid what a setting asks for.
  [[nodiscard]] bool runs() {
    return std::ranges::all_of(bench_.result().trials, [](const core::RunTrial& trial) { return trial.ok; });
  }
  Expected<bool> run_block(std::uint32_t block) { return bench_.run_block(block); }
  Bench& bench() { return bench_; }

  // B - A of each pair, in logarithms of seconds.
  std::vector<double> differences() {
    std::map<std::uint32_t, std::array<double, 2>> pairs;
    for (const core::RunTrial& trial : bench_.result().trials) {
      if (counts(trial)) pairs[trial.block][trial.side] = std::log(trial.wall_s);
    }
    std::vector<double> out;
    out.reserve(pairs.size());
    for (const auto& [block, pair] : pairs) out.push_back(pair[1] - pair[0]);
    return out;
  }
  static bool counts(const core::RunTrial& trial) { return trial.block > 0 && trial.ok && !trial.file.empty(); }

 private:
  RunRequest request_;
  Bench bench_;
};

double of_one(const std::vector<double>& differences) { return core::sample_stddev(differences) / std::sqrt(2.0); }

// How far the two of each pair lie apart, whatever the order in which they ran does.
std::vector<double> distances(std::vector<double> differences) {
  const double middle = core::median(differences);
  for (double& difference : differences) difference = std::abs(difference - middle);
  return differences;
}

}  // namespace

Expected<NoiseFloor> measure_noise_floor(double seconds, const Context& context) {
  auto scratch = ScratchFolder::make(context);
  if (!scratch) return core::fail(scratch.error());
  Loop plain(seconds, {}, context, scratch->path());
  if (auto ready = plain.begin(); !ready) return core::fail(ready.error());
  const std::vector<Setting> settings = settings_to_try(plain.bench().result().machine, context);
  std::vector<std::unique_ptr<Loop>> changed;
  for (const Setting& setting : settings) {
    changed.push_back(std::make_unique<Loop>(seconds, setting.launcher, context,
                                             scratch->path() + "/setting-" + std::to_string(changed.size() + 1)));
    if (auto ready = changed.back()->begin(); !ready) return core::fail(ready.error());
    if (!changed.back()->runs()) changed.back().reset();
  }
  const auto run_all = [&](std::uint32_t block) -> Expected<bool> {
    auto through = plain.run_block(block);
    for (auto loop = changed.begin(); through && *through && loop != changed.end(); ++loop) {
      if (*loop) through = (*loop)->run_block(block);
    }
    return through;
  };
  for (std::uint32_t block = 1; block <= kMostPairs; ++block) {
    show_progress(context, std::max(plain.bench().elapsed_s() / seconds, static_cast<double>(block) / kMostPairs),
                  "measuring the noise of this machine");
    auto through = run_all(block);
    if (!through) return core::fail(through.error());
    if (!*through) break;
  }
  NoiseFloor out;
  std::vector<double> walls;
  for (const core::RunTrial& trial : plain.bench().result().trials) {
    if (!Loop::counts(trial)) continue;
    walls.push_back(std::log(trial.wall_s));
    if (!trial.disturbed.empty() && out.disturbed++ == 0) out.disturbance = trial.disturbed.front();
  }
  const std::vector<double> differences = plain.differences();
  out.pairs = static_cast<std::uint32_t>(differences.size());
  if (out.pairs < kFewestPairs) {
    return core::fail(ErrorCode::limit_exceeded,
                      "the time was enough for " + core::counted(out.pairs, "pair") + " of trials, and five are needed",
                      "give --budget more time");
  }
  const double sigma = of_one(differences);
  out.trial_s = std::exp(core::median(walls));
  out.run_cv_pct = 100 * core::sample_stddev(walls);
  out.pair_cv_pct = 100 * sigma;
  for (const std::uint32_t trials : kTrials) {
    if (const auto excess = core::paired_mde80(trials, sigma))
      out.sees.emplace_back(trials, 100 * std::expm1(std::log1p(kNoiseTolerance) + *excess));
  }
  for (std::size_t i = 0; i < settings.size(); ++i) {
    if (!changed[i]) continue;
    const std::vector<double> with = changed[i]->differences();
    if (with.size() < kFewestPairs) continue;
    out.tried.push_back({settings[i].what, settings[i].how, static_cast<std::uint32_t>(with.size()), 100 * of_one(with),
                         core::mann_whitney_greater(distances(with), distances(differences))});
  }
  return out;
}

}  // namespace plumbline::verbs
