// profile-diff.md. The four sections of the reference tool keep its titles, columns and
// number texts; ours (verdict, reasons, where the wall time went, contributors) stand before them.
#include <algorithm>
#include <array>

#include "core/text.hpp"
#include "reports/captures/parts.hpp"
#include "reports/profile_parts.hpp"
#include "reports/profile_tables.hpp"
#include "reports/reports.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {
namespace {

constexpr std::array<std::string_view, 19> kWords = {"forward",       "backward",   "optimizer",      "tp_comm",  "comm_overlap",
                                                     "split_overlap", "all_gather", "reduce_scatter", "alltoall", "all_reduce",
                                                     "mla",           "moe",        "routing",        "expert",   "rope",
                                                     "attention",     "fp8",        "mxfp8",          "nvfp4"};

std::string count_text(const std::optional<std::uint64_t>& count) { return count ? std::to_string(*count) : "-"; }

std::vector<const core::ProfileRow*> pointers(const std::vector<core::ProfileRow>& rows) {
  std::vector<const core::ProfileRow*> out;
  out.reserve(rows.size());
  for (const core::ProfileRow& row : rows) out.push_back(&row);
  return out;
}

std::string rows_section(std::string_view title, const std::vector<const core::ProfileRow*>& rows, std::size_t limit) {
  std::string out = "### " + std::string(title) + "\n\n";
  if (rows.empty()) return out + "_No data._\n";
  out += "| Name | Baseline | Candidate | Delta | Pct | Calls (b -> c) |\n| --- | ---: | ---: | ---: | ---: | ---: |\n";
  for (const core::ProfileRow* row : std::span(rows).first(std::min(rows.size(), limit))) {
    out += "| " + markdown_code(row->name, true) + " | " + fmt_ns(row->baseline_ns) + " | " + fmt_ns(row->candidate_ns) + " | " +
           fmt_ns(row->delta_ns) + " | " + fmt_pct(row->pct) + " | " + count_text(row->baseline_count) + " -> " +
           count_text(row->candidate_count) + " |\n";
  }
  return out;
}

std::string share(std::int64_t part, std::int64_t whole) {
  std::string text = time_text(part);
  if (whole > 0) text += " (" + core::short_number(100.0 * static_cast<double>(part) / static_cast<double>(whole), 3) + "%)";
  return text;
}

std::string bucket_line(const std::string& device, std::string_view side, std::string_view name,
                        const std::optional<core::ProfileBuckets>& buckets) {
  std::string out = "| " + device + (name.empty() ? "" : " " + markdown_text(name)) + " | " + std::string(side) + " | ";
  if (!buckets) return out + "- | - | - | - | - |\n";
  const std::int64_t span = buckets->span_ns;
  return out + time_text(span) + " | " + share(buckets->compute_ns, span) + " | " + share(buckets->exposed_comm_ns, span) +
         " | " + share(buckets->exposed_copy_ns, span) + " | " + share(buckets->idle_ns, span) + " |\n";
}

std::string table_markdown(const PlainTable& table) {
  std::string out = "\n### " + table.title + "\n\n";
  if (!table.lead.empty()) out += markdown_text(table.lead) + "\n\n";
  out += "|";
  for (const std::string& title : table.header) out += " " + title + " |";
  out += "\n|";
  for (std::size_t i = 0; i < table.header.size(); ++i) out += i == 0 ? "---|" : "---:|";
  out += "\n";
  for (const std::vector<std::string>& row : table.rows) {
    out += "|";
    for (std::size_t i = 0; i < row.size(); ++i)
      out += " " + (i == 0 ? markdown_code(row[i], true) : markdown_text(row[i])) + " |";
    out += "\n";
  }
  if (table.left_out > 0) out += "\n_… and " + grouped(table.left_out) + " more in profile-diff.json._\n";
  return out;
}

// "switched by family (0.9): tile 128x64 -> 256x64", "" for a row whose names are the same.
std::string match_text(const core::ProfileRow& row) {
  if (row.match_rule == "exact" || row.state == "new" || row.state == "vanished") return {};
  std::string text = row.state + " by " + row.match_rule + " (" + core::short_number(row.match_confidence, 2) + ")";
  if (!row.change.empty()) text += ": " + row.change;
  return text;
}

std::string matches_markdown(const core::ProfileDiff& diff) {
  std::vector<const core::ProfileRow*> rows;
  for (const core::ProfileRow& row : diff.kernels) {
    if (!match_text(row).empty()) rows.push_back(&row);
  }
  if (rows.empty()) return {};
  std::string out = "\n### Kernels that are not of one name\n\n";
  if (diff.matched_pct)
    out += core::short_number(*diff.matched_pct, 3) + "% of both sides' kernel time is in kernels found on both.\n\n";
  out += "| Baseline | Candidate | Match | Delta | Pct |\n|---|---|---|---:|---:|\n";
  for (const core::ProfileRow* row : std::span(rows).first(std::min<std::size_t>(rows.size(), diff.limit))) {
    out += "| " + markdown_code(row->baseline_name, true) + " | " + markdown_code(row->candidate_name, true) + " | " +
           markdown_text(match_text(*row)) + " | " + time_text(row->delta_ns) + " | " + fmt_pct(row->pct) + " |\n";
  }
  return out;
}

const std::string& shown_name(const core::ProfileSideInfo& side) { return side.label.empty() ? side.path : side.label; }

}  // namespace

