// What people and schedulers read of outliers: the table, Markdown, and commands that take nodes out of use.
#include "core/text.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/citing.hpp"
#include "reports/outliers/parts.hpp"
#include "reports/reports.hpp"
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

std::string p_text(double p) { return p >= 1 ? "-" : p < 1e-6 ? "< 1e-6" : core::short_number(p, 2); }

}  // namespace

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
