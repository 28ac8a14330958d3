// Which ranges are steps, what one is made of, and how captures without ranges are cut.
#include "profiles/analysis/steps/steps.hpp"

#include <numeric>
#include <random>

#include "profiles/analysis/steps/step_names.hpp"
#include "tests/profiles/capture_maker.hpp"
#include "tests/profiles/fixture.hpp"

namespace plumbline::profiles::test {
namespace {

Steps steps_of(Maker& maker, const std::string& steps = "auto", std::vector<core::Warning>* warnings = nullptr) {
  maker.sort();
  const IdleSplitter idle(maker.capture, call_kinds(maker.capture));
  ReadOptions options;
  options.steps = steps;
  std::vector<core::Warning> ignored;
  return find_steps(maker.capture, communication_names(maker.capture), idle, options, warnings != nullptr ? *warnings : ignored);
}

std::vector<std::int64_t> walls(const Steps& steps) {
  std::vector<std::int64_t> result;
  for (const Step& step : steps.steps) result.push_back(step.wall_ns);
  return result;
}

std::int64_t parts(const core::ProfileBuckets& b) { return b.compute_ns + b.exposed_comm_ns + b.exposed_copy_ns + b.idle_ns; }

// ---- names ----------------------------------------------------------------------------------------------------------------

TEST(StepNames, AreWhatIsCountedWithItsNumber) {
  struct Case {
    const char* name;
    const char* stem;  // null: no such name
    std::optional<std::uint64_t> number;
    bool step = true;
  };
  for (const Case& each : std::initializer_list<Case>{{"ProfilerStep#1009", "ProfilerStep", 1009},
                                                      {":train_step_15", "train_step", 15},
                                                      {"trainer:train_step_15", "train_step", 15},
                                                      {"Step 0 to 10", "Step", 0},
                                                      {"Step: 12", "Step", 12},
                                                      {"iteration", "iteration", std::nullopt},
                                                      {"iter 3 of 10", "iter", 3},
                                                      {"TrainStep #4", "TrainStep", 4},
                                                      {"epoch 3", "epoch", 3, false},
                                                      {"footstep 3", "footstep", 3, false},
                                                      {"step 3 forward", nullptr, std::nullopt, false},
                                                      {"aten::mm, op_id = 12", "aten::mm, op_id", 12, false},
                                                      {"17", nullptr, std::nullopt, false},
                                                      {"", nullptr, std::nullopt, false},
                                                      {"step 99999999999999999999999", "step", std::nullopt}}) {
    const auto found = numbered_name(each.name);
    ASSERT_EQ(found.has_value(), each.stem != nullptr) << each.name;
    if (!found) continue;
    EXPECT_EQ(found->stem, each.stem);
    EXPECT_EQ(found->number, each.number) << each.name;
    EXPECT_EQ(names_step(found->stem), each.step) << each.name;
    EXPECT_EQ(found->marker, std::string_view(each.name).starts_with("ProfilerStep#"));
  }
}

TEST(StepNames, AUsersPatternIsCheckedBeforeAnythingIsRead) {
  for (const char* fine : {"auto", "none", "train_step", "step_[0-9]+$", "x\\{2\\}"}) EXPECT_TRUE(check_steps(fine)) << fine;
  const auto message = [](const std::string& text) {
    const core::Status status = check_steps(text);
    return status ? std::string("fine") : status.error().message;
  };
  EXPECT_EQ(message(""), "steps is empty");
  EXPECT_EQ(
      message("step ("),
      "--steps is not a usable regular expression: \"step (\": a parenthesis without its partner, or a repetition of nothing");
  EXPECT_EQ(message("[a"), "--steps is not a usable regular expression: \"[a\": a bracket without its partner");
  EXPECT_EQ(message("*"),
            "--steps is not a usable regular expression: \"*\": a parenthesis without its partner, or a repetition of nothing");
  EXPECT_EQ(message("a{2}"),
            "--steps is not a usable regular expression: \"a{2}\": counted repetition {…}, which is not supported");
  EXPECT_EQ(message(std::string(129, 'a')),
            "--steps is not a usable regular expression: \"" + std::string(128, 'a') + "\": longer than 128 bytes");
  EXPECT_EQ(message("(a)\\1"),
            "--steps is not a usable regular expression: \"(a)\\\\1\": a back reference, which is not supported");
  EXPECT_EQ(check_steps("(").error().code, core::ErrorCode::usage);
  EXPECT_EQ(check_steps("(").error().where, "steps");
}

// ---- ranges ---------------------------------------------------------------------------------------------------------------

// `count` steps of `length` ns from `begin` on, each with two launches whose kernels start 30 ns after their calls.
void train(Maker& maker, const std::string& name, int count, std::int64_t begin, std::int64_t length, Where where = {}) {
  for (int i = 0; i < count; ++i) {
    const std::int64_t at = begin + i * length;
    maker.range(name + std::to_string(7 + i), at, at + length - 5, 1, where.process);
    maker.launched("forward", at + 10, at + 40, at + 60, where, 1);
    maker.launched("backward", at + 30, at + 60 + i, at + 90 + i, where, 2);  // autograd has a thread of its own
  }
}

TEST(Steps, LastFromTheirFirstOperationToTheNextStepsFirst) {
  Maker maker;
  train(maker, "ProfilerStep#", 6, 1000, 200);
  const Steps steps = steps_of(maker);
  EXPECT_EQ(steps.basis, "marker");
  EXPECT_EQ(steps.name, "ProfilerStep#");
  EXPECT_EQ(walls(steps), (std::vector<std::int64_t>{200, 200, 200, 200})) << "the first is warm-up, the last has no end";
  EXPECT_EQ(steps.left_out, 2U);
  EXPECT_EQ(steps.steps[0].start, 1240);
  for (std::size_t i = 0; i < steps.steps.size(); ++i) {
    const Step& step = steps.steps[i];
    EXPECT_EQ(parts(step.buckets), step.wall_ns);
    EXPECT_EQ(step.buckets.span_ns, step.wall_ns);
    EXPECT_EQ(step.kernels, 2U);
    EXPECT_EQ(step.buckets.compute_ns, 50);
    ASSERT_TRUE(step.buckets.idle_split);
    EXPECT_EQ(step.buckets.idle_split->launch_ns, 30 + static_cast<std::int64_t>(i + 1));
  }
}

TEST(Steps, OfThreeWholeOnesNoneIsLeftOutAndOneMarkerIsNoStep) {
  Maker four, one;
  train(four, "ProfilerStep#", 4, 0, 200);
  EXPECT_EQ(steps_of(four).steps.size(), 3U);
  train(one, "ProfilerStep#", 1, 0, 200);
  for (int i = 0; i < 40; ++i) one.launched("layer", 300 + i * 10, 302 + i * 10, 308 + i * 10);
  EXPECT_EQ(steps_of(one).basis, "none") << "the capture says what a step is: layers are none";
}

TEST(Steps, AreAsLongAsOnTheDeviceThatTakesLongest) {
  Maker maker;
  for (int i = 0; i < 6; ++i) {
    const std::int64_t at = i * 100;
    maker.range("step " + std::to_string(i), at, at + 99);
    maker.launched("gemm", at, at + 5, at + 50, {0});
    // On device 1 the odd steps begin late, so the even ones last longer there.
    maker.launched("gemm", at + 1, at + (i % 2 == 0 ? 5 : 25), at + 60, {1});
  }
  EXPECT_EQ(walls(steps_of(maker)), (std::vector<std::int64_t>{100, 120, 100, 120}));
}

TEST(Steps, OfTwoProcessesAreMatchedByNumber) {
  Maker maker;
  train(maker, "train_step_", 8, 0, 200, {0, 7, 1});
  for (int i = 2; i < 8; ++i) {  // the second process was caught later, and is slower in step 12
    const std::int64_t at = i * 200 + 50 + (i > 5 ? 70 : 0);
    maker.range("train_step_" + std::to_string(7 + i), at, at + 190, 1, 2);
    maker.launched("forward", at + 10, at + 40, at + 60, {1, 7, 2});
  }
  const Steps steps = steps_of(maker);
  EXPECT_EQ(steps.basis, "range");
  EXPECT_EQ(steps.name, "train_step");
  EXPECT_EQ(walls(steps), (std::vector<std::int64_t>{200, 200, 200, 200, 270, 200}));
}

TEST(Steps, OfProcessesThatShareADeviceAreToldApart) {
  Maker maker;
  for (std::int64_t step = 0; step < 6; ++step) {
    for (const std::int64_t process : {1, 2}) {
      const std::int64_t long_one = process == 1 ? 1000 : 700;
      maker.range("train step " + std::to_string(step), step * long_one, (step + 1) * long_one, 1, process);
      maker.launched("gemm", step * long_one + 10, step * long_one + 20, step * long_one + 300, {0, 7, process});
    }
  }
  auto profile = analyse(std::move(maker.capture), {});
  ASSERT_TRUE(profile);
  ASSERT_EQ(profile->steps.shared.size(), 2U);
  const DeviceWall& device = profile->devices.at(0);
  ASSERT_EQ(device.processes.size(), 2U);
  EXPECT_EQ(device.processes[0].steps_ns, std::vector<std::int64_t>(5, 1000));
  EXPECT_EQ(device.processes[1].steps_ns, std::vector<std::int64_t>(5, 700));
}

TEST(Steps, AreTheLongestRangesThatHoldMostOfTheWork) {
  Maker maker;
  for (int i = 0; i < 5; ++i) {
    const std::int64_t at = i * 1000;
    maker.range("iteration", at, at + 990);
    for (int m = 0; m < 4; ++m) {
      maker.range("microbatch " + std::to_string(m), at + m * 200, at + m * 200 + 190);
      maker.launched("gemm", at + m * 200 + 5, at + m * 200 + 10, at + m * 200 + 100);
    }
    maker.range("optimizer step", at + 850, at + 900);  // by its name a step, by its work a part
    maker.launched("adam", at + 860, at + 870, at + 880);
  }
  const Steps steps = steps_of(maker);
  EXPECT_EQ(steps.name, "iteration");
  EXPECT_EQ(walls(steps), (std::vector<std::int64_t>{1000, 1000, 1000}));
  EXPECT_EQ(steps.steps[0].kernels, 5U);
}

TEST(Steps, AreWhatTheUserNames) {
  const auto make = [] {
    Maker maker;
    train(maker, "ProfilerStep#", 6, 0, 200);
    for (int i = 0; i < 6; ++i) maker.range(":phase " + std::string(1, static_cast<char>('a' + i)), i * 200 + 1, i * 200 + 60);
    return maker;
  };
  Maker by_name = make(), by_pattern = make(), none = make(), missing = make(), operators = make();
  EXPECT_EQ(steps_of(by_name, "ProfilerStep").basis, "range");
  const Steps phases = steps_of(by_pattern, "phase [a-d]$");
  EXPECT_EQ(phases.name, "phase [a-d]$");
  EXPECT_EQ(phases.steps.size() + phases.left_out, 4U);
  EXPECT_EQ(walls(phases), (std::vector<std::int64_t>{200, 200, 200}));
  EXPECT_TRUE(steps_of(none, "none").steps.empty());
  std::vector<core::Warning> warnings;
  EXPECT_EQ(steps_of(missing, "epoch", &warnings).basis, "none");
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].code.text(), "steps_not_found");
  EXPECT_EQ(warnings[0].message, "no ranges called \"epoch\" launch GPU work at least twice: compared without steps");
}

