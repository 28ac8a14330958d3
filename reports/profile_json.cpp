// profile-diff.json and the verb's result. The reference tool's sidecar had `baseline`, `candidate` and `limit` at the root and
// rows with six fields; those rows are here with ours added.
#include <algorithm>
#include <array>

#include "core/results/local_dir.hpp"
#include "reports/budget.hpp"
#include "reports/captures/ranks.hpp"
#include "reports/profile_sections.hpp"

namespace plumbline::reports {
namespace {

void write_row_side(JsonWriter& out, std::string_view name, const std::optional<core::ProfileRowSide>& side) {
  out.key(name);
  if (!side) {
    out.null();
    return;
  }
  out.begin_object()
      .field("avg_ns", side->avg)
      .field("med_ns", side->median)
      .field("min_ns", side->min_ns)
      .field("max_ns", side->max_ns);
  out.field("stddev_ns", side->stddev).field("exclusive_ns", side->exclusive_ns).end_object();
}

void write_rows(JsonWriter& json, std::string_view name, const std::vector<core::ProfileRow>& rows) {
  json.key(name).begin_array();
  for (const core::ProfileRow& row : rows) {
    compact(json, [&](JsonWriter& out) {
      out.begin_object().field("name", row.name).field("state", row.state).key("match").begin_object();
      out.field("rule", row.match_rule).field("confidence", row.match_confidence);
      text_or_null(out, "baseline_name", row.baseline_name);
      text_or_null(out, "candidate_name", row.candidate_name);
      out.end_object();
      out.field("baseline_ns", row.baseline_ns).field("candidate_ns", row.candidate_ns).field("delta_ns", row.delta_ns);
      out.field_or_null("pct", row.pct)
          .field_or_null("baseline_count", row.baseline_count)
          .field_or_null("candidate_count", row.candidate_count);
      out.field("count_effect_ns", row.count_effect_ns).field("duration_effect_ns", row.duration_effect_ns);
      if (row.same_shape_effect_ns && row.shape_mix_effect_ns) {
        out.field("same_shape_effect_ns", *row.same_shape_effect_ns).field("shape_mix_effect_ns", *row.shape_mix_effect_ns);
      }
      if (!row.category.empty()) out.field("category", row.category);
      if (!row.change.empty()) out.field("change", row.change);
      write_row_side(out, "baseline", row.baseline);
      write_row_side(out, "candidate", row.candidate);
      if (!row.inside.empty()) out.field("inside", row.inside);
      if (row.slowest.device >= 0) write_place(out, row.slowest);
      out.end_object();
    });
  }
  json.end_array();
}

void write_trials(JsonWriter& json, const std::vector<core::ProfileTrial>& trials) {
  if (trials.empty()) return;
  json.key("trials").begin_array();
  for (const core::ProfileTrial& trial : trials) {
    compact(json, [&](JsonWriter& out) {
      out.begin_object().field("path", trial.path).field("sha256", trial.sha256).field("bytes", trial.bytes);
      out.field_or_null("wall_ns", trial.wall_ns).field("steps", trial.steps).field("explained", trial.explained).end_object();
    });
  }
  json.end_array();
}

void write_side(JsonWriter& json, std::string_view name, const core::ProfileSideInfo& side, const core::ProfileRanksSide* job) {
  json.key(name).begin_object().field("path", side.path).field("label", side.label);
  text_or_null(json, "sha256", side.sha256);
  json.field("bytes", side.bytes).field("format", side.format);
  text_or_null(json, "version", side.version);
  json.field("kernels", side.kernels).field("kernel_ns", side.kernel_ns).field_or_null("span_ns", side.span_ns);
  json.key("ranks").begin_array();
  for (const std::int64_t rank : side.ranks) json.value(rank);
  json.end_array().key("context");
  write_context(json, side.context);
  write_trials(json, side.trials);
  if (job != nullptr) write_job(json, "job", *job, true);
  json.end_object();
}

void write_wall_trials(JsonWriter& json, const core::ProfileWallTrials& trials) {
  json.key("trials").begin_object().field("baseline", trials.baseline).field("candidate", trials.candidate);
  json.field("tested", trials.tested).field("state", trials.state).key("interval_pct");
  if (trials.interval_lo_pct && trials.interval_hi_pct) {
    json.begin_array().value(*trials.interval_lo_pct).value(*trials.interval_hi_pct).end_array();
  } else {
    json.null();
  }
  json.field_or_null("p", trials.p).field_or_null("mde_pct", trials.mde_pct).field_or_null("needed", trials.needed).end_object();
}

void write_wall(JsonWriter& json, const core::ProfileDiff& diff) {
  json.key("wall").begin_object();
  text_or_null(json, "basis", diff.wall_basis);
  json.field_or_null("delta_pct", diff.wall_delta_pct).field_or_null("work_ratio", diff.work_ratio);
  text_or_null(json, "work_basis", diff.work_basis);
  json.field("gate_pct", diff.gate_pct);
  json.field_or_null("baseline_span_ns", diff.baseline.span_ns).field_or_null("candidate_span_ns", diff.candidate.span_ns);
  json.field_or_null("baseline_ns", diff.wall_baseline_ns)
      .field_or_null("delta_ns", diff.wall_delta_ns)
      .field_or_null("residual_ns", diff.residual_ns);
  if (diff.wall_trials) write_wall_trials(json, *diff.wall_trials);
  json.end_object();
}

void write_scatter(JsonWriter& out, std::string_view name, const core::ProfileScatter& scatter) {
  out.key(name).begin_object().field("min_ns", scatter.min_ns).field("median_ns", scatter.median_ns);
  out.field("max_ns", scatter.max_ns).end_object();
}

void write_contributor(JsonWriter& out, const core::ProfileContributor& contributor, std::size_t bytes) {
  out.begin_object()
      .field("kind", contributor.kind)
      .field("name", shorten_bytes(contributor.name, bytes))
      .field("delta_ns", contributor.delta_ns);
  out.field("share_pct", contributor.share_pct).field("cumulative_pct", contributor.cumulative_pct);
  if (contributor.place.device >= 0) write_place(out, contributor.place);
  if (contributor.baseline && contributor.candidate) {
    out.key("trials").begin_object();
    write_scatter(out, "baseline", *contributor.baseline);
    write_scatter(out, "candidate", *contributor.candidate);
    out.field("apart", contributor.apart()).end_object();
  }
  out.end_object();
}

struct Detail {
  std::size_t top, name_bytes, reasons, keys, warnings, message_bytes;
  bool files;
};
constexpr std::array<Detail, 3> kDetailedDetails = {
    {{100, 1000, 50, 20, 50, 4000, true}, {60, 400, 30, 10, 30, 1000, true}, {30, 240, 20, 5, 20, 600, true}}};
constexpr std::array<Detail, 5> kDetails = {{{10, 240, 12, 5, 10, 600, true},
                                             {10, 120, 10, 3, 6, 240, true},
                                             {8, 80, 6, 2, 4, 140, true},
                                             {5, 60, 4, 1, 2, 100, false},
                                             {2, 40, 3, 0, 1, 60, false}}};

std::string elsewhere(const core::ProfileDiff& diff) {
  if (diff.diff_dir.empty()) return "no bundle was written: a server that may write keeps every row and reason in one";
  if (diff.diff_dir.find("/perf-baseline-diffs/") == std::string::npos) return "everything is in diff_dir";
  return "everything is in diff_dir; every row: plumbline://diffs/adhoc/profile/" +
         diff.diff_dir.substr(diff.diff_dir.rfind('/') + 1) + "/profile-diff.json";
}

std::string result_with(const core::ProfileDiff& diff, const Detail& detail) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("schema", "plumbline.result.profile-diff.v1");
  json.field("tool", "profile_diff")
      .field("library", "profile")
      .field("verb", "profile-diff")
      .field("safety", "writes_artifacts");
  json.field("verdict", to_string(diff.verdict)).field("tier", to_string(diff.tier));
  json.place_or_null("diff_dir", diff.diff_dir);
  if (const std::string local = core::local_dir(diff.diff_dir, diff.files); !local.empty()) json.place("local_dir", local);
  text_or_null(json, "bundle_sha256", diff.bundle_sha256);
  const std::size_t path_bytes = detail.name_bytes * 4;
  json.field("baseline", shorten_bytes(diff.baseline.path, path_bytes));
  json.field("candidate", shorten_bytes(diff.candidate.path, path_bytes));
  json.field("comparability", diff.comparability);
  write_wall(json, diff);
  json.key("top").begin_array();
  for (const core::ProfileContributor& contributor : first(diff.contributors, detail.top)) {
    compact(json, [&](JsonWriter& out) { write_contributor(out, contributor, detail.name_bytes); });
  }
  json.end_array();
  write_omitted(json, "top", diff.contributors.size(), std::min(diff.contributors.size(), detail.top));
  std::vector<core::Reason> reasons(
      diff.reasons.begin(), diff.reasons.begin() + static_cast<std::ptrdiff_t>(std::min(diff.reasons.size(), detail.reasons)));
  for (core::Reason& reason : reasons) {
    reason.keys_count = std::max<std::uint64_t>(reason.keys_count, reason.keys.size());
    if (reason.keys.size() > detail.keys) reason.keys.resize(detail.keys);
    for (std::string& key : reason.keys) key = shorten_bytes(key, detail.name_bytes);
    reason.message = core::shorten_sentence(reason.message, detail.message_bytes);
  }
  write_reasons(json, reasons);
  write_omitted(json, "reasons", diff.reasons.size(), reasons.size());
  const std::vector<std::string> promote = shortened(diff.promote, detail.reasons, detail.message_bytes);
  write_strings(json, "promote", promote);
  write_omitted(json, "promote", diff.promote.size(), promote.size());
  core::Recommendation recommendation = diff.recommendation;
  recommendation.message = core::shorten_sentence(recommendation.message, detail.message_bytes);
  recommendation.suspects = shortened(recommendation.suspects, detail.keys, detail.name_bytes);
  std::optional<core::NextLever> lever = diff.next_lever;
  if (lever) {
    for (std::string* part : {&lever->lever, &lever->expected_unlock, &lever->gate})
      *part = core::shorten_sentence(*part, detail.message_bytes);
  }
  std::optional<std::string> gate = diff.gate;
  if (gate) gate = core::shorten_sentence(*gate, detail.message_bytes);
  write_gate(json, diff.gate_asked, gate);
  write_recommendation(json, recommendation, lever);
  write_some_warnings(json, diff.warnings, detail.warnings, detail.message_bytes,
                      diff.diff_dir.empty() ? "" : " in profile-diff.json");
  write_some_files(json, diff.files, detail.files ? 20 : 0, true);
  if (diff.contributors.size() > detail.top || diff.reasons.size() > reasons.size() || diff.promote.size() > promote.size() ||
      diff.warnings.size() > detail.warnings) {
    json.field("hint", elsewhere(diff));
  }
  json.end_object();
  text += '\n';
  return text;
}

}  // namespace

