#include "verbs/suite/suite.hpp"

#include <algorithm>
#include <map>
#include <unordered_set>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "intake/measurement.hpp"
#include "systems/table.hpp"
#include "verbs/calling/wording.hpp"
#include "verbs/resolving/given_context.hpp"
#include "verbs/suite/files.hpp"
#include "verbs/suite/pairing.hpp"
#include "verbs/suite/runs.hpp"
#include "verbs/suite/shards.hpp"
#include "verbs/suite/sum.hpp"

namespace plumbline::verbs {

namespace {

using core::CaseState;
using core::Measurement;
using core::SuiteCase;

// What the result itself says against being compared: it was not run.
std::string skipped_reason(const Measurement& measurement) {
  const auto why = systems::skipped(measurement);
  if (!why) return {};
  return why->empty() ? "the result says that it was skipped" : "skipped: " + one_line(*why, 300);
}

bool has_numbers(const Measurement& measurement) {
  return std::any_of(measurement.rows().begin(), measurement.rows().end(),
                     [](const core::Row& row) { return row.value_count > 0; });
}

class Suite {
 public:
  Suite(const SuiteInput& input, const SuiteTools& tools) : input_(input), tools_(tools), sum_(tools.pool) {}

  Expected<core::DiffResult> run() {
    auto results = read_suite_files(*input_.current, tools_);
    if (!results) return core::fail(results.error());
    results_ = std::move(*results);
    if (input_.baseline) {
      auto baselines = read_suite_files(*input_.baseline, tools_);
      if (!baselines) return core::fail(baselines.error());
      baselines_ = std::move(*baselines);
    }
    auto items = baseline_items();
    if (!items) return core::fail(items.error());
    baseline_items_ = std::move(*items);
    take_results();
    if (result_items_.empty() || (baseline_items_.empty() && input_.baseline)) return nothing_to_compare();
    SuitePairs pairs = pair_cases(baseline_items_, result_items_);
    if (auto ok = choose_cases(pairs); !ok) return core::fail(ok.error());
    for (const SuitePair& pair : pairs.pairs) {
      std::vector<std::string> files;
      for (const std::size_t i : pair.results) files.push_back(results_[result_cases_[i]].source.source.path);
      if (auto ok = check_one_shard(pair.id, files, input_.shards); !ok) return core::fail(ok.error());
    }
    for (const SuitePair& pair : pairs.pairs) {
      if (tools_.context.stop_asked()) return core::fail(cancelled_error());
      show_progress(tools_.context, 0.3 + 0.5 * static_cast<double>(++done_) / static_cast<double>(pairs.pairs.size()),
                    "comparing the cases");
      if (auto ok = judge(pair); !ok) return core::fail(ok.error());
    }
    if (!pairs.passed_over.empty()) {
      std::vector<std::string> names;
      for (const std::size_t i : pairs.passed_over) names.push_back(baseline_items_[i].name);
      sum_.warn("baselines_passed_over",
                core::counted(names.size(), "baseline") + " of other hosts or contexts passed over: " + core::cited_list(names));
    }
    if (!pairs.results_passed_over.empty()) {
      std::vector<std::string> names;
      for (const std::size_t i : pairs.results_passed_over) names.push_back(result_items_[i].name);
      sum_.warn("results_passed_over",
                core::counted(names.size(), "older run") + " of a case passed over for the newest: " + core::cited_list(names));
    }
    result_ = sum_.finish();
    result_.warnings.insert(result_.warnings.begin(), warnings_.begin(), warnings_.end());
    finish_sides();
    return std::move(result_);
  }

