#include "verbs/record/entry.hpp"

#include <algorithm>
#include <cmath>

#include "core/citing.hpp"
#include "core/evidence/row_evidence.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"
#include "profiles/profile.hpp"
#include "registry/handed/handed.hpp"
#include "reports/reports.hpp"
#include "verbs/all.hpp"
#include "verbs/calling/wording.hpp"
#include "verbs/diff/key_use.hpp"
#include "verbs/environment.hpp"
#include "verbs/profile_diff/profile_run.hpp"
#include "verbs/record/freeze_sol.hpp"
#include "verbs/record/given_provenance.hpp"
#include "verbs/record/redact.hpp"
#include "verbs/record/schema_check.hpp"
#include "verbs/record/suite.hpp"
#include "verbs/resolving/clock.hpp"
#include "verbs/resolving/given_context.hpp"
#include "verbs/resolving/measured_order.hpp"
#include "verbs/resolving/run_journal.hpp"
#include "verbs/resolving/session.hpp"
#include "verbs/resolving/signing.hpp"
#include "verbs/resolving/stated_units.hpp"

namespace plumbline::verbs {

namespace {

constexpr std::uint64_t kSnapshotLimit = 1ULL << 30;
constexpr std::uint64_t kInMemory = 256ULL << 20;

bool is_copied(const intake::Opened& source, const Arguments& arguments) {
  const std::string snapshot = arguments.text("snapshot");
  // What was handed over is gone after the call.
  if (registry::names_handed(source.source.path)) return true;
  return snapshot == "copy" || (snapshot != "reference" && source.source.bytes <= kSnapshotLimit);
}

// The captures as the entry will hold them: with --redact the redacted copies, written to `scratch`.
Expected<std::vector<registry::Source>> recorded_sources(EntryRequest& request, const std::string& scratch, bool redact,
                                                         const Context& context) {
  std::vector<registry::Source> out;
  for (const intake::Opened& source : request.sources) {
    out.push_back(source.source);
    if (!redact) continue;
    auto clean = redacted(source, context);
    if (!clean) return core::fail(clean.error());
    out.back().path = scratch + "/" + std::to_string(out.size()) + "-" + redacted_name(source, clean->bytes).name;
    if (auto ok = write_scratch(out.back().path, clean->bytes); !ok) return core::fail(ok.error());
    if (out.size() == 1) request.redacted_capture = std::move(*clean);
  }
  return out;
}

// What the entry says of captures is read from what it will hold of them. Several have to be trials of one another.
Expected<std::vector<profiles::Profile>> recorded_profiles(EntryRequest& request, const Arguments& arguments,
                                                           const Context& context) {
  const bool redact = arguments.flag("redact");
  auto scratch = ScratchFolder::make(context);
  if (!scratch) return core::fail(scratch.error());
  auto sources = recorded_sources(request, scratch->path(), redact, context);
  if (!sources) return core::fail(sources.error());
  profiles::ReadOptions options;
  options.nsys = nsys_path(context);
  options.stop = [&context] { return context.stop_asked(); };
  if (!redact) options.open = capture_opener(context);
  auto side = read_captures(*sources, options, {}, true, context);
  if (side) request.digests = std::move(side->digests);
  if (side) return std::move(side->captures);
  core::Error error = side.error();
  if (redact) error.where = request.sources.front().source.path;
  return core::fail(std::move(error));
}

// What an exact copy of a capture carries that may be nobody's business.
void warn_of_private(const std::vector<profiles::Profile>& captures, std::vector<core::Warning>& warnings) {
  std::uint64_t environment_rows = 0;
  profiles::PrivateRows private_rows;
  for (const profiles::Profile& capture : captures) {
    environment_rows += capture.environment_rows;
    for (const auto& [what, rows] : capture.private_rows) private_rows[what] += rows;
  }
  std::vector<std::string> parts;
  if (environment_rows > 0) {
    parts.push_back("environment variables of the profiled processes or the device (" + core::counted(environment_rows, "row") +
                    ")");
  }
  for (const auto& [what, rows] : private_rows) parts.push_back(what + " (" + core::counted(rows, "row") + ")");
  if (parts.empty()) return;
  warnings.push_back({"environment_in_source", "the capture holds " + core::listed(parts) +
                                                   ", which may be secrets, and the entry a copy of it; --redact records it "
                                                   "without them"});
}

// What plumbline.yaml says of units, for the measurement that is about to be recorded.
Status state_units(core::Measurement& measurement, const ProjectSettings& settings, const EntryRequest& request) {
  auto in_units = in_stated_units(measurement, settings.key_rules, *request.reading.names(), "the source");
  if (!in_units) return core::fail(in_units.error());
  if (*in_units) measurement = std::move(**in_units);
  return {};
}

// What the source says of itself, with what --context added.
Status take_context(core::BaselineRecord& record, core::Context stated, std::string_view file) {
  if (auto ok = state_context(stated, record.context, file); !ok) return ok;
  record.context = std::move(stated);
  return {};
}

// An entry of several captures holds copies of all: a trial that is not there is none.
Status check_copied(const EntryRequest& request, const Arguments& arguments) {
  for (const intake::Opened& each : request.sources) {
    if (!each.is_capture()) {
      return core::fail(ErrorCode::shape_mismatch,
                        "trials must be of one shape: " + core::cited_path(request.sources.front().source.name) +
                            " is a capture, " + core::cited_path(each.source.name) + " is none",
                        "record captures with captures");
    }
    if (request.sources.size() == 1 || arguments.flag("redact") || is_copied(each, arguments)) continue;
    return core::fail(ErrorCode::usage,
                      "an entry of several captures holds copies of all of them, and " + core::cited_path(each.source.name) +
                          " would be its digest only",
                      "`--snapshot copy` keeps it whatever its size");
  }
  return {};
}

Status read_captures_of(EntryRequest& request, const Arguments& arguments, const Context& context, core::BaselineRecord& record,
                        std::vector<core::Warning>& warnings) {
  if (auto ok = check_copied(request, arguments); !ok) return ok;
  if (arguments.has("value"))
    return core::fail(ErrorCode::usage, "--value does not go with a capture",
                      "drop --value, or record the number from a text file");
  auto captures = recorded_profiles(request, arguments, context);
  if (!captures) return core::fail(captures.error());
  const profiles::Profile& first = captures->front();
  record.shape = core::Shape::profile;
  record.format.name = first.info.format;
  record.format.version = first.info.version;
  record.format.confidence = 1;
  record.rows = first.kernels.size();
  record.trials = static_cast<std::uint32_t>(captures->size());
  if (record.trials >= core::kLeastTrials) record.tier = core::Tier::verdict;
  if (auto ok = take_context(record, first.info.context, request.sources.front().source.name); !ok) return ok;
  for (const profiles::Profile& capture : *captures) {
    for (const core::Warning& warning : capture.warnings) {
      if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) warnings.push_back(warning);
    }
  }
  if (!arguments.flag("redact")) warn_of_private(*captures, warnings);
  return {};
}

Status read_and_check(EntryRequest& request, const Arguments& arguments, const Context& context, core::BaselineRecord& record,
                      std::vector<core::Warning>& warnings) {
  const auto pool = std::make_shared<core::StringPool>();
  const intake::Opened& source = request.sources.front();
  if (source.is_capture()) return read_captures_of(request, arguments, context, record, warnings);

  const std::string format = arguments.text("format");
  show_progress(context, 0.1, "reading the measurement");
  // With --value the source is evidence: gigabytes of it are not looked through for a number that is known.
  const bool evidence = arguments.has("value") && format.empty() && source.source.bytes > kSnapshotLimit;
  Expected<core::Measurement> measurement =
      evidence ? core::fail(ErrorCode::limit_exceeded, "it is larger than 1 GiB, and --value says the number")
               : read_measurement(request.sources, format, pool, context, request.reading);
  if (!measurement) {
    if (!arguments.has("value") || measurement.error().code == ErrorCode::cancelled) return core::fail(measurement.error());
    // With --value the source is evidence, not the measurement: any file will do.
    warnings.push_back({"source_not_read", "the source was kept but not read as a measurement: " + measurement.error().message});
    measurement = core::Measurement(pool);
  }
  core::Measurement& m = *measurement;
  warnings.insert(warnings.end(), m.warnings.begin(), m.warnings.end());
  record.format = m.format;
  record.forced_format = format;
  const auto reading = with_formats_beside(request.reading, source, context);
  if (!reading) return core::fail(reading.error());
  record.stated_format = reading->statement_of(record.format.name);
  record.trials = m.trial_files;
  if (auto ok = take_context(record, m.context, source.source.name); !ok) return ok;

  const auto project = read_project_file(request.root, context);
  if (!project) return core::fail(project.error());
  const ProjectSettings settings = settings_for(*project, request.family, request.measurement, record.format.name);

  const bool scalar_source = m.shape == core::Shape::scalar && !m.rows().empty();
  if (arguments.has("value") || scalar_source) {
    record.shape = core::Shape::scalar;
    if (arguments.has("value")) {
      record.value = *arguments.number("value");
      if (scalar_source && m.rows().front().value_count > 0 && core::median(m.values(m.rows().front())) != *record.value) {
        warnings.push_back({"value_differs_from_source", "--value " + core::number_text(*record.value) +
                                                             " is recorded; the source says " +
                                                             core::number_text(core::median(m.values(m.rows().front())))});
      }
      if (!scalar_source || core::median(m.values(m.rows().front())) != *record.value) {
        record.measurement = request.measurement;
        core::Measurement from_value = scalar_measurement(record, pool);
        from_value.format = m.format;
        m = std::move(from_value);
      }
    } else {
      const core::Row& row = m.rows().front();
      if (row.value_count == 0) {
        return core::fail(ErrorCode::invalid_input, "the source's value is not a finite number",
                          "measure again, or give --value N", source.source.path);
      }
      record.value = core::median(m.values(row));
      record.trials = std::max(record.trials, row.value_count);
      if (row.state == core::ValueState::big_integer) record.value_text = m.pool().view(row.text);
    }
    m = named_scalar(std::move(m), request.measurement);
    if (!arguments.has("unit")) {
      if (auto ok = state_units(m, settings, request); !ok) return ok;
      record.value = core::median(m.values(m.rows().front()));
    }
    if (arguments.has("unit")) {
      record.unit = arguments.text("unit");
    } else if (!m.unit(m.rows().front()).empty()) {
      record.unit = std::string(m.unit(m.rows().front()));
    }
    if (record.unit) {
      core::MetricClass klass = m.metric_class(m.rows().front());
      klass.unit = pool->intern(*record.unit);
      m.rows().front().metric_class = m.intern_class(klass);
    }
    record.rows = 1;
  } else {
    record.shape = core::Shape::structured;
    record.rows = m.rows().size();
    if (arguments.has("unit")) record.unit = arguments.text("unit");
    if (auto ok = state_units(m, settings, request); !ok) return ok;
    std::uint32_t fewest = 0;
    for (const core::Row& row : m.rows()) {
      if (row.value_count == 0 || m.metric_class(row).role != core::Role::judged) continue;
      fewest = fewest == 0 ? row.value_count : std::min(fewest, row.value_count);
    }
    record.trials = std::max(record.trials, std::max(fewest, 1U));
  }
  const core::Measurement* const sides[] = {&m};
  if (auto ok = check_keys(request.rules, sides); !ok) return ok;
  if (!request.rules.key_rules.empty() && record.shape != core::Shape::scalar) {
    core::CompareRules rules;
    rules.key_rules = request.rules.key_rules;
    KeyUse keys(request.rules.key_rules);
    keys.see(core::compare(m, m, rules, [&context] { return context.stop_asked(); }));
    if (context.stop_asked()) return core::fail(cancelled_error());
    const std::vector<core::Warning> idle = keys.warnings();
    warnings.insert(warnings.end(), idle.begin(), idle.end());
  }
  // What the entry can carry by itself; a diff's tier depends on both sides.
  const bool repeated = record.trials >= 3 && m.replication != core::Replication::in_process;
  record.tier = repeated ? core::Tier::verdict : core::Tier::draft;

  const std::string ceiling = arguments.text("ceiling", settings.ceiling.value_or("none"));
  if (ceiling != "none") {
    auto ceilings = ceilings_for(request.root, context);
    if (!ceilings) return core::fail(ceilings.error());
    auto frozen = freeze_sol(m, record.context, ceiling, **ceilings);
    if (!frozen) return core::fail(frozen.error());
    warnings.insert(warnings.end(), frozen->warnings.begin(), frozen->warnings.end());
    if (record.shape == core::Shape::scalar) {
      record.scalar_sol = frozen->rows.front();
    } else {
      record.sol = std::move(frozen->rows);
    }
  }
  return {};
}

void fill_provenance(core::BaselineRecord& record, const EntryRequest& request, const Arguments& arguments,
                     const Context& context) {
  record.schema = "plumbline.baseline.v1";
  record.family = request.family;
  record.measurement = request.measurement;
  record.direction = request.rules.direction ? std::string(core::to_string(*request.rules.direction)) : "auto";
  record.directions = request.rules.directions;
  record.tolerances = request.rules.tolerances;
  record.headline = request.rules.headlines;
  record.source_path = request.sources.front().source.path;
  record.registered_at_utc = registry::utc_text(request.now);
  record.operator_user = user_name(context);
  record.hostname = host_name();
  record.uname = uname_text();
  record.measured_at_utc = request.provenance.measured_at_utc;
  if (!request.provenance.commit.empty()) {
    record.git_commit = record.profile_and_optimize_sha = request.provenance.commit;
  } else if (record.measured_at_utc.empty()) {  // what is checked out today says nothing of what was measured then
    if (const auto git = git_state(request.root, context)) {
      record.git_commit = git->commit;
      record.profile_and_optimize_sha = git->commit;
      record.git_dirty = git->dirty;
    }
  }
  record.notes = arguments.text("notes");
  record.label = arguments.text("label");
  record.reason = arguments.text("reason");
  record.command = context.command;
  record.tool.version = version();
}

Status stage_sources(EntryRequest& request, const Arguments& arguments, const Context& context, registry::Staging* staging,
                     core::BaselineRecord& record, std::vector<core::Warning>& warnings) {
  const registry::PathLimits limits = path_limits(context);
  const bool redact = arguments.flag("redact");
  for (std::size_t trial = 0; trial < request.sources.size(); ++trial) {
    if (context.stop_asked()) return core::fail(cancelled_error());
    const intake::Opened& loaded = request.sources[trial];
    const registry::Source& source = loaded.source;
    const bool copy = is_copied(loaded, arguments);
    if (staging != nullptr) {
      show_progress(context, 0.7 + 0.2 * static_cast<double>(trial) / static_cast<double>(request.sources.size()),
                    (copy || redact ? "copying " : "hashing ") + source.name);
    }
    // Others are copied block by block, and hashed in the same pass: what is mapped would be the process's memory.
    const bool in_memory = !source.is_directory && !loaded.is_capture() && source.bytes <= kInMemory;
    std::string name = snapshot_name("source-snapshot", source, trial);
    std::string digest;
    std::uint64_t bytes = source.bytes;
    if (redact) {
      Expected<profiles::Redaction> clean =
          trial == 0 && request.redacted_capture ? std::move(*request.redacted_capture) : redacted(loaded, context);
      if (!clean) return core::fail(clean.error());
      name = snapshot_name("source-snapshot", redacted_name(loaded, clean->bytes), trial);
      digest = registry::sha256_hex(clean->bytes);
      bytes = clean->bytes.size();
      warnings.push_back(redacted_warning(clean->taken_out));
      if (staging != nullptr) {
        if (auto ok = staging->add(name, clean->bytes); !ok) return ok;
      }
    } else if (!copy || staging == nullptr) {
      if (in_memory) {
        digest = registry::sha256_hex(loaded.input().bytes);
      } else {
        auto whole = registry::source_digest(source, limits);
        if (!whole) return core::fail(whole.error());
        digest = *whole;
      }
      if (!copy && trial == 0) {
        warnings.push_back(
            {"snapshot_referenced", "the entry holds the source's digest, not a copy; keep the source where it is"});
      }
    } else if (source.is_directory) {
      // One pass: the bytes that are copied are the bytes of the digest (the reference tool's, over path, NUL, content).
      registry::Sha256 folder;
      for (std::size_t i = 0; i < source.files.size(); ++i) {
        const registry::SourceFile& file = source.files[i];
        registry::Bytes fresh;
        std::string_view view;
        if (i < loaded.bytes().size()) {
          view = loaded.bytes()[i].view();
        } else {
          auto read = registry::read_file(file.path, limits);
          if (!read) return core::fail(read.error());
          fresh = std::move(*read);
          view = fresh.view();
        }
        folder.update(file.relative);
        folder.update(std::string_view("\0", 1));
        folder.update(view);
        if (auto ok = staging->add(name + "/" + file.relative, view); !ok) return ok;
      }
      digest = folder.hex();
    } else if (in_memory) {
      if (auto ok = staging->add(name, loaded.input().bytes); !ok) return ok;
      digest = staging->digest_of(name).value_or("");
    } else {
      auto copied = staging->add_copy(name, source.files.front(), limits);
      if (!copied) return core::fail(copied.error());
      digest = copied->sha256;
    }
    if (trial == 0) {
      record.source_sha256 = digest;
      record.snapshot_bytes = bytes;
      record.snapshot_sha256 = digest;
      record.snapshot_path = copy || redact ? name : "";
    } else if (copy || redact) {
      record.trial_snapshots.push_back(name);
    }
  }
  return {};
}

// What the signed statement says of the sources and of what is recorded.
void sign_entry(registry::Staging& staging, const EntryRequest& request, const core::BaselineRecord& record) {
  using registry::attest::Dependency;
  std::vector<Dependency> dependencies = {{"source", record.source_sha256, request.sources.front().source.path}};
  for (std::size_t trial = 1; trial < request.sources.size(); ++trial) {
    const std::string copy = trial <= record.trial_snapshots.size() ? record.trial_snapshots[trial - 1] : std::string();
    dependencies.push_back({"trial", staging.digest_of(copy).value_or(""), request.sources[trial].source.path});
  }
  registry::attest::Fields result = {
      {"shape", json_value(core::to_string(record.shape))}, {"format", json_value(record.format.name)},
      {"tier", json_value(core::to_string(record.tier))},   {"direction", json_value(record.direction)},
      {"trials", json_value(std::uint64_t{record.trials})}, {"rows", json_value(record.rows)}};
  if (record.value) result.emplace_back("value", json_value(*record.value));
  if (record.unit) result.emplace_back("unit", json_value(*record.unit));
  if (!record.headline.empty()) result.emplace_back("headline", json_value(record.headline));
  sign(staging, request.signer, std::move(dependencies), std::move(result));
}

}  // namespace

