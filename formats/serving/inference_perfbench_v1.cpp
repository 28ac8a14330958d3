// The reference tool's inference benchmark file: metrics.<concurrency>.{…}, server_metrics_delta, kernel_class_gpu_pct and
// cpu_spinpoll_pct, the last two null in files of before they were measured. Units and directions are the format's own;
// tolerances and headlines are a policy's business (by the format's name).
#include <algorithm>
#include <string>

#include "core/text.hpp"
#include "formats/read_document.hpp"

namespace plumbline::formats {
namespace {

using core::Direction;
using core::Role;
using json::Value;

struct Known {
  std::string_view name;
  std::string_view unit;
  Direction direction;
  Role role;
};
constexpr Known kMetrics[] = {
    {"throughput_toks_per_s", "tok/s", Direction::higher, Role::judged},
    {"ttft_p50_ms", "ms", Direction::lower, Role::judged},
    {"ttft_p95_ms", "ms", Direction::lower, Role::judged},
    {"ttft_p99_ms", "ms", Direction::lower, Role::judged},
    {"itl_p50_ms", "ms", Direction::lower, Role::judged},
    {"itl_p95_ms", "ms", Direction::lower, Role::judged},
    {"itl_p99_ms", "ms", Direction::lower, Role::judged},
    {"tps_per_user", "tok/s", Direction::higher, Role::judged},
    {"request_latency_p50_ms", "ms", Direction::lower, Role::judged},
    {"request_latency_p95_ms", "ms", Direction::lower, Role::judged},
    {"request_latency_p99_ms", "ms", Direction::lower, Role::judged},
    {"errors", "", Direction::lower, Role::gate},
    // Writers disagree: 0..1 or 0..100. Without a unit a tolerance in points takes the scale from the values.
    {"prefix_cache_hit_rate_post", "", Direction::higher, Role::judged},
    {"gpu_cache_usage_perc_peak", "", Direction::lower, Role::judged},
    {"cpu_spinpoll_pct", "%", Direction::lower, Role::judged},
};
constexpr Known kKernelClass = {"", "%", Direction::lower, Role::judged};

class Reader {
 public:
  explicit Reader(RowWriter& writer) : writer_(writer) {}

  // A number or null of the format's own, or whatever else stands there.
  void row(std::string_view path, std::string_view name, const Value& value, std::uint32_t dims,
           const Known* fallback = nullptr) {
    const std::string key = path.empty() ? std::string(name) : std::string(path) + "." + std::string(name);
    if (value.is_container()) {
      flatten_json(value, key, writer_, {.harvest_context = false});
      return;
    }
    const auto* known =
        std::find_if(std::begin(kMetrics), std::end(kMetrics), [&](const Known& metric) { return metric.name == name; });
    if (known == std::end(kMetrics)) known = fallback;
    const auto before = writer_.out.rows().size();
    const std::uint32_t shape =
        path.empty() ? RowWriter::kRootShape : writer_.shape(RowWriter::kRootShape, path.substr(0, path.find('.')));
    writer_.add(key, name, shape, dims, leaf_of(value));
    if (known == nullptr || writer_.out.rows().size() == before || value.is_string() || value.is_boolean()) return;
    core::MetricClass metric_class;
    metric_class.unit = writer_.pool().intern(known->unit);
    metric_class.direction = known->direction;
    metric_class.role = known->role;
    metric_class.unit_source = known->unit.empty() ? core::Source::defaulted : core::Source::format;
    metric_class.direction_source = core::Source::format;
    metric_class.exact = known->role == Role::gate;
    metric_class.direction_note = writer_.pool().intern("inference_perfbench_v1");
    writer_.out.rows().back().metric_class = writer_.out.intern_class(metric_class);
  }

