// From events to a Profile: five million kernels of 400 names on 8 devices, as a capture of some minutes holds them; without and
// with the calls that launched them, and in steps. Per part, and the whole.
#include <benchmark/benchmark.h>

#include <random>
#include <string>

#include "profiles/analysis/aggregates.hpp"
#include "profiles/analysis/analyse.hpp"
#include "profiles/analysis/order.hpp"
#include "profiles/analysis/steps/steps.hpp"
#include "profiles/analysis/timeline.hpp"
#include "profiles/analysis/typical_step.hpp"

namespace {

using namespace plumbline::profiles;

constexpr std::uint32_t kOps = 5'000'000;
constexpr std::uint32_t kNames = 400;
enum class Shape : std::uint8_t { random, launched, steps };

// Random: names by Zipf's law. Steps: 1,000 kernels again and again, here and there one too many.
Capture make(Shape shape) {
  std::mt19937_64 random(1);
  Capture capture;
  for (std::uint32_t i = 0; i < kNames; ++i) {
    const char* kind = i % 40 == 7 ? "ncclDevKernel_AllReduce_Sum_f32_RING_LL_" : "void at::native::elementwise_kernel_";
    capture.names.id(kind + std::to_string(i));
  }
  const std::uint32_t launch = capture.names.id("cudaLaunchKernel");
  std::vector<double> weights;
  for (std::uint32_t i = 0; i < kNames; ++i) weights.push_back(1.0 / (i + 1));
  std::discrete_distribution<std::uint32_t> zipf(weights.begin(), weights.end());
  const auto thread = static_cast<std::uint16_t>(capture.threads.id({1, 1}));
  std::vector<std::uint16_t> queues;
  for (int i = 0; i < 16; ++i)
    queues.push_back(static_cast<std::uint16_t>(capture.queues.id({1, shape == Shape::steps ? 0 : i & 7, 1, 7 + i / 8})));
  std::vector<std::uint32_t> step;
  for (int i = 0; i < 1000; ++i) step.push_back(zipf(random) / 2);
  step[0] = 399;
  std::int64_t now = 1'000'000'000;
  for (std::uint32_t i = 0, at = 0; i < kOps; ++i) {
    std::uint32_t name = zipf(random);
    if (shape == Shape::steps && random() % 500 != 0) name = step[at++ % step.size()];
    const auto length = static_cast<std::int64_t>(2000 + name * 100 + random() % 3000);
    now += static_cast<std::int64_t>(500 + random() % 2000);
    capture.ops.times.add(now, length);
    capture.ops.name.push_back(name);
    capture.ops.queue.push_back(queues[shape == Shape::steps ? 0 : i & 15]);
    capture.ops.kind.push_back(OpKind::kernel);
    capture.ops.detail.push_back(capture.launch_shapes.id({{name * 37 % 4096 + 1, 1, 1}, {256, 1, 1}}));
    capture.ops.launch.push_back(i + 1);
    if (shape != Shape::random) {
      capture.calls.times.add(now - 6000 + static_cast<std::int64_t>(random() % 2000), 1500);
      capture.calls.name.push_back(launch);
      capture.calls.thread.push_back(thread);
      capture.calls.correlation.push_back(i + 1);
    }
    now += length;
  }
  return capture;
}

void whole(benchmark::State& state, Shape shape, bool digest = false) {
  ReadOptions options;
  options.digest = digest;
  for (auto _ : state) {
    state.PauseTiming();
    Capture capture = make(shape);
    state.ResumeTiming();
    auto profile = analyse(std::move(capture), options);
    if (!profile) state.SkipWithError(profile.error().message.c_str());
    benchmark::DoNotOptimize(profile);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * kOps);
}

template <class Part>
void part(benchmark::State& state, Shape shape, Part&& run) {
  Capture capture = make(shape);
  sort_by_start(capture);
  join_launches(capture);
  const std::vector<bool> communication = communication_names(capture);
  const IdleSplitter idle(capture, call_kinds(capture));
  for (auto _ : state) run(capture, communication, idle);
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * kOps);
}

void timeline(benchmark::State& state, Shape shape) {
  part(state, shape, [](const Capture& capture, const std::vector<bool>& communication, const IdleSplitter& idle) {
    benchmark::DoNotOptimize(sweep(capture, communication, idle, RangeTree(capture)));
  });
}
void aggregates(benchmark::State& state) {
  part(state, Shape::random, [&state](const Capture& capture, const std::vector<bool>&, const IdleSplitter&) {
    Aggregates kernels;
    if (!aggregate(capture.ops.times, capture.ops.name, capture.names, {capture.ops.kind, {OpKind::kernel}}, kernels))
      state.SkipWithError("implausible");
    add_shapes(capture, kernels);
    benchmark::DoNotOptimize(kernels);
  });
}
void steps(benchmark::State& state, Shape shape) {
  part(state, shape, [&state, shape](const Capture& capture, const std::vector<bool>& communication, const IdleSplitter& idle) {
    std::vector<plumbline::core::Warning> warnings;
    const Steps found = find_steps(capture, communication, idle, {}, warnings);
    if (found.steps.empty() == (shape == Shape::steps)) state.SkipWithError(found.basis.c_str());
    state.counters["steps"] = static_cast<double>(found.steps.size());
  });
}
void typical_step(benchmark::State& state, Shape shape) {
  part(state, shape, [](const Capture& capture, const std::vector<bool>& communication, const IdleSplitter& idle) {
    std::vector<plumbline::core::Warning> warnings;
    static const Steps found = find_steps(capture, communication, idle, {}, warnings);
    benchmark::DoNotOptimize(TypicalStep(capture, found).draw(communication));
  });
}

BENCHMARK_CAPTURE(whole, kernels_only, Shape::random)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(whole, with_calls, Shape::launched)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(whole, in_steps, Shape::steps)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(whole, in_steps_for_a_digest, Shape::steps, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(timeline, kernels_only, Shape::random)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(timeline, with_calls, Shape::launched)->Unit(benchmark::kMillisecond);
BENCHMARK(aggregates)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(steps, no_period, Shape::random)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(steps, period, Shape::steps)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(typical_step, drawn, Shape::steps)->Unit(benchmark::kMillisecond);

}  // namespace