std::string profile_json(const core::ProfileDiff& diff) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("schema", "plumbline.profile-diff.v1");
  write_side(json, "baseline", diff.baseline, diff.baseline_job.get());
  write_side(json, "candidate", diff.candidate, diff.candidate_job.get());
  json.field("limit", diff.limit).field("verdict", to_string(diff.verdict)).field("tier", to_string(diff.tier));
  write_strings(json, "promote", diff.promote);
  write_reasons(json, diff.reasons);
  json.key("comparability").begin_object().field("score", diff.comparability);
  write_strings(json, "notes", diff.comparability_notes);
  json.end_object();
  write_wall(json, diff);
  json.key("buckets").begin_array();
  for (const core::DeviceBuckets& device : diff.buckets) {
    compact(json, [&](JsonWriter& out) {
      out.begin_object().field("device", device.device);
      if (device.candidate_device) out.field("candidate_device", *device.candidate_device);
      text_or_null(out, "baseline_name", device.baseline_name);
      text_or_null(out, "candidate_name", device.candidate_name);
      write_buckets(out, "baseline", device.baseline);
      write_buckets(out, "candidate", device.candidate);
      out.key("idle_split").begin_object();
      write_idle_split(out, "baseline", device.baseline);
      write_idle_split(out, "candidate", device.candidate);
      out.end_object().end_object();
    });
  }
  json.end_array();
  write_processes(json, diff);
  write_gaps(json, diff);
  write_steps(json, diff);
  write_timeline(json, diff);
  write_rows(json, "kernels", diff.kernels);
  write_rows(json, "nvtx", diff.nvtx);
  write_rows(json, "cuda_api", diff.cuda_api);
  write_rows(json, "nccl", diff.nccl);
  write_rows(json, "memory", diff.memory);
  json.field_or_null("matched_pct", diff.matched_pct);
  write_categories(json, diff);
  write_rooflines(json, diff);
  write_ranges(json, diff);
  write_collectives(json, diff);
  write_launches(json, diff);
  write_frames(json, diff);
  write_metrics(json, diff);
  write_findings(json, diff);
  json.key("contributors").begin_array();
  for (const core::ProfileContributor& contributor : diff.contributors) {
    compact(json, [&](JsonWriter& out) { write_contributor(out, contributor, contributor.name.size()); });
  }
  json.end_array();
  write_differences(json, "environment_differences", diff.environment_differences);
  write_gate(json, diff.gate_asked, diff.gate);
  write_recommendation(json, diff.recommendation, diff.next_lever);
  write_warnings(json, diff.warnings);
  json.field("compared_at_utc", diff.compared_at_utc).field("command", diff.command);
  write_tool(json, diff.tool);
  json.end_object();
  text += '\n';
  return text;
}

std::string profile_result_json(const core::ProfileDiff& diff, ResponseFormat format) {
  return fitted(format, std::span<const Detail>(kDetailedDetails), std::span<const Detail>(kDetails),
                [&](const Detail& detail) { return result_with(diff, detail); });
}

}  // namespace plumbline::reports