 private:
  RowWriter& writer_;
};

// Texts at the top and in model, deployment and workload say what was measured.
void take_context(const Value& object, RowWriter& writer) {
  for (const auto [key, valid, value] : object.members()) {
    const std::string_view context_key = writer.names().context_key(key);
    if (!context_key.empty() && !value.is_container() && !value.is_null())
      writer.out.context.emplace(context_key, value.text().substr(0, 500));
  }
}

}  // namespace

Detection detect_inference_perfbench(const Input& input) {
  const std::string_view head = json_head(input);
  Detection detection;
  if (!head.starts_with("{")) return detection;
  const bool metrics = has_keys(input, {"metrics"}, detection);
  if (metrics && head.find("\"inference_perfbench_v1\"") != std::string_view::npos) {
    detection.score = 0.98;
    detection.evidence.emplace_back("names the schema inference_perfbench_v1");
  }
  int seen = 0;
  for (const std::string_view key : {"throughput_toks_per_s", "ttft_p50_ms", "server_metrics_delta", "kernel_class_gpu_pct",
                                     "cpu_spinpoll_pct", "tps_per_user"}) {
    const std::string in_metrics = "metrics/" + std::string(key), at_point = "metrics/*/" + std::string(key);
    if (has_keys(input, {key}, detection) || has_keys(input, {in_metrics}, detection) || has_keys(input, {at_point}, detection))
      ++seen;
  }
  if (metrics && seen >= 2) detection.score = std::max(detection.score, 0.8 + 0.03 * seen);
  if (detection.score == 0) return {};
  return detection;
}

core::Status read_inference_perfbench(const json::Value& root, RowWriter& writer) {
  const Value metrics = root.find("metrics");
  if (!root.is_object() || !metrics.is_object()) {
    return core::fail(kOtherStructure, "no \"metrics\" object: this is not an inference_perfbench_v1 file",
                      "metrics.<concurrency>.{throughput_toks_per_s, …} is what the format has");
  }
  Reader reader(writer);
  const core::Id concurrency = writer.pool().intern("concurrency");
  for (const auto [key, valid, value] : root.members()) {
    if (writer.halted()) break;
    if (key == "metrics" && value.is_object()) {
      writer.open_container("metrics");
      for (const auto [point, point_valid, point_value] : value.members()) {
        const std::string path = "metrics." + std::string(point);
        if (!point_value.is_object()) {
          reader.row("metrics", point, point_value, 0);
          continue;
        }
        const std::pair<core::Id, core::Id> dim{concurrency, writer.pool().intern(point)};
        const std::uint32_t dims = core::parse_int(point) ? writer.out.add_dims(std::span(&dim, 1)) : 0;
        writer.open_container(path);
        for (const auto [name, name_valid, content] : point_value.members()) reader.row(path, name, content, dims);
        writer.close_container(path);
      }
      writer.close_container("metrics");
    } else if ((key == "server_metrics_delta" || key == "kernel_class_gpu_pct") && value.is_object()) {
      writer.open_container(key);
      for (const auto [name, name_valid, content] : value.members()) {
        reader.row(key, name, content, 0, key == "kernel_class_gpu_pct" ? &kKernelClass : nullptr);
      }
      writer.close_container(key);
    } else if (key == "kernel_class_gpu_pct" || key == "cpu_spinpoll_pct") {
      reader.row({}, key, value, 0, &kKernelClass);
    } else if (value.is_object() && (key == "model" || key == "deployment" || key == "workload")) {
      take_context(value, writer);
    } else if (key == "schema" || key == "schema_version" || key == "version") {
      writer.out.format.version = std::string(value.text());
    } else if (value.is_container()) {
      // Whatever else the file carries goes the way of any JSON.
      flatten_json(value, key, writer, {.harvest_context = false});
    } else {
      if (const std::string_view context_key = writer.names().context_key(key); !context_key.empty() && value.is_string()) {
        writer.out.context.emplace(context_key, value.string().substr(0, 500));
      }
      reader.row({}, key, value, 0);
    }
  }
  return {};
}

extern const Format inference_perfbench_v1_format = {
    .name = "inference_perfbench_v1",
    .title = "inference benchmark of the reference tool",
    .replication = core::Replication::run,
    .detect = detect_inference_perfbench,
    .read = read_document<read_inference_perfbench>,
    .about = {.group = Group::serving,
              .file = "JSON",
              .produce = "# written by the inference benchmark of the reference tool's skills",
              .judged = "inference benchmark by concurrency, with its own tolerances, gates and headline",
              .key = "concurrency",
              .trials = "an array of numbers",
              .context = "listed fields of `model`, `deployment` and `workload`",
              .limits = "fields that it does not know go by name",
              .recognised = "`metrics.<concurrency>.throughput_toks_per_s` and companions"},
};

}  // namespace plumbline::formats
