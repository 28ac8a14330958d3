#include "verbs/calling/report_targets.hpp"

#include <algorithm>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/files.hpp"
#include "verbs/resolving/session.hpp"

namespace plumbline::verbs {
namespace {

struct Named {
  std::string_view name;
  ReportKind kind;
};
constexpr Named kNames[] = {{"table", ReportKind::table},   {"json", ReportKind::json},   {"md", ReportKind::md},
                            {"csv", ReportKind::csv},       {"junit", ReportKind::junit}, {"github", ReportKind::github},
                            {"native", ReportKind::native}, {"png", ReportKind::png}};

constexpr std::string_view kStepSummary = "GITHUB_STEP_SUMMARY";

std::string_view name_of(ReportKind kind) {
  return std::find_if(std::begin(kNames), std::end(kNames), [kind](const Named& each) { return each.kind == kind; })->name;
}

std::vector<std::string_view> names_of(std::initializer_list<ReportKind> kinds) {
  std::vector<std::string_view> out;
  for (const ReportKind kind : kinds) out.push_back(name_of(kind));
  return out;
}

Expected<ReportKind> kind_of(std::string_view word, std::initializer_list<ReportKind> kinds) {
  const std::string lower = core::to_lower(word);
  for (const ReportKind kind : kinds) {
    if (name_of(kind) == lower) return kind;
  }
  const std::vector<std::string_view> names = names_of(kinds);
  const std::string_view near = core::nearest(lower, names);
  return core::fail(ErrorCode::usage,
                    "--report must be one of " +
                        core::listed(std::vector<std::string>(names.begin(), names.end()), names.size()) + ", not " +
                        core::cited(word),
                    near.empty() ? "each may name a file: `--report " + std::string(names.back()) + "=FILE`"
                                 : "did you mean " + core::cited(near) + "?");
}

// One report in one place: the second would replace the first, or follow it where nobody expects it.
Status check_places(const std::vector<ReportTarget>& targets) {
  for (std::size_t i = 0; i < targets.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (targets[i].file != targets[j].file) continue;
      const std::string both = std::string(name_of(targets[j].kind)) + " and " + std::string(name_of(targets[i].kind));
      const std::string place = targets[i].file.empty() ? "standard output" : core::cited_path(targets[i].file);
      return core::fail(ErrorCode::usage, "two reports cannot both go to " + place + ": " + both,
                        "give one of them a file of its own: `--report " + std::string(name_of(targets[i].kind)) + "=FILE`");
    }
  }
  return {};
}

// Before anything is compared: a job should not find out at its end that nothing can be written there.
Status check_folder(const std::string& file, const Context& context) {
  const std::string folder = file.substr(0, std::max<std::size_t>(file.rfind('/'), 1));
  const auto kind = registry::path_kind(folder, path_limits(context));
  if (kind && *kind == registry::PathKind::folder) return {};
  return core::fail(ErrorCode::not_found, "--report: the folder of " + core::cited_path(file) + " does not exist",
                    "make it first: `mkdir -p " + core::cited_path(folder) + "`");
}

// What other steps of the job said stays in front.
Status add_to_summary(const std::string& file, const std::string& text, const Context& context) {
  std::string all;
  if (const auto before = registry::read_file(file, path_limits(context))) all = before->view();
  if (!all.empty() && !all.ends_with('\n')) all += "\n";
  return registry::write_report(file, all + text, path_limits(context));
}

}  // namespace

Param report_param(std::string_view kinds, std::string_view page) {
  return {.name = "report",
          .kind = ParamKind::string_list,
          .value_name = "KIND[=FILE]",
          .doc = "what is printed",
          .help = kinds,
          .page = page,
          .cli_only = true};
}

Expected<std::vector<ReportTarget>> report_targets(const Arguments& arguments, std::initializer_list<ReportKind> kinds,
                                                   const Context& context) {
  std::vector<ReportTarget> out;
  for (const std::string& given : arguments.list("report")) {
    const std::size_t equals = given.find('=');
    auto kind = kind_of(std::string_view(given).substr(0, equals), kinds);
    if (!kind) return core::fail(std::move(kind.error()));
    ReportTarget target{*kind, {}};
    if (*kind == ReportKind::png && (equals == std::string::npos || given.ends_with("=-"))) {
      return core::fail(ErrorCode::usage, "--report png is an image, which no terminal shows: it needs a file",
                        "`--report png=FILE`");
    }
    const std::string file = equals == std::string::npos ? "-" : given.substr(equals + 1);
    if (file.empty()) {
      return core::fail(ErrorCode::usage, "--report " + std::string(name_of(*kind)) + "= names no file",
                        "`--report " + std::string(name_of(*kind)) + "=FILE`, or without = for standard output");
    }
    if (file != "-") {
      target.file = absolute(context, file);
      if (auto ok = check_folder(target.file, context); !ok) return core::fail(std::move(ok.error()));
    }
    out.push_back(std::move(target));
  }
  if (auto ok = check_places(out); !ok) return core::fail(std::move(ok.error()));
  return out;
}

bool asks_for(const std::vector<ReportTarget>& targets, ReportKind kind) {
  return std::any_of(targets.begin(), targets.end(), [kind](const ReportTarget& each) { return each.kind == kind; });
}

Status write_reports(const std::vector<ReportTarget>& targets, const ReportForms& forms, const Context& context,
                     Outcome& outcome) {
  for (const ReportTarget& target : targets) {
    Rendered made = forms.render(target.kind);
    if (target.file.empty()) {
      if (target.kind != ReportKind::table) outcome.report_text = std::move(made.text);
      outcome.report_json = std::move(made.json);
    } else if (auto ok = registry::write_report(target.file, made.text, path_limits(context)); !ok) {
      return ok;
    }
  }
  if (!forms.summary || !asks_for(targets, ReportKind::github) || !context.environment) return {};
  const std::string summary = context.environment(kStepSummary).value_or(std::string());
  return summary.empty() ? Status() : add_to_summary(summary, forms.summary(), context);
}

}  // namespace plumbline::verbs
