// What people and schedulers read of outliers: the table, Markdown, and commands that take nodes out of use.
#include "core/text.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/citing.hpp"
#include "reports/outliers/parts.hpp"
#include "reports/reports.hpp"
#include "reports/terminal.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {

const core::SiblingDeviation* telling(const core::Sibling& sibling) {
  if (!sibling.classes.empty()) return &sibling.classes.front();
  return sibling.rows.empty() ? nullptr : &sibling.rows.front();
}

std::string outliers_summary(const core::OutliersResult& result) {
  return core::counted(result.siblings.size(), one_line(result.sibling_kind)) + " of " + one_line(result.format.name) +
         (result.pairs ? " pairs" : "") + " held against each other, " + core::counted(result.rows, "row") + " in " +
         core::counted(result.classes, "class", "classes");
}

namespace {

constexpr std::size_t kShown = 24;

Paint paint_of(core::SiblingState state) {
  switch (state) {
    case core::SiblingState::out:
    case core::SiblingState::failed:
      return Paint::red;
    case core::SiblingState::doubtful:
    case core::SiblingState::fast:
      return Paint::yellow;
    case core::SiblingState::within:
      return Paint::none;
  }
  return Paint::none;
}

std::string p_text(double p) { return p >= 1 ? "-" : p < 1e-6 ? "< 1e-6" : core::short_number(p, 2); }

std::string siblings_table(const core::OutliersResult& result, const Terminal& terminal, int width) {
  const bool with_sol = std::any_of(result.siblings.begin(), result.siblings.end(), [](const core::Sibling& one) {
    const core::SiblingDeviation* its = telling(one);
    return its != nullptr && its->sol_pct.has_value();
  });
  std::vector<std::string> header = {one_line(result.sibling_kind), "change", "in", "p", "worse rows"};
  if (with_sol) header.emplace_back("%SoL");
  header.emplace_back("state");
  std::vector<bool> left(header.size());
  left.front() = left[2] = left.back() = true;
  Table table(std::move(header), std::move(left));
  for (std::size_t i = 0; i < std::min(result.siblings.size(), kShown); ++i) {
    const core::Sibling& one = result.siblings[i];
    const core::SiblingDeviation* its = telling(one);
    const Paint paint = paint_of(one.state);
    std::vector<Table::Cell> cells = {{one_line(one.name)},
                                      {its != nullptr ? signed_percent(its->change_pct) : std::string("-"), paint},
                                      {its != nullptr ? shorten_middle(one_line(its->what), 32) : std::string("-")},
                                      {its != nullptr ? p_text(its->p) : std::string("-")},
                                      {std::to_string(one.rows_worse) + "/" + std::to_string(one.rows_compared)}};
    if (with_sol) {
      cells.push_back({its != nullptr && its->sol_pct ? core::short_number(*its->sol_pct, 3) + "%" : std::string("-")});
    }
    cells.push_back({std::string(to_string(one.state)), paint});
    table.add(std::move(cells));
  }
  std::string out = "\n" + table.text(terminal, width);
  if (result.siblings.size() > kShown) {
    out += "  " + terminal.paint(Paint::dim, "… and " + grouped(result.siblings.size() - kShown) + " more") + "\n";
  }
  return out;
}

}  // namespace

std::string outliers_table(const core::OutliersResult& result, bool colour, int width) {
  const Terminal terminal(colour);
  width = std::max(width, 40);
  std::string out = terminal.verdict(result.verdict) + " " +
                    terminal.paint(Paint::dim, "(" + std::string(to_string(result.tier)) + ")") + "  " +
                    terminal.paint(Paint::bold, "outliers / " + one_line(result.format.name)) + "\n" +
                    Terminal::wrap("  ", outliers_summary(result), width);
  for (const core::Reason& reason : result.reasons) out += Terminal::wrap("  - ", reason.message, width);
  for (const core::SiblingGroup& group : result.groups) {
    out +=
        Terminal::wrap("  - ", "those out are " + one_line(group.predicate) + ": " + core::cited_list(group.siblings, 8), width);
  }
  for (const std::string& link : result.links) out += Terminal::wrap("  - ", "slow between " + link + " alone", width);
  out += siblings_table(result, terminal, width);
  out += '\n';
  if (!result.drain.empty()) out += Terminal::wrap("drain: ", core::cited_list(result.drain, 40), width);
  out += Terminal::wrap("next: ", result.recommendation.message, width);
  for (const std::string& text : result.promote) out += Terminal::wrap("for a VERDICT: ", text, width);
  if (!result.diff_dir.empty()) out += "bundle: " + core::cited_path(result.diff_dir) + "\n";
  return out;
}

