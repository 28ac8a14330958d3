// diff.json, deltas.jsonl and the verb's result. The result is what an agent reads in its context window, so it has a budget:
// it is rendered with less and less detail until it fits, and says what was left out; the bundle has all of it.
#include <algorithm>
#include <array>

#include "core/text.hpp"
#include "reports/json_parts.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {
namespace {

constexpr std::size_t kResultBytes = 8000;  // CONTRACT: under 8 KiB
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

void text_or_null(JsonWriter& json, std::string_view name, const std::string& text) {
  json.key(name);
  if (text.empty())
    json.null();
  else
    json.value(text);
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
constexpr std::array<Detail, 7> kDetails = {{
    {10, 240, 12, 5, 10, 600, 10, 10, true, true, true},
    {10, 120, 10, 5, 10, 240, 5, 5, true, true, true},
    {10, 90, 8, 3, 5, 160, 3, 5, false, true, true},
    {8, 64, 6, 2, 4, 120, 2, 3, false, true, false},
    {5, 48, 5, 1, 3, 100, 1, 2, false, true, false},
    {3, 40, 4, 1, 2, 80, 0, 1, false, false, false},
    {0, 24, 3, 0, 1, 60, 0, 0, false, false, false},
}};

core::FormatInfo shortened(const core::FormatInfo& format, const Detail& detail) {
  core::FormatInfo out = format;
  out.name = shorten_bytes(out.name, 60);
  out.version = shorten_bytes(out.version, 40);
  out.runner_up = shorten_bytes(out.runner_up, 60);
  if (out.evidence.size() > 2) out.evidence.resize(2);
  if (!detail.evidence) out.evidence.clear();
  for (std::string& text : out.evidence) text = shorten_bytes(text, detail.message_bytes);
  return out;
}

template <class T>
std::vector<T> first(const std::vector<T>& all, std::size_t count) {
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), count))};
}

std::vector<std::string> shortened(const std::vector<std::string>& all, std::size_t count, std::size_t bytes) {
  std::vector<std::string> out = first(all, count);
  for (std::string& text : out) text = shorten_bytes(text, bytes);
  return out;
}

std::string result_with(const core::DiffResult& result, const Detail& detail) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("schema", "plumbline.result.diff.v1");
  write_reference_fields(json, result);
  json.field("verdict", to_string(result.verdict)).field("tier", to_string(result.tier));
  text_or_null(json, "diff_dir", result.diff_dir);
  text_or_null(json, "bundle_sha256", result.bundle_sha256);
  json.field("shape", to_string(result.shape)).field("policy", result.policy);
  json.key("format").begin_object().key("baseline");
  write_format(json, shortened(result.baseline.format, detail));
  json.key("current");
  write_format(json, shortened(result.current.format, detail));
  json.end_object();
  write_tolerance(json, result);
  json.field("deltas_count", result.counts.compared);
  write_counts(json, result.counts);

  const Rows rows(result);
  const RowWriter writer(rows);
  json.key("top").begin_array();
  for (const std::uint32_t index : rows.top(detail.rows)) {
    std::string row;
    writer.append_short(row, index, detail.key_bytes);
    json.raw(row);
  }
  json.end_array();

  std::vector<core::SolLine> sol = first(result.sol, detail.sol);
  for (core::SolLine& line : sol) {
    line.row_key = shorten_bytes(line.row_key, detail.key_bytes);
    line.ceiling_key = shorten_bytes(line.ceiling_key, 80);
    line.text = shorten_bytes(line.text, 400);
  }
  write_sol(json, sol);

  std::vector<core::Reason> reasons = first(result.reasons, detail.reasons);
  for (core::Reason& reason : reasons) {
    reason.keys_count = std::max<std::uint64_t>(reason.keys_count, reason.keys.size());
    reason.keys = shortened(reason.keys, detail.reason_keys, detail.key_bytes);
    reason.message = shorten_bytes(reason.message, detail.message_bytes);
    reason.code = shorten_bytes(reason.code, 64);
  }
  write_reasons(json, reasons);
  if (result.reasons.size() > reasons.size())
    json.field("reasons_omitted", std::uint64_t{result.reasons.size() - reasons.size()});

  write_strings(json, "promote", shortened(result.promote, detail.reasons, detail.message_bytes));
  core::Recommendation recommendation = result.recommendation;
  recommendation.message = shorten_bytes(recommendation.message, detail.message_bytes);
  recommendation.suspects = shortened(recommendation.suspects, detail.suspects, detail.key_bytes);
  std::optional<core::NextLever> lever = result.next_lever;
  if (lever) {
    lever->lever = shorten_bytes(lever->lever, detail.message_bytes);
    lever->expected_unlock = shorten_bytes(lever->expected_unlock, detail.message_bytes);
    lever->gate = shorten_bytes(lever->gate, detail.message_bytes);
  }
  write_gate(json, result.gate_asked, result.gate);
  write_recommendation(json, recommendation, lever);

  std::uint64_t undeclared = 0;
  for (const core::ContextDifference& difference : result.context_differences) undeclared += difference.declared ? 0 : 1;
  json.field("context_differences", undeclared);

  std::vector<core::Warning> warnings = first(result.warnings, detail.warnings);
  for (core::Warning& warning : warnings) {
    warning.message = shorten_bytes(warning.message, detail.message_bytes);
    warning.code = shorten_bytes(warning.code, 64);
  }
  if (const std::size_t more = result.warnings.size() - warnings.size(); more > 0) {
    warnings.push_back({"warnings_omitted", core::counted(more, "more warning") + " in diff.json"});
  }
  write_warnings(json, warnings);

  if (detail.file_paths) {
    write_files(json, result.files);
  } else {  // the folder is in diff_dir; names and digests remain
    json.key("files").begin_array();
    for (const core::FileRef& file : first(result.files, detail.files ? 20 : 0)) {
      compact(json, [&](JsonWriter& out) {
        out.begin_object()
            .field("name", shorten_bytes(file.name, 100))
            .field("bytes", file.bytes)
            .field("sha256", file.sha256)
            .end_object();
      });
    }
    json.end_array();
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
  write_strings(json, "promote", result.promote);
  json.field("policy", result.policy).field("shape", to_string(result.shape));
  write_reasons(json, result.reasons);
  write_counts(json, result.counts);
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
  write_gate(json, result.gate_asked, result.gate);
  write_recommendation(json, result.recommendation, result.next_lever);
  write_warnings(json, result.warnings);
  json.field("compared_at_utc", result.compared_at_utc).field("command", result.command);
  write_tool(json, result.tool);
  json.end_object();
  text += '\n';
  return text;
}

std::string diff_result_json(const core::DiffResult& result) {
  std::string text;
  for (const Detail& detail : kDetails) {
    text = result_with(result, detail);
    if (text.size() <= kResultBytes) break;
  }
  return text;
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
