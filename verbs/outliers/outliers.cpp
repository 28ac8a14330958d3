// outliers: files become siblings (gather), are judged (verdict/siblings), and the answer is kept as a bundle.
#include <algorithm>
#include <unordered_map>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "verbs/all.hpp"
#include "verbs/calling/fail_on.hpp"
#include "verbs/calling/reader.hpp"
#include "verbs/calling/warnings.hpp"
#include "verbs/calling/wording.hpp"
#include "verbs/diff/bundle.hpp"
#include "verbs/diff/bundle_claim.hpp"
#include "verbs/diff/rules.hpp"
#include "verbs/indexing/feed.hpp"
#include "verbs/outliers/gather.hpp"
#include "verbs/outliers/request.hpp"
#include "verbs/record/freeze_sol.hpp"
#include "verbs/resolving/clock.hpp"
#include "verbs/resolving/reference.hpp"

namespace plumbline::verbs {

namespace {

using core::Measurement;

const Measurement& first_of(const GatheredSiblings& gathered) {
  for (const verdict::SiblingInput& one : gathered.siblings) {
    if (one.measurement != nullptr) return *one.measurement;
  }
  return *gathered.siblings.front().measurement;  // the gathering saw to it that one gave a result
}

class Outliers {
 public:
  Outliers(OutliersRequest request, const Context& context) : request_(std::move(request)), context_(context) {}

  Expected<Outcome> run() {
    auto reading = reading_rules_for(request_.rules.root, context_);
    if (!reading) return core::fail(reading.error());
    reading_ = std::move(*reading);
    reading_.one_host = !request_.names.empty();
    show_progress(context_, 0.05, "reading the siblings");
    if (auto ok = open_entry(); !ok) return core::fail(ok.error());
    auto gathered = gather_siblings(request_, reading_, pool_, context_);
    if (!gathered) return core::fail(gathered.error());
    show_progress(context_, 0.5, "comparing them");
    auto result = judge(*gathered);
    if (!result) return core::fail(result.error());
    result->warnings.insert(result->warnings.begin(), clock_warnings_.begin(), clock_warnings_.end());
    if (context_.stop_asked()) return core::fail(cancelled_error());
    if (auto ok = keep(*result); !ok) return core::fail(ok.error());
    show_progress(context_, 1, "done");
    return outcome_of(*result);
  }

 private:
  // A fleet that was recorded: its snapshot, verified, and its place for the bundle.
  Status open_entry() {
    if (request_.paths.size() != 1 || request_.rules.root.empty()) return {};
    const auto store = open_store(request_.rules.root, context_);
    const auto named = parse_named_reference(request_.paths.front());
    if (!named || !is_known(*store, *named)) return {};
    auto reference = resolve_reference(request_.paths.front(), *store, nullptr, context_.cwd, path_limits(context_));
    if (!reference) return core::fail(reference.error());
    add_clock_warning(*reference, request_.paths.front(), *store, nullptr, {}, context_);
    for (const core::Warning& warning : reference->warnings) {
      if (warning.code.text() == "clock_set_back") clock_warnings_.push_back(warning);
    }
    const registry::Entry& entry = reference->entry;
    if (reference->kind != Reference::Kind::entry) return {};
    if (entry.snapshot.empty()) {
      return core::fail(ErrorCode::not_found, "the entry holds no copy of its source: " + core::cited(request_.paths.front()),
                        "give the folder that it was recorded from", entry.path);
    }
    request_.paths = {entry.snapshot};
    request_.paths.insert(request_.paths.end(), entry.trial_snapshots.begin(), entry.trial_snapshots.end());
    if (request_.family.empty()) {
      request_.family = entry.family;
      request_.measurement = entry.measurement;
    }
    return {};
  }

  Expected<core::OutliersResult> judge(const GatheredSiblings& gathered) {
    verdict::SiblingsQuestion question;
    question.siblings = gathered.siblings;
    question.kind = gathered.kind;
    question.pairs = gathered.pairs;
    question.varying = request_.rules.varying;
    question.stop = [this] { return context_.stop_asked(); };
    auto rules = rules_of(gathered);
    if (!rules) return core::fail(rules.error());
    question.rules = std::move(*rules);
    if (auto ok = take_ceiling(gathered, question); !ok) return core::fail(ok.error());
    const auto noise = class_noise_for(request_.rules.root, context_);
    if (!noise) return core::fail(noise.error());
    const std::string format = first_of(gathered).format.name;
    question.class_noise_pct = [known = *noise, format](std::string_view key) { return known->pct(format, key); };
    core::OutliersResult result = verdict::judge_siblings(question);
    if (result.rows == 0) return core::fail(nothing_judged(gathered, result));
    result.family = request_.family.empty() ? "adhoc" : request_.family;
    result.measurement = request_.measurement.empty() ? "outliers" : request_.measurement;
    result.sources = gathered.sources;
    result.warnings.insert(result.warnings.begin(), gathered.warnings.begin(), gathered.warnings.end());
    result.compared_at_utc = registry::utc_text(context_.now());
    result.tool.version = version();
    result.command = context_.command;
    result.gate_asked = request_.rules.gate_asked;
    result.gate = tripped(request_.rules.fail_on, result);
    return result;
  }

