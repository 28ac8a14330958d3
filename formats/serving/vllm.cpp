// What `vllm bench` leaves behind: the JSON of `serve` (one run, or a sweep's array of runs), of `latency` and of `throughput`,
// and the table that `serve` prints. Per-request arrays (--save-detailed) are left out: requests of one run are no trials.
#include <array>

#include "formats/read_document.hpp"
#include "formats/serving/impossible_times.hpp"
#include "formats/serving/serving_runs.hpp"

namespace plumbline::formats {
namespace {

using core::Direction;

// Single requests that are sent beside the load, to see how long it keeps them waiting ("median_e2el_ms").
std::optional<Declared> probe_metric(std::string_view name) {
  if (name == "failed") return gate();
  if (name == "completed") return for_context();
  return latency_metric(name);
}

std::optional<Declared> serve_metric(std::string_view name, bool paced) {
  if (auto latency = latency_metric(name)) return latency;
  const auto rate = [&](std::string_view unit) { return paced ? for_context(unit) : higher_is_better(unit); };
  if (name == "request_throughput") return rate("req/s");
  if (name == "output_throughput" || name == "total_token_throughput" || name == "input_throughput" ||
      name == "diffusion_committed_throughput") {
    return rate("tok/s");
  }
  if (name == "input_sequence_throughput") return rate("inputs/s");
  // Waiting for a free place among the allowed requests says how many there are, not how fast one is.
  if (name.ends_with("_client_queue_time_ms")) return for_context("ms");
  if (name.starts_with("probe_")) return probe_metric(name.substr(6));
  if (name == "accept_length") return higher_is_better("tok");
  if (name == "request_goodput") return higher_is_better("req/s");
  if (name == "completed" || name == "good_completed") return gate(Direction::higher);
  if (name == "failed") return gate();
  if (name == "duration") return for_context("s");
  if (name == "max_output_tokens_per_s") return for_context("tok/s");
  if (name == "spec_decode_acceptance_rate") return higher_is_better("%");
  if (name == "spec_decode_acceptance_length" || name == "speedup" ||
      name.starts_with("spec_decode_per_position_acceptance_rates.")) {
    return higher_is_better("");
  }
  if (name == "base_output_throughput") return for_context("tok/s");
  if (name == "rtfx" || name == "run_number" || name == "max_concurrent_requests" || name == "best_of" ||
      name == "use_beam_search" || name == "concurrency" || name.starts_with("total_") || name.starts_with("spec_decode_") ||
      name.starts_with("diffusion_")) {
    return for_context();
  }
  return std::nullopt;
}

// How much faster than without speculation: only where the file says how fast that was (`--metadata base_output_throughput=N`,
// or `speedup=N` itself; vLLM writes metadata as texts).
void add_speedup(Run& run) {
  const auto number = [&](std::string_view name) -> std::optional<double> {
    for (RunField& field : run) {
      if (field.name != name || !field.leaf.has_value) continue;
      if (field.leaf.state == core::ValueState::numeric_string) field.leaf.state = core::ValueState::number;
      if (field.leaf.state == core::ValueState::number) return field.leaf.value;
    }
    return std::nullopt;
  };
  const auto base = number("base_output_throughput"), throughput = number("output_throughput");
  if (number("speedup") || !base || !throughput || !(*base > 0)) return;
  run.push_back({"speedup", Leaf{core::ValueState::number, *throughput / *base, true, {}}});
}

constexpr std::string_view kPoint[] = {"max_concurrency", "request_rate", "num_prompts", "burstiness"};
constexpr std::string_view kHeadlines[] = {"output_throughput", "median_ttft_ms", "median_tpot_ms"};
// Embeddings have no tokens to generate.
constexpr std::string_view kPoolingHeadlines[] = {"input_sequence_throughput", "request_throughput", "median_e2el_ms"};
constexpr RunSetting kSettings[] = {{"burstiness", "workload.burstiness"},
                                    {"ramp_up_strategy", "workload.ramp_up_strategy"},
                                    {"ramp_up_start_rps", "workload.ramp_up_start_rps"},
                                    {"ramp_up_end_rps", "workload.ramp_up_end_rps"}};
constexpr std::string_view kServed[] = {"label", "model_id", "backend", "dataset_name"};
constexpr ServingFormat kServe{"vllm-serve", kPoint, kHeadlines, serve_metric, kSettings, false, kServed};

// The table's labels under the names that the JSON has for them; case has drifted between releases.
struct Label {
  std::string_view label, name;
};
constexpr Label kLabels[] = {
    {"backend", "backend"},
    {"model", "model_id"},
    {"dataset", "dataset_name"},
    {"traffic request rate", "request_rate"},
    {"request rate configured (rps)", "request_rate"},
    {"maximum request concurrency", "max_concurrency"},
    {"max request concurrency", "max_concurrency"},
    {"max reqeuest concurrency", "max_concurrency"},
    {"successful requests", "completed"},
    {"failed requests", "failed"},
    {"benchmark duration (s)", "duration"},
    {"total input tokens", "total_input_tokens"},
    {"total generated tokens", "total_output_tokens"},
    {"total generated tokens (retokenized)", "total_output_tokens_retokenized"},
    {"concurrency", "concurrency"},
    {"accept length", "accept_length"},
    {"rtfx (inverse real-time factor)", "rtfx"},
    {"request throughput (req/s)", "request_throughput"},
    {"request goodput (req/s)", "request_goodput"},
    {"input token throughput (tok/s)", "input_throughput"},
    {"input throughput (inputs/s)", "input_sequence_throughput"},
    {"output token throughput (tok/s)", "output_throughput"},
    {"peak output token throughput (tok/s)", "max_output_tokens_per_s"},
    {"peak concurrent requests", "max_concurrent_requests"},
    {"total token throughput (tok/s)", "total_token_throughput"},
    {"acceptance rate (%)", "spec_decode_acceptance_rate"},
    {"acceptance length", "spec_decode_acceptance_length"},
    {"drafts", "spec_decode_num_drafts"},
    {"draft tokens", "spec_decode_draft_tokens"},
    {"accepted tokens", "spec_decode_accepted_tokens"},
    {"committed throughput (tok/s)", "diffusion_committed_throughput"},
    {"denoising steps per canvas", "diffusion_steps_per_canvas"},
    {"committed per denoising step", "diffusion_committed_per_step"},
    {"committed tokens", "diffusion_committed_tokens"},
    {"denoising steps", "diffusion_denoising_steps"},
    {"canvas positions evaluated", "diffusion_canvas_positions"},
    {"probe requests completed", "probe_completed"},
    {"probe requests failed", "probe_failed"},
};

// "Mean TTFT (ms)" -> "mean_ttft_ms", "P99 probe E2EL (ms)" -> "probe_p99_e2el_ms"; "" for a label that nothing is known of.
std::string name_of_label(std::string_view label) {
  const std::string lower = core::to_lower(label);
  for (const Label& known : kLabels) {
    if (known.label == lower) return std::string(known.name);
  }
  if (!lower.ends_with(" (ms)")) return {};
  std::string name = lower.substr(0, lower.size() - 5) + "_ms";
  std::replace(name.begin(), name.end(), ' ', '_');
  std::replace(name.begin(), name.end(), '-', '_');
  constexpr std::string_view kProbe = "_probe_", kIncluding = "_incl._";
  if (const std::size_t at = name.find(kProbe); at != std::string::npos) {
    name = "probe_" + name.replace(at, kProbe.size(), "_");
  } else if (const std::size_t including = name.find(kIncluding); including != std::string::npos) {
    name.replace(including, kIncluding.size(), "_including_");
  }
  if (name == "max_itl_ms" || serve_metric(name, false)) return name;
  return {};
}

// A result that only this release or this fork prints, under its own words: "Peak Memory Max (MB)" -> "peak_memory_max_mb".
// The table pads its labels; a line of the log in between does not look like that.
std::string name_of_unknown(std::string_view label, std::string_view rest) {
  constexpr std::size_t kLongest = 60;
  if (label.empty() || label.size() > kLongest || !rest.starts_with("  ")) return {};
  std::string name;
  for (const char c : core::to_lower(label)) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.';
    if (!word && std::string_view(" ()/%-_#").find(c) == std::string_view::npos) return {};
    if (word) {
      name.push_back(c);
    } else if (!name.empty() && name.back() != '_') {
      name.push_back('_');
    }
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  return !name.empty() && name.front() >= 'a' && name.front() <= 'z' ? name : std::string();
}

constexpr std::string_view kBanner = " Serving Benchmark Result ===";

Leaf leaf_of_cell(std::string_view value) {
  if (value == "not set") return {core::ValueState::null, 0, false, value};  // null in the JSON
  Leaf leaf = leaf_of_text(value);
  if (leaf.state == core::ValueState::numeric_string) leaf.state = core::ValueState::number;
  return leaf;
}

// "Successful requests: 7/8" says how many were asked for.
bool take_share(std::string_view value, Run& run) {
  const std::size_t slash = value.find('/');
  if (slash == std::string_view::npos) return false;
  const auto done = core::parse_int(value.substr(0, slash)), asked = core::parse_int(value.substr(slash + 1));
  if (!done || !asked || *done < 0 || *asked < *done) return false;
  const auto put = [&](const char* name, std::int64_t count) {
    run.push_back({name, Leaf{core::ValueState::number, static_cast<double>(count), true, {}}});
  };
  put("completed", *done);
  put("num_prompts", *asked);
  return true;
}

// One run: the lines from a banner to the closing rule.
Run run_of_table(std::string_view table) {
  Run run;
  for (const std::string_view line : core::split(table, '\n')) {
    const std::size_t colon = line.rfind(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view label = core::trim(line.substr(0, colon)), value = core::trim(line.substr(colon + 1));
    if (value.empty()) continue;
    std::string name = name_of_label(label);
    if (name == "completed" && take_share(value, run)) continue;
    Leaf leaf = leaf_of_cell(value);
    if (constexpr std::string_view kPosition = "Position "; label.starts_with(kPosition)) {
      // The JSON has shares, the table per cent.
      name = "spec_decode_per_position_acceptance_rates." + std::string(label.substr(kPosition.size()));
      leaf.value /= 100;
    } else if (name.empty() && leaf.state == core::ValueState::number) {
      name = name_of_unknown(label, line.substr(colon + 1));
    }
    if (!name.empty()) run.push_back({std::move(name), leaf});
  }
  account_for_requests(run);
  return run;
}

}  // namespace

Detection detect_vllm_serve(const Input& input) {
  if (input.is_directory || !input.files.empty()) return detect_vllm_sweep(input);
  const std::string_view head = json_head(input);
  Detection detection;
  if (!head.starts_with("{") && !head.starts_with("[")) return detection;
  if (has_keys(input, {"request_throughput", "input_sequence_throughput", "total_token_throughput", "num_prompts"}, detection)) {
    detection.score = 0.95;
    return detection;
  }
  if (!has_keys(input, {"request_throughput", "output_throughput", "num_prompts"}, detection)) return detection;
  detection.score = has_keys(input, {"total_token_throughput"}, detection) ? 0.95 : 0.91;
  return detection;
}

core::Expected<core::Measurement> read_vllm_serve(const Input& input, const ReadOptions& options) {
  if (input.is_directory || !input.files.empty()) return read_vllm_sweep(input, options, kServe);
  auto document = parse_json(input, options, is_per_request);
  if (!document) return core::fail(document.error());
  auto runs = runs_of(document->root(), input.name);
  if (!runs) return core::fail(runs.error());
  for (Run& run : *runs) add_speedup(run);
  RowWriter writer(options);
  take_notes(*document, writer);
  const auto generates = [](const Run& run) {
    return std::any_of(run.begin(), run.end(), [](const RunField& field) { return field.name == "output_throughput"; });
  };
  ServingFormat format = kServe;
  if (std::none_of(runs->begin(), runs->end(), generates)) format.headlines = kPoolingHeadlines;
  return rows_of_runs(writer, std::move(*runs), format, input.name);
}

core::Expected<core::Measurement> read_vllm_console(const Input& input, const ReadOptions& options) {
  std::vector<Run> runs;
  for (std::size_t at = input.bytes.find(kBanner); at != std::string_view::npos;) {
    const std::size_t next = input.bytes.find(kBanner, at + kBanner.size());
    std::string_view table = input.bytes.substr(at + kBanner.size(), next == std::string_view::npos ? next : next - at);
    // The closing rule is '=' alone; what a log says after it is none of the table's.
    if (const std::size_t end = table.find("\n====="); end != std::string_view::npos) table = table.substr(0, end);
    runs.push_back(run_of_table(table));
    at = next;
  }
  if (runs.empty()) {
    return core::fail(core::ErrorCode::invalid_input, "no table of serving results in it",
                      "it starts with ============ Serving Benchmark Result ============", input.name);
  }
  RowWriter writer(options);
  ServingFormat format = kServe;
  format.name = "vllm-console";
  return rows_of_runs(writer, std::move(runs), format, input.name);
}

core::Status read_vllm_offline(const json::Value& root, RowWriter& writer) {
  if (!root.is_object() || (!root.find("avg_latency") && !root.find("requests_per_second"))) {
    return core::fail(kOtherStructure, "neither \"avg_latency\" nor \"requests_per_second\" is there",
                      "this format is the JSON of vllm bench latency and vllm bench throughput");
  }
  DeclaredRows rows(writer, "vllm-offline");
  const json::Value latencies = root.find("latencies");
  std::vector<double> trials;
  for (const json::Value& one : latencies.is_array() ? latencies.elements() : json::Value().elements()) {
    trials.push_back(one.is_number() ? one.number() : std::nan(""));
  }
  rows.add({}, "latency", 0, lower_is_better("s"), trials);
  for (const auto [key, valid, value] : root.members()) {
    if (key == "percentiles") {
      for (const auto [percentile, percentile_valid, number] : value.members()) {
        if (!number.is_container()) {
          rows.add("latency", "p" + std::string(percentile), 0, lower_is_better("s"), leaf_of(number));
        }
      }
    } else if (value.is_container()) {
      continue;                         // the trials, and settings that no list names
    } else if (key == "avg_latency") {  // the mean of the trials, where they are there
      rows.add({}, key, 0, trials.empty() ? lower_is_better("s") : for_context("s"), leaf_of(value));
    } else if (key == "requests_per_second") {
      rows.add({}, key, 0, higher_is_better("req/s"), leaf_of(value));
    } else if (key == "tokens_per_second") {
      rows.add({}, key, 0, higher_is_better("tok/s"), leaf_of(value));
    } else if (key == "elapsed_time") {  // says the same as the rates
      rows.add({}, key, 0, for_context("s"), leaf_of(value));
    } else if (const std::string_view context = writer.names().context_key(key); !context.empty()) {
      rows.context(context, value.text());
    } else {
      writer.add(key, key, RowWriter::kRootShape, 0, leaf_of(value));
    }
  }
  const bool throughput = static_cast<bool>(root.find("requests_per_second"));
  reject_impossible_times(writer, 0);
  // How much work a request was: neither way is better, and a change has to be seen.
  const auto requests = root.find_number("num_requests"), tokens = root.find_number("total_num_tokens");
  if (requests && tokens && *requests >= 1 && *tokens > 0) {
    rows.add({}, "tokens_per_request", 0, Declared{"tok"}, *tokens / *requests);
    if (std::fmod(*tokens, *requests) == 0) rows.context("workload.tokens_per_request", core::number_text(*tokens / *requests));
  }
  writer.out.declared.headlines = {throughput ? "tokens_per_second" : trials.empty() ? "avg_latency" : "latency"};
  writer.out.replication = throughput ? core::Replication::run : core::Replication::in_process;
  return {};
}

extern const Format vllm_serve_format = {
    .name = "vllm-serve",
    .title = "vLLM bench serve, and the folders of its sweeps",
    .replication = core::Replication::run,
    .detect = detect_vllm_serve,
    .read = read_vllm_serve,
    .about =
        {.group = Group::serving,
         .file = "JSON, folder",
         .produce = "vllm bench serve --model MODEL --dataset-name random --num-prompts 200 \\\n"
                    "  --max-concurrency 16 --save-result --result-dir DIR\n"
                    "vllm bench sweep serve --serve-cmd 'vllm serve MODEL' --num-runs 3 \\\n"
                    "  --bench-cmd 'vllm bench serve --model MODEL' --bench-params FILE -o DIR",
         .judged = "throughput (req/s, tok/s, higher; context when paced by a request rate), goodput, mean, median and tails of "
                   "TTFT, TPOT, ITL and E2EL (ms or s, lower); requests that failed or are missing from the count are gates; "
                   "tokens per "
                   "request, whose change is seen and called neither better nor worse",
         .key = "concurrency, request rate, prompts, burstiness where the file holds several points, and label, model, backend, "
                "lengths where they differ; in a sweep's folder the name "
                "of the run's folder (`SERVE--…-BENCH--…`) besides",
         .trials = "runs of one point: in an array, in JSON lines, or `run=0.json`, `run=1.json` of a sweep",
         .context = "model, tokenizer, backend, concurrency (`none` without a bound), request rate, burstiness, prompts, lengths "
                    "where they are the same for every request; what only the file's name says (`…_tp8-ep1-dpafalse_conc16_…`)",
         .limits = "lists of single requests (`--save-detailed`) are left out; a sweep's `summary.json` is read only where its "
                   "runs are missing",
         .recognised =
             "`request_throughput`, `output_throughput` (of embeddings `input_sequence_throughput`), `num_prompts`; a folder "
             "with such `run=0.json`"},
};

extern const Format vllm_console_format = {
    .name = "vllm-console",
    .title = "the table that vLLM bench serve prints",
    .replication = core::Replication::run,
    .signs = {{{Sign::In::head, 0.95, {kBanner, "Successful requests:"}}}},
    .read = read_vllm_console,
    .about = {.group = Group::serving,
              .file = "text",
              .produce = "vllm bench serve --model MODEL --dataset-name random | tee serve.txt",
              .judged = "the table that `bench serve` prints",
              .key = "the settings that differ between tables",
              .trials = "tables of one point",
              .context = "concurrency, request rate, lengths where they are the same for every request",
              .limits = "what the log says around the table is not read; a line of the table that is not known goes by its words",
              .recognised = "its banner and `Successful requests:`"},
};

extern const Format vllm_offline_format = {
    .name = "vllm-offline",
    .title = "vLLM bench latency and throughput",
    .replication = core::Replication::unknown,
    .signs = {{{Sign::In::object, 0.93, {"avg_latency", "latencies"}},
               {Sign::In::object, 0.93, {"elapsed_time", "num_requests", "requests_per_second", "tokens_per_second"}}}},
    .read = read_document<read_vllm_offline>,
    .about = {.group = Group::serving,
              .file = "JSON",
              .produce = "vllm bench latency --model MODEL --output-json latency.json\n"
                         "vllm bench throughput --model MODEL --input-len 1024 --output-len 128 \\\n"
                         "  --output-json throughput.json",
              .judged = "vLLM `bench latency` (its latencies are trials) and `bench throughput`",
              .key = "the metric",
              .trials = "`latencies`",
              .context = "listed fields, tokens per request",
              .limits = "per-request settings that no list names are left out",
              .recognised = "`avg_latency` with `latencies`; `requests_per_second` with `tokens_per_second`"},
};

}  // namespace plumbline::formats
