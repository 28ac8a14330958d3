// The envelope of inferencebench: one signed result of one benchmark run. Directions are that tool's own table; a name that is
// not in it goes by our rules for names. The envelope in its own terms goes along, for that tool's verdict and its signature.
#include <algorithm>

#include "core/native.hpp"
#include "formats/declared_rows.hpp"
#include "formats/readers.hpp"
#include "systems/inferencebench/envelope.hpp"
#include "systems/inferencebench/system.hpp"

namespace plumbline::systems::inferencebench {

namespace {

using namespace formats;  // the readers' kit
using json::Value;

std::string_view unit_of(std::string_view metric) {
  if (metric.ends_with("_ms")) return "ms";
  if (metric.ends_with("_w")) return "W";
  if (metric.starts_with("req_per_s")) return "req/s";
  if (metric == "throughput_tok_per_s") return "tok/s";
  if (metric == "energy_joules_total") return "J";
  if (metric == "joules_per_token") return "J/token";
  if (metric == "cost_usd_per_million_tokens") return "USD/Mtoken";
  return {};
}

// Failed requests are a gate. The share of requests that meet the SLO moves with the load and is judged like any metric.
bool is_gate(std::string_view metric) { return metric == "ok_rate" || metric == "timeout_rate"; }

std::optional<Declared> declared_of(std::string_view metric) {
  const Direction direction = direction_of(metric);
  if (direction == Direction::unknown) return std::nullopt;
  const auto ours = direction == Direction::lower ? core::Direction::lower : core::Direction::higher;
  if (is_gate(metric)) return Declared{{}, ours, core::Role::gate, false};
  return Declared{unit_of(metric), ours};
}

// Load settings that an envelope may hold; in the envelopes of today the object is empty.
constexpr std::pair<std::string_view, std::string_view> kOptions[] = {
    {"concurrency", "workload.concurrency"},   {"max_concurrency", "workload.max_concurrency"},
    {"request_rate", "workload.request_rate"}, {"num_requests", "workload.num_requests"},
    {"num_prompts", "workload.num_prompts"},   {"duration_s", "workload.duration_s"},
    {"batch_size", "workload.batch_size"},     {"driver", "workload.driver"}};

void take_context(const Envelope& envelope, const Value& root, DeclaredRows& rows) {
  rows.context("identity.suite", envelope.suite_id);
  rows.context("identity.suite_version", envelope.suite_version);
  rows.context("identity.model", envelope.model_id);
  rows.context("identity.model_revision", envelope.model_revision);
  if (envelope.quantization_format) rows.context("identity.quantization", *envelope.quantization_format);
  rows.context("serving.engine", envelope.engine_name);
  rows.context("serving.engine_version", envelope.engine_version);
  rows.context("serving.provider", envelope.provider);
  rows.context("workload.dataset", envelope.dataset_id);
  rows.context("workload.dataset_hash", envelope.dataset_hash);
  rows.context("workload.seed", std::to_string(envelope.seed));
  std::vector<std::string> gpus = envelope.gpus;
  if (!gpus.empty()) rows.context("hardware.gpu_count", std::to_string(gpus.size()));
  std::sort(gpus.begin(), gpus.end());
  gpus.erase(std::unique(gpus.begin(), gpus.end()), gpus.end());
  std::string models;
  for (const std::string& model : gpus) models += (models.empty() ? "" : ", ") + model;
  rows.context("hardware.gpu", models);
  rows.context("hardware.cpu", envelope.cpu);
  rows.context("hardware.fingerprint", envelope.hardware_fingerprint);
  rows.context("stack.driver", envelope.driver);
  rows.context("stack.cuda", envelope.cuda);
  rows.context("stack.nccl", envelope.nccl);
  const Value options = root.find("driver_options");
  if (!options.is_object()) return;
  for (const auto& [name, key] : kOptions) {
    if (const Value value = options.find(name); value && !value.is_container() && !value.is_null())
      rows.context(key, value.text());
  }
}

// "envelope_version": "v1", and not the schema that describes it.
bool says_version(std::string_view head) {
  constexpr std::string_view kKey = "\"envelope_version\"";
  std::size_t at = head.find(kKey);
  if (at == std::string_view::npos) return false;
  at = head.find_first_not_of(" \t\r\n", at + kKey.size());
  if (at == std::string_view::npos || head[at] != ':') return false;
  at = head.find_first_not_of(" \t\r\n", at + 1);
  return at != std::string_view::npos && head[at] == '"';
}

Detection detect_envelope(const Input& input) {
  const std::string_view head = json_head(input);
  Detection detection;
  if (head.starts_with("{") && says_version(head) &&
      has_keys(input, {"envelope_version", "suite_id", "hardware_fingerprint"}, detection)) {
    detection.score = 0.97;
  }
  return detection;
}

core::Expected<core::Measurement> read_envelope(const Input& input, const ReadOptions& options) {
  auto document = parse_json(input, options);
  if (!document) return core::fail(document.error());
  const Value root = document->root();
  auto envelope = envelope_of(root, input.name);
  if (!envelope) return core::fail(std::move(envelope.error()));
  RowWriter writer(options);
  take_notes(*document, writer);
  DeclaredRows rows(writer, "inferencebench");
  writer.out.format.version = "v1";
  for (const auto member : root.find("metrics").members()) {
    if (writer.halted()) break;
    const Leaf leaf = leaf_of(member.value);
    if (const auto declared = declared_of(member.key)) {
      rows.add({}, member.key, 0, *declared, leaf);
    } else {
      writer.add(member.key, member.key, RowWriter::kRootShape, 0, leaf);
    }
  }
  take_context(*envelope, root, rows);
  writer.out.replication = core::Replication::run;
  writer.out.declared.headlines = {"throughput_tok_per_s", "accuracy", "pass_at_1"};
  if (!envelope->other_fields.empty()) {
    writer.out.warn("unknown_fields", core::counted(envelope->other_fields.size(), "field") +
                                          " that envelope v1 does not name; signed with the rest, not read: " +
                                          core::listed(envelope->other_fields));
  }
  if (!envelope->placeholders.empty()) {
    writer.out.warn("placeholder_provenance",
                    core::counted(envelope->placeholders.size(), "provenance field") +
                        " without content, which the tool takes for provenance: " + core::listed(envelope->placeholders, 8));
  }
  core::NativeFile native;
  native.system = "inferencebench";
  native.path = input.name;
  native.content = std::move(*envelope);
  writer.out.native = std::make_shared<const core::NativeFile>(std::move(native));
  return writer.finish(input.name);
}

}  // namespace

const Format kEnvelopeFormat = {
    .name = "inferencebench",
    .title = "inferencebench envelope v1",
    .replication = core::Replication::run,
    .detect = detect_envelope,
    .read = read_envelope,
    .about = {.group = formats::Group::other_systems,
              .file = "JSON",
              .produce = "bench run llm.inference.chatbot-short --model MODEL --engine vllm \\\n"
                         "  --concurrency 16 --base-url http://localhost:8000/v1 --output DIR",
              .judged = "every metric of the envelope, direction by that tool's table and else by name; `ok_rate` and "
                        "`timeout_rate` are gates; `throughput_tok_per_s`, `accuracy` and `pass_at_1` headlines",
              .key = "the metric's name",
              .trials = "one value a key",
              .context = "suite, model and revision, engine, quantization, dataset with its hash, seed, GPUs, driver, CUDA, load "
                         "settings of `driver_options`",
              .limits =
                  "concurrency is usually in the file's name only; texts are not compared; `distributions` are pointers and "
                  "not read; docs/other-systems.md tells of its own verdict, hash and signature",
              .recognised = "`envelope_version`, `suite_id` and `hardware_fingerprint`"},
};

}  // namespace plumbline::systems::inferencebench