TEST(Steps, AreOperatorsOnlyWhereTheUserNamesNothingElse) {
  const auto make = [](bool annotated) {
    Maker maker;
    for (int i = 0; i < 5; ++i) {
      maker.range("aten::train", i * 200, i * 200 + 190, 1, 1, RangeKind::op);
      maker.range("train step", i * 200 + 1, i * 200 + 100, 1, 1, annotated ? RangeKind::annotation : RangeKind::op);
      maker.launched("k", i * 200 + 10, i * 200 + 20, i * 200 + 60);
    }
    return maker;
  };
  Maker automatic = make(false), by_name = make(false), by_pattern = make(true);
  EXPECT_EQ(steps_of(automatic).basis, "period");
  EXPECT_EQ(walls(steps_of(by_name, "train step")), (std::vector<std::int64_t>{200, 200, 200}));
  EXPECT_EQ(steps_of(by_pattern, "train").left_out, 2U) << "of the annotations alone: operators would make ten";
}

TEST(Steps, OnTheGpusTimelineHoldWhatBeginsThere) {
  Maker maker;
  for (const std::int64_t device : {0, 1}) {
    for (int i = 0; i < 6; ++i) {
      const std::int64_t at = i * 200 + device * 50;
      maker.range("step " + std::to_string(i), at, at + 180 + 2 * device, 7, device, RangeKind::gpu);
      maker.op("a", at, at + 50 + i, {device}, OpKind::kernel);
      maker.op("b", at + 100, at + 150, {device, 8}, OpKind::kernel);
    }
  }
  const Steps steps = steps_of(maker);
  EXPECT_EQ(steps.basis, "range");
  EXPECT_EQ(steps.name, "step");
  EXPECT_EQ(walls(steps), (std::vector<std::int64_t>{200, 200, 200, 200}));
  EXPECT_EQ(steps.steps[0].kernels, 2U);
  EXPECT_EQ(steps.steps[0].buckets.compute_ns, 101);
}

