// profile-diff: two captures, ad hoc. The bundle goes under perf-baseline-diffs/adhoc/profile/ with the captures' digests.
#include "core/citing.hpp"
#include "core/text.hpp"
#include "profiles/analysis/steps/step_names.hpp"
#include "reports/image/picture.hpp"
#include "reports/reports.hpp"
#include "verbs/all.hpp"
#include "verbs/calling/fail_on.hpp"
#include "verbs/calling/parameters.hpp"
#include "verbs/calling/reader.hpp"
#include "verbs/calling/shared_params.hpp"
#include "verbs/calling/wording.hpp"
#include "verbs/diff/bundle.hpp"
#include "verbs/diff/forms.hpp"
#include "verbs/profile_diff/fetched_sides.hpp"
#include "verbs/profile_diff/profile_run.hpp"
#include "verbs/resolving/inputs.hpp"

namespace plumbline::verbs {

namespace {

// The captures' paths, or the folder of its CSVs: one of the two.
Expected<std::vector<std::string>> side(const Arguments& arguments, FetchedSides& fetched, const std::string& name) {
  std::vector<std::string> paths = arguments.list(name);
  for (const std::string& path : arguments.list(name + "_trials")) paths.push_back(path);
  const bool folder = arguments.has(name + "_csv_dir");
  if (paths.empty() != folder) {
    return core::fail(ErrorCode::usage, "exactly one of --" + name + " or --" + name + "-csv-dir is required",
                      "`plumbline profile-diff BASELINE CANDIDATE`");
  }
  if (folder) paths.push_back(arguments.text(name + "_csv_dir"));
  for (std::string& path : paths) {
    auto readable = fetched.path_of(path);
    if (!readable) return core::fail(std::move(readable.error()));
    path = std::move(*readable);
  }
  return paths;
}

// More than two captures and no flag: nobody can tell the old ones from the new ones.
Status check_words(const std::vector<std::string>& words) {
  if (words.size() < 3) return {};
  const auto listed = [&words](std::size_t from, std::size_t to) {
    std::string out;
    for (std::size_t i = from; i < to; ++i) out += " " + core::cited_path(words[i]);
    return out;
  };
  const std::size_t half = words.size() / 2;
  return core::fail(
      ErrorCode::usage,
      std::to_string(words.size()) + " captures without flags: which are the baseline's and which the candidate's cannot be told",
      "`--baseline" + listed(0, half) + " --candidate" + listed(half, words.size()) + "`");
}

// What is written of a comparison. --out names a file for the report, or, as a folder, a place for the whole bundle.
struct Writing {
  std::string root;  // "": no registry keeps the bundle
  std::string folder, report, json_report;
  std::shared_ptr<const Signer> signer;

