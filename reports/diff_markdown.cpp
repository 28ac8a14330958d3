// diff.md. Its first lines, its table's columns and its last line are the reference tool's, whose readers match on them; what a
// reviewer needs beyond that stands between. That of captures: captures/markdown.cpp.
#include <algorithm>

#include "core/results/sol_words.hpp"
#include "core/text.hpp"
#include "core/tolerance.hpp"
#include "reports/captures/parts.hpp"
#include "reports/culprits.hpp"
#include "reports/native.hpp"
#include "reports/reports.hpp"
#include "reports/rows.hpp"
#include "reports/suite.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {
namespace {

constexpr std::size_t kTableRows = 20;

std::string keys_text(const core::Reason& reason) {
  std::string out;
  const std::size_t shown = std::min<std::size_t>(reason.keys.size(), 5);
  for (std::size_t i = 0; i < shown; ++i) out += (i == 0 ? "" : ", ") + markdown_code(reason.keys[i]);
  const std::uint64_t all = std::max<std::uint64_t>(reason.keys_count, reason.keys.size());
  if (all > shown) out += " and " + grouped(all - shown) + " more";
  return out;
}

void side_line(std::string& out, const char* name, const core::DiffSide& side) {
  out += std::string("- ") + name + ": " + markdown_code(side.path);
  if (!side.label.empty()) out += " (" + markdown_text(side.label) + ")";
  if (!side.format.name.empty()) out += ", format " + markdown_code(side.format.name);
  if (side.trials > 1) out += ", " + std::to_string(side.trials) + " trials";
  if (!side.sha256.empty()) out += ", SHA-256 " + markdown_code(side.sha256);
  out += '\n';
}

void reasons(std::string& out, const core::DiffResult& result) {
  if (result.reasons.empty()) return;
  out += "\n## Reasons\n\n";
  for (const core::Reason& reason : result.reasons) {
    out += "- " + markdown_code(reason.code.text()) + ": " + markdown_text(reason.message);
    if (!reason.keys.empty()) out += " — " + keys_text(reason);
    out += '\n';
  }
}

void recommendation(std::string& out, const core::DiffResult& result) {
  if (!result.recommendation.message.empty()) {
    out += "\n## Recommendation\n\n**" + markdown_text(result.recommendation.action) +
           "**: " + markdown_text(result.recommendation.message) + "\n";
    for (const std::string& suspect : result.recommendation.suspects) out += "- " + markdown_code(suspect) + "\n";
  }
  if (result.next_lever) {
    out += "\n## Next lever\n\n- Lever: " + markdown_text(result.next_lever->lever);
    out += "\n- Expected unlock: " + markdown_text(result.next_lever->expected_unlock);
    out += "\n- Gate: " + markdown_text(result.next_lever->gate) + "\n";
    for (const core::NextLever& other : result.next_lever->others) {
      out += "- Then: " + markdown_text(other.lever) + " (" + markdown_text(other.expected_unlock) +
             "; gate: " + markdown_text(other.gate) + ")\n";
    }
  }
}

void speed_of_light(std::string& out, const core::DiffResult& result) {
  if (result.sol.empty()) return;
  out += "\n## Speed of light\n\n";
  for (const core::SolLine& line : result.sol) {
    out += markdown_code(line.row_key) + ", ceiling " + markdown_code(line.ceiling_key) + " = " +
           markdown_text(figure(line.ceiling_value, line.ceiling_unit)) + ":\n\n";
    for (const std::string_view text : core::split(line.text, '\n')) out += "- " + markdown_text(text) + "\n";
    if (const std::string note = core::sol_note(line); !note.empty()) out += "- " + markdown_text(note) + "\n";
    out += '\n';
  }
  out.pop_back();
}

std::string interval(const RowView& row) {
  if (row.statistics == nullptr || (!row.statistics->interval_low_pct && !row.statistics->interval_high_pct)) return "-";
  const auto end = [](const std::optional<double>& value) { return value ? signed_percent(*value) : std::string("?"); };
  return end(row.statistics->interval_low_pct) + " … " + end(row.statistics->interval_high_pct);
}

void row_tables(std::string& out, const Rows& rows, const core::DiffResult& result) {
  const std::vector<std::uint32_t> top = rows.top(kTableRows);
  out += "\n| Key | Baseline | Current | Delta | Delta % | Adverse beyond tolerance |\n|---|---:|---:|---:|---:|---|\n";
  for (const std::uint32_t index : top) {
    const RowView row = rows.at(index);
    const bool beyond = (row.exceeds && row.adverse) || row.state == core::State::regressed;
    out += "| " + markdown_text(row.key) + " | " + markdown_text(baseline_cell(row)) + " | " + markdown_text(current_cell(row));
    out += " | " + (row.delta ? markdown_text(figure(*row.delta, row.unit)) : "n/a") + " | " + percent(row.delta_pct) + " | ";
    out += beyond ? "yes |\n" : "no |\n";
  }
  if (rows.size() > top.size()) {
    out += "\n" + grouped(top.size()) + " of " + grouped(rows.size()) + " rows; all are in `deltas.jsonl`";
    if (const std::uint64_t left_out = std::max(result.rows_omitted, rows.omitted_count()); left_out > 0) {
      out += " but " + grouped(left_out) + " unchanged ones";
    }
    out += ".\n";
  }
  if (rows.comparison() == nullptr || top.empty()) return;
  out +=
      "\n### How each row was judged\n\n| Key | State | Direction | Tolerance | Trials | Change, 95 % | p | Note |\n"
      "|---|---|---|---|---:|---:|---:|---|\n";
  for (const std::uint32_t index : top) {
    const RowView row = rows.at(index);
    const core::Delta& delta = rows.comparison()->deltas[index];
    out += "| " + markdown_text(row.key) + " | " + state_text(row) + (row.headline ? ", headline" : "") +
           (row.gate && row.state != core::State::regressed ? ", gate" : "");
    out += " | " + std::string(to_string(row.direction)) + " (" + std::string(to_string(delta.direction_source)) + ") | ";
    if (row.tolerance == nullptr) {
      out += "-";
    } else {
      out += core::tolerance_text(*row.tolerance) + " (" + std::string(to_string(row.tolerance->source));
      if (!row.tolerance->note.empty()) out += ", " + markdown_text(row.tolerance->note);
      out += ")";
    }
    out += " | " + std::to_string(row.n_baseline) + " / " + std::to_string(row.n_current) + " | " + interval(row) + " | ";
    out += row.statistics != nullptr && row.statistics->p ? core::short_number(*row.statistics->p, 3) : "-";
    out += " | " + markdown_text(row.note) + " |\n";
  }
}

void context(std::string& out, const core::DiffResult& result) {
  if (result.context_differences.empty()) return;
  out += "\n## Context differences\n\n| Key | Baseline | Current | Severity |\n|---|---|---|---|\n";
  std::size_t shown = 0;
  for (const core::ContextDifference& difference : result.context_differences) {
    if (++shown > 50) {
      out += "\n" + grouped(result.context_differences.size() - 50) + " more are in `diff.json`.\n";
      break;
    }
    out += "| " + markdown_text(difference.key) + " | " +
           (difference.baseline_known ? markdown_text(difference.baseline) : "not known");
    out += " | " + (difference.current_known ? markdown_text(difference.current) : "not known") + " | ";
    out += std::string(to_string(difference.severity)) + (difference.declared ? ", declared" : "") + " |\n";
  }
}

}  // namespace