 private:
  // Those of the tier that was asked for.
  Status choose_cases(SuitePairs& pairs) {
    if (tools_.cases.empty()) return {};
    std::vector<std::string_view> ids;
    for (const SuitePair& pair : pairs.pairs) ids.push_back(pair.id);
    const std::string nearest(core::nearest(tools_.cases.front(), ids));
    const auto wanted = [&](const SuitePair& pair) {
      return std::any_of(tools_.cases.begin(), tools_.cases.end(),
                         [&](const auto& glob) { return core::glob_match(glob, pair.id); });
    };
    const std::size_t all = pairs.pairs.size();
    const std::string first = pairs.pairs.empty() ? std::string() : pairs.pairs.front().id;
    std::erase_if(pairs.pairs, [&](const SuitePair& pair) { return !wanted(pair); });
    if (pairs.pairs.empty()) {
      return core::fail(
          ErrorCode::invalid_input,
          "none of the " + core::counted(all, "case") + " is one of the tier " + core::cited(tools_.tier) + ": " +
              core::cited_list(tools_.cases),
          nearest.empty() ? "cases are called like " + core::cited(first) : "did you mean " + core::cited(nearest) + "?");
    }
    sum_.leave_out(all - pairs.pairs.size());
    return {};
  }

  Expected<std::vector<SuiteItem>> baseline_items() {
    std::vector<SuiteItem> out;
    if (input_.baseline) {
      std::vector<OtherSide> others;
      for (const SuiteFile& file : results_) others.push_back(other_side(file));
      baseline_cases_ = cases_among(baselines_, others);
      warn_unread(baselines_, baseline_cases_, "baselines", warnings_);
      for (const std::size_t i : baseline_cases_) out.push_back(suite_item(baselines_[i]));
      return out;
    }
    auto measurements = tools_.store.measurements(registry::Kind::entry);
    if (!measurements) {
      if (measurements.error().code == ErrorCode::not_found) return out;
      return core::fail(measurements.error());
    }
    for (const auto& [family, measurement] : *measurements) {
      if (family != input_.family) continue;
      // A folder without an entry is what an interrupted record left behind.
      const auto slugs = tools_.store.newest_slugs(registry::Kind::entry, family, measurement, 1);
      if (!slugs) return core::fail(slugs.error());
      if (slugs->empty()) continue;
      SuiteItem item;
      item.name = measurement;
      item.entry = true;
      out.push_back(std::move(item));
    }
    return out;
  }

  void take_results() {
    std::vector<OtherSide> others;
    for (const SuiteFile& file : baselines_) others.push_back(other_side(file));
    if (!input_.baseline) {
      for (const SuiteItem& item : baseline_items_) others.push_back({item.name, true, {}, true});
    }
    result_cases_ = cases_among(results_, others);
    warn_unread(results_, result_cases_, "results", warnings_);
    for (const std::size_t i : result_cases_) result_items_.push_back(suite_item(results_[i]));
  }

  Expected<core::DiffResult> nothing_to_compare() {
    const bool current = result_items_.empty();
    const std::vector<SuiteFile>& files = current ? results_ : baselines_;
    const std::string path = current ? input_.current->source.path : input_.baseline_path;
    if (files.empty()) {
      return core::fail(ErrorCode::invalid_input, "the folder is empty", "name a folder that holds measurement files", path);
    }
    const Error& first = files.front().error;
    return core::fail(ErrorCode::invalid_input,
                      "none of the " + core::counted(files.size(), "file") + " in the folder could be read; the first: " +
                          (first.where.empty() ? files.front().relative : first.where) + ": " + first.message,
                      first.hint, path);
  }

