// profile-diff: two captures, ad hoc. The bundle goes under perf-baseline-diffs/adhoc/profile/ with the captures' digests.
#include "core/text.hpp"
#include "reports/reports.hpp"
#include "verbs/all.hpp"
#include "verbs/bundle.hpp"
#include "verbs/fail_on.hpp"
#include "verbs/profile_run.hpp"

namespace plumbline::verbs {

namespace {

// The capture's path, or the folder of its CSVs: one of the two.
Expected<std::string> side(const Arguments& arguments, const Context& context, const std::string& name) {
  const bool path = arguments.has(name);
  const bool folder = arguments.has(name + "_csv_dir");
  if (path == folder) {
    return core::fail(ErrorCode::usage, "exactly one of --" + name + " or --" + name + "-csv-dir is required",
                      "plumbline profile-diff BASELINE CANDIDATE");
  }
  return absolute(context, arguments.text(path ? name : name + "_csv_dir"));
}

}  // namespace

Expected<Outcome> run_profile_diff(const Arguments& arguments, const Context& context) {
  ProfileRequest request;
  auto baseline = side(arguments, context, "baseline");
  if (!baseline) return core::fail(baseline.error());
  auto candidate = side(arguments, context, "candidate");
  if (!candidate) return core::fail(candidate.error());
  request.baseline = *baseline;
  request.candidate = *candidate;
  request.baseline_label = arguments.text("baseline_label");
  request.candidate_label = arguments.text("candidate_label");
  if (const auto limit = arguments.integer("limit")) {
    if (*limit <= 0) return core::fail(ErrorCode::usage, "--limit must be positive");
    request.options.limit = static_cast<std::uint32_t>(std::min<std::int64_t>(*limit, 1'000'000));
  }
  auto gate = gate_percent(arguments.text("gate", "5%"));
  if (!gate) return core::fail(gate.error());
  request.options.gate_pct = *gate;
  request.options.varying = arguments.list("varying");
  for (const std::string& text : arguments.list("device")) {
    const auto device = core::parse_int(text);
    if (!device) return core::fail(ErrorCode::usage, "--device must be a number, not \"" + text + "\"");
    request.devices.push_back(*device);
  }
  auto words = fail_words(arguments.list("fail_on"), false);
  if (!words) return core::fail(words.error());
  auto root = root_of(arguments, context);
  if (!root) return core::fail(root.error());

  auto diff = run_profiles(request, context);
  if (!diff) return core::fail(diff.error());
  core::ProfileDiff& result = *diff;
  result.gate_asked = !arguments.list("fail_on").empty();
  result.gate = tripped(*words, result);
  if (context.read_only) {
    result.warnings.push_back({"read_only", "nothing was written: this server is read-only"});
  } else {
    const auto store = registry::posix_store(*root);
    if (auto ok = publish_profile({store.get(), "adhoc", "profile", context.now()}, result, nullptr, context); !ok)
      return core::fail(ok.error());
    if (arguments.has("out")) {
      if (auto ok = write_report(absolute(context, arguments.text("out")), reports::profile_markdown(result), context); !ok)
        return core::fail(ok.error());
    }
    if (arguments.has("json_out")) {
      if (auto ok = write_report(absolute(context, arguments.text("json_out")), reports::profile_json(result), context); !ok)
        return core::fail(ok.error());
    }
  }
  Outcome outcome;
  outcome.json = reports::profile_result_json(result);
  outcome.text = reports::profile_table(result, true, context.width);
  for (const core::Warning& warning : result.warnings) outcome.warnings.push_back(warning.code + ": " + warning.message);
  if (result.gate) {
    outcome.gate_tripped = true;
    outcome.gate_message = *result.gate;
  }
  return outcome;
}

}  // namespace plumbline::verbs
