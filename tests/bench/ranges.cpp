// Which range launched which kernel: what the sweep costs for the ranges and launches of a long training run. A step holds
// layers, a layer operators, an operator launches; host threads take turns. The names carry running numbers, as emit_nvtx writes
// them.
#include "profiles/analysis/ranges.hpp"

#include <benchmark/benchmark.h>

#include <string>

#include "profiles/analysis/order.hpp"

namespace {

using namespace plumbline::profiles;

constexpr std::int64_t kThreads = 2, kLayers = 32, kOperators = 31;

// About `ranges` ranges and `launches` launches.
Capture training_run(std::int64_t ranges, std::int64_t launches) {
  Capture capture;
  const std::int64_t per_step = 1 + kLayers * (1 + kOperators);
  const std::int64_t steps = ranges / per_step;
  std::vector<std::uint32_t> operators;
  for (int i = 0; i < kOperators; ++i)
    operators.push_back(capture.names.id("aten::op_" + std::string(1, static_cast<char>('a' + i))));
  std::vector<std::uint32_t> layers;
  for (int i = 0; i < kLayers; ++i) layers.push_back(capture.names.id("layers." + std::to_string(i)));
  std::vector<std::uint32_t> kernels;
  for (int i = 0; i < 400; ++i) kernels.push_back(capture.names.id("kernel_" + std::to_string(i)));
  const std::uint32_t call_name = capture.names.id("cudaLaunchKernel");
  const auto queue = static_cast<std::uint16_t>(capture.queues.id({1, 0, 1, 7}));
  const auto add_range = [&](std::uint32_t name, std::int64_t start, std::int64_t length, std::uint16_t thread) {
    capture.ranges.times.add(start, length);
    capture.ranges.name.push_back(name);
    capture.ranges.thread.push_back(thread);
    capture.ranges.kind.push_back(RangeKind::nvtx);
  };
  std::uint32_t correlation = 0;
  double due = 0;
  const double each = static_cast<double>(launches) / static_cast<double>(steps * kLayers * kOperators);
  std::int64_t now = 0;
  for (std::int64_t step = 0; step < steps; ++step) {
    const auto thread = static_cast<std::uint16_t>(capture.threads.id({1, step % kThreads}));
    constexpr std::int64_t kOperator = 1000, kLayer = (kOperators + 1) * kOperator;
    add_range(capture.names.id("train_step_" + std::to_string(step)), now, kLayers * kLayer + 10, thread);
    for (std::int64_t layer = 0; layer < kLayers; ++layer) {
      add_range(layers[static_cast<std::size_t>(layer)], now, kLayer - 10, thread);
      for (std::int64_t op = 0; op < kOperators; ++op, now += kOperator) {
        add_range(operators[static_cast<std::size_t>(op)], now, kOperator - 10, thread);
        for (due += each; due >= 1; due -= 1) {
          ++correlation;
          capture.calls.times.add(now + 5, 3);
          capture.calls.name.push_back(call_name);
          capture.calls.thread.push_back(thread);
          capture.calls.correlation.push_back(correlation);
          capture.ops.times.add(now + 20, 100 + correlation % 1000);
          capture.ops.name.push_back(kernels[static_cast<std::size_t>(op * kLayers + layer) % kernels.size()]);
          capture.ops.queue.push_back(queue);
          capture.ops.kind.push_back(OpKind::kernel);
          capture.ops.detail.push_back(kNone);
          capture.ops.launch.push_back(correlation);
        }
      }
      now += kOperator;
    }
    now += 100;
  }
  sort_by_start(capture);
  join_launches(capture);
  return capture;
}

void attribute(benchmark::State& state) {
  const Capture capture = training_run(state.range(0), state.range(1));
  std::size_t nodes = 0;
  for (auto _ : state) {
    const RangeAttribution found = RangeTree(capture).take();
    nodes = found.nodes.size();
    benchmark::DoNotOptimize(nodes);
  }
  state.counters["nodes"] = static_cast<double>(nodes);
  state.counters["ranges"] = static_cast<double>(capture.ranges.size());
  state.counters["launches"] = static_cast<double>(capture.ops.size());
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(capture.ranges.size() + capture.ops.size()));
}
BENCHMARK(attribute)->Args({1'600'000, 700'000})->Args({16'000'000, 7'000'000})->Unit(benchmark::kMillisecond);

}  // namespace