  Status judge(const SuitePair& pair) {
    SuiteCase one;
    one.id = pair.id;
    one.paired_by = pair.by;
    one.note = pair.note;
    for (const std::size_t i : pair.baselines) one.baseline_files.push_back(baseline_items_[i].name);
    for (const std::size_t i : pair.results) one.current_files.push_back(result_items_[i].name);
    std::vector<intake::Opened> sources;
    auto current = side(pair.results, result_cases_, results_, sources);
    if (current && *current != nullptr) {
      one.current_format = (*current)->format.name;
      auto stated = with_context(*current, tools_.stated, result_item_name(pair));
      if (!stated) return core::fail(stated.error());
      current = std::move(*stated);
    }
    const Measurement* result = current ? current->get() : nullptr;
    if (result != nullptr) one.run_problem = run_problem(*result);

    if (pair.results.empty()) return stale(std::move(one), pair);
    if (!current) return failed_case(std::move(one), nullptr, nullptr, current.error());
    if (pair.baselines.empty()) {
      one.state = CaseState::untracked;
      one.reason = pair.problem;
      one.unmatched = !pair.problem.empty();
      if (one.reason.empty() && !one.run_problem.empty()) one.reason = "its run failed: " + one.run_problem;
      if (const std::string reason = skipped_reason(*result); !reason.empty()) {
        one.state = CaseState::skipped;
        one.reason = reason;
      }
      sum_.apart(std::move(one), nullptr, result);
      return {};
    }
    auto baseline = open(pair, **current);
    if (!baseline) return failed_case(std::move(one), nullptr, result, baseline.error());
    one.format = baseline->side.format.name;
    if (baseline->reference.kind == Reference::Kind::entry) {
      const registry::Entry& entry = baseline->reference.entry;
      one.baseline_files = {entry.family + "/" + entry.measurement + "@" + entry.slug};
      // A measurement's name keeps letters and digits alone: x=1 and x@1 are one there, and two here.
      const std::string_view recorded = entry.record.source_path;
      const std::string before = without_ending(recorded.substr(recorded.rfind('/') + 1));
      const std::string& file = result_item_name(pair);
      const std::string now = without_ending(file.substr(file.rfind('/') + 1));
      if (before != now && case_segment(before) == case_segment(now)) {
        one.state = CaseState::untracked;
        one.unmatched = true;
        one.reason = "its entry " + entry.measurement + " was recorded from " + core::cited(before) + ", which is another name";
        sum_.apart(std::move(one), nullptr, result);
        return {};
      }
      if (!entry.record.forced_format.empty() && tools_.format.empty()) {
        current = read_again(sources, entry.record.forced_format);
        if (!current) return failed_case(std::move(one), baseline->measurement.get(), nullptr, current.error());
        auto stated = with_context(*current, tools_.stated, file);
        if (!stated) return core::fail(stated.error());
        current = std::move(*stated);
        result = current->get();
        one.current_format = result->format.name;
      }
    }
    if (baseline->capture) {
      return failed_case(std::move(one), nullptr, result,
                         {ErrorCode::shape_mismatch, "its baseline is a capture and the result a measurement", {}, {}});
    }
    if (const std::string reason = skipped_reason(*result); !reason.empty()) {
      one.state = CaseState::skipped;
      one.reason = reason;
      sum_.add(std::move(one));
      return {};
    }
    if (!has_numbers(*baseline->measurement)) {
      one.state = CaseState::no_baseline;
      one.reason = "the baseline holds no number";
      one.native = native_of_pair(*baseline->measurement, *result);
      sum_.apart(std::move(one), nullptr, result);
      return {};
    }
    auto diff = tools_.compare(one.id, *baseline, std::move(sources), *current);
    if (!diff) {
      one.native = native_of_pair(*baseline->measurement, *result);
      return failed_case(std::move(one), baseline->measurement.get(), result, diff.error());
    }
    sum_.compared(std::move(one), *diff);
    return {};
  }

  // Its own tables list every case, also one that has nothing to compare.
  [[nodiscard]] std::shared_ptr<const core::NativeReport> native_of_pair(const Measurement& baseline,
                                                                         const Measurement& current) const {
    return tools_.native && baseline.native != nullptr ? tools_.native(baseline, current) : nullptr;
  }

  [[nodiscard]] const std::string& result_item_name(const SuitePair& pair) const {
    return result_items_[pair.results.front()].name;
  }

