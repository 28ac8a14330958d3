// gc: entries and diffs that no rule keeps are removed, each behind a tombstone, so that whatever named them still verifies.
#include "core/results/gc.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/bundle_heads.hpp"
#include "registry/pgindex/indexed_store.hpp"
#include "registry/removal.hpp"
#include "reports/verbs/upkeep.hpp"
#include "schemas/schemas.hpp"
#include "verbs/all.hpp"
#include "verbs/calling/shared_params.hpp"
#include "verbs/calling/warnings.hpp"
#include "verbs/calling/wording.hpp"
#include "verbs/environment.hpp"
#include "verbs/gc/rules.hpp"
#include "verbs/resolving/reference.hpp"
#include "verbs/resolving/session.hpp"

namespace plumbline::verbs {
namespace {

using enum ParamKind;
using registry::Kind;

// One publication of a line that is looked at.
struct Candidate {
  std::string slug, measured;  // its place in time, as a slug
  std::size_t group = 0;       // of entries whose contexts can be compared
  std::vector<std::string> reasons;
};

class Collector {
 public:
  Collector(const Context& context, std::string root, KeepRules rules, bool remove)
      : context_(context), limits_(path_limits(context)), rules_(rules), remove_(remove) {
    result_.root = std::move(root);
    result_.rule = rules.text();
    result_.dry_run = !remove;
    store_ = open_store(result_.root, context);
  }

  // Of one measurement, or of all; diffs first, since those that go name no entry any more.
  Status collect(Kind kind, const NamedReference& name) {
    auto names = store_->measurements(kind);
    if (!names) return core::fail(names.error());
    std::ranges::sort(*names);
    for (const auto& [family, measurement] : *names) {
      if (!name.family.empty() && (family != name.family || measurement != name.measurement)) continue;
      if (context_.stop_asked()) return core::fail(cancelled_error());
      if (auto ok = line(kind, family, measurement); !ok) return ok;
    }
    return {};
  }

  // What it is not told here comes with the next `index follow`.
  [[nodiscard]] Status forget_removed() {
    registry::pgindex::Index* const index = registry::pgindex::index_of(*store_);
    if (index == nullptr) return {};
    for (const auto& [line, slugs] : removed_) {
      const auto& [kind, family, measurement] = line;
      auto ok = index->forget(kind, family, measurement, slugs, [this] { return context_.stop_asked(); });
      if (!ok) return ok;
    }
    return {};
  }

  core::GcResult take() { return std::move(result_); }

 private:
  Status line(Kind kind, const std::string& family, const std::string& measurement) {
    const std::string directory = store_->directory(kind, family, measurement);
    auto candidates = candidates_of(kind, family, measurement, directory);
    if (!candidates) return core::fail(candidates.error());
    if (candidates->empty()) return {};
    if (auto ok = keep_by_rule(*candidates); !ok) return ok;
    if (auto ok = keep_whatever_the_rule(*candidates, kind, family, measurement, directory); !ok) return ok;
    const bool any = std::ranges::any_of(*candidates, [](const Candidate& one) { return one.reasons.empty(); });
    for (const Candidate& one : *candidates) {
      if (context_.stop_asked()) return core::fail(cancelled_error());
      told(kind, family, measurement, directory, one);
    }
    return remove_ && any ? registry::finish_removals(kind, directory, limits_) : Status{};
  }

  // Newest first.
  Expected<std::vector<Candidate>> candidates_of(Kind kind, const std::string& family, const std::string& measurement,
                                                 const std::string& directory) {
    const auto slugs = store_->slugs(kind, family, measurement);
    if (!slugs) return core::fail(slugs.error());
    std::vector<Candidate> out;
    std::vector<core::Context> groups;
    for (auto slug = slugs->rbegin(); slug != slugs->rend(); ++slug) {
      Candidate one{*slug, *slug, 0, {}};
      const auto record = kind == Kind::entry ? read_record(directory + "/" + *slug, limits_)
                                              : Expected<core::BaselineRecord>(core::BaselineRecord{});
      if (record) one.measured = registry::measured_slug(*record, *slug);
      if (!record) one.reasons.emplace_back("unreadable");  // what it is, nobody can say: verify does
      const core::Context context = record ? record->context : core::Context{};
      while (one.group < groups.size() && !context_fits(groups[one.group], context)) ++one.group;
      if (one.group == groups.size()) groups.push_back(context);
      out.push_back(std::move(one));
    }
    std::ranges::stable_sort(out, std::greater<>(), &Candidate::measured);
    return out;
  }