std::string outliers_markdown(const core::OutliersResult& result) {
  std::string out = "# " + std::string(to_string(result.verdict)) + " (" + std::string(to_string(result.tier)) +
                    "): outliers of " + markdown_text(result.format.name) + "\n\n" + markdown_text(outliers_summary(result)) +
                    ".\n";
  if (!result.reasons.empty()) out += "\n## Why\n\n";
  for (const core::Reason& reason : result.reasons) {
    out += "- " + markdown_text(reason.message) + " (" + markdown_code(reason.code.text()) + ")\n";
  }
  for (const core::SiblingGroup& group : result.groups) {
    out +=
        "- those out are " + markdown_text(group.predicate) + ": " + markdown_text(core::cited_list(group.siblings, 40)) + "\n";
  }
  for (const std::string& link : result.links) out += "- slow between " + markdown_text(link) + " alone\n";
  out += "\n## Siblings\n\n| " + markdown_text(result.sibling_kind) +
         " | state | change | in | tolerance | p | worse rows | trials |\n|---|---|---:|---|---:|---:|---:|---:|\n";
  for (const core::Sibling& one : result.siblings) {
    const core::SiblingDeviation* its = telling(one);
    out += "| " + markdown_code(one.name, true) + " | " + std::string(to_string(one.state)) + " | ";
    if (its == nullptr) {
      out += "| | | | ";
    } else {
      out += signed_percent(its->change_pct) + " | " + markdown_code(its->what, true) + " | " +
             core::short_number(its->limit_pct, 3) + "% | " + p_text(its->p) + " | ";
    }
    out +=
        std::to_string(one.rows_worse) + " of " + std::to_string(one.rows_compared) + " | " + std::to_string(one.trials) + " |\n";
  }
  out += "\n## What to do\n\n" + markdown_text(result.recommendation.message) + ".\n";
  for (const std::string& text : result.promote) out += "- for a VERDICT: " + markdown_text(text) + "\n";
  if (!result.drain.empty()) {
    out += "\n## Drain\n\n";
    for (const std::string& name : result.drain) out += "- " + markdown_code(name) + "\n";
  }
  if (!result.warnings.empty()) out += "\n## Warnings\n\n";
  for (const core::Warning& warning : result.warnings) {
    out += "- " + markdown_text(warning.message) + " (" + markdown_code(warning.code.text()) + ")\n";
  }
  out += "\n## Sources\n\n| file | bytes | sha256 |\n|---|---:|---|\n";
  for (const core::FileRef& file : result.sources) {
    out += "| " + markdown_code(file.name, true) + " | " + std::to_string(file.bytes) + " | `" + file.sha256 + "` |\n";
  }
  return out;
}

namespace {

// RFC 1123: labels of letters, digits and hyphens. Schedulers take lists and ranges in brackets, shells take everything else: a
// name of a file that is none of these stands in no command.
bool is_host_name(std::string_view name) {
  constexpr std::size_t kMost = 253, kMostOfLabel = 63;
  if (name.empty() || name.size() > kMost) return false;
  for (const std::string_view label : core::split(name, '.')) {
    if (label.empty() || label.size() > kMostOfLabel || label.front() == '-' || label.back() == '-') return false;
    const bool plain = std::all_of(label.begin(), label.end(),
                                   [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-'; });
    if (!plain) return false;
  }
  return true;
}

// Numbers and words of ours only: no text of a file stands between the quotes.
std::string drain_reason(const core::Sibling& sibling, std::size_t siblings) {
  if (sibling.state == core::SiblingState::failed) return "plumbline outliers: failed";
  const core::SiblingDeviation* its = telling(sibling);
  const bool told = its != nullptr && its->worse;
  const bool in_part = !told || !sibling.parts.empty();
  return "plumbline outliers: " + (told ? core::short_number(std::fabs(its->change_pct), 3) + "% " : std::string()) +
         "worse than " + core::counted(siblings - 1, "sibling") + (in_part ? " in a part of the test" : "");
}

}  // namespace

DrainCommands drain_commands(const core::OutliersResult& result, Drain scheduler) {
  DrainCommands out;
  for (const core::Sibling& one : result.siblings) {
    if (!one.is_out()) continue;
    if (!is_host_name(one.name)) {
      out.left_out.push_back(one.name);
      continue;
    }
    if (scheduler == Drain::k8s) {
      out.text += "kubectl cordon " + one.name + "\n";
    } else {
      out.text +=
          "scontrol update NodeName=" + one.name + " State=DRAIN Reason=\"" + drain_reason(one, result.siblings.size()) + "\"\n";
    }
  }
  return out;
}

}  // namespace plumbline::reports
