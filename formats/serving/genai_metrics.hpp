// What the metrics of GenAI-Perf and AIPerf mean, whichever of their files says them: the JSON, the CSV, or one record a request.
// Units are the file's own. Percentiles of rates describe single requests: of those the average is judged. Private to formats/.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "formats/declared_rows.hpp"

namespace plumbline::formats::genai {

// The first releases of AIPerf had short names for two metrics.
[[nodiscard]] inline std::string_view name_of(std::string_view name) {
  if (name == "ttft") return "time_to_first_token";
  if (name == "ttst") return "time_to_second_token";
  return name;
}

// AIPerf says nothing of failed requests where there were none: a gate has to be there to be held against a run with some.
inline constexpr std::string_view kErrors = "error_request_count";
inline void add_errors(DeclaredRows& rows, double count) {
  for (const core::Row& row : rows.writer().out.rows()) {
    if (rows.writer().out.key(row) == "error_request_count.avg") return;
  }
  rows.add(kErrors, "avg", 0, gate(), count);
}

// The metric itself: its average, or the value of one request. `paced`: requests were sent at a fixed rate, so throughput is the
// offered load and no result.
[[nodiscard]] inline Declared metric_of(std::string_view name, std::string_view unit, bool paced) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (has(kErrors)) return gate();
  if (has("error_rate") || has("osl_mismatch")) return for_context(unit);  // says the same as the gate, or a setting
  if (has("throughput")) return paced && !has("per_user") ? for_context(unit) : higher_is_better(unit);
  if (has("latency") || has("time_to_") || has("duration_per")) return lower_is_better(unit);
  if (name == "goodput") return higher_is_better(unit);
  // How much work a request was: neither way is better, and a change has to be seen.
  if (name == "input_sequence_length" || name == "output_sequence_length") return Declared{unit};
  return for_context(unit);  // lengths, counts, how long the benchmark ran
}

// One statistic of it: "avg", "p99", "std".
[[nodiscard]] inline Declared statistic_of(const Declared& average, std::string_view statistic, std::string_view unit) {
  if (statistic == "avg") return average;
  if (statistic == "std") return own_noise(unit);
  if (statistic == "count") return for_context();
  const bool tail = statistic == "p50" || statistic == "p90" || statistic == "p95" || statistic == "p99";
  const bool latency = average.direction == core::Direction::lower && average.role == core::Role::judged;
  return tail && latency ? average : for_context(unit);
}

// A length that is the same for every request, by all that is said of it, describes the load.
inline void lengths_to_context(DeclaredRows& rows) {
  const core::Measurement& out = rows.writer().out;
  for (const auto& [name, context] : {std::pair<std::string_view, std::string_view>{"input_sequence_length", "workload.isl"},
                                      {"output_sequence_length", "workload.osl"}}) {
    std::optional<double> length;
    bool one = true;
    for (const core::Row& row : out.rows()) {
      const std::string_view key = out.key(row);
      if (!key.starts_with(name) || (key.size() > name.size() && key[name.size()] != '.')) continue;
      if (out.metric_class(row).role == core::Role::noise || key.ends_with(".count") || key.ends_with(".sum")) continue;
      for (const double value : out.values(row)) {
        if (!length) length = value;
        one = one && value == *length;
      }
    }
    if (length && one) rows.context(context, core::number_text(*length));
  }
}

// What a GPU did meanwhile is context, but for errors of the hardware.
inline void telemetry(DeclaredRows& rows, std::string_view endpoint, std::string_view gpu, std::string_view name,
                      std::string_view statistic, std::string_view unit, const Leaf& leaf) {
  std::string point = "gpu[";
  if (!endpoint.empty()) point.append("endpoint=").append(endpoint.substr(0, 200)).push_back(',');
  point.append("gpu=").append(gpu.substr(0, 50)).append("].").append(name);
  const std::uint32_t dims =
      rows.dims({{"endpoint", std::string(endpoint.substr(0, 200))}, {"gpu", std::string(gpu.substr(0, 50))}});
  const bool errors = statistic == "max" && (name == "xid_errors" || name == "ecc_errors");
  Declared declared = errors ? gate() : for_context(unit);
  if (statistic == "std") declared = own_noise(unit);
  rows.add(point, statistic, dims, declared, leaf);
}

}  // namespace plumbline::formats::genai
