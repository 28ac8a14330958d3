// diff.json, deltas.jsonl and the verb's result. The result is what an agent reads in its context window, so it has a budget:
// it is rendered with less and less detail until it fits, and says what was left out; the bundle has all of it.
#include <algorithm>
#include <array>

#include "core/results/local_dir.hpp"
#include "core/text.hpp"
#include "reports/budget.hpp"
#include "reports/culprits.hpp"
#include "reports/native.hpp"
#include "reports/second_look.hpp"
#include "reports/suite.hpp"
#include "reports/waivers.hpp"

namespace plumbline::reports {
namespace {

constexpr std::size_t kCaseTextBytes = 2000;
constexpr std::size_t kPiece = std::size_t{64} << 10U;

void write_reference_fields(JsonWriter& json, const core::DiffResult& result) {
  json.field("tool", "perf_baseline_diff")
      .field("library", "perf_baseline")
      .field("verb", "diff")
      .field("safety", "writes_artifacts");
  json.field("family", result.family).field("measurement", result.measurement);
}

void write_tolerance(JsonWriter& json, const core::DiffResult& result) {
  json.field("tolerance_percent", result.tolerance_percent).field_or_null("tolerance_absolute", result.tolerance_absolute);
  json.field("direction", direction_word(result));
}

void write_side(JsonWriter& json, std::string_view name, const core::DiffSide& side) {
  json.key(name).begin_object();
  json.field("path", side.path);
  if (!side.label.empty()) json.field("label", side.label);
  text_or_null(json, "slug", side.slug);
  text_or_null(json, "sha256", side.sha256);
  text_or_null(json, "entry_sha256", side.entry_sha256);
  json.field("trials", side.trials).end_object();
}

// How much of each part a result shows; the first that fits is taken.
struct Detail {
  std::size_t rows, key_bytes, reasons, reason_keys, warnings, message_bytes, sol, suspects;
  bool file_paths, files, evidence;
};
constexpr std::array<Detail, 3> kDetailedDetails = {{
    {100, 1000, 50, 20, 50, 4000, 100, 50, true, true, true},
    {60, 300, 40, 20, 40, 1000, 40, 20, true, true, true},
    {30, 240, 25, 10, 25, 600, 20, 10, true, true, true},
}};
constexpr std::array<Detail, 7> kDetails = {{
    {10, 240, 12, 5, 10, 600, 10, 10, true, true, true},
    {10, 120, 10, 5, 10, 240, 5, 5, true, true, true},
    {10, 90, 8, 3, 5, 160, 3, 5, false, true, true},
    {8, 64, 6, 2, 4, 120, 2, 3, false, true, false},
    {5, 48, 5, 1, 3, 100, 1, 2, false, true, false},
    {3, 40, 4, 1, 2, 80, 0, 1, false, false, false},
    {0, 24, 3, 0, 1, 60, 0, 0, false, false, false},
}};

template <class T>
std::vector<T> some(const std::vector<T>& all, std::size_t count) {
  const std::span<const T> taken = first(all, count);
  return {taken.begin(), taken.end()};
}

// Where what was left out can be read: the bundle, as a resource and as a folder.
std::string elsewhere(const core::DiffResult& result) {
  if (result.diff_dir.empty()) return "no bundle was written: the same call with a bundle keeps every row and reason";
  // A bundle that only --out holds is no resource.
  if (result.diff_dir.find("/perf-baseline-diffs/") == std::string::npos) return "everything is in diff_dir";
  const std::string slug = result.diff_dir.substr(result.diff_dir.rfind('/') + 1);
  const std::string file = result.profile() != nullptr ? "profile-diff.json" : "deltas.jsonl";
  return "everything is in diff_dir; every row: plumbline://diffs/" + shorten_bytes(result.family, 128) + "/" +
         shorten_bytes(result.measurement, 128) + "/" + slug + "/" + file;
}

std::string result_with(const core::DiffResult& result, const Detail& detail, std::string_view native) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("schema", "plumbline.result.diff.v1");
  write_reference_fields(json, result);
  json.field("verdict", to_string(result.verdict)).field("tier", to_string(result.tier));
  if (result.previous) json.field("previous_verdict", to_string(*result.previous));
  json.place_or_null("diff_dir", result.diff_dir);
  if (const std::string local = core::local_dir(result.diff_dir, result.files); !local.empty()) json.place("local_dir", local);
  text_or_null(json, "bundle_sha256", result.bundle_sha256);
  json.field("shape", to_string(result.shape())).field("policy", result.policy);
  if (!result.project_tier.empty()) json.field("project_tier", result.project_tier);
  json.key("format").begin_object().key("baseline");
  write_format(json, shortened(result.baseline.format, detail.evidence ? 2 : 0, detail.message_bytes));
  json.key("current");
  write_format(json, shortened(result.current.format, detail.evidence ? 2 : 0, detail.message_bytes));
  json.end_object();
  write_tolerance(json, result);
  json.field("deltas_count", result.counts.compared);
  write_counts(json, result.counts);

