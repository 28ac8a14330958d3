// Steps: the part of the work that repeats (a training step, a batch, a token), so that captures of different length can be
// compared by what one repetition takes. Found, in this order, by
//   marker  PyTorch's ProfilerStep#N ranges;
//   range   ranges named like steps ("train_step 15", "iteration", "Step 0 to 10"), or what the user names: instances on one
//           thread that launch at least half of the GPU's time and give three whole steps; of several the longest. Operators of
//           a framework are steps only by the user's word, where no other range is called so;
//   period  the repetition in the sequence of kernels of the busiest queue (step_period.hpp), where no range is a step's.
// On a device a step lasts from the first operation launched during its range (by any thread of the range's process) to the
// first one of the next range; so the last range begins no whole step. Processes have their own ranges, matched by number. A
// step's wall is that of the device on which it takes longest; of a device that several processes share, of the one with the
// most steps there, and the others' steps are told apart (Steps::shared). Ranges that the capture has on a device's own timeline
// (Kineto's gpu_user_annotation, XLA's row of steps) hold what begins there during them, and need no launches. The first whole
// step is left out as warm-up where three others remain.
#pragma once

#include "profiles/analysis/idle.hpp"
#include "profiles/analysis/steps/step_names.hpp"
#include "profiles/capture.hpp"
#include "profiles/profile.hpp"

namespace plumbline::profiles {

inline constexpr std::size_t kMaxSteps = 10'000;     // kept; the later ones are left out and counted
inline constexpr std::size_t kLeastSteps = 3;        // whole ones, for ranges and periods
inline constexpr std::size_t kMaxStepDevices = 256;  // that are looked at for steps

// Where steps begin on one device, in order.
struct StepCut {
  std::uint32_t step = 0;  // rising from cut to cut, not always by one
  std::int64_t start = 0;
  bool whole = false;  // the step lasts until the next cut
};
struct DeviceSteps {
  std::int64_t device = 0;
  std::vector<StepCut> cuts;
};
struct StepPlan {
  std::string basis = "none", name;
  std::uint64_t seen = 0;  // steps, whole or not
  std::vector<DeviceSteps> devices;
  std::vector<SharedSteps> shared;          // of devices on which two or more processes have steps
  [[nodiscard]] std::size_t whole() const;  // steps that are whole on a device; counting ends beyond kMaxSteps
};

// By ranges. `steps` as ReadOptions::steps, not "none". `claimed` is set when the capture has step ranges that hold most of the
// GPU time, or markers, even if too few for a plan: then its steps are no matter for guessing.
[[nodiscard]] StepPlan plan_by_ranges(const Capture& capture, const std::string& steps, const std::function<bool()>& stop,
                                      bool& claimed);

// `capture` sorted and joined; `communication` by name id. Adds the warning steps_not_found when the user's name fits nothing.
[[nodiscard]] Steps find_steps(const Capture& capture, const std::vector<bool>& communication, const IdleSplitter& idle,
                               const ReadOptions& options, std::vector<core::Warning>& warnings);

}  // namespace plumbline::profiles