  Status keep_by_rule(std::vector<Candidate>& candidates) {
    std::map<std::size_t, std::vector<Candidate*>> groups;
    for (Candidate& one : candidates) groups[one.group].push_back(&one);
    for (auto& [number, group] : groups) {
      std::vector<std::chrono::system_clock::time_point> times;
      for (const Candidate* one : group) times.push_back(registry::time_of_slug(one->measured).value_or(context_.now()));
      const auto reasons = reasons_to_keep(times, rules_, context_.now());
      for (std::size_t i = 0; i < group.size(); ++i) std::ranges::copy(reasons[i], std::back_inserter(group[i]->reasons));
    }
    return {};
  }

  Status keep_whatever_the_rule(std::vector<Candidate>& candidates, Kind kind, const std::string& family,
                                const std::string& measurement, const std::string& directory) {
    const auto fixed = registry::never_removed(directory, limits_);
    if (!fixed) return core::fail(fixed.error());
    std::set<std::string> referenced;
    if (kind == Kind::entry) {
      const auto found = registry::bundle_heads(*store_, family, measurement, "", limits_);
      if (!found) return core::fail(found.error());
      for (const auto& head : found->heads) {
        if (!gone_diffs_.contains({family, measurement, head.slug})) referenced.insert(head.baseline_slug);
      }
    }
    std::string newest;
    for (const Candidate& one : candidates) newest = std::max(newest, one.slug);
    for (Candidate& one : candidates) {
      if (fixed->contains(one.slug)) one.reasons.emplace_back("accepted or newest signed");
      if (referenced.contains(one.slug)) one.reasons.emplace_back("referenced by a diff");
      if (one.slug == newest || &one == candidates.data()) one.reasons.emplace_back("newest");
    }
    return {};
  }

  void told(Kind kind, const std::string& family, const std::string& measurement, const std::string& directory,
            const Candidate& one) {
    core::GcPublication out{
        kind == Kind::entry ? "entry" : "bundle", family, measurement, one.slug, {}, true, one.reasons, 0, {}};
    out.kept = one.reasons.empty() ? false : true;
    if (!out.kept) out.bytes = registry::bytes_of(directory, one.slug, limits_);
    if (!out.kept && remove_) {
      registry::Tombstone tombstone;
      tombstone.kind = kind;
      tombstone.family = family;
      tombstone.measurement = measurement;
      tombstone.slug = one.slug;
      tombstone.bytes = out.bytes;
      tombstone.removed_at_utc = registry::utc_text(context_.now());
      tombstone.removed_by = user_name(context_) + " on " + host_name();
      tombstone.rule = result_.rule;
      if (const auto removed = registry::remove_publication(directory, std::move(tombstone), limits_); !removed)
        out.problem = removed.error().message;
    }
    if (!out.kept && remove_ && out.problem.empty()) removed_[{kind, family, measurement}].push_back(one.slug);
    if (!out.kept && kind == Kind::bundle) gone_diffs_.insert({family, measurement, one.slug});
    result_.kept += out.kept ? 1 : 0;
    result_.failed += out.problem.empty() ? 0 : 1;
    result_.removed += !out.kept && out.problem.empty() ? 1 : 0;
    result_.bytes += out.problem.empty() ? out.bytes : 0;
    result_.publications.push_back(std::move(out));
  }

