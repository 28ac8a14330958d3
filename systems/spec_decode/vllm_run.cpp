#include "systems/spec_decode/vllm_run.hpp"

#include <algorithm>

#include "core/native.hpp"
#include "systems/spec_decode/model.hpp"

namespace plumbline::systems::spec_decode {

namespace {

// Of several runs at one point every value is a list, and those of several points differ in their dimensions.
bool is_one_run(const core::Measurement& measurement) {
  const auto& rows = measurement.rows();
  return std::all_of(rows.begin(), rows.end(),
                     [&](const core::Row& row) { return row.value_count <= 1 && row.dims == rows.front().dims; });
}

Run run_of(const core::Measurement& measurement) {
  Run run;
  for (const core::Row& row : measurement.rows()) {
    if (row.value_count != 1 || row.state != core::ValueState::number) continue;
    const std::string_view key = measurement.key(row);
    const double value = measurement.values(row).front();
    if (key == "duration") run.duration_s = value;
    if (key == "num_prompts") run.num_prompts = value;
    const std::string metric = metric_of(key);
    run.metrics.emplace_back(metric.empty() ? std::string(key) : metric,
                             metric.empty() ? value : value / vllm_name(metric).factor);
  }
  return run;
}

}  // namespace

void retell(core::Measurement& measurement, const formats::Format& format, const formats::Input& input) {
  const bool folder = input.is_directory || !input.files.empty();
  if (format.name != "vllm-serve" || folder || !is_one_run(measurement)) return;
  core::NativeFile native;
  native.system = "spec_decode";
  native.path = input.name;
  native.content = File{.baseline = std::nullopt, .run = run_of(measurement)};
  measurement.native = std::make_shared<const core::NativeFile>(std::move(native));
}

}  // namespace plumbline::systems::spec_decode