  const Rows rows(result);
  const RowWriter writer(rows);
  const std::vector<std::uint32_t> top = rows.top(detail.rows);
  json.key("top").begin_array();
  for (const std::uint32_t index : top) {
    std::string row;
    writer.append_short(row, index, detail.key_bytes);
    json.raw(row);
  }
  json.end_array();
  write_omitted(json, "top", rows.size(), top.size());

  std::vector<core::SolLine> sol = some(result.sol, detail.sol);
  for (core::SolLine& line : sol) {
    line.row_key = shorten_bytes(line.row_key, detail.key_bytes);
    line.ceiling_key = shorten_bytes(line.ceiling_key, 80);
    line.text = core::shorten_sentence(line.text, 400);
  }
  write_sol(json, sol);
  write_omitted(json, "sol", result.sol.size(), sol.size());

  write_red(json, result.red);
  write_waivers(json, result.waivers, detail.warnings, detail.message_bytes);
  std::vector<core::Reason> reasons = some(result.reasons, detail.reasons);
  for (core::Reason& reason : reasons) {
    reason.keys_count = std::max<std::uint64_t>(reason.keys_count, reason.keys.size());
    reason.keys = shortened(reason.keys, detail.reason_keys, detail.key_bytes);
    reason.message = core::shorten_sentence(reason.message, detail.message_bytes);
  }
  write_reasons(json, reasons);
  write_omitted(json, "reasons", result.reasons.size(), reasons.size());

  const std::vector<std::string> promote = shortened(result.promote, detail.reasons, detail.message_bytes);
  write_strings(json, "promote", promote);
  write_omitted(json, "promote", result.promote.size(), promote.size());
  core::Recommendation recommendation = result.recommendation;
  recommendation.message = core::shorten_sentence(recommendation.message, detail.message_bytes);
  recommendation.suspects = shortened(recommendation.suspects, detail.suspects, detail.key_bytes);
  std::optional<core::NextLever> lever = result.next_lever;
  if (lever) {
    lever->lever = core::shorten_sentence(lever->lever, detail.message_bytes);
    lever->expected_unlock = core::shorten_sentence(lever->expected_unlock, detail.message_bytes);
    lever->gate = core::shorten_sentence(lever->gate, detail.message_bytes);
    lever->others.clear();  // diff.json has them
  }
  std::optional<std::string> gate = result.gate;
  if (gate) gate = core::shorten_sentence(*gate, detail.message_bytes);
  write_gate(json, result.gate_asked, gate);
  write_culprits(json, result,
                 {std::min<std::size_t>(detail.suspects, 3), std::min<std::size_t>(detail.reason_keys, 5), detail.key_bytes});
  write_recommendation(json, recommendation, lever);

  if (result.second) write_second_look(json, *result.second, detail.rows, detail.key_bytes);
  std::uint64_t undeclared = 0;
  for (const core::ContextDifference& difference : result.context_differences) undeclared += difference.declared ? 0 : 1;
  json.field("context_differences", undeclared);

  if (!native.empty()) json.key("native").raw(native);
  if (result.cases() != nullptr) {
    json.key("suite");
    write_suite(json, *result.cases(), detail.rows, detail.key_bytes);
  }
  write_some_warnings(json, result.warnings, detail.warnings, detail.message_bytes,
                      result.diff_dir.empty() ? "" : " in diff.json");
  write_some_files(json, result.files, detail.files ? 20 : 0, detail.file_paths);
  if (rows.size() > top.size() || result.sol.size() > sol.size() || result.reasons.size() > reasons.size() ||
      result.promote.size() > promote.size() || result.warnings.size() > detail.warnings) {
    json.field("hint", elsewhere(result));
  }
  json.end_object();
  text += '\n';
  return text;
}

}  // namespace