  [[nodiscard]] static Error nothing_judged(const GatheredSiblings& gathered, const core::OutliersResult& result) {
    const Measurement& first = first_of(gathered);
    const std::string like = core::cited(first.key(first.rows().front()));
    for (const core::Warning& warning : result.warnings) {
      if (warning.code == core::WarningCode("direction_unknown")) {
        return {ErrorCode::shape_mismatch,
                "nothing says which way is better of any row, like " + like,
                "say it: `--direction higher-is-better`, or for one row `--direction KEY=DIR`",
                {}};
      }
    }
    return {ErrorCode::shape_mismatch,
            "no row of the siblings can be judged: none is a number that they share, like " + like,
            "`plumbline inspect PATH` says how a file is read",
            {}};
  }

  // Flags, the project file and what the format declares, as in a diff with a file as baseline.
  Expected<core::CompareRules> rules_of(const GatheredSiblings& gathered) {
    std::vector<const Measurement*> sides;
    for (const verdict::SiblingInput& one : gathered.siblings) {
      if (one.measurement != nullptr) sides.push_back(one.measurement.get());
    }
    if (auto ok = check_keys(request_.rules.flags, sides); !ok) return core::fail(ok.error());
    auto project = read_project_file(request_.rules.root, context_);
    if (!project) return core::fail(project.error());
    const Measurement& first = first_of(gathered);
    auto declared = declared_key_rules(first);
    if (!declared) return core::fail(declared.error());
    Baseline like;
    like.measurement = std::make_shared<const Measurement>(first);
    const std::string family = request_.family.empty() ? "adhoc" : request_.family;
    const std::string measurement = request_.measurement.empty() ? first.format.name : request_.measurement;
    return rules_for(request_.rules, like, settings_for(*project, family, measurement, first.format.name), reading_.names(),
                     std::move(*declared), {});
  }

  // A ceiling is looked up once, for the first sibling's rows; the others' share follows from their values.
  Status take_ceiling(const GatheredSiblings& gathered, verdict::SiblingsQuestion& question) {
    if (request_.ceiling == "none") return {};
    auto ceilings = ceilings_for(request_.rules.root, context_);
    if (!ceilings) return core::fail(ceilings.error());
    const Measurement& first = first_of(gathered);
    auto frozen = freeze_sol(first, first.context, request_.ceiling, **ceilings);
    if (!frozen) return core::fail(frozen.error());
    struct Share {
      core::FrozenSol sol;
      std::string unit;
    };
    auto shares = std::make_shared<std::unordered_map<std::string, Share>>();
    std::unordered_map<std::string_view, std::string_view> units;
    for (const core::Row& row : first.rows()) units.emplace(first.key(row), first.unit(row));
    for (core::FrozenSol& one : frozen->rows) {
      const std::string key = one.row_key;
      shares->emplace(key, Share{std::move(one), std::string(units[key])});
    }
    question.sol_pct = [shares](std::string_view key, double value) -> std::optional<double> {
      const auto at = shares->find(std::string(key));
      if (at == shares->end()) return std::nullopt;
      return core::sol_percent(value, at->second.unit, at->second.sol.ceiling_value, at->second.sol.ceiling_unit);
    };
    return {};
  }

  [[nodiscard]] std::string question_of(const core::OutliersResult& result) const {
    std::string text = "Hold " + core::counted(result.siblings.size(), "sibling") + " of " +
                       core::counted(result.sources.size(), "file") + " against each other, and write a bundle ";
    if (request_.rules.root.empty()) return text + "to " + one_line(*request_.rules.out, 300) + "?";
    const auto store = open_store(request_.rules.root, context_);
    return text + "under " +
           one_line(store->address_of(store->directory(registry::Kind::bundle, result.family, result.measurement)), 300) + "?";
  }

