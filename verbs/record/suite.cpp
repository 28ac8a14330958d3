#include "verbs/record/suite.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "intake/measurement.hpp"
#include "reports/reports.hpp"
#include "verbs/all.hpp"
#include "verbs/calling/wording.hpp"
#include "verbs/environment.hpp"
#include "verbs/suite/pairing.hpp"
#include "verbs/suite/suite.hpp"

namespace plumbline::verbs {

namespace {

using core::CaseState;
using core::SuiteCase;

Status check_arguments(const Arguments& arguments) {
  std::string missing;
  for (const std::string_view name : {"family", "source", "reason"}) {
    if (!arguments.has(name)) missing += (missing.empty() ? "--" : ", --") + std::string(name);
  }
  if (!missing.empty()) {
    return core::fail(
        ErrorCode::usage, "--as suite needs " + missing,
        "`plumbline record --as suite --family F --source FOLDER --reason TEXT`: the reason is what reviewers read");
  }
  if (core::trim(arguments.text("reason")).empty()) {
    return core::fail(ErrorCode::usage, "--reason is empty", "say why these results are right: it is what reviewers read");
  }
  for (const std::string_view name : {"measurement", "value", "unit", "schema", "trials", "label"}) {
    if (!arguments.has(name)) continue;
    return core::fail(ErrorCode::usage, "--" + std::string(name) + " does not go with --as suite",
                      "every case becomes an entry of its own, named after the case");
  }
  return registry::check_segment("family", arguments.text("family"));
}

struct Compared {
  std::string against;
  std::vector<core::Warning> warnings;
  core::SuiteReport suite;
};

// A difference of context is no fault of a case, and yet what passed against another host's baseline has proven little: it is
// said.
Compared told(const core::DiffResult& result, const std::string& against) {
  Compared out{against, result.warnings, *result.cases()};
  for (const core::Reason& reason : result.reasons) {
    if (reason.code == "context_differs" || reason.code == "native_hidden_context")
      out.warnings.push_back({"against_another_context", reason.message});
  }
  return out;
}

// The results judged against --against, else against the family's own entries.
Expected<Compared> compared_with(const Arguments& arguments, const std::string& root, const std::vector<intake::Opened>& sources,
                                 const registry::Store& store, const Context& context) {
  const intake::Opened& folder = sources.front();
  if (folder.is_capture() || !folder.source.is_directory) {
    return core::fail(ErrorCode::usage, "--as suite takes a folder of results, one file a case: " + folder.source.path,
                      "record one measurement with --measurement M");
  }
  const std::string format = arguments.text("format");
  DiffRequest request;
  request.root = root;
  request.format = format;
  SuiteInput input;
  input.current = &folder;
  input.family = input.baseline_path = arguments.text("against", arguments.text("family"));
  if (arguments.has("against")) {
    auto given = suite_input(input.family, format, sources, store, context);
    if (!given) return core::fail(given.error());
    if (!*given) {
      // One file may hold the entries of all cases, where the results are one measurement of them.
      request.baseline = {input.family};
      request.current = {folder.source.path};
      auto cells = intake::is_folder_of_files(folder, format) ? Expected<core::DiffResult>() : diff_cells(request, context);
      if (!cells) {
        Error error = cells.error();
        if (error.code == ErrorCode::shape_mismatch)
          error.hint =
              "name the baseline of these cases' host, or leave --against out: then they are held against the family itself";
        return core::fail(std::move(error));
      }
      if (cells->cases() == nullptr) {
        return core::fail(ErrorCode::not_found,
                          "--against is neither a family of the registry nor a folder of baselines: " + input.family,
                          "name a family, the folder that holds one baseline file a case, or TensorSharp's baseline-<host>.json "
                          "for a folder of its results");
      }
      return told(*cells, cells->baseline.path);
    }
    input = std::move(**given);
  }
  request.baseline = {input.baseline_path};
  auto cases = diff_suite(request, context, input);
  if (!cases) return core::fail(cases.error());
  return told(*cases, input.baseline_path);
}

// A YELLOW case may be doubtful for its context alone; one with a row that regressed, vanished or broke has not passed.
bool is_worse(const SuiteCase& one) {
  if (one.state == CaseState::failed) return true;
  // A row that moved beyond its tolerance, and of which nobody knows which way is worse, may have got worse.
  const bool moved = std::any_of(one.reasons.begin(), one.reasons.end(),
                                 [](const core::Reason& reason) { return reason.code == "direction_unknown"; });
  return one.verdict && (one.counts.regressed > one.counts.suspect || one.counts.missing > 0 || one.counts.invalid > 0 || moved);
}

// Why a case becomes no entry; "" when it does.
std::string refusal(const SuiteCase& one, bool allow_regressed) {
  const auto said = [&one](const char* otherwise) { return one.reason.empty() ? std::string(otherwise) : one.reason; };
  if (one.current_files.empty()) return "there is no result";
  if (one.state == CaseState::skipped) return said("the result says that it was skipped");
  if (one.state == CaseState::error) return said("it cannot be compared");
  if (!one.run_problem.empty()) return "its run failed: " + one.run_problem;
  if (is_worse(one) && !allow_regressed) return said("a row of it regressed, vanished or is invalid");
  return {};
}

// The newest entry of the case's measurement if it holds this very file: an interrupted record is taken up where it ended.
std::string recorded_as(const std::string& family, const SuiteCase& one, const std::map<std::string, std::string>& digests,
                        const registry::Store& store, const Context& context) {
  if (one.current_files.size() != 1) return {};
  const std::string measurement = case_segment(one.id);
  const auto newest = store.newest_slugs(registry::Kind::entry, family, measurement, 1);
  if (!newest || newest->empty()) return {};
  const auto entry =
      store.open(store.directory(registry::Kind::entry, family, measurement) + "/" + newest->front(), path_limits(context));
  return entry && entry->record.source_sha256 == digests.at(one.current_files.front()) ? newest->front() : std::string();
}

Arguments arguments_of(const Arguments& arguments, const SuiteCase& one, const std::map<std::string, std::string>& paths) {
  Arguments out;
  for (const auto& [name, value] : arguments.all()) {
    if (name != "as" && name != "against" && name != "allow_regressed" && name != "source") out.set(name, value);
  }
  out.set("measurement", case_segment(one.id));
  out.set("source", paths.at(one.current_files.front()));
  std::vector<std::string> trials;
  for (std::size_t i = 1; i < one.current_files.size(); ++i) trials.push_back(paths.at(one.current_files[i]));
  if (!trials.empty()) out.set("trials", std::move(trials));
  return out;
}

std::string question(const core::SuiteRecord& record, const std::vector<const SuiteCase*>& taken) {
  std::string text = "Record " + core::counted(taken.size(), "case") + " of " + one_line(record.source_path, 200) +
                     " as new, immutable baseline entries of " + record.family + ", because: " + one_line(record.reason, 300);
  if (!record.left_out.empty()) text += "; leaving out " + core::counted(record.left_out.size(), "case");
  const auto red = std::count_if(taken.begin(), taken.end(), [](const SuiteCase* one) { return is_worse(*one); });
  if (red > 0)
    text += "; " + core::counted(static_cast<std::uint64_t>(red), "of them is", "of them are") + " worse than what they replace";
  return text + "?";
}

Status nothing_taken(const core::SuiteRecord& record) {
  std::vector<std::string> red, all;
  for (const core::SuiteLeftOut& one : record.left_out) {
    const std::string text = one.id + (one.reason.empty() ? "" : " (" + one_line(one.reason, 160) + ")");
    all.push_back(text);
    if (one.worse) red.push_back(text);
  }
  if (!red.empty()) {
    return core::fail(ErrorCode::usage,
                      "no case can become a baseline: worse than what it would replace: " + core::listed(red, 3),
                      "fix what regressed; `--allow-regressed` records it all the same, with the reason beside it");
  }
  return core::fail(ErrorCode::invalid_input, "no case can become a baseline: " + core::listed(all, 3),
                    "`plumbline diff` of the two folders says more of each");
}

}  // namespace

Expected<Outcome> run_record_suite(const Arguments& arguments, const Context& context) {
  if (auto ok = check_arguments(arguments); !ok) return core::fail(ok.error());
  auto root = root_of(arguments, context);
  if (!root) return core::fail(root.error());
  const auto store = open_store(*root, context);
  std::vector<intake::Opened> sources;
  auto source = load_source(arguments.text("source"), context, "source");
  if (!source) return core::fail(source.error());
  sources.push_back(std::move(*source));
  auto compared = compared_with(arguments, *root, sources, *store, context);
  if (!compared) return core::fail(compared.error());

  core::SuiteRecord record;
  record.family = arguments.text("family");
  record.reason = arguments.text("reason");
  record.source_path = sources.front().source.path;
  record.against = compared->against;
  record.dry_run = arguments.flag("dry_run");
  record.warnings = compared->warnings;
  std::map<std::string, std::string> paths, segments, digests;
  for (std::size_t i = 0; i < sources.front().source.files.size(); ++i) {
    const registry::SourceFile& file = sources.front().source.files[i];
    paths.emplace(file.relative, file.path);
    digests.emplace(file.relative, registry::sha256_hex(sources.front().bytes()[i].view()));
  }
  std::vector<const SuiteCase*> taken;
  std::size_t already = 0;
  for (const SuiteCase& one : compared->suite.cases) {
    std::string why = refusal(one, arguments.flag("allow_regressed"));
    if (why.empty()) {
      if (const std::string slug = recorded_as(record.family, one, digests, *store, context); !slug.empty()) {
        ++already;
        record.left_out.push_back({one.id, one.state, "already recorded as " + slug, false});
      } else {
        taken.push_back(&one);
      }
    } else {
      record.left_out.push_back({one.id, one.state, std::move(why), is_worse(one)});
    }
  }
  if (taken.empty() && already == 0) {
    if (auto ok = nothing_taken(record); !ok) return core::fail(ok.error());
  }
  for (const SuiteCase* one : taken) {
    const std::string segment = case_segment(one->id);
    const auto [before, fresh] = segments.emplace(segment, one->id);
    if (segment.empty() || !fresh) {
      return core::fail(ErrorCode::invalid_input,
                        segment.empty() ? "the case " + core::cited(one->id) + " has no letter or digit to be named by"
                                        : "the cases " + core::cited(before->second) + " and " + core::cited(one->id) +
                                              " would both be recorded as " + record.family + "/" + segment,
                        "rename one of the files, or record it by itself with --measurement M");
    }
  }
  std::uint64_t red = 0;
  for (const core::SuiteLeftOut& one : record.left_out) red += one.worse ? 1 : 0;
  if (red > 0) {
    record.warnings.push_back(
        {"regressed_not_recorded", (red == 1 ? "1 case is worse than what it would replace and was"
                                             : std::to_string(red) + " cases are worse than what they would replace and were") +
                                       std::string(" not recorded; --allow-regressed records what is worse all the same")});
  }
  if (!record.dry_run && !taken.empty()) {
    if (context.read_only)
      return core::fail(ErrorCode::path_not_allowed, "this server is read-only: record is not offered",
                        "`--dry-run` says what would be recorded; else use a server without --read-only");
    if (auto yes = confirmed(context, question(record, taken)); !yes) return core::fail(std::move(yes.error()));
  }
  Context quiet = context;  // the question was asked once, for all
  quiet.confirm = {};
  quiet.progress = {};
  std::sort(taken.begin(), taken.end(), [](const SuiteCase* a, const SuiteCase* b) { return a->id < b->id; });
  // Everything is looked at before anything is written.
  for (const bool dry_run : {true, false}) {
    if (!dry_run && record.dry_run) break;
    record.entries.clear();
    const auto so_far = [&] {
      return std::to_string(record.entries.size()) + " of " + core::counted(taken.size(), "case was", "cases were") +
             " recorded before it; the same call goes on with the others";
    };
    for (const SuiteCase* one : taken) {
      if (context.stop_asked()) {
        if (dry_run || record.entries.empty()) return core::fail(cancelled_error());
        return core::fail(ErrorCode::cancelled, "cancelled; " + so_far());
      }
      Arguments each = arguments_of(arguments, *one, paths);
      each.set("dry_run", dry_run);
      auto outcome = run_record(each, quiet);
      if (!outcome) {
        Error error = outcome.error();
        const bool some = !dry_run && !record.entries.empty();
        if (error.code == ErrorCode::cancelled && some) {
          error.message = "cancelled; " + so_far();
        } else {
          error.message = one->id + ": " + error.message + (some ? "; " + so_far() : std::string());
        }
        return core::fail(std::move(error));
      }
      const auto json = nlohmann::json::parse(outcome->json, nullptr, false);
      core::SuiteEntry entry;
      entry.id = one->id;
      entry.state = one->state;
      entry.verdict = one->verdict;
      entry.measurement = case_segment(one->id);
      const auto text = [&json](const char* name) {
        const auto it = json.find(name);
        return it != json.end() && it->is_string() ? it->get<std::string>() : std::string();
      };
      entry.entry_dir = text("entry_dir");
      entry.slug = text("slug");
      entry.entry_sha256 = text("entry_sha256");
      record.entries.push_back(std::move(entry));
    }
  }
  std::sort(record.left_out.begin(), record.left_out.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  show_progress(context, 1, "done");

  Outcome outcome;
  outcome.json = reports::suite_record_json(record);
  outcome.text = reports::suite_record_table(record, true);
  outcome.text_has_warnings = true;
  for (const core::Warning& warning : record.warnings)
    outcome.warnings.push_back(std::string(warning.code.text()) + ": " + warning.message);
  return outcome;
}

}  // namespace plumbline::verbs
