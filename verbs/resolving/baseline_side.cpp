#include "verbs/resolving/baseline_side.hpp"

#include <algorithm>
#include <future>

#include "core/statistics.hpp"
#include "profiles/profile.hpp"
#include "verbs/resolving/clock.hpp"
#include "verbs/resolving/inputs.hpp"

namespace plumbline::verbs {

namespace {

using core::Measurement;

Expected<Measurement> read_entry(const registry::Entry& entry, const std::shared_ptr<core::StringPool>& pool,
                                 const ReadingRules& given, const Context& context) {
  const core::BaselineRecord& record = entry.record;
  const bool scalar = record.value.has_value();
  ReadingRules reading = given;
  if (!record.stated_format.empty()) {  // it is read as it was then
    auto stated = formats::stated::parse_formats(record.stated_format, entry.path + "/baseline.json: stated_format");
    if (!stated) return core::fail(stated.error());
    reading.formats.insert(reading.formats.begin(), std::move(*stated));
  }
  const std::string& format = record.stated_format.empty() ? record.forced_format : record.format.name;
  std::vector<std::string> paths;
  if (!entry.snapshot.empty()) paths.push_back(entry.snapshot);
  paths.insert(paths.end(), entry.trial_snapshots.begin(), entry.trial_snapshots.end());
  if (paths.empty() && !scalar) {
    // Recorded with --snapshot reference: the source itself, checked below as it was loaded.
    paths.push_back(record.source_path);
  }
  std::vector<intake::Opened> sources;
  for (const std::string& path : paths) {
    auto source = load_source(path, context, "baseline");
    if (!source) {
      if (scalar) return scalar_measurement(record, pool);
      Error error = source.error();
      if (entry.snapshot.empty() && error.code == ErrorCode::not_found) {
        error.message = "the entry holds no copy of its source, only its digest, and the source is gone: " + path;
        error.hint = "put it back, or record again with `--snapshot copy`";
      }
      return core::fail(std::move(error));
    }
    if (entry.snapshot.empty() && path == record.source_path) {
      if (auto ok = check_recorded(entry, digest_of(*source)); !ok) return core::fail(ok.error());
    }
    sources.push_back(std::move(*source));
  }
  if (scalar) {
    // The published number is baseline.json's; the snapshot adds its trials when it tells the same number.
    if (!sources.empty()) {
      auto read = read_measurement(sources, format, pool, context, reading);
      if (read && read->shape == core::Shape::scalar && !read->rows().empty() && read->rows().front().value_count > 0 &&
          core::median(read->values(read->rows().front())) == *record.value) {
        return std::move(*read);
      }
    }
    return scalar_measurement(record, pool);
  }
  auto read = read_measurement(sources, format, pool, context, reading);
  if (!read) {
    Error error = read.error();
    if (error.code == ErrorCode::invalid_input) error.message = "the baseline's snapshot cannot be read: " + error.message;
    return core::fail(std::move(error));
  }
  return read;
}

// Of a capture that was recorded by reference the digest stays when the capture does not.
bool is_gone(const registry::Entry& entry, const registry::PathLimits& limits) {
  return entry.snapshot.empty() && !entry.digests.empty() && !registry::path_kind(entry.record.source_path, limits);
}

}  // namespace

Expected<Baseline> open_baseline(const std::string& text, const registry::Store& store, const core::Context* current_context,
                                 const std::string& format, const std::shared_ptr<core::StringPool>& pool,
                                 const ReadingRules& reading, const Context& context, std::span<const std::string> varying,
                                 intake::OpenedAhead* ahead) {
  Baseline out;
  auto reference = resolve_reference(text, store, current_context, context.cwd, path_limits(context), varying);
  if (!reference) return core::fail(reference.error());
  out.reference = std::move(*reference);
  add_clock_warning(out.reference, text, store, current_context, varying, context);
  core::DiffSide& side = out.side;
  side.path = out.reference.path;
  if (out.reference.kind == Reference::Kind::entry) {
    const registry::Entry& entry = out.reference.entry;
    side.path = entry.address;
    if (context.inputs != nullptr) context.inputs->note_entry(entry, out.reference.accepted);
    side.slug = entry.slug;
    side.label = entry.record.label;
    side.sha256 = entry.record.source_sha256;
    side.entry_sha256 = entry.entry_sha256;
    side.format = entry.record.format;
    side.trials = entry.record.trials;
    out.context = entry.record.context;
    const bool snapshot_capture =
        !entry.snapshot.empty() && entry.record.schema.empty() && intake::is_capture(entry.snapshot, path_limits(context));
    if (entry.record.shape == core::Shape::profile || snapshot_capture) {
      out.capture = true;
      out.digested = is_gone(entry, path_limits(context));
      if (out.digested) {
        out.captures = entry.digests;
        return out;
      }
      out.captures = {entry.snapshot.empty() ? entry.record.source_path : entry.snapshot};
      out.captures.insert(out.captures.end(), entry.trial_snapshots.begin(), entry.trial_snapshots.end());
      return out;
    }
    auto measurement = read_entry(entry, pool, reading, context);
    if (!measurement) return core::fail(measurement.error());
    Measurement named = named_scalar(std::move(*measurement), entry.record.measurement);
    if (named.shape == core::Shape::scalar && entry.record.unit) {
      core::Row& row = named.rows().front();
      core::MetricClass klass = named.metric_class(row);
      klass.unit = pool->intern(*entry.record.unit);
      klass.unit_source = core::Source::entry;
      row.metric_class = named.intern_class(klass);
    }
    out.measurement = std::make_shared<const Measurement>(std::move(named));
    if (side.format.name.empty()) side.format = out.measurement->format;
    for (const auto& [key, value] : out.measurement->context) out.context.emplace(key, value);
    return out;
  }
  auto source = load_source(out.reference.path, context, "baseline", ahead);
  if (!source) return core::fail(source.error());
  if (source->is_capture()) {
    out.capture = true;
    out.captures = {source->source.path};
    return out;
  }
  if (source->source.is_directory) {
    auto digest = registry::source_digest(source->source, path_limits(context));
    if (!digest) return core::fail(digest.error());
    side.sha256 = *digest;
  }
  std::vector<intake::Opened> sources;
  sources.push_back(std::move(*source));
  std::future<std::string> digest;
  if (side.sha256.empty()) digest = intake::digest_meanwhile(sources.front());
  auto measurement = read_measurement(sources, format, pool, context, reading);
  if (!measurement) return core::fail(measurement.error());
  if (digest.valid()) side.sha256 = digest.get();
  out.measurement = std::make_shared<const Measurement>(std::move(*measurement));
  side.format = out.measurement->format;
  side.trials = out.measurement->trial_files;
  out.context = out.measurement->context;
  return out;
}

Expected<Baseline> baseline_of_trials(const std::vector<intake::Opened>& sources, const std::string& format,
                                      const std::shared_ptr<core::StringPool>& pool, const ReadingRules& reading,
                                      const Context& context) {
  Baseline out;
  auto measurement = read_measurement(sources, format, pool, context, reading);
  if (!measurement) return core::fail(measurement.error());
  out.measurement = std::make_shared<Measurement>(std::move(*measurement));
  out.reference.path = out.side.path = sources.front().source.path;
  out.side.sha256 = digest_of(sources.front());
  out.side.format = out.measurement->format;
  out.side.trials = out.measurement->trial_files;
  out.context = out.measurement->context;
  return out;
}

Status check_recorded(const registry::Entry& entry, const std::string& digest) {
  if (digest == entry.record.source_sha256) return {};
  return core::fail(ErrorCode::provenance_mismatch,
                    entry.record.source_path + " is not what was recorded: its SHA-256 is " + digest + ", the entry says " +
                        entry.record.source_sha256,
                    "restore the file, or record again with `--snapshot copy`", entry.path);
}

std::string shape_text(core::Shape shape) {
  if (shape == core::Shape::profile) return "a capture";
  if (shape == core::Shape::suite) return "a folder of measurements";
  return shape == core::Shape::scalar ? "scalar" : "structured";
}

Status check_shapes(const Baseline& baseline, const core::Measurement& current, const std::string& current_name) {
  const core::Shape b = baseline.measurement->shape;
  const core::Shape c = current.shape;
  if (b == c) return {};
  if (b == core::Shape::scalar) {
    return core::fail(ErrorCode::shape_mismatch,
                      "baseline is scalar but --current did not parse as a number or {\"value\": ...} JSON: " + current_name +
                          " is " + shape_text(c),
                      "give the one number, or record a structured baseline from such a file");
  }
  if (c == core::Shape::suite) {
    return core::fail(ErrorCode::shape_mismatch,
                      "baseline is " + shape_text(b) + " but --current is " + shape_text(c) + ": " + current_name,
                      "`--as trials` takes the folder's files as trials of one measurement; else give one file");
  }
  return core::fail(ErrorCode::shape_mismatch,
                    "baseline is " + shape_text(b) + " but --current is " + shape_text(c) + ": " + current_name,
                    "compare like with like: a file of the baseline's kind (" + baseline.measurement->format.name + ")");
}

}  // namespace plumbline::verbs