Expected<EntryRequest> entry_request(const Arguments& arguments, const Context& context, std::shared_ptr<registry::Store> store) {
  EntryRequest request;
  request.family = arguments.text("family");
  request.measurement = arguments.text("measurement");
  if (auto ok = registry::check_segment("family", request.family); !ok) return core::fail(ok.error());
  if (auto ok = registry::check_segment("measurement", request.measurement); !ok) return core::fail(ok.error());
  auto root = root_of(arguments, context);
  if (!root) return core::fail(root.error());
  request.root = *root;
  if (const auto value = arguments.number("value"); value && !std::isfinite(*value)) {
    return core::fail(ErrorCode::usage, "--value must be a finite number", "leave it out to take the number from the source");
  }
  auto signer = signer_for("record", arguments, context);
  if (!signer) return core::fail(signer.error());
  request.signer = std::move(*signer);
  auto reading = reading_rules_for(request.root, context);
  if (!reading) return core::fail(reading.error());
  request.reading = std::move(*reading);
  auto rules = flag_rules(arguments);
  if (!rules) return core::fail(rules.error());
  request.rules = std::move(*rules);
  auto given = given_context(arguments.list("context"));
  if (!given) return core::fail(given.error());
  request.context = std::move(*given);
  request.now = context.now();
  auto provenance = given_provenance(arguments, request.now);
  if (!provenance) return core::fail(provenance.error());
  request.provenance = std::move(*provenance);
  request.store = store ? std::move(store) : std::shared_ptr<registry::Store>(open_store(request.root, context));
  const std::string slug = registry::slug_of(request.now);
  auto place = request.store->place(registry::Kind::entry, request.family, request.measurement, slug);
  if (!place) return core::fail(place.error());
  request.place = std::move(*place);

  std::vector<std::string> paths = {arguments.text("source")};
  const auto& trials = arguments.list("trials");
  paths.insert(paths.end(), trials.begin(), trials.end());
  for (const std::string& path : paths) {
    auto source = load_source(path, context, request.sources.empty() ? "source" : "trials");
    if (!source) return core::fail(source.error());
    if (source->source.is_directory) {
      if (auto ok = registry::check_not_inside(source->source, request.place); !ok) return core::fail(ok.error());
    }
    request.sources.push_back(std::move(*source));
  }
  return request;
}

