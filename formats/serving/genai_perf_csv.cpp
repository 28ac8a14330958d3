// The CSV that GenAI-Perf and AIPerf write beside their JSON: sections of its own, each with a header line. "Metric,avg,min,…"
// for what has a distribution, "Metric,Value" for the rest, then tables of GPU telemetry. Names become those of the JSON, so that
// either file can be compared with either.
#include "core/citing.hpp"
#include "formats/generic/lines.hpp"
#include "formats/readers.hpp"
#include "formats/serving/genai_metrics.hpp"
#include "formats/serving/impossible_times.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {
namespace {

// Printed names that are not the JSON's key in words.
constexpr std::pair<std::string_view, std::string_view> kNames[] = {{"goodrequestcount", "good_request_count"},
                                                                    {"total_input_sequence_length", "total_isl"},
                                                                    {"total_output_sequence_length", "total_osl"},
                                                                    {"error_input_sequence_length", "error_isl"},
                                                                    {"total_error_input_sequence_length", "total_error_isl"},
                                                                    {"maximum_response_timestamp", "max_response_timestamp"},
                                                                    {"minimum_request_timestamp", "min_request_timestamp"},
                                                                    {"memory_copy_util", "mem_copy_util"},
                                                                    {"gpu_power_limit", "power_management_limit"}};

// "Time to First Token" -> "time_to_first_token"
std::string key_of(std::string_view printed) {
  std::string name;
  for (const char c : core::to_lower(core::trim(printed))) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
    if (word) {
      name.push_back(c);
    } else if (!name.empty() && name.back() != '_') {
      name.push_back('_');
    }
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  for (const auto& [words, key] : kNames) {
    if (name == words) return std::string(key);
  }
  return name;
}

struct Metric {
  std::string name, unit;
};

// "Request Latency (ms)"; the unit is left out where it is a plain count, and said in words by older releases.
Metric metric_of_label(std::string_view label) {
  Metric out;
  label = core::trim(label);
  if (const std::size_t open = label.rfind(" ("); label.ends_with(')') && open != std::string_view::npos) {
    out.unit = label.substr(open + 2, label.size() - open - 3);
    label = label.substr(0, open);
  }
  out.name = key_of(label);
  if (out.unit == "per sec") out.unit = out.name.find("token") != std::string::npos ? "tokens/sec" : "requests/sec";
  if (out.unit.empty() && out.name.ends_with("request_count")) out.unit = "requests";
  return out;
}

// A number, thousands grouped as people write them ("1,146.31"). Nothing for an empty cell; a text for what is no number.
std::optional<Leaf> leaf_of_cell(std::string_view text) {
  text = core::trim(text);
  if (text.empty()) return std::nullopt;
  if (auto leaf = cell(text)) return leaf;
  const std::size_t dot = std::min(text.find('.'), text.size());
  const std::vector<std::string_view> groups = core::split(text.substr(0, dot), ',');
  std::string plain;
  bool grouped = groups.size() > 1 && groups.front().size() <= 4;  // a sign and three digits at most
  for (const std::string_view group : groups) {
    if (!plain.empty() && group.size() != 3) grouped = false;
    plain.append(group);
  }
  plain.append(text.substr(dot));
  if (grouped) {
    if (auto leaf = cell(plain)) return leaf;
  }
  return Leaf{core::ValueState::text, 0, false, text};
}

class Reader {
 public:
  Reader(const Input& input, const ReadOptions& options) : input_(input), writer_(options), rows_(writer_, "genai-perf-csv") {}

  core::Expected<core::Measurement> read() {
    Lines lines(input_.bytes, ',');
    std::vector<std::string_view> fields;
    while (!writer_.halted() && lines.next(fields)) line(fields);
    if (lines.broken()) {
      const json::Place at = json::place_of(input_.bytes, lines.start());
      return core::fail(core::ErrorCode::invalid_input, "a quote opens and never closes",
                        "the file may have been cut off: copy it again", input_.name + ":" + std::to_string(at.line));
    }
    const auto& out = writer_.out;
    const bool aiperf = std::any_of(out.rows().begin(), out.rows().end(),
                                    [&](const core::Row& row) { return out.key(row) == "benchmark_duration.avg"; });
    if (aiperf) genai::add_errors(rows_, 0);
    for (const core::Row& row : out.rows()) {
      if (out.key(row) != "request_count.avg" || out.values(row).empty() || out.values(row).front() != 0) continue;
      rows_.fail_from(0, "no request completed");
      break;
    }
    reject_impossible_times(writer_, 0);
    genai::lengths_to_context(rows_);
    writer_.out.declared.headlines = {"output_token_throughput.avg", "time_to_first_token.p50", "inter_token_latency.p50"};
    return writer_.finish(input_.name);
  }