TEST(Steps, OfManyKeepTheFirstTenThousand) {
  Maker maker;
  train(maker, "step ", 10'500, 0, 200);
  const Steps steps = steps_of(maker);
  EXPECT_EQ(steps.steps.size(), kMaxSteps);
  EXPECT_EQ(steps.left_out, 500U);
}

// Random launches and overlaps: what a step is made of, counted nanosecond by nanosecond.
TEST(Steps, AreMadeOfWhatRanMeanwhile) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    Maker maker;
    for (int i = 0; i < 5; ++i) {
      maker.range("step " + std::to_string(i), i * 100, i * 100 + 100);
      for (int k = 0; k < 4; ++k) {
        const auto called = static_cast<std::int64_t>(i * 100 + 1 + random() % 90);
        const auto start = called + static_cast<std::int64_t>(random() % 20);
        maker.launched(random() % 3 == 0 ? "ncclKernel_AllReduce" : "gemm", called, start,
                       start + static_cast<std::int64_t>(random() % 60), {0, static_cast<std::int64_t>(random() % 3)});
      }
    }
    const Steps steps = steps_of(maker);
    const Capture& capture = maker.capture;
    for (const Step& step : steps.steps) {
      std::int64_t compute = 0, idle = 0;
      std::uint64_t kernels = 0;
      for (std::int64_t t = step.start; t < step.start + step.wall_ns; ++t) {
        bool computes = false, runs = false;
        for (std::size_t i = 0; i < capture.ops.size(); ++i) {
          kernels += capture.ops.times.start(i) == t ? 1 : 0;
          if (capture.ops.times.start(i) > t || capture.ops.times.end(i) <= t) continue;
          runs = true;
          computes = computes || capture.names.text(capture.ops.name[i]) == "gemm";
        }
        compute += computes ? 1 : 0;
        idle += runs ? 0 : 1;
      }
      ASSERT_EQ(step.buckets.compute_ns, compute) << "seed " << seed;
      ASSERT_EQ(step.buckets.idle_ns, idle) << "seed " << seed;
      ASSERT_EQ(step.kernels, kernels) << "seed " << seed;
      ASSERT_EQ(parts(step.buckets), step.wall_ns) << "seed " << seed;
    }
  }
}

