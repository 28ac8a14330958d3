// baseline.json, SOURCE.md, acceptances, and what record and accept answer.
#include <algorithm>
#include <cmath>

#include "core/results/local_dir.hpp"
#include "core/text.hpp"
#include "reports/budget.hpp"
#include "reports/terminal/terminal.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {
namespace {

void write_pairs(JsonWriter& json, std::string_view name, const std::vector<std::pair<std::string, std::string>>& pairs) {
  json.key(name).begin_object();
  for (const auto& [glob, text] : pairs) json.field(glob, text);
  json.end_object();
}

void write_frozen_fields(JsonWriter& json, const core::FrozenSol& sol) {
  json.field("sol_pct", sol.pct).field("sol_ceiling_key", sol.ceiling_key).field("sol_ceiling_value", sol.ceiling_value);
  json.field("sol_ceiling_unit", sol.ceiling_unit);
  if (!sol.duplex.empty()) json.field("sol_duplex", sol.duplex);
  json.key("sol_rigor");
  if (sol.rigor.empty())
    json.null();
  else
    json.value(sol.rigor);
}

void write_frozen(JsonWriter& json, const std::vector<core::FrozenSol>& lines) {
  json.key("sol").begin_array();
  for (const core::FrozenSol& line : lines) {
    compact(json, [&](JsonWriter& out) {
      out.begin_object().field("key", line.row_key);
      write_frozen_fields(out, line);
      out.end_object();
    });
  }
  json.end_array();
}

std::string or_unknown(const std::string& text) { return text.empty() ? "(unknown)" : text; }

std::string value_text(const core::BaselineRecord& record) {
  std::string text = !record.value_text.empty() ? record.value_text : record.value ? figure(*record.value) : "";
  if (!text.empty() && record.unit) text += " " + *record.unit;
  return text;
}

void table_warnings(std::string& out, const Terminal& terminal, const std::vector<core::Warning>& warnings) {
  for (const core::Warning& warning : warnings)
    out += terminal.paint(Paint::yellow, "warning") + "     " + one_line(warning.message) + "\n";
}

}  // namespace

std::string baseline_json(const core::BaselineRecord& record) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.field("schema", "plumbline.baseline.v1");
  json.field("family", record.family).field("measurement", record.measurement);
  json.key("value");
  if (!record.value_text.empty())
    json.raw(record.value_text);
  else if (record.value)
    json.value(*record.value);
  else
    json.null();
  json.field_or_null("unit", record.unit).field("direction", record.direction);
  json.field("source_path", record.source_path).field("source_sha256", record.source_sha256);
  json.field_or_null("schema_path", record.schema_path).field("registered_at_utc", record.registered_at_utc);
  if (!record.measured_at_utc.empty()) json.field("measured_at_utc", record.measured_at_utc);
  json.key("registered_by").begin_object().field("operator_user", record.operator_user).end_object();
  json.key("workstation").begin_object().field("hostname", record.hostname).field("uname", record.uname).end_object();
  json.field_or_null("profile_and_optimize_sha", record.profile_and_optimize_sha).field("notes", record.notes);
  json.field("shape", to_string(record.shape)).key("format");
  write_format(json, record.format);
  if (!record.stated_format.empty()) json.field("stated_format", record.stated_format);
  if (!record.forced_format.empty()) json.field("forced_format", record.forced_format);
  json.field("tier", to_string(record.tier)).field("trials", record.trials).field("rows", record.rows);
  write_strings(json, "headline", record.headline);
  write_pairs(json, "directions", record.directions);
  write_pairs(json, "tolerances", record.tolerances);
  json.key("context");
  write_context(json, record.context);
  json.key("git").begin_object().field_or_null("commit", record.git_commit).field_or_null("dirty", record.git_dirty).end_object();
  if (record.scalar_sol) write_frozen_fields(json, *record.scalar_sol);
  if (!record.sol.empty()) write_frozen(json, record.sol);
  json.key("snapshot").begin_object().key("path");
  if (record.snapshot_path.empty())
    json.null();
  else
    json.value(record.snapshot_path);
  json.field("bytes", record.snapshot_bytes).field("sha256", record.snapshot_sha256).end_object();
  if (!record.trial_snapshots.empty()) write_strings(json, "trial_snapshots", record.trial_snapshots);
  const auto optional = [&json](std::string_view name, const std::string& word) {
    json.key(name);
    if (word.empty())
      json.null();
    else
      json.value(word);
  };
  optional("supersedes", record.supersedes);
  json.field("reason", record.reason);
  if (!record.label.empty()) json.field("label", record.label);
  if (!record.command.empty()) json.field("command", record.command);
  json.key("tool").begin_object().field("name", record.tool.name).field("version", record.tool.version).end_object();
  json.end_object();
  text += '\n';
  return text;
}