 private:
  // A line of the file: "=== GPU Telemetry: host ===", a header, or values under one.
  void line(const std::vector<std::string_view>& fields) {
    if (fields.size() == 1 && fields[0].starts_with("===")) {
      std::string_view title = fields[0];
      while (title.starts_with('=')) title.remove_prefix(1);
      while (title.ends_with('=')) title.remove_suffix(1);
      title = core::trim(title);
      constexpr std::string_view kTelemetry = "GPU Telemetry:";
      if (title.starts_with(kTelemetry)) {
        endpoint_ = core::trim(title.substr(kTelemetry.size()));
      } else {
        title_ = title;
      }
    } else if (fields[0] == "Metric" || fields[0] == "Endpoint" || fields[0] == "GPU Index") {
      header_.assign(fields.begin(), fields.end());
    } else if (header_.empty() || fields.size() != header_.size()) {
      writer_.find(Finding::ragged_lines, fields[0]);
    } else {
      values(fields);
    }
  }

  void values(const std::vector<std::string_view>& fields) {
    std::string_view label = title_, endpoint = endpoint_, gpu;
    for (std::size_t i = 0; i < header_.size(); ++i) {
      if (header_[i] == "Metric") label = fields[i];
      if (header_[i] == "Endpoint") endpoint = fields[i];
      if (header_[i] == "GPU" || header_[i] == "GPU_Index" || header_[i] == "GPU Index") gpu = fields[i];
      if (header_[i] == "GPU_Name" || header_[i] == "GPU Name") rows_.context("hardware.gpu", fields[i]);
    }
    const Metric metric = metric_of_label(label);
    const Declared average = genai::metric_of(metric.name, metric.unit, false);
    for (std::size_t i = 0; i < header_.size(); ++i) {
      const std::string statistic = header_[i] == "Value" ? "avg" : core::to_lower(header_[i]);
      if (!is_statistic(statistic)) continue;
      const auto leaf = leaf_of_cell(fields[i]);
      if (!leaf) continue;
      if (!gpu.empty()) {
        genai::telemetry(rows_, endpoint, gpu, metric.name, statistic, metric.unit, *leaf);
      } else {
        rows_.add(metric.name, statistic, 0, genai::statistic_of(average, statistic, metric.unit), *leaf);
      }
    }
  }

  static bool is_statistic(std::string_view name) {
    if (name == "avg" || name == "min" || name == "max" || name == "std" || name == "count" || name == "sum") return true;
    return name.starts_with('p') && core::parse_double(name.substr(1)).has_value();
  }

  const Input& input_;
  RowWriter writer_;
  DeclaredRows rows_;
  std::vector<std::string_view> header_;
  std::string_view title_, endpoint_;
};

}  // namespace

Detection detect_genai_perf_csv(const Input& input) {
  Detection detection;
  if (input.is_directory) return detection;
  const std::string head = core::to_lower(json_head(input).substr(0, 8192));
  if (!head.starts_with("metric,avg,") && !head.starts_with("metric,value")) return detection;
  for (const std::string_view metric : {"request latency (", "time to first token (", "request throughput ("}) {
    if (head.find(metric) == std::string::npos) continue;
    detection.score = 0.95;
    detection.evidence.push_back("starts with the header " +
                                 core::cited(head.substr(0, std::min<std::size_t>(head.find('\n'), 40))) + " and has " +
                                 core::cited(metric.substr(0, metric.size() - 2)));
    break;
  }
  return detection;
}

extern const Format genai_perf_csv_format = {
    .name = "genai-perf-csv",
    .title = "AIPerf and GenAI-Perf load test",
    .replication = core::Replication::run,
    .detect = detect_genai_perf_csv,
    .read = read_with<Reader>,
    .about = {.group = Group::serving,
              .file = "CSV",
              .produce = "aiperf profile -m MODEL --url URL --endpoint-type chat --streaming \\\n"
                         "  --concurrency 16 --artifact-dir DIR  # writes profile_export_aiperf.csv",
              .judged =
                  "as the JSON of the same run: averages of latencies and throughputs, tails of latencies; failed requests and "
                  "GPU errors are gates",
              .key = "metric and statistic under the JSON's names; endpoint and GPU of telemetry",
              .trials = "one value a key",
              .context = "GPU, lengths that are the same for every request",
              .limits = "two decimals; the CSV does not say the model, nor whether requests were paced",
              .recognised = "a header `Metric,avg,…` or `Metric,Value` over request latencies or throughput"},
};

}  // namespace plumbline::formats
