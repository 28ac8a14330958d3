// diff.md, for a reviewer who has a minute: verdict, tier and the sentence that matters in the title; where it regressed; one
// table of at most ten rows, the change beside the name; what to do. Everything else is folded, digests come last. That of
// captures: captures/markdown.cpp.
#include <algorithm>

#include "core/results/red_words.hpp"
#include "core/results/sol_words.hpp"
#include "core/text.hpp"
#include "core/tolerance.hpp"
#include "reports/captures/parts.hpp"
#include "reports/culprits.hpp"
#include "reports/headline.hpp"
#include "reports/native.hpp"
#include "reports/reports.hpp"
#include "reports/rows.hpp"
#include "reports/short_keys.hpp"
#include "reports/suite.hpp"
#include "reports/text.hpp"
#include "reports/waivers.hpp"

namespace plumbline::reports {
namespace {

constexpr std::size_t kTableRows = 10, kJudgedRows = 20, kSolLines = 3;

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

std::string title(const core::DiffResult& result) {
  const Headline headline = headline_of(result);
  return "# " + std::string(to_string(headline.verdict)) + " (" + std::string(to_string(headline.tier)) + ") " +
         markdown_text(headline.of) + ": " + markdown_text(short_sentence(headline)) + "\n";
}

void facts(std::string& out, const core::DiffResult& result) {
  out += "\n" + summary_sentence(result) + ". Tolerance " + tolerance_word(result);
  if (result.policy != "plumbline") out += ", policy " + markdown_code(result.policy);
  if (result.direction != core::Direction::unknown) out += ", " + std::string(direction_word(result));
  out += ".";
  if (!result.baseline.slug.empty()) out += " Baseline " + markdown_code(result.baseline.slug) + ".";
  if (!result.project_tier.empty()) out += " Tier " + markdown_code(result.project_tier) + " of plumbline.yaml.";
  if (result.red) {
    if (const std::string red = core::red_text(*result.red); !red.empty()) out += " **" + markdown_text(red) + ".**";
  }
  out += "\n";
  if (result.native() != nullptr) out += "\nTheirs: " + markdown_text(native_line(*result.native())) + "\n";
}

// Worst first; the lines beyond the first few are folded.
void speed_of_light(std::string& out, std::string& folded, const core::DiffResult& result) {
  if (result.sol.empty()) return;
  const std::vector<const core::SolLine*> lines = worst_first(result.sol);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const core::SolLine& line = *lines[i];
    std::string& to = i < kSolLines ? out : folded;
    if (i == 0) to += "\n**Speed of light**\n\n";
    to += "- " + markdown_code(line.row_key) + " of " + markdown_text(figure(line.ceiling_value, line.ceiling_unit)) + " (" +
          markdown_code(line.ceiling_key) + ")\n";
    for (const std::string_view text : core::split(line.text, '\n')) to += "  - " + markdown_text(text) + "\n";
    if (const std::string note = core::sol_note(line); !note.empty()) to += "  - " + markdown_text(note) + "\n";
  }
}

void rows_table(std::string& out, const Rows& rows, const core::DiffResult& result) {
  const std::vector<std::uint32_t> top = rows.top(kTableRows);
  if (top.empty()) return;
  std::vector<std::string_view> keys;
  keys.reserve(top.size());
  for (const std::uint32_t index : top) keys.push_back(rows.at(index).key);
  const ShortKeys names(keys);
  out += "\n| Key | Change | Baseline | Current | State |\n|---|---:|---:|---:|---|\n";
  for (const std::uint32_t index : top) {
    const RowView row = rows.at(index);
    out += "| " + markdown_text(names.of(row.key)) + (row.headline && result.shape() != core::Shape::scalar ? " (headline)" : "");
    out += " | " + markdown_text(change_cell(row)) + " | " + markdown_text(short_cell(row.baseline, row.baseline_text, row)) +
           " | " + markdown_text(short_cell(row.current, row.current_text, row)) + " | " + markdown_text(state_text(row)) +
           " |\n";
  }
  std::string below;
  if (const std::string shared = names.shared(); !shared.empty()) below = "All keys above are of " + markdown_code(shared) + ".";
  if (rows.size() > top.size()) {
    below +=
        (below.empty() ? "" : " ") + grouped(top.size()) + " of " + grouped(rows.size()) + " rows; all are in `deltas.jsonl`";
    if (const std::uint64_t left_out = std::max(result.rows_omitted, rows.omitted_count()); left_out > 0)
      below += " but " + grouped(left_out) + " unchanged ones";
    below += ".";
  }
  if (!below.empty()) out += "\n" + below + "\n";
}

void advice(std::string& out, const core::DiffResult& result) {
  if (!result.recommendation.message.empty()) {
    out += "\n**Next:** " + markdown_text(result.recommendation.message) + "\n";
    for (const std::string& suspect : result.recommendation.suspects) out += "- " + markdown_code(suspect) + "\n";
  }
  if (!result.next_lever) return;
  const auto lever = [&](const char* word, const core::NextLever& one) {
    out += std::string("\n**") + word + ":** " + markdown_text(one.lever) + " (expected: " + markdown_text(one.expected_unlock) +
           "; gate: " + markdown_text(one.gate) + ")\n";
  };
  lever("Lever", *result.next_lever);
  for (const core::NextLever& other : result.next_lever->others) lever("Then", other);
}

std::string reasons(const core::DiffResult& result) {
  std::string out;
  for (const core::Reason& reason : result.reasons) {
    out += "- " + markdown_code(reason.code.text()) + ": " + markdown_text(reason.message);
    if (!reason.keys.empty()) out += " — " + keys_text(reason);
    out += '\n';
  }
  return out;
}

std::string interval(const RowView& row) {
  if (row.statistics == nullptr || (!row.statistics->interval_low_pct && !row.statistics->interval_high_pct)) return "-";
  const auto end = [](const std::optional<double>& value) { return value ? signed_percent(*value) : std::string("?"); };
  return end(row.statistics->interval_low_pct) + " … " + end(row.statistics->interval_high_pct);
}

// How each row was judged, with exact keys and numbers.
std::string judged_rows(const Rows& rows) {
  const std::vector<std::uint32_t> top = rows.top(kJudgedRows);
  if (rows.comparison() == nullptr || top.empty()) return {};
  std::string out =
      "| Key | Baseline | Current | Delta | State | Direction | Tolerance | Trials | Change, 95 % | p | Note |\n"
      "|---|---:|---:|---:|---|---|---|---:|---:|---:|---|\n";
  for (const std::uint32_t index : top) {
    const RowView row = rows.at(index);
    const core::Delta& delta = rows.comparison()->deltas[index];
    out += "| " + markdown_text(row.key) + " | " + markdown_text(baseline_cell(row)) + " | " + markdown_text(current_cell(row)) +
           " | " + (row.delta ? markdown_text(figure(*row.delta, row.unit)) : "n/a") + " | " + state_text(row) +
           (row.headline ? ", headline" : "") + (row.gate && row.state != core::State::regressed ? ", gate" : "");
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
  return out;
}

std::string context(const core::DiffResult& result) {
  if (result.context_differences.empty()) return {};
  std::string out = "| Key | Baseline | Current | Severity |\n|---|---|---|---|\n";
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
  return out;
}

std::string warnings(const core::DiffResult& result) {
  std::string out;
  for (const core::Warning& warning : result.warnings)
    out += "- " + markdown_code(warning.code.text()) + ": " + markdown_text(warning.message) + "\n";
  return out;
}

std::string promotions(const core::DiffResult& result) {
  std::string out;
  for (const std::string& text : result.promote) out += "- " + markdown_text(text) + "\n";
  return out;
}

std::string sides(const core::DiffResult& result) {
  std::string out;
  side_line(out, "Baseline", result.baseline);
  side_line(out, "Current", result.current);
  if (result.initial) side_line(out, "Initial", *result.initial);
  if (!result.compared_at_utc.empty()) {
    out += "- Compared at " + markdown_text(result.compared_at_utc) + " by " + markdown_text(result.tool.name) + " " +
           markdown_text(result.tool.version) + "\n";
  }
  return out;
}

constexpr std::string_view kLeftOut = "\nWhat did not fit is in the bundle's `diff.md`.\n";

// The lines that fit, and a word about the others; nothing that is folded is cut.
std::string cut_at_line(const std::string& text, std::size_t limit) {
  const std::size_t room = limit - std::min(limit, kLeftOut.size());
  const std::size_t end = std::string_view(text).substr(0, room).rfind('\n');
  return (end == std::string::npos ? std::string() : text.substr(0, end + 1)) + std::string(kLeftOut);
}

// Not shown until it is opened; what has no content is not there at all.
struct Folded {
  const char* summary;
  std::string text;
};

std::string folded_text(const Folded& part) {
  return "\n<details><summary>" + std::string(part.summary) + "</summary>\n\n" + part.text + "\n</details>\n";
}

}  // namespace

std::string diff_markdown(const core::DiffResult& result, std::size_t limit) {
  if (result.profile() != nullptr) return captures_markdown(result);
  const Rows rows(result);
  std::string out = title(result), sol;
  facts(out, result);
  out += culprits_markdown(result);
  speed_of_light(out, sol, result);
  if (result.cases() != nullptr) out += suite_markdown(*result.cases());
  rows_table(out, rows, result);
  out += waivers_markdown(result.waivers);
  advice(out, result);
  const std::string last = folded_text({"Sides and digests", sides(result)});
  const Folded parts[] = {{"Reasons", reasons(result)},
                          {"What would make this DRAFT a VERDICT", promotions(result)},
                          {"Differences of context", context(result)},
                          {"How each row was judged", judged_rows(rows)},
                          {"Speed of light of further rows", std::move(sol)},
                          {"Warnings", warnings(result)}};
  bool whole = true;
  for (const Folded& part : parts) {
    if (part.text.empty()) continue;
    const std::string text = folded_text(part);
    if (out.size() + text.size() + last.size() + kLeftOut.size() > limit) {
      whole = false;
    } else {
      out += text;
    }
  }
  if (out.size() > limit - std::min(limit, kLeftOut.size())) return cut_at_line(out, limit);
  if (out.size() + last.size() + kLeftOut.size() > limit) return out + std::string(kLeftOut);
  return out + last + std::string(whole ? "" : kLeftOut);
}

}  // namespace plumbline::reports
