// The files of the vLLM RFC on speculative decoding: baselines, in both of its forms (`baselines` or `metrics`, each metric with
// expected and tolerance_pct) and as vLLM's acceptance-length tests state theirs; and a run's map of metrics. Rows carry the
// names and units of vLLM's own results (systems/spec_decode/model.hpp), so that a baseline meets the JSON of `vllm bench serve`
// row by row. A baseline is short and reviewed by people: one that is wrong anywhere is an error with its place.
#include <algorithm>
#include <array>
#include <vector>

#include "core/citing.hpp"
#include "core/native.hpp"
#include "core/text.hpp"
#include "formats/declared_rows.hpp"
#include "formats/readers.hpp"
#include "systems/spec_decode/model.hpp"
#include "systems/spec_decode/system.hpp"

namespace plumbline::systems::spec_decode {
namespace {

using namespace formats;  // the readers' kit
using json::Value;
// What vLLM's acceptance-length tests allow where they say nothing.
constexpr double kDefaultLengthPct = 5;

std::string place_in(const Input& input, const Value& value) {
  const json::Place at = value.place();
  return input.name + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

// Metrics of the RFC that only a speculative run has, and those that come with them.
constexpr std::string_view kQuality[] = {"match_rate", "acceptance_rate", "acceptance_length", "speedup"};
constexpr std::string_view kPositions = "acceptance_rates_per_position";  // a list, as baselines state it
constexpr std::string_view kOthers[] = {"ttft_p50_ms",     "ttft_p99_ms",        "tpot_p50_ms",        "tpot_p99_ms",
                                        "ttft_p50",        "ttft_p99",           "tpot_p50",           "tpot_p99",
                                        "e2e_latency_p50", "e2e_latency_p50_ms", "avg_drafts_per_step"};

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// What the RFC or vLLM says about a metric; nullopt: its name must do.
std::optional<Declared> declared_of(std::string_view metric, const VllmName& name) {
  if (name.name.ends_with("_ms")) return formats::lower_is_better("ms");
  if (name.factor == 100) return higher_is_better("%");
  if (metric == "request_throughput") return higher_is_better("req/s");
  if (metric.ends_with("_throughput")) return higher_is_better("tok/s");
  if (name.name != metric || contains(kQuality, metric) || contains(kOthers, metric)) return higher_is_better("");
  return std::nullopt;
}

void add_row(DeclaredRows& rows, std::string_view metric, const VllmName& name, const Leaf& leaf) {
  if (const auto declared = declared_of(metric, name)) {
    rows.add({}, name.name, 0, *declared, leaf);
  } else {
    rows.writer().add(name.name, name.name, RowWriter::kRootShape, 0, leaf);
  }
}

Leaf leaf_of_number(double value) { return {core::ValueState::number, value, true, {}}; }

void take_context(const Value& root, DeclaredRows& rows) {
  struct Field {
    std::string_view name, key;
  };
  constexpr Field kFields[] = {{"variant", "serving.speculative_method"},
                               {"model", "identity.model"},
                               {"verifier", "identity.model"},
                               {"draft_model", "identity.draft_model"},
                               {"drafter", "identity.draft_model"},
                               {"hardware", "hardware.gpu"},
                               {"gpu_type", "hardware.gpu"},
                               {"dataset", "workload.dataset"}};
  for (const Field& field : kFields) rows.context(field.key, root.find_string(field.name));
}

class BaselineReader {
 public:
  BaselineReader(const Input& input, const Value& root, DeclaredRows& rows) : input_(input), root_(root), rows_(rows) {}

  core::Expected<Baseline> read() {
    Baseline& out = baseline_;
    out.variant = text({"variant", "method"});
    out.model = text({"model", "verifier"});
    out.draft_model = text({"draft_model", "drafter"});
    out.hardware = text({"hardware", "gpu_type"});
    out.dataset = text({"dataset"});
    out.baseline_commit = text({"baseline_commit"});
    out.last_updated = text({"last_updated"});
    out.notes = text({"notes"});
    if (root_.find("hardware")) out.hardware_name = "hardware";
    for (const std::string_view form : {"baselines", "metrics"}) {
      const Value metrics = root_.find(form);
      if (!metrics) continue;
      out.form = form;
      if (!metrics.is_object()) return wrong(metrics, core::cited(form) + " is no object of metrics");
      for (const auto [name, valid, value] : metrics.members()) {
        if (auto ok = metric(name, value); !ok) return core::fail(ok.error());
      }
    }
    if (auto ok = check_head(); !ok) return core::fail(ok.error());
    if (auto ok = acceptance_test(); !ok) return core::fail(ok.error());
    if (out.metrics.empty()) {
      return core::fail(core::ErrorCode::invalid_input,
                        "the baseline holds no metric: neither \"baselines\" nor \"metrics\" has any", kShape, input_.name);
    }
    return std::move(baseline_);
  }

 private:
  static constexpr const char* kShape = "a metric is \"ttft_p50_ms\": {\"expected\": 44.0, \"tolerance_pct\": 15}";

  [[nodiscard]] tl::unexpected<core::Error> wrong(const Value& value, std::string message) const {
    return core::fail(core::ErrorCode::invalid_input, std::move(message), kShape, place_in(input_, value));
  }

  // Appendix B of the RFC requires a variant of its list and a model beside "baselines"; its section 4 has "metrics" alone.
  [[nodiscard]] core::Status check_head() const {
    if (!root_.find("baselines")) return {};
    constexpr auto kVariants = std::to_array<std::string_view>({"eagle3", "eagle", "ngram", "medusa", "mtp"});
    const std::string listed = core::listed(std::vector<std::string>(kVariants.begin(), kVariants.end()), kVariants.size());
    const std::string_view variant = baseline_.variant;
    if (variant.empty() || baseline_.model.empty()) {
      return core::fail(core::ErrorCode::invalid_input,
                        std::string("the baseline does not say its \"") + (variant.empty() ? "variant" : "model") +
                            "\", which Appendix B of the RFC requires",
                        "a variant is one of " + listed, input_.name);
    }
    if (std::find(kVariants.begin(), kVariants.end(), variant) != kVariants.end()) return {};
    const std::string_view near = core::nearest(variant, kVariants);
    const Value named = root_.find("variant");
    return core::fail(core::ErrorCode::invalid_input,
                      "the variant " + core::cited(variant) + " is none of Appendix B of the RFC: " + listed,
                      near.empty() ? "name the method that drafts" : "did you mean " + std::string(near) + "?",
                      place_in(input_, named ? named : root_.find("method")));
  }

  [[nodiscard]] std::string text(std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names) {
      if (const std::string_view found = root_.find_string(name); !found.empty()) return std::string(found.substr(0, 500));
    }
    return {};
  }

  core::Status metric(std::string_view name, const Value& value) {
    if (!value.is_object()) return wrong(value, core::cited(name) + " is no object with \"expected\" and \"tolerance_pct\"");
    const Value expected = value.find("expected");
    auto tolerance = tolerance_of(name, value);
    if (!tolerance) return core::fail(tolerance.error());
    if (expected.is_array()) return positions(name, expected, *tolerance);
    if (!finite(expected))
      return wrong(expected ? expected : value, core::cited(name) + " has no finite number under \"expected\"");
    return add(std::string(name), expected.number(), *tolerance, Rule::band, value);
  }

  // tolerance_pct, or the tests' fraction rtol.
  [[nodiscard]] core::Expected<double> tolerance_of(std::string_view name, const Value& value) const {
    const Value percent = value.find("tolerance_pct");
    const Value fraction = value.find("rtol");
    if (!percent && !fraction) {
      if (name.starts_with("acceptance_length")) return kDefaultLengthPct;
      return wrong(value, core::cited(name) + " has no \"tolerance_pct\"");
    }
    const Value& given = percent ? percent : fraction;
    const double pct = given.number() * (percent ? 1 : 100);
    if (!finite(given) || pct < 0 || pct > 100) {
      return wrong(given, "the tolerance of " + core::cited(name) + " is not a number from 0 to " + (percent ? "100" : "1"));
    }
    return pct;
  }

  // A list: the acceptance at each position, judged from below.
  core::Status positions(std::string_view name, const Value& list, double tolerance) {
    std::size_t at = 0;
    for (const Value& one : list.elements()) {
      if (!finite(one)) return wrong(one, core::cited(name) + " holds something that is no finite number");
      const bool acceptance = name.find("acceptance") != std::string_view::npos;
      const std::string stem = acceptance ? "acceptance_rate_at_position" : std::string(name);
      if (auto ok = add(stem + "." + std::to_string(at++), one.number(), tolerance, Rule::at_least, one); !ok) return ok;
    }
    return {};
  }

  // expected_acceptance_length, expected_acceptance_lengths_per_pos and rtol, as vLLM's tests name them.
  core::Status acceptance_test() {
    double position_pct = kDefaultLengthPct;
    if (const Value rtol = root_.find("rtol"); rtol && !rtol.is_null()) {
      if (!finite(rtol) || rtol.number() < 0 || rtol.number() > 1) return wrong(rtol, "\"rtol\" is not a number from 0 to 1");
      position_pct = rtol.number() * 100;
    }
    if (const Value length = root_.find("expected_acceptance_length"); length) {
      if (!finite(length)) return wrong(length, "\"expected_acceptance_length\" is no finite number");
      if (auto ok = add("acceptance_length", length.number(), kDefaultLengthPct, Rule::band, length); !ok) return ok;
    }
    if (const Value list = root_.find("expected_acceptance_lengths_per_pos"); list && !list.is_null()) {
      if (!list.is_array()) return wrong(list, "\"expected_acceptance_lengths_per_pos\" is no list");
      return positions("acceptance", list, position_pct);
    }
    return {};
  }

  [[nodiscard]] static bool finite(const Value& value) { return value.is_number() && std::isfinite(value.number()); }

  core::Status add(std::string name, double expected, double tolerance, Rule rule, const Value& where) {
    const VllmName vllm = vllm_name(name);
    for (const Expected& before : baseline_.metrics) {
      if (vllm_name(before.metric).name != vllm.name) continue;
      return core::fail(
          core::ErrorCode::invalid_input,
          core::cited(name) + " appears twice" + (before.metric == name ? "" : ", also as " + core::cited(before.metric)),
          "keep the one that holds", place_in(input_, where));
    }
    add_row(rows_, name, vllm, leaf_of_number(expected * vllm.factor));
    core::DeclaredRules& declared = rows_.writer().out.declared;
    declared.tolerances.emplace_back(vllm.name, core::number_text(tolerance) + "%");
    declared.headlines.push_back(vllm.name);
    baseline_.metrics.push_back({std::move(name), expected, tolerance, rule});
    return {};
  }

  const Input& input_;
  const Value root_;
  DeclaredRows& rows_;
  Baseline baseline_;
};

core::Expected<core::Measurement> finish(RowWriter& writer, const Input& input, File file) {
  auto measurement = writer.finish(input.name);
  if (!measurement) return measurement;
  measurement->replication = core::Replication::run;
  core::NativeFile native;
  native.system = "spec_decode";
  native.path = input.name;
  native.content = std::move(file);
  measurement->native = std::make_shared<const core::NativeFile>(std::move(native));
  return measurement;
}

core::Expected<json::Document> object_of(const Input& input, const ReadOptions& options, std::string_view what) {
  auto document = parse_json(input, options);
  if (document && !document->root().is_object()) {
    return core::fail(kOtherStructure, std::string(what) + " is one JSON object, and this is none",
                      "`plumbline inspect PATH` says how a file is read", input.name);
  }
  return document;
}

}  // namespace

Detection detect_spec_decode_baseline(const Input& input) {
  const std::string_view head = json_head(input);
  Detection detection;
  if (!head.starts_with("{")) return detection;
  const auto states = [&](std::string_view expected, std::string_view percent, std::string_view fraction) {
    return has_keys(input, {expected, percent}, detection) || has_keys(input, {expected, fraction}, detection) ||
           has_keys(input, {expected, "rtol"}, detection);
  };
  const bool form = states("baselines/*/expected", "baselines/*/tolerance_pct", "baselines/*/rtol") ||
                    states("metrics/*/expected", "metrics/*/tolerance_pct", "metrics/*/rtol");
  if (!form && !has_keys(input, {"expected_acceptance_length"}, detection)) return {};
  detection.score = has_keys(input, {"variant", "model"}, detection) ? 0.97 : 0.93;
  return detection;
}

core::Expected<core::Measurement> read_spec_decode_baseline(const Input& input, const ReadOptions& options) {
  auto document = object_of(input, options, "a baseline of the RFC on speculative decoding");
  if (!document) return core::fail(document.error());
  RowWriter writer(options);
  take_notes(*document, writer);
  DeclaredRows rows(writer, "spec_decode_baseline");
  auto baseline = BaselineReader(input, document->root(), rows).read();
  if (!baseline) return core::fail(baseline.error());
  take_context(document->root(), rows);
  return finish(writer, input, {.baseline = std::move(*baseline), .run = std::nullopt});
}

Detection detect_spec_decode_run(const Input& input) {
  const std::string_view head = json_head(input);
  Detection detection;
  if (!head.starts_with("{") || has_keys(input, {"baselines/*/expected"}, detection) ||
      has_keys(input, {"metrics/*/expected"}, detection)) {
    return {};
  }
  const auto count = [&](std::span<const std::string_view> names) {
    int seen = 0;
    for (const std::string_view name : names) {
      const std::string within = "metrics/" + std::string(name);
      if (has_keys(input, {name}, detection) || has_keys(input, {within}, detection)) ++seen;
    }
    return seen;
  };
  const int quality = count(kQuality);
  const int all = quality + count(kOthers);
  // One metric alone says enough in a file that holds little else: what the RFC calls a run may be a single number.
  constexpr std::string_view kAlone[] = {"match_rate", "acceptance_rate", "acceptance_length", kPositions};
  constexpr std::size_t kLittle = 2000;
  const bool alone = all < 2 && input.bytes.size() <= kLittle && count(kAlone) > 0;
  if (!alone && (quality == 0 || all < 2)) return {};
  detection.score = all > 2 ? 0.9 : 0.88;
  return detection;
}

core::Expected<core::Measurement> read_spec_decode_run(const Input& input, const ReadOptions& options) {
  auto document = object_of(input, options, "a run's metrics");
  if (!document) return core::fail(document.error());
  const Value root = document->root();
  RowWriter writer(options);
  take_notes(*document, writer);
  DeclaredRows rows(writer, "spec_decode_run");
  Run run;
  const auto add = [&](std::string_view name, const Value& value) {
    const VllmName vllm = vllm_name(name);
    Leaf leaf = leaf_of(value);
    if (leaf.has_value) leaf.value *= vllm.factor;
    add_row(rows, name, vllm, leaf);
    if (leaf.has_value && std::isfinite(value.number())) run.metrics.emplace_back(name, value.number());
  };
  const auto take = [&](const Value& object) {
    for (const auto [name, valid, value] : object.members()) {
      if (name == kPositions && value.is_array()) {
        std::size_t at = 0;
        for (const Value& one : value.elements()) {
          if (!writer.halted() && !one.is_container()) add("acceptance_rate_at_position." + std::to_string(at++), one);
        }
        continue;
      }
      if (value.is_container() || writer.halted()) continue;
      if (name == "duration" || name == "duration_s") {
        if (value.is_number()) run.duration_s = value.number();
        rows.add({}, name, 0, for_context("s"), leaf_of(value));
      } else if (name == "num_prompts" || name == "test_prompts") {
        if (value.is_number()) run.num_prompts = value.number();
        rows.add({}, name, 0, for_context(), leaf_of(value));
      } else if (value.is_string() || value.is_boolean()) {
        continue;  // texts describe; those of the descriptor are taken below
      } else {
        add(name, value);
      }
    }
  };
  take(root);
  if (const Value metrics = root.find("metrics"); metrics.is_object()) take(metrics);
  for (const auto [name, valid, value] : root.members()) {
    if (value.is_container() && name != "metrics" && !(name == kPositions && value.is_array()))
      flatten_json(value, name, writer, {.harvest_context = false});
  }
  take_context(root, rows);
  return finish(writer, input, {.baseline = std::nullopt, .run = std::move(run)});
}

const Format kBaselineFormat = {
    .name = "spec_decode_baseline",
    .title = "baseline of the vLLM RFC on speculative decoding",
    .replication = core::Replication::run,
    .detect = detect_spec_decode_baseline,
    .read = read_spec_decode_baseline,
    .about = {.group = formats::Group::other_systems,
              .file = "JSON",
              .produce = "# written by hand as the vLLM RFC on regressions of speculative decoding shows, or by:\n"
                         "plumbline export RUNS --as spec_decode --refresh BASELINES --out BASELINES",
              .judged =
                  "each metric of `baselines` or `metrics`, a headline with its own `tolerance_pct`; acceptance length and the "
                  "acceptance at each position, as vLLM's tests state them",
              .key =
                  "vLLM's own names: `ttft_p50_ms` is `median_ttft_ms`, `acceptance_rate` is `spec_decode_acceptance_rate` in %",
              .trials = "one value a key",
              .context = "speculative method, model, draft model, GPU, dataset",
              .limits = "expected values only: no trials, no noise; dates, commit and notes are in the native report",
              .recognised = "`baselines` or `metrics` with `expected` and `tolerance_pct`; `expected_acceptance_length`"},
};

const Format kRunFormat = {
    .name = "spec_decode_run",
    .title = "a speculative-decoding run's map of metrics",
    .replication = core::Replication::run,
    .detect = detect_spec_decode_run,
    .read = read_spec_decode_run,
    .about =
        {.group = formats::Group::other_systems,
         .file = "JSON",
         .produce = "# a map of metrics that your own test of speculative decoding writes",
         .judged = "match rate, acceptance rate and length, speedup, latencies; other numbers by their names as higher is better",
         .key = "vLLM's own names, as for its baselines",
         .trials = "one value a key",
         .context = "speculative method, model, draft model, GPU, dataset",
         .limits = "texts that are not of the descriptor are left out",
         .recognised =
             "two or more of the RFC's metrics, one of `match_rate`, `acceptance_rate`, `acceptance_length`, `speedup`; in a "
             "small file one of them alone"},
};

}  // namespace plumbline::systems::spec_decode
