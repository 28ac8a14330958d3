// InferenceX (InferenceMAX) aggregates: JSON objects, one a run, and the CSV that its site exports. Latencies are seconds
// whatever the raw file had; interactivity (*_intvty, tok/s per user) is 1/tpot, so its p99 is the slow tail and its std says
// nothing. The CSV's headers say "(ms)" over values that are seconds, and copies made by others mean it: TPOT times interactivity
// decides for each line. (Raw results are vLLM's and are read as such.)
#include <map>

#include "formats/generic/lines.hpp"
#include "formats/serving/serving_runs.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {
namespace {

std::optional<Declared> inferencex_metric(std::string_view name, bool) {
  if (name.ends_with("_intvty")) {
    if (name.starts_with("std_")) return for_context();
    if (name.starts_with("min_") || name.starts_with("max_")) return for_context("tok/s");
    return higher_is_better("tok/s");
  }
  if (auto latency = latency_metric(name)) return latency;
  if (name == "tput_per_gpu" || name == "output_tput_per_gpu" || name == "input_tput_per_gpu") {
    return higher_is_better("tok/s");
  }
  if (name == "joules_per_successful_query") return lower_is_better("J/query");
  if (name.find("joules_per_") != std::string_view::npos) return lower_is_better("J/tok");
  if (name.ends_with("_power_w")) return for_context("W");
  if (name == "total_gpu_energy_j") return for_context("J");
  if (name.starts_with("avg_") || name.starts_with("peak_")) return for_context();  // temperatures, clocks, shares in use
  if (name == "power_valid" || name == "passed") return gate(core::Direction::higher);
  if (name == "qps") return higher_is_better("req/s");
  if (name.ends_with("_output_token_throughput_per_user")) {
    return name.starts_with("mean_") || name.starts_with("p50_") ? higher_is_better("tok/s") : for_context("tok/s");
  }
  if (name.ends_with("_tokens")) return name.starts_with("mean_") ? Declared{"tok"} : for_context("tok");
  if (name == "duration") return for_context("s");
  if (name.starts_with("num_") && name.ends_with("_gpu")) return for_context();
  return std::nullopt;
}

constexpr std::string_view kPoint[] = {"hw",  "framework", "model", "precision", "spec_decoding", "disagg", "isl",
                                       "osl", "conc",      "tp",    "ep",        "dp_attention"};
constexpr std::string_view kDatedPoint[] = {"hw",  "framework", "model", "precision", "spec_decoding", "disagg", "isl",
                                            "osl", "conc",      "tp",    "ep",        "dp_attention",  "date"};
constexpr std::string_view kHeadlines[] = {"tput_per_gpu", "median_intvty"};
constexpr RunSetting kSettings[] = {{"conc", "workload.concurrency"},
                                    {"disagg", "parallelism.disagg"},
                                    {"dp_attention", "parallelism.dp_attention"},
                                    {"is_multinode", "parallelism.multinode"},
                                    {"num_prefill_gpu", "parallelism.prefill_gpus"},
                                    {"num_decode_gpu", "parallelism.decode_gpus"},
                                    {"num_gpus", "hardware.gpu_count"},
                                    {"pp", "parallelism.pp"},
                                    {"dcp_size", "parallelism.dcp"},
                                    {"pcp_size", "parallelism.pcp"},
                                    {"users", "workload.users"},
                                    {"kv_offloading", "serving.kv_offloading"},
                                    {"kv_offload_backend", "serving.kv_offload_backend"},
                                    {"recipe_fingerprint", "serving.recipe"},
                                    {"scenario_type", "workload.scenario"}};
constexpr ServingFormat kInferencex{"inferencex", kPoint, kHeadlines, inferencex_metric, kSettings};

// Columns of the export under the names of the JSON.
constexpr std::pair<std::string_view, std::string_view> kColumns[] = {{"model", "model"},
                                                                      {"isl", "isl"},
                                                                      {"osl", "osl"},
                                                                      {"hardware", "hw"},
                                                                      {"hardware key", "hw_key"},
                                                                      {"framework", "framework"},
                                                                      {"precision", "precision"},
                                                                      {"tp", "tp"},
                                                                      {"ep", "ep"},
                                                                      {"concurrency", "conc"},
                                                                      {"date", "date"},
                                                                      {"throughput/gpu (tok/s)", "tput_per_gpu"},
                                                                      {"throughput/chip (tok/s)", "tput_per_gpu"},
                                                                      {"output throughput/gpu (tok/s)", "output_tput_per_gpu"},
                                                                      {"output throughput/chip (tok/s)", "output_tput_per_gpu"},
                                                                      {"input throughput/gpu (tok/s)", "input_tput_per_gpu"},
                                                                      {"input throughput/chip (tok/s)", "input_tput_per_gpu"},
                                                                      {"disaggregated", "disagg"},
                                                                      {"num prefill gpus", "num_prefill_gpu"},
                                                                      {"num decode gpus", "num_decode_gpu"},
                                                                      {"spec decoding", "spec_decoding"},
                                                                      {"dp attention", "dp_attention"},
                                                                      {"is multinode", "is_multinode"}};

struct Column {
  std::string name;
  double header_ms = 0;  // of a latency: 1 where its header says (ms), 1000 where it says (s)
};

Column column_of(std::string_view header) {
  const std::string lower = core::to_lower(core::trim(header));
  for (const auto& [label, name] : kColumns) {
    if (lower == label) return {std::string(name), 0};
  }
  Column column;
  std::string_view label = lower;
  if (label.ends_with(" (ms)") || label.ends_with(" (s)")) {
    column.header_ms = label.ends_with(" (ms)") ? 1 : 1000;
    label = label.substr(0, label.rfind(" ("));
  } else if (label.ends_with(" (tok/s/user)")) {
    label = label.substr(0, label.rfind(" ("));
  }
  column.name = label;
  std::replace(column.name.begin(), column.name.end(), ' ', '_');
  const auto rename = [&](std::string_view from, std::string_view to) {
    if (column.name.ends_with(from)) column.name.replace(column.name.size() - from.size(), from.size(), to);
  };
  rename("_interactivity", "_intvty");
  rename("_e2e_latency", "_e2el");
  if (!latency_metric(column.name)) column.header_ms = 0;
  return column;
}

// What one run says of its unit: milliseconds a printed value, 0 where it says nothing. TPOT times interactivity is 1 in
// seconds, 1000 in milliseconds; means of both are not exactly reciprocal.
struct Evidence {
  double ms = 0, tpot = 0, intvty = 0;
  bool refuted = false;  // neither: one of the two is not what its name says
};

Evidence evidence_of(const Run& run) {
  const auto number = [&](std::string_view name) {
    for (const RunField& field : run) {
      if (field.name == name && field.leaf.has_value) return field.leaf.value;
    }
    return 0.0;
  };
  Evidence first;
  for (const std::string_view statistic : {"median", "mean"}) {
    Evidence one;
    one.tpot = number(std::string(statistic) + "_tpot");
    one.intvty = number(std::string(statistic) + "_intvty");
    const double product = one.tpot * one.intvty;
    if (!(one.tpot > 0) || !(one.intvty > 0)) continue;
    if (product > 0.2 && product < 5) one.ms = 1000;
    if (product > 200 && product < 5000) one.ms = 1;
    if (one.ms > 0) return one;
    one.refuted = true;
    if (!first.refuted) first = one;
  }
  return first;
}

std::string product_text(const Evidence& one) {
  return "TPOT " + core::short_number(one.tpot) + " times interactivity " + core::short_number(one.intvty) + " tok/s/user is " +
         core::short_number(one.tpot * one.intvty, 3);
}

void make_seconds(Run& run) {
  for (RunField& field : run) {
    if (field.leaf.state == core::ValueState::number && latency_metric(field.name)) field.leaf.value /= 1000;
  }
}

// TPOT and interactivity that contradict each other are no results; nobody can tell which of them is wrong.
void fail_refuted(std::vector<Run>& runs, const std::vector<Evidence>& evidence, RowWriter& writer) {
  std::size_t refuted = 0;
  const Evidence* example = nullptr;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!evidence[i].refuted) continue;
    if (refuted++ == 0) example = &evidence[i];
    for (RunField& field : runs[i]) {
      if (field.name.ends_with("_tpot") || field.name.ends_with("_intvty")) {
        field.leaf = Leaf{core::ValueState::failed, 0, false, "TPOT and interactivity contradict each other"};
      }
    }
  }
  if (refuted == 0) return;
  writer.out.warn("unit_mismatch", "TPOT and interactivity of " + core::counted(refuted, "run") +
                                       " contradict each other and are no results: " + product_text(*example) +
                                       ", where seconds give 1 and milliseconds 1000");
}