  [[nodiscard]] bool bundle() const { return !root.empty() || !folder.empty(); }
  [[nodiscard]] bool anything() const { return bundle() || !report.empty() || !json_report.empty(); }
};

Expected<Writing> writing_of(const Arguments& arguments, const Context& context) {
  Writing out;
  auto root = root_if_any(arguments, context);
  if (!root) return core::fail(root.error());
  out.root = std::move(*root);
  if (arguments.has("json_out")) out.json_report = absolute(context, arguments.text("json_out"));
  if (!context.read_only) {
    auto signer = signer_for("profile-diff", arguments, context);
    if (!signer) return core::fail(signer.error());
    out.signer = std::move(*signer);
  }
  if (!arguments.has("out")) return out;
  const std::string path = absolute(context, arguments.text("out"));
  if (!arguments.text("out").ends_with('/') && registry::path_kind(path, path_limits(context)) != registry::PathKind::folder) {
    out.report = path;
    return out;
  }
  if (auto free = registry::check_out_folder(path, path_limits(context)); !free) return core::fail(free.error());
  out.folder = path;
  return out;
}

std::string question(const core::ProfileDiff& result, const Writing& writing, const Context& context) {
  const auto side = [](const core::ProfileSideInfo& info) {
    const std::string others = info.trials.empty() ? "" : ", of " + core::counted(info.trials.size(), "capture");
    return one_line(info.path, 200) + " (" + core::counted(info.kernels, "kernel") + ", sha256 " + info.sha256.substr(0, 12) +
           others + ")";
  };
  std::string places;
  if (!writing.root.empty()) {
    const auto store = open_store(writing.root, context);
    places = "a bundle under " + one_line(store->address_of(store->directory(registry::Kind::bundle, "adhoc", "profile")), 300);
  }
  for (const std::string* path : {&writing.folder, &writing.report, &writing.json_report}) {
    if (!path->empty()) places += (places.empty() ? "" : " and ") + one_line(*path, 200);
  }
  return "Compare the capture " + side(result.candidate) + " with " + side(result.baseline) + " under a gate of " +
         core::short_number(result.gate_pct) + "%, and write " + places + "?";
}

// The question, as given and as understood.
struct Asked {
  const Arguments& arguments;
  const ProfileRequest& request;
};

Status write_bundle(const Asked& asked, ComparedCaptures& compared, const Writing& writing, const Context& context) {
  core::ProfileDiff& result = compared.diff;
  const auto publish = [&](registry::Store& store) {
    return publish_profile({&store, "adhoc", "profile", context.now(), writing.signer}, asked.request, asked.arguments, compared,
                           nullptr, context);
  };
  if (writing.root.empty()) return publish_to_out(writing.folder, publish, result.diff_dir, result.files, context);
  const auto store = open_store(writing.root, context);
  if (auto ok = publish(*store); !ok) return ok;
  return writing.folder.empty() ? Status() : copy_bundle(result.files, result.diff_dir, writing.folder, context);
}

Status write(const Asked& asked, ComparedCaptures& compared, const Writing& writing, const Context& context) {
  core::ProfileDiff& result = compared.diff;
  if (context.read_only) {
    result.warnings.push_back(nothing_written());
    return {};
  }
  if (!writing.bundle()) result.warnings.push_back(no_bundle_warning(context));
  if (!writing.anything()) return {};
  if (auto yes = confirmed(context, question(result, writing, context)); !yes) return yes;
  if (writing.bundle()) {
    if (auto ok = write_bundle(asked, compared, writing, context); !ok) return ok;
  }
  if (!writing.report.empty()) {
    if (auto ok = registry::write_report(writing.report, reports::profile_markdown(result), path_limits(context)); !ok) return ok;
  }
  if (writing.json_report.empty()) return {};
  return registry::write_report(writing.json_report, reports::profile_json(result), path_limits(context));
}

}  // namespace

Expected<Outcome> run_profile_diff(const Arguments& arguments, const Context& context) {
  if (auto ok = nothing_to_write(arguments, context); !ok) return core::fail(std::move(ok.error()));
  if (auto ok = check_words(arguments.list(kWordsWithoutFlag)); !ok) return core::fail(ok.error());
  ProfileRequest request;
  FetchedSides fetched(context);
  auto baseline = side(arguments, fetched, "baseline");
  if (!baseline) return core::fail(baseline.error());
  auto candidate = side(arguments, fetched, "candidate");
  if (!candidate) return core::fail(candidate.error());
  request.baseline = *baseline;
  request.candidate = *candidate;
  request.baseline_label = arguments.text("baseline_label");
  request.candidate_label = arguments.text("candidate_label");
  if (const auto limit = arguments.integer("limit")) {
    if (*limit <= 0) return core::fail(ErrorCode::usage, "--limit must be positive", "the default is `--limit 20`");
    request.options.limit = static_cast<std::uint32_t>(std::min<std::int64_t>(*limit, 1'000'000));
  }
  auto gate = gate_percent(arguments.text("gate", "5%"));
  if (!gate) return core::fail(gate.error());
  request.options.gate_pct = *gate;
  request.options.varying = arguments.list("varying");
  for (const std::string& text : arguments.list("device")) {
    const auto device = core::parse_int(text);
    if (!device)
      return core::fail(ErrorCode::usage, "--device must be a number, not " + cited(text), "the first GPU is `--device 0`");
    request.devices.push_back(*device);
  }
  request.steps = arguments.text("steps", "auto");
  if (auto ok = profiles::check_steps(request.steps); !ok) return core::fail(ok.error());
  request.rank = arguments.text("rank", "all");
  if (request.rank != "all" && !core::parse_int(request.rank)) {
    return core::fail(ErrorCode::usage, "--rank must be all or a number, not " + cited(request.rank), "the first is `--rank 0`");
  }
  auto words = fail_words(arguments.list("fail_on"), false);
  if (!words) return core::fail(words.error());
  using enum ReportKind;
  auto reports = report_targets(arguments, {table, json, md, junit, github, png}, context);
  if (!reports) return core::fail(std::move(reports.error()));
  auto writing = writing_of(arguments, context);
  if (!writing) return core::fail(writing.error());

  request.root = writing->root;
  request.keeps_digests = writing->bundle() && !context.read_only;
  Inputs inputs;
  Context noting = context;
  noting.inputs = &inputs;
  auto compared = run_profiles(request, noting);
  if (!compared) return core::fail(compared.error());
  core::ProfileDiff& result = compared->diff;
  fetched.name(result);
  result.gate_asked = !arguments.list("fail_on").empty();
  result.gate = tripped(*words, result);
  if (auto ok = write({arguments, request}, *compared, *writing, noting); !ok) return core::fail(ok.error());
  Outcome outcome;
  outcome.json = reports::profile_result_json(result, response_format(arguments));
  const core::DiffResult shown = as_diff(result);
  if (arguments.flag("chart")) outcome.picture = reports::diff_png(shown);
  outcome.text = reports::diff_table(shown, true, context.width);
  outcome.text_has_warnings = true;
  for (const core::Warning& warning : result.warnings)
    outcome.warnings.push_back(std::string(warning.code.text()) + ": " + warning.message);
  const ReportForms forms{
      [&](ReportKind kind) {
        return kind == json ? Rendered{reports::profile_json(result), {}} : diff_form(shown, kind, std::string::npos, context);
      },
      [&] { return reports::diff_markdown(shown, kStepSummaryBytes); }};
  if (auto ok = write_reports(*reports, forms, context, outcome); !ok) return core::fail(std::move(ok.error()));
  if (result.gate) {
    outcome.gate_tripped = true;
    outcome.gate_message = *result.gate;
  }
  return outcome;
}

}  // namespace plumbline::verbs