std::string diff_json(const core::DiffResult& result) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("schema", "plumbline.diff.v1");
  write_reference_fields(json, result);
  json.field("verdict", to_string(result.verdict)).field("tier", to_string(result.tier));
  if (result.previous) json.field("previous_verdict", to_string(*result.previous));
  write_strings(json, "promote", result.promote);
  json.field("policy", result.policy).field("shape", to_string(result.shape()));
  if (!result.project_tier.empty()) json.field("project_tier", result.project_tier);
  write_reasons(json, result.reasons);
  write_counts(json, result.counts);
  if (result.second) write_second_look(json, *result.second, result.second->rows.size(), SIZE_MAX);
  json.field("baseline_dir", result.baseline.path);
  text_or_null(json, "baseline_source_sha256", result.baseline.sha256);
  text_or_null(json, "current_source_sha256", result.current.sha256);
  text_or_null(json, "baseline_sha256", result.baseline.sha256);
  text_or_null(json, "current_sha256", result.current.sha256);
  write_side(json, "baseline", result.baseline);
  write_side(json, "current", result.current);
  if (result.initial) write_side(json, "initial", *result.initial);
  json.key("format").begin_object().key("baseline");
  write_format(json, result.baseline.format);
  json.key("current");
  write_format(json, result.current.format);
  json.end_object();
  write_tolerance(json, result);

  const Rows rows(result);
  RowWriter writer(rows);
  json.key("deltas_top20").begin_array();
  for (const std::uint32_t index : rows.top(20)) {
    std::string row;
    writer.append(row, index);
    json.raw(row);
  }
  json.end_array();
  json.field("deltas_count", result.counts.compared).field("rows", std::uint64_t{rows.size()});
  json.field("rows_omitted", std::max(result.rows_omitted, rows.omitted_count()));

  json.key("context").begin_object().key("baseline");
  write_context(json, result.baseline_context);
  json.key("current");
  write_context(json, result.current_context);
  write_differences(json, "differences", result.context_differences);
  json.end_object();
  write_sol(json, result.sol);
  write_red(json, result.red);
  write_waivers(json, result.waivers, result.waivers.size(), SIZE_MAX);
  if (result.native() != nullptr) {
    json.key("native");
    write_native(json, *result.native(), kAllNativeRows);
  }
  if (result.cases() != nullptr) {
    json.key("suite");
    write_suite(json, *result.cases(), result.cases()->cases.size(), kCaseTextBytes);
  }
  write_gate(json, result.gate_asked, result.gate);
  write_culprits(json, result, kAllOfCulprits);
  write_recommendation(json, result.recommendation, result.next_lever);
  write_warnings(json, result.warnings);
  json.field("compared_at_utc", result.compared_at_utc).field("command", result.command);
  write_tool(json, result.tool);
  json.end_object();
  text += '\n';
  return text;
}

std::string diff_result_json(const core::DiffResult& result, ResponseFormat format) {
  // Another system's report is not cut beyond its 50 rows: the bound is on the rest.
  std::string native;
  if (result.native() != nullptr) {
    JsonWriter json(native, -1);
    write_native(json, *result.native(), kResultNativeRows);
  }
  return fitted(
      format, std::span<const Detail>(kDetailedDetails), std::span<const Detail>(kDetails),
      [&](const Detail& detail) { return result_with(result, detail, native); }, native.size());
}

core::Status write_deltas(const core::DiffResult& result, const std::function<core::Status(std::string_view)>& write) {
  const Rows rows(result);
  RowWriter writer(rows);
  std::string piece;
  piece.reserve(kPiece + 8192);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows.omitted(i)) continue;
    writer.append(piece, i);
    piece += '\n';
    if (piece.size() >= kPiece) {
      if (core::Status status = write(piece); !status) return status;
      piece.clear();
    }
  }
  return piece.empty() ? core::Status{} : write(piece);
}

}  // namespace plumbline::reports
