#include "cli/doctor_machine.hpp"

#include <chrono>
#include <thread>

#include "core/json_writer.hpp"
#include "core/text.hpp"
#include "machine/advice.hpp"
#include "verbs/run/noise_floor.hpp"

namespace plumbline::cli {
namespace {

constexpr double kQuietSeconds = 1;  // watched before anything of ours runs

std::string fact(const core::Context& facts, const char* key) {
  const auto at = facts.find(key);
  return at == facts.end() ? std::string() : at->second;
}

std::string machine_text(const core::Context& facts) {
  std::string out = fact(facts, "hardware.cpu");
  if (out.empty()) out = "processor not told";
  out += ", " + fact(facts, "hardware.cpu_count") + " processors, " + fact(facts, "hardware.memory_gib") + " GiB";
  if (const std::string gpu = fact(facts, "hardware.gpu"); !gpu.empty())
    out += ", " + fact(facts, "hardware.gpu_count") + " x " + gpu + ", driver " + fact(facts, "hardware.driver");
  return out + "; " + fact(facts, "environment.kernel");
}

std::string percent(double value) { return core::short_number(value, 2) + " %"; }

std::string sees_text(const verbs::NoiseFloor& noise) {
  std::vector<std::string> parts;
  for (const auto& [trials, change] : noise.sees) parts.push_back(percent(change) + " with " + std::to_string(trials));
  return core::listed(parts, parts.size()) + " trials a side";
}

std::string figures(const verbs::NoiseFloor& noise) {
  std::string text;
  core::JsonWriter json(text, -1);
  json.begin_object().field("pairs", noise.pairs).field("trial_s", noise.trial_s);
  json.field("run_cv_pct", noise.run_cv_pct).field("pair_cv_pct", noise.pair_cv_pct).field("disturbed", noise.disturbed);
  json.field("tolerance_pct", 100 * verbs::kNoiseTolerance).key("sees").begin_array();
  for (const auto& [trials, change] : noise.sees)
    json.begin_object().field("trials", trials).field("change_pct", change).end_object();
  json.end_array().end_object();
  return text;
}

// What the two settings that were tried do about the noise; an advice only where it is quieter beyond chance.
void check_tried(const verbs::NoiseFloor& noise, Checks& checks) {
  constexpr double kAlpha = 0.01;
  for (const verbs::TriedSetting& tried : noise.tried) {
    std::string text;
    core::JsonWriter json(text, -1);
    json.begin_object().field("pairs", tried.pairs).field("pair_cv_pct", tried.pair_cv_pct);
    json.field("quieter_p", tried.quieter_p).end_object();
    const std::string beside = percent(tried.pair_cv_pct) + " beside its neighbour, " + percent(noise.pair_cv_pct) + " without";
    if (tried.quieter_p <= kAlpha) {
      checks.warning(tried.what, beside, "run the benchmark so: " + tried.how, std::move(text));
    } else {
      checks.ok(tried.what, beside + ": no quieter that " + core::counted(tried.pairs, "pair") + " can tell", std::move(text));
    }
  }
}

}  // namespace

void check_machine(double seconds, const verbs::Context& context, Checks& checks) {
  const auto gpus = machine::open_gpus();
  const core::Context facts = machine::facts(*gpus);
  checks.ok("machine", machine_text(facts));
  checks.ok("host class", fact(facts, "environment.host_class") + " (" + fact(facts, "environment.host_fingerprint") + ")");
  const machine::Sample before = machine::sample(*gpus);
  std::this_thread::sleep_for(std::chrono::duration<double>(kQuietSeconds));
  for (const machine::Advice& one : machine::advice(facts, *gpus, before, machine::sample(*gpus), kQuietSeconds)) {
    if (one.fix.empty()) {
      checks.ok(one.what, one.now);
    } else {
      checks.warning(one.what, one.now, one.fix);
    }
  }
  const auto noise = verbs::measure_noise_floor(seconds, context);
  if (!noise) return checks.fault("noise", noise.error());
  const std::string scatter = "one run of " + core::short_number(1000 * noise->trial_s, 3) + " ms scatters by " +
                              percent(noise->run_cv_pct) + ", beside its neighbour by " + percent(noise->pair_cv_pct) + " (" +
                              core::counted(noise->pairs, "pair") + ")";
  constexpr double kNoisy = 3;
  if (noise->disturbed > 0) {
    checks.warning("noise", scatter,
                   core::counted(noise->disturbed, "run was", "runs were") + " disturbed, the first " + noise->disturbance);
  } else if (noise->pair_cv_pct > kNoisy) {
    checks.warning("noise", scatter, "a benchmark here needs many trials: make the machine quieter first");
  } else {
    checks.ok("noise", scatter);
  }
  check_tried(*noise, checks);
  checks.ok("smallest change", sees_text(*noise) + "; in turn (run --ab), tolerance 5 %, RED four times out of five",
            figures(*noise));
}

}  // namespace plumbline::cli