std::string wall_sentence(const core::ProfileDiff& diff) {
  if (!diff.wall_delta_pct) return {};
  std::string basis = diff.wall_basis;
  std::replace(basis.begin(), basis.end(), '_', ' ');
  std::string text = (basis.empty() ? std::string("wall") : basis) + " " + signed_percent(*diff.wall_delta_pct) + ", gate " +
                     core::short_number(diff.gate_pct, 4) + "%";
  if (diff.wall_trials) {
    text += ", " + std::to_string(diff.wall_trials->baseline) + " and " + core::counted(diff.wall_trials->candidate, "capture");
    if (diff.wall_trials->interval_lo_pct && diff.wall_trials->interval_hi_pct) {
      text += " (between " + signed_percent(*diff.wall_trials->interval_lo_pct) + " and " +
              signed_percent(*diff.wall_trials->interval_hi_pct) + ")";
    }
  }
  if (diff.work_ratio) text += ", work ratio " + core::short_number(*diff.work_ratio, 4);
  return text;
}

std::vector<const core::ProfileRow*> interesting_ranges(const core::ProfileDiff& diff) {
  std::vector<const core::ProfileRow*> chosen;
  const auto interesting = [](std::string_view name) {
    const std::string lower = core::to_lower(name);
    return std::any_of(kWords.begin(), kWords.end(),
                       [&lower](std::string_view word) { return lower.find(word) != std::string::npos; });
  };
  for (const core::ProfileRow& row : diff.nvtx) {
    if (interesting(row.name) || interesting(row.baseline_name) || interesting(row.candidate_name)) chosen.push_back(&row);
  }
  return chosen.empty() ? pointers(diff.nvtx) : chosen;
}

std::string buckets_markdown(const core::ProfileDiff& diff) {
  std::string out = "### Where the wall time went\n\n";
  if (diff.buckets.empty()) return out + "_The captures carry no timeline (summaries only)._\n";
  out +=
      "| Device | Side | Span | Compute | Exposed communication | Exposed copies | Idle |\n|---|---|---:|---:|---:|---:|---:|\n";
  for (const core::DeviceBuckets& device : diff.buckets) {
    out += bucket_line(device_text(device, false), "baseline", device.baseline_name, device.baseline);
    out += bucket_line(device_text(device, true), "candidate", device.candidate_name, device.candidate);
  }
  return out;
}