// A run with what it has nested: how it ended, and the results of a replay of agents, under the names of the flat ones.
Run run_of_aggregate(const json::Value& record) {
  Run run = run_of(record);
  const auto put = [&](std::string name, const json::Value& value) {
    if (value.is_number()) run.push_back({std::move(name), leaf_of(value)});
  };
  const auto count = [&](const char* name, const json::Value& value) {  // newer files count in more than one place
    if (field_of(run, name) == nullptr) put(name, value);
  };
  if (const json::Value outcome = record.find("benchmark_outcome"); outcome.is_object()) {
    const bool passed = outcome.find_string("status") == "passed";
    run.push_back({"passed", Leaf{core::ValueState::number, passed ? 1.0 : 0.0, true, {}}});
    count("failed", outcome.find("failed"));
    count("completed", outcome.find("completed"));
    count("num_prompts", outcome.find("requested"));
  }
  const json::Value metrics = record.find("request_metrics");
  if (!metrics.is_object()) return run;
  if (const auto total = record.find_number("num_requests_total"), done = record.find_number("num_requests_successful");
      total && done && record.at_path("request_accounting.records_error_dropped").is_number()) {
    count("failed", record.at_path("request_accounting.records_error_dropped"));
    count("completed", record.find("num_requests_successful"));
  }
  // {"latency": {"ttft": {"mean": 0.1, "p90": 0.2}}} -> mean_ttft, p90_ttft
  const auto statistics = [&](const json::Value& of_one, const std::string& name) {
    for (const auto [statistic, valid, value] : of_one.members()) put(std::string(statistic) + "_" + name, value);
  };
  for (const auto [name, valid, of_one] : metrics.find("latency").members()) statistics(of_one, std::string(name));
  statistics(metrics.at_path("tokens.input"), "input_tokens");
  statistics(metrics.at_path("tokens.output_actual"), "output_tokens");
  const json::Value throughput = metrics.find("throughput");
  statistics(throughput.find("full_response_output_token_throughput_per_user"), "full_response_output_token_throughput_per_user");
  put("tput_per_gpu", throughput.at_path("per_gpu.total_tput_tps"));
  put("output_tput_per_gpu", throughput.at_path("per_gpu.output_tput_tps"));
  put("input_tput_per_gpu", throughput.at_path("per_gpu.input_tput_tps"));
  put("duration", throughput.find("duration_seconds"));
  put("qps", metrics.at_path("qps.mean"));
  return run;
}