  const Context& context_;
  registry::PathLimits limits_;
  KeepRules rules_;
  bool remove_;
  std::unique_ptr<registry::Store> store_;
  std::set<std::tuple<std::string, std::string, std::string>> gone_diffs_;
  std::map<std::tuple<Kind, std::string, std::string>, std::vector<std::string>> removed_;
  core::GcResult result_;
};

Expected<Outcome> run_gc(const Arguments& arguments, const Context& context) {
  auto rules = keep_rules(arguments);
  if (!rules) return core::fail(rules.error());
  const bool remove = arguments.flag("yes") && !arguments.flag("dry_run");
  if (remove && context.read_only) return core::fail(ErrorCode::path_not_allowed, "nothing is removed: this server is read-only");
  auto root = root_of(arguments, context);
  if (!root) return core::fail(root.error());
  if (auto able = open_store(*root, context)->removes(); !able) return core::fail(able.error());
  NamedReference name;
  if (arguments.has("measurement")) {
    const std::string text = arguments.text("measurement");
    const auto parsed = parse_named_reference(text);
    if (!parsed || !parsed->selector.empty())
      return core::fail(ErrorCode::usage, "a measurement is called FAMILY/MEASUREMENT, not " + core::cited(text),
                        "leave it out for all of them");
    name = *parsed;
    const auto store = open_store(*root, context);
    if (!is_known(*store, name)) return core::fail(unknown_baseline(*store, name));
  }
  if (remove) {
    if (auto yes = confirmed(context, "Remove entries from " + one_line(*root, 300) + " (" + rules->text() + ")?"); !yes)
      return core::fail(std::move(yes.error()));
  }
  Collector collector(context, std::move(*root), *rules, remove);
  if (arguments.flag("diffs")) {
    if (auto ok = collector.collect(Kind::bundle, name); !ok) return core::fail(ok.error());
  }
  if (auto ok = collector.collect(Kind::entry, name); !ok) return core::fail(ok.error());
  const auto told = collector.forget_removed();
  const core::GcResult result = collector.take();
  Outcome outcome;
  if (!told) outcome.warnings.push_back("index_not_fed: removed, but not told to the index: " + told.error().message);
  outcome.json = reports::gc_json(result, response_format(arguments));
  outcome.text = reports::gc_table(result, true);
  outcome.warnings = warning_lines(result.warnings);
  for (const core::GcPublication& one : result.publications) {
    if (!one.problem.empty()) outcome.warnings.push_back("not removed: " + one.problem);
  }
  return outcome;
}

Param keep_param(std::string_view name, std::string_view help) {
  return {.name = name, .kind = integer, .value_name = "N", .help = help};
}

}  // namespace

const Verb kGc{
    .name = "gc",
    .tool = "",
    .tool_aliases = {},
    .library = "perf_baseline",
    .title = "Remove old entries",
    .summary =
        "Show which entries a rule keeps, and with --yes remove the others, each leaving a tombstone with its digests. Use it "
        "when "
        "a registry has grown beyond what anybody looks at.",
    .safety = "writes_artifacts",
    .destructive = true,
    .idempotent = true,
    .params =
        {
            {.name = "measurement",
             .value_name = "FAMILY/MEASUREMENT",
             .help = "only this measurement; default all",
             .positional = 1},
            {.name = "keep",
             .kind = string_list,
             .value_name = "RULE",
             .help = "newest N, days N, daily N, weekly N, monthly N or yearly N; what any rule keeps stays"},
            keep_param("keep_last", "the newest N"),
            keep_param("keep_daily", "the newest of each of the last N days that have any"),
            keep_param("keep_weekly", "the newest of each of the last N weeks"),
            keep_param("keep_monthly", "the newest of each of the last N months"),
            keep_param("keep_yearly", "the newest of each of the last N years"),
            keep_param("keep_within", "everything of the last N days"),
            {.name = "diffs", .kind = boolean, .help = "diff bundles too, by the same rules"},
            {.name = "yes", .kind = boolean, .help = "remove the entries; without it they are only listed"},
            {.name = "dry_run", .kind = boolean, .help = "show what would be removed, which is the default"},
            {.name = "repo_root", .kind = path, .value_name = "DIR", .help = "folder of the registry"},
            response_format_param(),
            confirm_param(),
        },
    .output_schema = schemas::text("plumbline.result.gc.v1"),
    .examples = {"plumbline gc --keep-last 20 --keep-monthly 24", "plumbline gc inference/decode --keep 'newest 50' --yes"},
    .run = &run_gc,
};

}  // namespace plumbline::verbs