std::string source_markdown(const core::BaselineRecord& record) {
  const std::string sha = record.profile_and_optimize_sha ? record.profile_and_optimize_sha->substr(0, 12) : "(unknown)";
  std::string out =
      "# SOURCE: perf-baseline " + markdown_text(record.family) + " / " + markdown_text(record.measurement) + "\n\n";
  out += "**Registered at (UTC):** " + markdown_code(record.registered_at_utc) + "\n";
  if (!record.measured_at_utc.empty()) out += "**Measured at (UTC):** " + markdown_code(record.measured_at_utc) + "\n";
  out += "**Registered by:** " + markdown_code(or_unknown(record.operator_user)) + " on " +
         markdown_code(or_unknown(record.hostname)) + "\n";
  out += "**profile-and-optimize SHA at registration:** " + markdown_code(sha) + "\n\n## Source\n\n";
  out += "- Path at registration time: " + markdown_code(record.source_path) + "\n";
  out += "- SHA-256: " + markdown_code(record.source_sha256) + "\n";
  if (record.snapshot_path.empty()) {
    out += "- The source is kept by reference only: its digest, size (" + byte_count(record.snapshot_bytes) + ") and path.\n";
  } else {
    out +=
        "- A canonical snapshot of the source is stored next to this file as\n  `source-snapshot.<ext>` (or `source-snapshot/` "
        "if the "
        "source was a directory).\n";
  }
  if (!record.trial_snapshots.empty()) {
    out += "- Further trials: ";
    for (std::size_t i = 0; i < record.trial_snapshots.size(); ++i)
      out += (i == 0 ? "" : ", ") + markdown_code(record.trial_snapshots[i]);
    out += "\n";
  }
  out += "\n## Measurement\n\n- Shape: `" + std::string(to_string(record.shape)) + "`, " + core::counted(record.rows, "row") +
         ", " + core::counted(record.trials, "trial") + "\n";
  if (!record.format.name.empty()) out += "- Format: " + markdown_code(record.format.name) + "\n";
  if (const std::string value = value_text(record); !value.empty()) out += "- Value: " + markdown_code(value) + "\n";
  out += "- Direction: " + markdown_code(record.direction) + "\n- Tier: **" + std::string(to_string(record.tier)) + "**\n";
  if (record.scalar_sol) {
    out += "- Speed of light: " + core::short_number(record.scalar_sol->pct, 3) + "% of " +
           markdown_code(record.scalar_sol->ceiling_key) + " (" +
           markdown_text(figure(record.scalar_sol->ceiling_value, record.scalar_sol->ceiling_unit)) + ")\n";
  }
  if (!record.label.empty()) out += "- Label: " + markdown_text(record.label) + "\n";
  if (!record.reason.empty()) out += "- Reason: " + markdown_text(record.reason) + "\n";
  if (!record.supersedes.empty()) out += "- Supersedes: " + markdown_code(record.supersedes) + "\n";
  if (record.git_commit) {
    out += "- Git: " + markdown_code(*record.git_commit) +
           (record.git_dirty.value_or(false) ? ", with uncommitted changes" : "") + "\n";
  }
  if (!record.context.empty()) {
    out += "\n## Context\n\n| Key | Value |\n|---|---|\n";
    for (const auto& [key, text] : record.context) out += "| " + markdown_text(key) + " | " + markdown_text(text) + " |\n";
  }
  out += "\n## Notes\n\n" + (record.notes.empty() ? std::string("_(none)_") : markdown_text(record.notes)) + "\n\n";
  out +=
      "## Attribution\n\nThis file records the operator account and host for audit. It does not infer\n"
      "individual ownership or organizational affiliation.\n";
  return out;
}

