// Runs of a serving benchmark as rows: what vLLM, SGLang and InferenceX have in common, each run a flat record of settings and
// results. Runs of one point (concurrency, request rate, lengths, …) are its trials. Private to formats/.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/declared_rows.hpp"
#include "formats/readers.hpp"

namespace plumbline::formats {

// One field of a run; the leaf's texts are views into the input.
struct RunField {
  std::string name;
  Leaf leaf;
};
using Run = std::vector<RunField>;

// A setting and the field of the context that it is; settings whose name says it need none (MetricNames::context_key).
struct RunSetting {
  std::string_view field, context;
};

struct ServingFormat {
  std::string_view name;
  std::span<const std::string_view> point;  // the settings that tell runs apart
  std::span<const std::string_view> headlines;
  // What the format says about a number of that name; nullopt = judged by its name. `paced`: requests were sent at a fixed
  // rate, so throughput is the offered load and no result.
  std::optional<Declared> (*metric)(std::string_view name, bool paced) = nullptr;
  std::span<const RunSetting> settings = {};
  bool history = false;  // the tool appends to its file: the last run of a point counts, earlier ones are left out
  // What was served. One file may hold several: where runs of a point differ in one of these, it belongs to the point.
  std::span<const std::string_view> identity = {};
};

// A setting: how many requests a run had, where only those that were answered are told.
inline constexpr std::string_view kCompletedRequests = "completed_requests";

// Null when the run has no such field; the first where it has several.
[[nodiscard]] const RunField* field_of(const Run& run, std::string_view name);
// Requests that failed and requests that nothing is said of, where the others are counted: what is there stays.
void account_for_requests(Run& run);
// The members of a record; keys lose stray punctuation ("request_goodput:"), per-request arrays are left out.
[[nodiscard]] Run run_of(const json::Value& record);
// Keys of the arrays that hold a value for each request; what run_of leaves out, for parse_json.
[[nodiscard]] bool is_per_request(std::string_view key);
// The runs of a document: one object, an array of them, or JSON lines. Error when a record is no object.
[[nodiscard]] core::Expected<std::vector<Run>> runs_of(const json::Value& root, std::string_view name);
// Keys start with the point where there are several: "[max_concurrency=16,request_rate=inf].median_ttft_ms". One point has bare
// keys, however the file holds it (an object, an array, lines), and its settings are context.
[[nodiscard]] core::Expected<core::Measurement> rows_of_runs(RowWriter& writer, std::vector<Run> runs,
                                                             const ServingFormat& format, std::string_view name);

// The folder that `vllm bench sweep` writes (vllm_sweep.cpp).
[[nodiscard]] Detection detect_vllm_sweep(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_vllm_sweep(const Input& input, const ReadOptions& options,
                                                                const ServingFormat& serve);

// "mean_ttft_ms", "p99.9_itl", "std_e2e_latency_ms": the unit is ms by that suffix and else seconds. nullopt when it is no such
// name.
[[nodiscard]] std::optional<Declared> latency_metric(std::string_view name);

}  // namespace plumbline::formats