namespace {

// Of `run --record` alone, no parameter of the verb: the journal's path, and that the trials' files are gone after the call.
constexpr const char* kRunJournal = "run_journal";
constexpr const char* kPassing = "passing_source";

// Outside of what a caller may name: `run` wrote it.
Expected<registry::Bytes> journal_text(const std::string& path) { return registry::read_file(path, {}); }

// Trials that something else disturbed are no reference to hold a VERDICT against.
Status weigh_journal(const EntryRequest& request, const std::string& path, core::BaselineRecord& record,
                     std::vector<core::Warning>& warnings) {
  const auto text = journal_text(path);
  if (!text) return core::fail(text.error());
  const auto journal = parse_run_journal(text->view(), path);
  if (!journal) return core::fail(journal.error());
  std::vector<std::string> digests;
  for (const intake::Opened& source : request.sources) digests.push_back(intake::digest_of(source));
  const RunJournal::Side* side = journal->side_of(digests);
  if (side == nullptr || !is_disturbed(*side)) return {};
  const std::string disturbed = std::to_string(side->disturbed) + " of " + core::counted(side->sha256.size(), "trial") +
                                " were disturbed (" + core::cited_word(side->disturbance) + ")";
  record.tier = core::Tier::draft;
  record.notes += (record.notes.empty() ? "" : "; ") + disturbed;
  warnings.push_back({"disturbed_trials", disturbed + ": the entry is a DRAFT; record it again when the machine is quiet"});
  return {};
}

}  // namespace