  Status stale(SuiteCase one, const SuitePair& pair) {
    one.state = CaseState::stale;
    one.reason = pair.problem;
    std::shared_ptr<const Measurement> measurement;
    if (input_.baseline) {
      const SuiteFile& file = baselines_[baseline_cases_[pair.baselines.front()]];
      measurement = file.measurement;
      if (measurement != nullptr) one.format = measurement->format.name;
    } else {
      auto baseline = open(pair, Measurement(tools_.pool));
      if (!baseline) return failed_case(std::move(one), nullptr, nullptr, baseline.error());
      one.baseline_files = {baseline->reference.entry.family + "/" + baseline->reference.entry.measurement + "@" +
                            baseline->side.slug};
      measurement = baseline->measurement;
      one.format = baseline->side.format.name;
    }
    sum_.apart(std::move(one), measurement.get(), nullptr);
    return {};
  }

  // Errors of one case are its state; those that concern the call end it.
  Status failed_case(SuiteCase one, const Measurement* baseline, const Measurement* current, const Error& error) {
    if (error.code == ErrorCode::cancelled || error.code == ErrorCode::limit_exceeded || error.code == ErrorCode::usage ||
        error.code == ErrorCode::provenance_mismatch || error.code == ErrorCode::environment ||
        error.code == ErrorCode::internal) {
      Error named = error;
      named.message = core::cited_path(one.id) + ": " + named.message;
      return core::fail(std::move(named));
    }
    if (error.code == ErrorCode::no_matching_baseline) {
      one.state = CaseState::untracked;
      one.unmatched = true;
    } else {
      one.state = CaseState::error;
    }
    one.reason = (error.where.empty() ? "" : error.where + ": ") + error.message;
    sum_.apart(std::move(one), baseline, baseline == nullptr ? current : nullptr);
    return {};
  }

  // The files of one side of a case, merged as trials where there are several.
  Expected<std::shared_ptr<const Measurement>> side(const std::vector<std::size_t>& items, const std::vector<std::size_t>& cases,
                                                    const std::vector<SuiteFile>& files, std::vector<intake::Opened>& sources) {
    for (const std::size_t item : items) {
      const SuiteFile& file = files[cases[item]];
      if (file.measurement == nullptr) return core::fail(file.error);
      sources.push_back(again(file.source));
    }
    if (items.empty()) return std::shared_ptr<const Measurement>();
    if (items.size() == 1) return files[cases[items.front()]].measurement;
    return read_again(sources, tools_.format);
  }

  Expected<std::shared_ptr<const Measurement>> read_again(const std::vector<intake::Opened>& sources, const std::string& format) {
    auto read = read_measurement(sources, format, tools_.pool, tools_.context, tools_.reading, true);
    if (!read) return core::fail(read.error());
    return std::make_shared<const Measurement>(std::move(*read));
  }

  Expected<Baseline> open(const SuitePair& pair, const Measurement& current) {
    if (!input_.baseline) {
      return open_baseline(input_.family + "/" + baseline_items_[pair.baselines.front()].name, tools_.store,
                           current.rows().empty() ? nullptr : &current.context, tools_.format, tools_.pool, tools_.reading,
                           tools_.context, tools_.varying);
    }
    Baseline out;
    std::vector<intake::Opened> sources;
    auto measurement = side(pair.baselines, baseline_cases_, baselines_, sources);
    if (!measurement) {
      Error error = measurement.error();
      error.message = "its baseline cannot be read: " + error.message;
      return core::fail(std::move(error));
    }
    out.measurement = *measurement;
    out.reference.path = sources.front().source.path;
    out.side.path = out.reference.path;
    out.side.sha256 = digest_of(sources.front());
    out.side.format = out.measurement->format;
    out.side.trials = out.measurement->trial_files;
    out.context = out.measurement->context;
    return out;
  }

  // Both folders, as a diff's sides; their format is the one that most files have.
  void finish_sides() {
    core::DiffResult& result = result_;
    result.baseline.path = input_.baseline_path;
    if (input_.baseline) result.baseline.sha256 = digest_of(*input_.baseline);
    result.current.path = input_.current->source.path;
    result.current.sha256 = digest_of(*input_.current);
    const auto most = [&](auto&& format_of) {
      std::map<std::string, std::size_t> seen;
      for (const SuiteCase& one : result.cases()->cases) {
        if (!format_of(one).empty()) ++seen[format_of(one)];
      }
      core::FormatInfo info;
      info.name = "suite";
      info.confidence = 1;
      for (const auto& [name, count] : seen) info.evidence.push_back(core::counted(count, "case") + " of format " + name);
      return info;
    };
    result.baseline.format = most([](const SuiteCase& one) -> const std::string& { return one.format; });
    result.current.format = most([](const SuiteCase& one) -> const std::string& { return one.current_format; });
  }