class Table {
 public:
  Table(const Input& input, const ReadOptions& options) : input_(input), options_(options), writer_(options) {}

  core::Expected<core::Measurement> read() {
    Lines lines(input_.bytes, ',');
    std::vector<std::string_view> fields;
    if (!lines.next(fields)) return problem("no header: nothing but comments", lines);
    for (const std::string_view header : fields) {
      columns_.push_back(column_of(header));
      if (columns_.back().header_ms > 0) header_ms_ = columns_.back().header_ms;
    }
    while (lines.next(fields)) {
      if (options_.stop && options_.stop())
        return core::fail(core::ErrorCode::cancelled, "stopped while reading", {}, input_.name);
      if (fields.size() != columns_.size()) {
        const json::Place at = json::place_of(input_.bytes, lines.start());
        writer_.find(Finding::ragged_lines, "line " + std::to_string(at.line));
        continue;
      }
      record(fields);
    }
    if (lines.broken()) return problem("a quote opens and never closes", lines);
    if (lines.comments() > 0) writer_.find(Finding::comment_lines, lines.last_comment(), lines.comments());
    if (runs_.empty()) return problem("no line of values under the header", lines);
    convert();
    ServingFormat format = kInferencex;
    format.name = "inferencex-csv";
    if (dates_differ()) format.point = kDatedPoint;
    return rows_of_runs(writer_, std::move(runs_), format, input_.name);
  }