// ---- periods --------------------------------------------------------------------------------------------------------------

// Kernels of a name each, one after another on device 0, in steps of `step` names; `wall` apart.
void play(Maker& maker, const std::vector<int>& sequence, std::int64_t device = 0, std::int64_t pace = 10) {
  std::int64_t now = 0;
  for (const int name : sequence) {
    now += name == 0 ? 5 * pace : 0;  // the host takes its time before a step
    maker.op("kernel_" + std::to_string(name) + "<float>(int)", now, now + pace - 2, {device});
    now += pace;
  }
}

TEST(Steps, AreThePeriodOfTheKernelsWhereNoRangeNamesThem) {
  Maker maker;
  std::vector<int> sequence = {3, 4, 5};  // the end of a step
  for (int i = 0; i < 6; ++i) sequence.insert(sequence.end(), {0, 1, 2, 1, 2, 3, 4, 5});
  sequence.insert(sequence.end(), {0, 1, 2});
  play(maker, sequence);
  const Steps steps = steps_of(maker);
  EXPECT_EQ(steps.basis, "period");
  EXPECT_EQ(steps.name, "8 kernels from \"kernel_0\"");
  EXPECT_EQ(walls(steps), (std::vector<std::int64_t>{130, 130, 130, 130, 130}));
  EXPECT_EQ(steps.left_out, 3U) << "the part before, the first whole one, the part at the end";
  EXPECT_EQ(steps.steps[0].kernels, 8U);
  EXPECT_EQ(steps.steps[0].buckets.compute_ns, 64);
}

TEST(Steps, ByPeriodAreTheDevicesThatTakesLongest) {
  Maker maker;
  std::vector<int> sequence;
  for (int i = 0; i < 6; ++i) sequence.insert(sequence.end(), {0, 1, 2, 3});
  play(maker, sequence, 0, 10);
  play(maker, sequence, 1, 12);
  EXPECT_EQ(walls(steps_of(maker)), (std::vector<std::int64_t>{108, 108, 108, 108}));
}

TEST(Steps, ByPeriodNeedThreeAndMostOfTheTime) {
  Maker two;
  play(two, {0, 1, 2, 3, 0, 1, 2, 3, 0, 1});
  EXPECT_EQ(steps_of(two).basis, "none");
  Maker rarely;  // repeats for a fifth of the capture only
  std::vector<int> sequence;
  for (int i = 0; i < 8; ++i) sequence.insert(sequence.end(), {0, 1, 2, 3});
  for (int i = 0; i < 160; ++i) sequence.push_back(10 + i);
  play(rarely, sequence);
  EXPECT_EQ(steps_of(rarely).basis, "none");
}

}  // namespace
}  // namespace plumbline::profiles::test