Expected<core::RecordResult> look_at_entry(EntryRequest& request, const Arguments& arguments, const Context& context) {
  core::RecordResult result;
  for (const intake::Opened& loaded : request.sources) {
    if (loaded.source.skipped.empty()) continue;
    result.warnings.push_back({"source_parts_skipped", core::counted(loaded.source.skipped.size(), "part") +
                                                           " of the folder not taken (links to folders are not followed): " +
                                                           core::cited_list(loaded.source.skipped)});
  }
  core::BaselineRecord& record = result.baseline;
  record.context = request.context;
  if (arguments.has("schema")) {
    const std::string schema = absolute(context, arguments.text("schema"));
    auto checked = check_schema(schema, request.sources.front(), context);
    if (!checked) return core::fail(checked.error());
    record.schema_path = schema;
    result.warnings.insert(result.warnings.end(), checked->begin(), checked->end());
  }
  if (auto ok = read_and_check(request, arguments, context, record, result.warnings); !ok) return core::fail(ok.error());
  fill_provenance(record, request, arguments, context);
  if (arguments.has(kRunJournal)) {
    if (auto ok = weigh_journal(request, arguments.text(kRunJournal), record, result.warnings); !ok)
      return core::fail(ok.error());
  }
  if (record.direction == "auto" && record.shape == core::Shape::scalar) {
    const auto guess = request.reading.names()->guess(request.measurement, record.unit.value_or(""));
    if (guess.direction == core::Direction::unknown) {
      result.warnings.push_back({"direction_unknown", "nothing says whether more or less of " + request.measurement +
                                                          " is better: a change will be YELLOW at most; give --direction"});
    }
  }
  // What is backfilled comes before what is there, and supersedes nothing.
  if (record.measured_at_utc.empty()) {
    const auto newest = newest_measured(*request.store, request.family, request.measurement, path_limits(context));
    if (newest) record.supersedes = *newest;
    if (auto warning = clock_against_record(request.family, request.measurement, record.supersedes, request.now))
      result.warnings.push_back(std::move(*warning));
  }
  return result;
}