 private:
  tl::unexpected<core::Error> problem(std::string message, const Lines& lines) const {
    const json::Place at = json::place_of(input_.bytes, lines.start());
    return core::fail(core::ErrorCode::invalid_input, std::move(message), "the file may have been cut off: export it again",
                      input_.name + ":" + std::to_string(at.line));
  }

  void record(const std::vector<std::string_view>& fields) {
    Run run;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      std::string_view text = core::trim(fields[i]);
      if (text.empty() || columns_[i].name == "run_url") continue;
      auto leaf = cell(text);
      if (!leaf) {
        const std::string lower = core::to_lower(text);
        if (lower == "true" || lower == "false") text = lower == "true" ? "true" : "false";
        leaf = Leaf{core::ValueState::text, 0, false, text};
      }
      run.push_back({columns_[i].name, *leaf});
    }
    evidence_.push_back(evidence_of(run));
    runs_.push_back(std::move(run));
  }

  // Latencies in seconds, as the JSON has them.
  void convert() {
    std::size_t seconds = 0, milliseconds = 0, mismatched = 0;
    const Evidence* example = nullptr;
    for (const Evidence& one : evidence_) {
      if (one.ms == 1000) ++seconds;
      if (one.ms == 1) ++milliseconds;
      if (one.ms > 0 && one.ms != header_ms_ && mismatched++ == 0) example = &one;
    }
    const double usual = seconds + milliseconds == 0 ? header_ms_ : seconds >= milliseconds ? 1000 : 1;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const double ms = evidence_[i].ms > 0 ? evidence_[i].ms : usual;
      if (ms == 1) make_seconds(runs_[i]);
    }
    fail_refuted(runs_, evidence_, writer_);
    if (header_ms_ == 0) return;
    const std::string said = header_ms_ == 1 ? "(ms)" : "(s)";
    if (mismatched > 0) {
      writer_.out.warn("unit_mismatch", "the header says " + said + ", but the latencies of " +
                                            core::counted(mismatched, "line") + " are " +
                                            (example->ms == 1000 ? "seconds" : "milliseconds") + ": " + product_text(*example) +
                                            ", which " + (example->ms == 1000 ? "only seconds give" : "only milliseconds give"));
    } else if (seconds + milliseconds == 0) {
      writer_.out.warn("unit_unknown", "the header says " + said +
                                           ", and no line has both TPOT and interactivity to check it by: this export is known "
                                           "to print seconds under (ms)");
    }
  }

  // One configuration at two dates is two measurements, no trials.
  [[nodiscard]] bool dates_differ() const {
    std::map<std::string, std::string> date_of_point;
    for (const Run& run : runs_) {
      std::string point, date;
      for (const RunField& field : run) {
        const std::string text = field.leaf.has_value ? core::number_text(field.leaf.value) : std::string(field.leaf.text);
        if (field.name == "date") date = text;
        if (std::find(std::begin(kPoint), std::end(kPoint), field.name) != std::end(kPoint))
          point += field.name + "=" + text + "\n";
      }
      if (date_of_point.try_emplace(point, date).first->second != date) return true;
    }
    return false;
  }

  const Input& input_;
  const ReadOptions& options_;
  RowWriter writer_;
  std::vector<Column> columns_;
  double header_ms_ = 0;
  std::vector<Run> runs_;
  std::vector<Evidence> evidence_;
};

}  // namespace