std::string diff_markdown(const core::DiffResult& result) {
  if (result.profile() != nullptr) return captures_markdown(result);
  const Rows rows(result);
  std::string out = "# Performance baseline diff: " + markdown_text(title_of(result)) + "\n\n";
  out += "- Direction: `" + std::string(direction_word(result)) + "`\n- Tolerance: `" + tolerance_word(result) +
         "`\n- Verdict: **" + std::string(to_string(result.verdict)) + "**\n";
  out += "- Tier: **" + std::string(to_string(result.tier)) + "**\n- Counts: " + summary_sentence(result) + "\n";
  out += "- Policy: " + markdown_code(result.policy) + "\n";
  side_line(out, "Baseline", result.baseline);
  side_line(out, "Current", result.current);
  if (result.initial) side_line(out, "Initial", *result.initial);
  if (result.native() != nullptr) out += "- Theirs: " + markdown_text(native_line(*result.native())) + "\n";
  if (!result.promote.empty()) {
    out += "\nWhat would make this DRAFT a VERDICT:\n\n";
    for (const std::string& text : result.promote) out += "- " + markdown_text(text) + "\n";
  }
  reasons(out, result);
  out += culprits_markdown(result);
  recommendation(out, result);
  speed_of_light(out, result);
  if (result.cases() != nullptr) out += suite_markdown(*result.cases());
  out += "\n## Rows\n";
  row_tables(out, rows, result);
  context(out, result);
  if (!result.warnings.empty()) {
    out += "\n## Warnings\n\n";
    for (const core::Warning& warning : result.warnings) {
      out += "- " + markdown_code(warning.code.text()) + ": " + markdown_text(warning.message) + "\n";
    }
  }
  out += "\n";
  if (!result.compared_at_utc.empty()) {
    out += "Compared at " + markdown_text(result.compared_at_utc) + " by " + markdown_text(result.tool.name) + " " +
           markdown_text(result.tool.version) + ".\n\n";
  }
  out += result.direction == core::Direction::two_sided ? "GREEN means no two-sided deviation exceeded tolerance.\n"
                                                        : "GREEN means no adverse change exceeded tolerance.\n";
  return out;
}

}  // namespace plumbline::reports