namespace {

// A second path of the same folder: whole unless folders are so deep that two do not fit.
std::string folder_text(const std::string& path, const Share& share) {
  return share.items == 0 ? shorten_bytes(path, 256) : path;
}

std::string record_result_with(const core::RecordResult& result, const Share& share) {
  const core::BaselineRecord& record = result.baseline;
  const std::size_t few = std::min<std::size_t>(share.items, 20);
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("schema", "plumbline.result.record.v1");
  json.field("tool", "perf_baseline_record")
      .field("verb", "record")
      .field("safety", "writes_artifacts")
      .field("library", "perf_baseline");
  json.field("family", record.family).field("measurement", record.measurement);
  json.place("entry_dir", result.entry_dir);
  if (const std::string local = core::local_dir(result.entry_dir, result.files); !local.empty()) json.place("local_dir", local);
  json.place("baseline_json", folder_text(result.entry_dir + "/baseline.json", share)).field("slug", result.slug);
  json.field("source_sha256", record.source_sha256);
  json.key("entry_sha256");
  if (result.entry_sha256.empty())
    json.null();
  else
    json.value(result.entry_sha256);
  json.field("registered_at_utc", record.registered_at_utc);
  if (!record.measured_at_utc.empty()) json.field("measured_at_utc", record.measured_at_utc);
  json.field("direction", record.direction).field("shape", to_string(record.shape));
  json.key("format");
  write_format(json, shortened(record.format, std::min<std::size_t>(share.items, 5), share.text));
  json.field_or_null("value", record.value).key("unit");
  if (record.unit)
    json.value(shorten_bytes(*record.unit, share.text));
  else
    json.null();
  json.field("rows", record.rows).field("trials", record.trials);
  const std::vector<std::string> headline = shortened(record.headline, few, share.text);
  write_strings(json, "headline", headline);
  write_omitted(json, "headline", record.headline.size(), headline.size());
  std::vector<core::FrozenSol> sol;
  if (record.scalar_sol) sol.push_back(*record.scalar_sol);
  sol.insert(sol.end(), record.sol.begin(), record.sol.end());
  const std::size_t all_sol = sol.size();
  if (const std::size_t most = std::min<std::size_t>(share.items, 10); sol.size() > most) sol.resize(most);
  for (core::FrozenSol& line : sol) line.row_key = shorten_bytes(line.row_key, share.text);
  write_frozen(json, sol);
  write_omitted(json, "sol", all_sol, sol.size());
  json.field("tier", to_string(record.tier)).field("dry_run", result.dry_run);
  write_some_warnings(json, result.warnings, few, share.text, "");
  write_some_files(json, result.files, few, share.items >= 20);
  json.end_object();
  text += '\n';
  return text;
}

}  // namespace

std::string record_result_json(const core::RecordResult& result) {
  return fitted(ResponseFormat::concise, [&](const Share& share) { return record_result_with(result, share); });
}

std::string record_table(const core::RecordResult& result, bool colour) {
  const Terminal terminal(colour);
  const core::BaselineRecord& record = result.baseline;
  std::string out = terminal.paint(Paint::bold, result.dry_run ? "would record" : "recorded") + "    " + one_line(record.family) +
                    "/" + one_line(record.measurement) + "@" + one_line(result.slug) + "\n";
  std::string what = core::counted(record.rows, "row");
  if (const std::string value = value_text(record); !value.empty()) what = one_line(value);
  out += "what        " + what + ", " + std::string(to_string(record.shape)) + ", " + core::counted(record.trials, "trial") +
         ", " + one_line(record.direction) + ", " + std::string(to_string(record.tier)) + "\n";
  if (!record.format.name.empty()) out += "format      " + one_line(record.format.name) + "\n";
  const core::FrozenSol* sol = record.scalar_sol ? &*record.scalar_sol : record.sol.empty() ? nullptr : record.sol.data();
  if (sol != nullptr) {
    out += "of light    " + core::short_number(sol->pct, 3) + "% of " + one_line(sol->ceiling_key) + " (" +
           figure(sol->ceiling_value, sol->ceiling_unit) + ")\n";
  }
  out += "source      " + one_line(record.source_path) + "\n";
  out += "entry       " + one_line(result.entry_dir) + "\n";
  if (!result.entry_sha256.empty()) out += "sha256      " + one_line(result.entry_sha256) + "\n";
  table_warnings(out, terminal, result.warnings);
  return out;
}

namespace {

void write_acceptance_fields(JsonWriter& json, const core::Acceptance& acceptance) {
  json.field("seq", acceptance.seq).field("family", acceptance.family).field("measurement", acceptance.measurement);
  json.field("slug", acceptance.slug).field("entry_sha256", acceptance.entry_sha256).field("reason", acceptance.reason);
  json.field("accepted_at_utc", acceptance.accepted_at_utc).field("accepted_by", acceptance.accepted_by);
  json.field_or_null("previous", acceptance.previous);
}

}  // namespace

std::string acceptance_json(const core::Acceptance& acceptance) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("schema", "plumbline.acceptance.v1");
  write_acceptance_fields(json, acceptance);
  json.end_object();
  text += '\n';
  return text;
}

namespace {

std::string accept_result_with(const core::AcceptResult& result, const Share& share) {
  core::Acceptance acceptance = result.acceptance;
  acceptance.reason = shorten_bytes(acceptance.reason, share.text);
  acceptance.accepted_by = shorten_bytes(acceptance.accepted_by, share.text);
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("schema", "plumbline.result.accept.v1");
  json.field("tool", "perf_baseline_accept").field("verb", "accept").field("safety", "writes_artifacts");
  write_acceptance_fields(json, acceptance);
  json.place("path", result.path).place("entry_dir", folder_text(result.entry_dir, share));
  write_some_warnings(json, result.warnings, std::min<std::size_t>(share.items, 20), share.text, "");
  json.end_object();
  text += '\n';
  return text;
}

}  // namespace

std::string accept_result_json(const core::AcceptResult& result) {
  return fitted(ResponseFormat::concise, [&](const Share& share) { return accept_result_with(result, share); });
}

}  // namespace plumbline::reports
