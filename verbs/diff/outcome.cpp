// What is made of a diff that was judged: the gate, the question to a person, the bundle and the answer.
#include <algorithm>

#include "core/results/local_dir.hpp"
#include "core/text.hpp"
#include "reports/image/picture.hpp"
#include "reports/native.hpp"
#include "reports/reports.hpp"
#include "reports/suite.hpp"
#include "verbs/calling/fail_on.hpp"
#include "verbs/calling/reader.hpp"
#include "verbs/calling/wording.hpp"
#include "verbs/diff/bundle.hpp"
#include "verbs/diff/forms.hpp"
#include "verbs/diff/run.hpp"
#include "verbs/environment.hpp"
#include "verbs/resolving/red_streak.hpp"

namespace plumbline::verbs {

// --fail-on and --strict, else what the project file asks for; decided before anything is published.
Status decide_gate(const DiffRun& run, core::DiffResult& result) {
  std::vector<std::string> words = run.request.fail_on;
  result.gate_asked = run.request.gate_asked;
  if (!result.gate_asked) {
    const ProjectSettings project = settings_for(run.project, result.family, result.measurement, result.baseline.format.name);
    if (!project.fail_on) return {};
    auto from_project = fail_words({*project.fail_on}, false);
    if (!from_project) return core::fail(from_project.error());
    words = std::move(*from_project);
    result.gate_asked = true;
  }
  result.gate = tripped(words, result);
  return {};
}

namespace {

// Both sides, the tolerance in force and the place; no verdict, which is not a person's to approve.
std::string question(const DiffRun& run, const core::DiffResult& result) {
  std::string baseline = one_line(result.baseline.path, 200);
  if (!result.baseline.slug.empty()) {
    baseline = result.family + "/" + result.measurement + "@" + result.baseline.slug +
               (run.accepted ? " (accepted)" : " (not accepted)");
  }
  std::string current = one_line(result.current.path, 200) + " (sha256 " + result.current.sha256.substr(0, 12);
  if (run.sources.size() > 1) current += ", the first of " + core::counted(run.sources.size(), "trial");
  std::string tolerance = "a gate of " + core::short_number(result.tolerance_percent) + "%";
  if (const core::Comparison* rows = result.comparison()) {
    const auto headlines = std::count_if(rows->deltas.begin(), rows->deltas.end(), [](const auto& row) { return row.headline; });
    current += ", " + core::counted(rows->deltas.size(), "row") + ", " + core::counted(headlines, "headline");
    const core::Tolerance& all = rows->tolerances.front();
    tolerance = "a tolerance of " + core::tolerance_text(all) + " (" + std::string(core::to_string(all.source)) + ")";
  }
  std::string text = "Compare " + current + ") with " + baseline;
  if (result.initial) text += " and the older " + one_line(result.initial->path, 200);
  text += " under " + tolerance + ", and write a bundle ";
  if (run.request.root.empty()) return text + "to " + one_line(*run.request.out, 300) + "?";
  text += "under " +
          one_line(run.store->address_of(run.store->directory(registry::Kind::bundle, result.family, result.measurement)), 300);
  if (run.request.out) text += ", copied to " + one_line(*run.request.out, 200);
  return text + "?";
}

// The measured file as a repository has it, for annotations; "" where it lies outside of it, or is no file.
std::string file_in_workspace(const core::DiffResult& result, const Context& context) {
  std::string workspace = context.cwd;
  if (context.environment) workspace = context.environment("GITHUB_WORKSPACE").value_or(workspace);
  const std::string& path = result.current.path;
  if (path.empty() || workspace.empty() || workspace == "/" || !registry::path_within(path, workspace)) return {};
  if (registry::path_kind(path, path_limits(context)) != registry::PathKind::file) return {};
  return path.substr(std::min(path.size(), workspace.size() + (workspace.back() == '/' ? 0 : 1)));
}

Rendered native_form(const core::DiffResult& result) {
  if (result.native() != nullptr) return {reports::native_text(*result.native()), reports::native_json(*result.native())};
  if (result.cases() != nullptr)
    return {reports::suite_native_text(*result.cases()), reports::suite_native_json(*result.cases())};
  return {};
}

}  // namespace

Rendered diff_form(const core::DiffResult& result, ReportKind kind, std::size_t md_limit, const Context& context) {
  switch (kind) {
    case ReportKind::table:
      return {reports::diff_table(result, false, context.width), {}};
    case ReportKind::json:
      return {reports::diff_json(result), {}};
    case ReportKind::md:
      return {reports::diff_markdown(result, md_limit), {}};
    case ReportKind::csv:
      return {reports::diff_csv(result), {}};
    case ReportKind::junit:
      return {reports::diff_junit(result), {}};
    case ReportKind::github:
      return {reports::diff_github(result, file_in_workspace(result, context)), {}};
    case ReportKind::native:
      return native_form(result);
    case ReportKind::png:
      return {reports::diff_png(result), {}};
  }
  return {};
}

namespace {

// What a hook is told: words of ours and paths, no text of a measured file.
std::vector<std::pair<std::string, std::string>> told_to_hook(const core::DiffResult& result) {
  const std::string local = core::local_dir(result.diff_dir, result.files);
  return {{"PLUMBLINE_VERDICT", std::string(to_string(result.verdict))},
          {"PLUMBLINE_PREVIOUS_VERDICT", std::string(to_string(*result.previous))},
          {"PLUMBLINE_VERDICT_TIER", std::string(to_string(result.tier))},
          {"PLUMBLINE_REASON", result.reasons.empty() ? std::string() : std::string(result.reasons.front().code.text())},
          {"PLUMBLINE_MEASUREMENT", result.family + "/" + result.measurement},
          {"PLUMBLINE_DIFF_DIR", local.empty() ? result.diff_dir : local},
          {"PLUMBLINE_BUNDLE_SHA256", result.bundle_sha256}};
}

}  // namespace

Expected<Outcome> outcome_of(const DiffRun& run, const core::DiffResult& result) {
  Outcome outcome;
  if (!run.request.on_change.empty() && result.previous && *result.previous != result.verdict)
    outcome.hook = Hook{run.request.on_change, told_to_hook(result)};
  outcome.json = reports::diff_result_json(result, run.request.response_format);
  if (run.request.chart) outcome.picture = reports::diff_png(result);
  outcome.text = reports::diff_table(result, true, run.context.width);
  outcome.text_has_warnings = true;
  const ReportForms forms{[&](ReportKind kind) { return diff_form(result, kind, run.request.md_limit, run.context); },
                          [&] { return reports::diff_markdown(result, std::min(run.request.md_limit, kStepSummaryBytes)); }};
  if (auto ok = write_reports(run.request.reports, forms, run.context, outcome); !ok) return core::fail(std::move(ok.error()));
  for (const core::Warning& warning : result.warnings)
    outcome.warnings.push_back(std::string(warning.code.text()) + ": " + warning.message);
  if (result.gate) {
    outcome.gate_tripped = true;
    outcome.gate_message = *result.gate;
  }
  for (const core::FileRef& file : result.files) {
    if (file.name != "diff.md" && file.name != "diff.html" && file.name != "deltas.jsonl" && file.name != "profile-diff.json")
      continue;
    ResourceLink link;
    link.uri = "file://" + file.path;
    link.name = file.name;
    link.mime_type = file.name == "diff.html"      ? "text/html"
                     : file.name == "diff.md"      ? "text/markdown"
                     : file.name == "deltas.jsonl" ? "application/jsonl"
                                                   : "application/json";
    link.description = file.name == "deltas.jsonl" ? "every row" : "report";
    link.size = file.bytes;
    outcome.links.push_back(std::move(link));
  }
  return outcome;
}

// The bundle: in the registry, with a copy at --out; without a root at --out alone, or not at all, which is said.
Status keep(const DiffRun& run, core::DiffResult& result, const std::function<Status(registry::Store&)>& publish) {
  if (run.request.no_bundle) return {};
  if (run.context.read_only) {
    result.warnings.push_back(nothing_written());
    return {};
  }
  const std::optional<std::string>& out = run.request.out;
  if (run.request.root.empty() && !out) {
    result.warnings.push_back(no_bundle_warning(run.context));
    return {};
  }
  if (auto yes = confirmed(run.context, question(run, result)); !yes) return core::fail(std::move(yes.error()));
  if (run.request.root.empty()) return publish_to_out(*out, publish, result.diff_dir, result.files, run.context);
  if (auto ok = publish(*run.store); !ok) return ok;
  return out ? copy_bundle(result.files, result.diff_dir, *out, run.context) : Status();
}

void omit_uneventful(core::DiffResult& result) {
  constexpr std::uint64_t kManyRows = 20'000;
  if (!result.all_rows && result.comparison()->deltas.size() > kManyRows) {
    const auto& deltas = result.comparison()->deltas;
    result.rows_omitted = static_cast<std::uint64_t>(
        std::count_if(deltas.begin(), deltas.end(), [](const core::Delta& delta) { return delta.uneventful(); }));
    if (result.rows_omitted > 0) {
      result.warnings.push_back({"unchanged_rows_omitted", core::counted(result.rows_omitted, "unchanged row") +
                                                               " left out of deltas.jsonl; --all-rows writes them"});
    }
  }
}

// What the diffs of this measurement before this one said, and since when they are RED. Of files that are in no registry nothing
// comes before.
Status look_back(const DiffRun& run, core::DiffResult& result) {
  if (run.request.root.empty() || result.family == "adhoc") {
    if (run.request.on_change.empty()) return {};
    return core::fail(ErrorCode::usage,
                      "--on-change asks for what a measurement's diff before this one said, and files have none",
                      "record the baseline, and compare with FAMILY/MEASUREMENT");
  }
  const std::string today = registry::utc_text(run.context.now()).substr(0, 10);
  auto before = newest_diffs(*run.store, result.family, result.measurement, today, path_limits(run.context));
  if (!before) return core::fail(before.error());
  result.previous = before->verdict;
  if (result.verdict != core::Verdict::red) return {};
  if (before->red) {
    result.red = std::move(before->red);
    ++result.red->diffs;
  } else {
    result.red = core::RedStreak{.since = today, .first = {}};
  }
  return {};
}

// What a diff of one pair and of a suite have in common once they are judged.
Expected<Outcome> conclude(const DiffRun& run, core::DiffResult result) {
  omit_uneventful(result);
  result.compared_at_utc = registry::utc_text(run.context.now());
  result.tool.version = version();
  result.command = run.context.command;
  if (auto ok = decide_gate(run, result); !ok) return core::fail(ok.error());
  if (auto ok = look_back(run, result); !ok) return core::fail(ok.error());

  const auto publish = [&](registry::Store& store) {
    show_progress(run.context, 0.8, "writing the bundle");
    return publish_diff({&store, result.family, result.measurement, run.context.now(), run.request.signer, run.begun},
                        {run.request, run.asked}, {run.sources, result.baseline.sha256, result.current.sha256}, result,
                        run.context);
  };
  if (auto ok = keep(run, result, publish); !ok) return core::fail(ok.error());
  show_progress(run.context, 1, "done");
  return outcome_of(run, result);
}

}  // namespace plumbline::verbs