Status digest_sources(EntryRequest& request, const Arguments& arguments, const Context& context, core::RecordResult& result) {
  return stage_sources(request, arguments, context, nullptr, result.baseline, result.warnings);
}

Expected<std::unique_ptr<registry::Staging>> stage_entry(EntryRequest& request, const Arguments& arguments,
                                                         const Context& context, core::RecordResult& result, bool in_batch) {
  core::BaselineRecord& record = result.baseline;
  auto staging = request.store->stage(registry::Kind::entry, request.family, request.measurement);
  if (!staging) return core::fail(staging.error());
  if (in_batch) (*staging)->in_batch();
  if (auto ok = stage_sources(request, arguments, context, staging->get(), record, result.warnings); !ok)
    return core::fail(ok.error());
  if (arguments.flag(kPassing) && !record.snapshot_path.empty()) record.source_path = record.snapshot_path;
  if (arguments.has(kRunJournal)) {
    const auto text = journal_text(arguments.text(kRunJournal));
    if (!text) return core::fail(text.error());
    if (auto ok = (*staging)->add("run.json", text->view()); !ok) return core::fail(ok.error());
  }
  for (std::size_t i = 0; i < request.digests.size(); ++i) {
    if (auto ok = (*staging)->add(digest_name("profile-digest", i), request.digests[i]); !ok) return core::fail(ok.error());
  }
  if (auto ok = (*staging)->add("baseline.json", reports::baseline_json(record)); !ok) return core::fail(ok.error());
  if (auto ok = (*staging)->add("SOURCE.md", reports::source_markdown(record)); !ok) return core::fail(ok.error());
  if (context.stop_asked()) return core::fail(cancelled_error());
  sign_entry(**staging, request, record);
  return staging;
}

}  // namespace plumbline::verbs