  const SuiteInput& input_;
  const SuiteTools& tools_;
  SuiteSum sum_;
  core::DiffResult result_;
  std::vector<core::Warning> warnings_;
  std::vector<SuiteFile> baselines_, results_;
  std::vector<std::size_t> baseline_cases_, result_cases_;  // indices into the files, by item
  std::vector<SuiteItem> baseline_items_, result_items_;
  std::size_t done_ = 0;
};

}  // namespace

std::string run_problem(const Measurement& measurement) {
  if (const auto problem = systems::run_problem(measurement))
    return (problem->case_id.empty() ? "" : problem->case_id + ": ") + one_line(problem->why, 300);
  bool judged = false;
  for (const core::Row& row : measurement.rows()) {
    const core::MetricClass& klass = measurement.metric_class(row);
    if (row.state == core::ValueState::failed) {
      return std::string(measurement.key(row)) + " failed" +
             (row.text == 0 ? "" : ": " + std::string(measurement.pool().view(row.text)));
    }
    judged = judged || (klass.role == core::Role::judged && row.value_count > 0);
    // As core::compare has it of a gate with nothing beside it: a count of errors above zero, a "passed" of zero.
    if (klass.role != core::Role::gate || !klass.exact) continue;
    for (const double value : measurement.values(row)) {
      if (klass.direction == core::Direction::lower ? value > 0 : klass.direction == core::Direction::higher && value <= 0)
        return std::string(measurement.key(row)) + " is " + core::number_text(value);
    }
  }
  return judged || measurement.rows().empty() ? std::string() : "no judged row has a number";
}

Expected<std::optional<SuiteInput>> suite_input(const std::string& reference, const std::string& format,
                                                const std::vector<intake::Opened>& sources, const registry::Store& store,
                                                const Context& context) {
  std::optional<SuiteInput> none;
  if (sources.size() != 1 || !sources.front().source.is_directory || sources.front().is_capture()) return none;
  SuiteInput out;
  out.current = &sources.front();
  const std::string path = absolute(context, reference);
  const auto kind = registry::path_kind(path, path_limits(context));
  const bool segment = registry::check_segment("family", reference).has_value();
  if (segment) {
    const auto measurements = store.measurements(registry::Kind::entry);
    const bool known = measurements && std::any_of(measurements->begin(), measurements->end(),
                                                   [&](const auto& one) { return one.first == reference; });
    if (known && !kind) {
      out.family = reference;
      out.baseline_path = reference;
      return std::optional<SuiteInput>(std::move(out));
    }
  }
  // A family has an entry a case, whatever the folder is as a whole; a folder of baselines meets one of results, file by file.
  if (!intake::is_folder_of_files(sources.front(), format)) return none;
  if (kind != registry::PathKind::folder ||
      registry::path_kind(path + "/baseline.json", path_limits(context)) == registry::PathKind::file)
    return none;
  if (const auto named = parse_named_reference(reference)) {
    const auto known = knows(store, *named);
    if (!known) return core::fail(known.error());
    if (*known) return none;
  }
  auto folder = load_source(reference, context, "baseline");
  if (!folder) return core::fail(folder.error());
  if (!intake::is_folder_of_files(*folder, format)) return none;
  out.baseline_path = folder->source.path;
  out.baseline = std::move(*folder);
  return std::optional<SuiteInput>(std::move(out));
}

Expected<core::DiffResult> compare_suite(const SuiteInput& input, const SuiteTools& tools) { return Suite(input, tools).run(); }

Expected<std::string> baseline_in_folder(const std::string& reference, const Measurement& current,
                                         const std::string& current_name, const SuiteTools& tools,
                                         std::vector<core::Warning>& warnings) {
  const std::string path = absolute(tools.context, reference);
  const registry::PathLimits limits = path_limits(tools.context);
  if (current.shape == core::Shape::suite || registry::path_kind(path, limits) != registry::PathKind::folder ||
      registry::path_kind(path + "/baseline.json", limits) == registry::PathKind::file)
    return reference;
  if (const auto named = parse_named_reference(reference)) {
    const auto known = knows(tools.store, *named);
    if (!known) return core::fail(known.error());
    if (*known) return reference;
  }
  auto folder = load_source(reference, tools.context, "baseline");
  if (!folder) return core::fail(folder.error());
  if (!intake::is_folder_of_files(*folder, tools.format)) return reference;
  auto files = read_suite_files(*folder, tools);
  if (!files) return core::fail(files.error());

  // A baseline of the measurement's own kind; failing that, one that has a key of it.
  const std::string kind = current.native != nullptr ? current.native->system : current.format.name;
  std::vector<SuiteItem> items;
  std::vector<const SuiteFile*> candidates;
  std::vector<std::size_t> shared_rows;
  std::unordered_set<core::Id> keys;
  for (const core::Row& row : current.rows()) keys.insert(row.key);
  for (const SuiteFile& file : *files) {
    if (file.measurement == nullptr) continue;
    SuiteItem item = suite_item(file);
    const auto& rows = file.measurement->rows();
    const auto shared = std::count_if(rows.begin(), rows.end(), [&](const core::Row& row) { return keys.contains(row.key); });
    if (item.kind != kind && shared == 0) continue;
    items.push_back(std::move(item));
    candidates.push_back(&file);
    shared_rows.push_back(static_cast<std::size_t>(shared));
  }
  if (items.empty()) {
    return core::fail(ErrorCode::no_matching_baseline,
                      "none of the " + core::counted(files->size(), "file") + " in " + path + " is a baseline for " +
                          current_name + " (" + current.format.name + ")",
                      "name the baseline file, or a folder that holds one of this kind");
  }
  // A file of the same name is meant, whatever else is there.
  std::vector<const SuiteItem*> fitting;
  for (const SuiteItem& item : items) {
    if (without_ending(item.name) == without_ending(current_name)) fitting.push_back(&item);
  }
  if (fitting.empty()) {
    for (const SuiteItem& item : items) fitting.push_back(&item);
  }
  BestFit best = best_fitting(fitting, current.context);
  if (!best.index) return core::fail(ErrorCode::no_matching_baseline, best.note, "name the baseline file itself");
  if (best.tied) {
    // Nothing is known of the hosts: the one that holds what was measured, if it is one.
    const auto rows_of = [&](const SuiteItem* item) { return shared_rows[static_cast<std::size_t>(item - items.data())]; };
    const auto most = std::max_element(fitting.begin(), fitting.end(),
                                       [&](const SuiteItem* a, const SuiteItem* b) { return rows_of(a) < rows_of(b); });
    const auto as_many =
        std::count_if(fitting.begin(), fitting.end(), [&](const SuiteItem* item) { return rows_of(item) == rows_of(*most); });
    if (as_many == 1) {
      best.tied = false;
      best.index = static_cast<std::size_t>(most - fitting.begin());
      best.note = "of " + core::counted(fitting.size(), "baseline") + " " + (*most)->name +
                  " was taken, which shares the most rows (" + std::to_string(rows_of(*most)) + ")";
    }
  }
  if (best.tied) {
    return core::fail(ErrorCode::no_matching_baseline,
                      core::counted(fitting.size(), "baseline") + " in " + path + " would do for " + current_name +
                          " and nothing in their contexts decides",
                      "name the file itself");
  }
  const auto chosen = static_cast<std::size_t>(fitting[*best.index] - items.data());
  if (fitting.size() > 1) warnings.push_back({"baseline_chosen", best.note});
  return candidates[chosen]->source.source.path;
}

}  // namespace plumbline::verbs