std::string profile_markdown(const core::ProfileDiff& diff) {
  std::string out = "# Profile diff\n\nBaseline: " + markdown_code(shown_name(diff.baseline)) +
                    "  \nCandidate: " + markdown_code(shown_name(diff.candidate)) + "\n\n";
  out += "- Verdict: **" + std::string(to_string(diff.verdict)) + "**\n- Tier: **" + std::string(to_string(diff.tier)) + "**\n";
  if (const std::string wall = wall_sentence(diff); !wall.empty()) out += "- Wall: " + markdown_text(wall) + "\n";
  out += "- Comparability: " + core::short_number(diff.comparability, 3);
  for (const std::string& note : diff.comparability_notes) out += "; " + markdown_text(note);
  out += "\n";
  for (const core::Reason& reason : diff.reasons)
    out += "- " + markdown_code(reason.code.text()) + ": " + markdown_text(reason.message) + "\n";
  for (const std::string& step : diff.promote) out += "- To make it a VERDICT: " + markdown_text(step) + "\n";
  if (!diff.recommendation.message.empty()) out += "- Recommendation: " + markdown_text(diff.recommendation.message) + "\n";
  if (diff.next_lever) {
    out += "- Next lever: " + markdown_text(diff.next_lever->lever) +
           "; expected unlock: " + markdown_text(diff.next_lever->expected_unlock) +
           "; gate: " + markdown_text(diff.next_lever->gate) + "\n";
  }
  for (const core::ProfileFinding& finding : diff.findings)
    out += "- Finding " + markdown_code(finding.code) + ": " + markdown_text(finding.message) + "\n";
  for (const core::Warning& warning : diff.warnings)
    out += "- Warning " + markdown_code(warning.code.text()) + ": " + markdown_text(warning.message) + "\n";
  out += "\n" + buckets_markdown(diff);
  if (!diff.contributors.empty()) {
    out += "\n### Contributors\n\n| Kind | Name | Delta | Share | Cumulative |\n|---|---|---:|---:|---:|\n";
    for (const core::ProfileContributor& one :
         std::span(diff.contributors).first(std::min<std::size_t>(diff.contributors.size(), diff.limit))) {
      out += "| " + markdown_text(one.kind) + " | " + markdown_code(one.name, true) + " | " + time_text(one.delta_ns) + " | " +
             core::short_number(one.share_pct, 3) + "% | " + core::short_number(one.cumulative_pct, 3) + "% |\n";
    }
    if (diff.wall_delta_ns && diff.residual_ns) {
      out += "| | the rest | " + time_text(*diff.residual_ns) + " | | |\n| | **in all, for the same work** | " +
             time_text(*diff.wall_delta_ns) + " | | |\n";
    }
  }
  for (const PlainTable& table : profile_tables(diff, diff.limit)) out += table_markdown(table);
  out += matches_markdown(diff);
  if (!diff.environment_differences.empty()) {
    out += "\n### Environment differences\n\n| Key | Baseline | Candidate | Severity |\n|---|---|---|---|\n";
    for (const core::ContextDifference& difference : diff.environment_differences) {
      out += "| " + markdown_text(difference.key) + " | " +
             (difference.baseline_known ? markdown_text(difference.baseline) : "not known") + " | " +
             (difference.current_known ? markdown_text(difference.current) : "not known") + " | " +
             std::string(to_string(difference.severity)) + (difference.declared ? ", declared" : "") + " |\n";
    }
  }
  out += "\nSorted by absolute delta-of-totals; top `" + std::to_string(diff.limit) + "` rows per table.\n\n";
  out +=
      "Each row's `Delta` column is `candidate - baseline`: positive means that the candidate spends MORE time there, negative "
      "is an improvement.\n\n";
  out += rows_section("NVTX ranges (interesting subset)", interesting_ranges(diff), diff.limit) + "\n\n";
  out += rows_section("GPU kernels (top deltas)", pointers(diff.kernels), diff.limit) + "\n\n";
  out += rows_section("CUDA API (top deltas)", pointers(diff.cuda_api), diff.limit) + "\n\n";
  out += rows_section("NCCL collectives", pointers(diff.nccl), diff.limit);
  if (!diff.memory.empty()) out += "\n\n" + rows_section("Memory operations", pointers(diff.memory), diff.limit);
  return out;
}

}  // namespace plumbline::reports