  Status publish(registry::Store& store, core::OutliersResult& result) const {
    auto staging = store.stage(registry::Kind::bundle, result.family, result.measurement);
    if (!staging) return core::fail(staging.error());
    registry::Staging& stage = **staging;
    if (auto ok = stage.add("outliers.json", reports::outliers_json(result)); !ok) return ok;
    if (auto ok = stage.add("outliers.md", reports::outliers_markdown(result)); !ok) return ok;
    if (auto ok = stage.add("outliers.html", reports::outliers_html(result)); !ok) return ok;
    sign_bundle(stage, request_.rules.signer, result);
    if (context_.stop_asked()) return core::fail(cancelled_error());
    auto published = store.publish(std::move(*staging), context_.now());
    if (!published) return core::fail(published.error());
    result.diff_dir = published->address;
    result.bundle_sha256 = published->sha256;
    result.files = published->files;
    result.warnings.insert(result.warnings.end(), published->warnings.begin(), published->warnings.end());
    feed_index(store, "", registry::Kind::bundle, result.family, result.measurement, {published->slug}, result.warnings,
               context_);
    return {};
  }

  Status keep(core::OutliersResult& result) {
    const DiffRequest& rules = request_.rules;
    if (rules.no_bundle) return {};
    if (context_.read_only) {
      result.warnings.push_back(nothing_written());
      return {};
    }
    if (rules.root.empty() && !rules.out) {
      result.warnings.push_back(no_bundle_warning(context_));
      return {};
    }
    if (auto yes = confirmed(context_, question_of(result)); !yes) return yes;
    const auto publish_in = [&](registry::Store& store) { return publish(store, result); };
    if (rules.root.empty()) return publish_to_out(*rules.out, publish_in, result.diff_dir, result.files, context_);
    const auto store = open_store(rules.root, context_);
    if (auto ok = publish_in(*store); !ok) return ok;
    return rules.out ? copy_bundle(result.files, result.diff_dir, *rules.out, context_) : Status();
  }

  [[nodiscard]] Expected<Outcome> outcome_of(core::OutliersResult& result) const {
    Outcome outcome;
    if (request_.drain) {
      reports::DrainCommands commands = reports::drain_commands(result, *request_.drain);
      if (!commands.left_out.empty()) {
        result.warnings.push_back(
            {"not_a_host_name", core::cited_list(commands.left_out) +
                                    (commands.left_out.size() == 1 ? " is no host name" : " are no host names") +
                                    " and no command names " + (commands.left_out.size() == 1 ? "it" : "them")});
      }
      outcome.report_text = commands.text.empty() ? "# nothing to drain\n" : commands.text;
    }
    outcome.json = reports::outliers_result_json(result, request_.rules.response_format, request_.drain);
    outcome.text = reports::outliers_table(result, true, context_.width);
    outcome.text_has_warnings = true;
    const auto form = [&](ReportKind kind) -> Rendered {
      if (kind == ReportKind::json) return {reports::outliers_json(result), {}};
      if (kind == ReportKind::md) return {reports::outliers_markdown(result), {}};
      return {reports::outliers_table(result, false, context_.width), {}};
    };
    if (auto ok = write_reports(request_.rules.reports, {form}, context_, outcome); !ok) return core::fail(std::move(ok.error()));
    outcome.warnings = warning_lines(result.warnings);
    if (result.gate) {
      outcome.gate_tripped = true;
      outcome.gate_message = *result.gate;
    }
    for (const core::FileRef& file : result.files) {
      if (file.name == "outliers.json" || file.name == "SHA256SUMS") continue;
      outcome.links.push_back(
          {"file://" + file.path, file.name, file.name == "outliers.html" ? "text/html" : "text/markdown", "report", file.bytes});
    }
    return outcome;
  }

  OutliersRequest request_;
  std::vector<core::Warning> clock_warnings_;  // of the recorded fleet that was chosen by its time
  const Context& context_;
  std::shared_ptr<core::StringPool> pool_ = std::make_shared<core::StringPool>();
  ReadingRules reading_;
};

}  // namespace

Expected<Outcome> run_outliers(const Arguments& arguments, const Context& context) {
  return run_outliers_named(arguments, {}, context);
}

Expected<Outcome> run_outliers_named(const Arguments& arguments, std::map<std::string, std::string> names,
                                     const Context& context) {
  auto request = parse_outliers(arguments, context);
  if (!request) return core::fail(request.error());
  request->names = std::move(names);
  return Outliers(std::move(*request), context).run();
}

}  // namespace plumbline::verbs
