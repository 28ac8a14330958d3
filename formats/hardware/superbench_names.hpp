// Names that SuperBench gave its benchmarks and metrics before releases 0.4 and 0.5, as later ones call the same. Only what those
// releases renamed and nothing else: what was measured differently under the new name stays another metric.
// Private to formats/hardware.
#pragma once

#include <string>
#include <string_view>

namespace plumbline::formats {

// "bert_models/pytorch-bert-base" -> "model-benchmarks:bert/pytorch-bert-base", the names of the configurations that ship with
// it.
[[nodiscard]] std::string superbench_benchmark(std::string_view benchmark);
// "event_overhead" of kernel-launch -> "event_time", "steptime_train_float32" -> "fp32_train_step_time". Rank and run taken off.
[[nodiscard]] std::string superbench_metric(std::string_view benchmark, std::string_view metric);

}  // namespace plumbline::formats