core::Expected<core::Measurement> read_inferencex(const Input& input, const ReadOptions& options) {
  auto document = parse_json(input, options);
  if (!document) return core::fail(document.error());
  const json::Value root = document->root();
  auto runs = runs_of(root, input.name);
  if (!runs) return core::fail(runs.error());
  if (root.is_object()) {
    runs->front() = run_of_aggregate(root);
  } else {
    std::size_t at = 0;
    for (const json::Value& record : root.elements()) (*runs)[at++] = run_of_aggregate(record);
  }
  RowWriter writer(options);
  take_notes(*document, writer);
  // Aggregates are in seconds; one whose own figures say milliseconds is read as what it is.
  std::vector<Evidence> evidence;
  std::size_t milliseconds = 0;
  const Evidence* example = nullptr;
  for (Run& run : *runs) evidence.push_back(evidence_of(run));
  for (std::size_t i = 0; i < evidence.size(); ++i) {
    if (evidence[i].ms != 1) continue;
    if (milliseconds++ == 0) example = &evidence[i];
    make_seconds((*runs)[i]);
  }
  if (milliseconds > 0) {
    writer.out.warn("unit_mismatch", "latencies of aggregates are seconds, but those of " + core::counted(milliseconds, "run") +
                                         " are milliseconds: " + product_text(*example) + ", which only milliseconds give");
  }
  fail_refuted(*runs, evidence, writer);
  return rows_of_runs(writer, std::move(*runs), kInferencex, input.name);
}

Detection detect_inferencex_csv(const Input& input) {
  Detection detection;
  if (input.is_directory) return detection;
  const std::string_view head = json_head(input);
  if (head.starts_with("{") || head.starts_with("[")) return detection;
  const bool per_gpu = head.find("Throughput/GPU (tok/s)") != std::string_view::npos;
  if (!per_gpu && head.find("Throughput/Chip (tok/s)") == std::string_view::npos) return detection;
  if (has_all(head, {"Hardware", "Concurrency", "Interactivity (tok/s/user)"}, detection)) detection.score = 0.96;
  return detection;
}

extern const Format inferencex_format = {
    .name = "inferencex",
    .title = "InferenceX aggregates",
    .replication = core::Replication::run,
    .signs = {{{Sign::In::json, 0.96, {"tput_per_gpu", "conc", "hw"}},
               {Sign::In::json, 0.96, {"output_tput_per_gpu", "conc", "hw"}},
               {Sign::In::json, 0.96, {"request_metrics/latency", "conc", "hw"}}}},
    .read = read_inferencex,
    .about = {.group = Group::serving,
              .file = "JSON",
              .produce = "# InferenceX (InferenceMAX) writes agg_*.json in its jobs: utils/process_result.py",
              .judged =
                  "tokens/s per GPU (higher), TTFT, TPOT, ITL and E2EL in seconds (lower), interactivity `*_intvty` (tok/s per "
                  "user, higher), joules per token or query (lower); `power_valid`, the outcome of the run and failed requests "
                  "are gates",
              .key =
                  "hardware, framework, model, precision, speculation, disaggregation, lengths, concurrency, parallelism, where "
                  "the file holds several points",
              .trials = "runs of one point",
              .context =
                  "model, framework, precision, lengths, concurrency, parallelism, disaggregation, attention data-parallel",
              .limits = "the deviation of interactivity means nothing and is context; latencies are checked against "
                        "interactivity: milliseconds are converted with a warning, what fits neither unit is failed",
              .recognised =
                  "`tput_per_gpu` or, of replayed agents, `request_metrics` with `conc`, `hw`; raw results are recognised as "
                  "vLLM's"},
};

extern const Format inferencex_csv_format = {
    .name = "inferencex-csv",
    .title = "CSV export of InferenceX",
    .replication = core::Replication::run,
    .detect = detect_inferencex_csv,
    .read = read_with<Table>,
    .about = {.group = Group::serving,
              .file = "CSV",
              .produce = "# the CSV export of the InferenceX dashboard",
              .judged = "as the aggregates: tokens/s per GPU and interactivity (higher), latencies in seconds (lower)",
              .key = "as the aggregates, and the date where one configuration has several",
              .trials = "lines of one point and date",
              .context = "model, framework, precision, lengths, concurrency, parallelism",
              .limits =
                  "the header's unit of latencies is checked against interactivity, line by line, and corrected with a warning",
              .recognised = "headers `Throughput/GPU (tok/s)` and `… Interactivity (tok/s/user)`"},
};

}  // namespace plumbline::formats
