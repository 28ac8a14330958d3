// record: look at everything first (names, source, schema, keys, ceiling), then stage, hash in the pass that copies, and
// publish by one rename. A refusal creates nothing.
#include "core/citing.hpp"
#include "core/text.hpp"
#include "reports/reports.hpp"
#include "verbs/all.hpp"
#include "verbs/calling/warnings.hpp"
#include "verbs/calling/wording.hpp"
#include "verbs/environment.hpp"
#include "verbs/indexing/feed.hpp"
#include "verbs/record/entry.hpp"
#include "verbs/record/suite.hpp"

namespace plumbline::verbs {

namespace {

Status require(const Arguments& arguments, std::initializer_list<std::string_view> names) {
  std::string missing;
  for (const std::string_view name : names) {
    if (!arguments.has(name)) missing += (missing.empty() ? "--" : ", --") + std::string(name);
  }
  if (missing.empty()) return {};
  return core::fail(ErrorCode::usage, "the following arguments are required: " + missing,
                    "`plumbline record --family F --measurement M --source PATH`");
}

// What would be recorded, in the words of its result. Slug and times are left out: they are the publication's.
std::string question(const EntryRequest& request, const core::BaselineRecord& record) {
  const registry::Source& source = request.sources.front().source;
  std::string what = std::string(core::to_string(record.shape)) + ", " + core::counted(record.rows, "row") + ", " +
                     core::counted(record.trials, "trial") + ", " + std::to_string(source.bytes) + " bytes";
  if (record.value) what = core::number_text(*record.value) + (record.unit ? " " + *record.unit : "") + ", " + what;
  std::string text = "Record " + request.family + "/" + request.measurement + " from " + one_line(source.path, 200) + " (" +
                     one_line(what, 200) + ") as a new, immutable baseline entry";
  if (!record.headline.empty()) text += ", headline " + one_line(core::cited_list(record.headline), 200);
  if (!record.measured_at_utc.empty()) return text + ", measured at " + record.measured_at_utc + "?";
  return text + (record.supersedes.empty() ? ", the first of its measurement?" : ", after " + record.supersedes + "?");
}

}  // namespace

Expected<Outcome> run_record(const Arguments& arguments, const Context& context) {
  if (arguments.text("as") == "suite") return run_record_suite(arguments, context);
  for (const std::string_view name : {"against", "allow_regressed"}) {
    if (!arguments.has(name)) continue;
    return core::fail(ErrorCode::usage,
                      (name == "against" ? "--against" : "--allow-regressed") + std::string(" goes with --as suite"),
                      "`plumbline record --as suite --family F --source FOLDER --reason TEXT`");
  }
  if (auto ok = require(arguments, {"family", "measurement", "source"}); !ok) return core::fail(ok.error());
  auto request = entry_request(arguments, context);
  if (!request) return core::fail(request.error());
  auto looked = look_at_entry(*request, arguments, context);
  if (!looked) return core::fail(looked.error());
  core::RecordResult& result = *looked;
  if (context.stop_asked()) return core::fail(cancelled_error());

  result.dry_run = arguments.flag("dry_run");
  if (result.dry_run) {
    if (auto ok = digest_sources(*request, arguments, context, result); !ok) return core::fail(ok.error());
    result.slug = registry::slug_of(request->now);
    result.entry_dir = request->store->address_of(request->place);
  } else {
    if (context.read_only)
      return core::fail(ErrorCode::path_not_allowed, "this server is read-only: record is not offered",
                        "`--dry-run` says what would be recorded; else use a server without --read-only");
    if (auto yes = confirmed(context, question(*request, result.baseline)); !yes) return core::fail(std::move(yes.error()));
    auto staging = stage_entry(*request, arguments, context, result);
    if (!staging) return core::fail(staging.error());
    show_progress(context, 0.95, "publishing the entry");
    auto published = request->store->publish(std::move(*staging), request->now);
    if (!published) return core::fail(published.error());
    show_progress(context, 1, "done");
    result.slug = published->slug;
    result.entry_dir = published->address;
    result.entry_sha256 = published->sha256;
    result.files = published->files;
    result.warnings.insert(result.warnings.end(), published->warnings.begin(), published->warnings.end());
    feed_index(*request->store, request->root, registry::Kind::entry, request->family, request->measurement, {published->slug},
               result.warnings, context);
  }

  Outcome outcome;
  outcome.json = reports::record_result_json(result);
  outcome.text = reports::record_table(result, true);
  outcome.text_has_warnings = true;
  for (const core::Warning& warning : result.warnings)
    outcome.warnings.push_back(std::string(warning.code.text()) + ": " + warning.message);
  return outcome;
}

}  // namespace plumbline::verbs
