// TensorSharp's baseline-<host>.json: the cells of a run that passed, sorted by case id, or a baseline's own passing entries.
// That tool writes down whatever passed, also what has just lost half of its throughput; here that needs a reason.
#include <algorithm>
#include <set>

#include "core/citing.hpp"
#include "core/native.hpp"
#include "core/text.hpp"
#include "systems/tensorsharp/baseline_file.hpp"
#include "systems/tensorsharp/rule.hpp"
#include "systems/tensorsharp/system.hpp"

namespace plumbline::systems::tensorsharp {
namespace {

using core::ErrorCode;
using core::Expected;
using core::Status;

const File* file_of(const core::Measurement* measurement) {
  return measurement == nullptr ? nullptr : core::native_file<File>(*measurement);
}

// It ran to its end, and what it wrote is right as far as anybody looked.
bool passed(const Cell& cell) { return !cell.skipped && cell.entry.ok && cell.entry.correctness_ok != false; }

void take_cells(const File& run, Baseline& out, Exported& exported) {
  for (const Cell& cell : run.cells) {
    const std::string& id = cell.entry.case_id.empty() ? cell.file : cell.entry.case_id;
    if (cell.skipped) {
      exported.left_out.emplace_back(id, "skipped" + (cell.skip_reason.empty() ? "" : ": " + cell.skip_reason));
    } else if (!passed(cell)) {
      const auto& why = cell.entry.correctness_ok == false ? cell.correctness_error : cell.error;
      exported.left_out.emplace_back(id, "failed" + (why ? ": " + *why : std::string()));
    } else if (cell.entry.case_id.empty()) {
      exported.left_out.emplace_back(id, "has no case_id");
    } else {
      out.entries.push_back(cell.entry);
    }
  }
}

void take_entries(const Baseline& baseline, Baseline& out, Exported& exported) {
  for (const Entry& entry : baseline.entries) {
    if (entry.ok) {
      out.entries.push_back(entry);
    } else {
      exported.left_out.emplace_back(entry.case_id, "recorded as failing");
    }
  }
}

Status sort_entries(Baseline& out) {
  std::sort(out.entries.begin(), out.entries.end(), [](const Entry& a, const Entry& b) { return a.case_id < b.case_id; });
  const auto twice = std::adjacent_find(out.entries.begin(), out.entries.end(),
                                        [](const Entry& a, const Entry& b) { return a.case_id == b.case_id; });
  if (twice == out.entries.end()) return {};
  return core::fail(ErrorCode::invalid_input, "two results of the case " + core::cited(twice->case_id),
                    "TensorSharp stops on a baseline that names a case twice: take one of the files away");
}

// The newest start of a cell that passed: the same results give the same file.
std::string newest_start(const File& run) {
  std::string newest;
  for (const Cell& cell : run.cells) {
    if (!passed(cell) || cell.started_at == kNoTime) continue;
    newest = std::max(newest, cell.started_at);
  }
  return newest;
}

Status describe(const File& file, const ExportSource& source, const Baseline* refreshed, const ExportOptions& options,
                Baseline& out) {
  const Baseline* before = file.baseline ? &*file.baseline : refreshed;
  out.host_label = options.host_label;
  if (out.host_label.empty() && before != nullptr) out.host_label = before->host_label;
  if (out.host_label.empty()) {
    const auto it = source.measurement->context.find("environment.host_label");
    if (it != source.measurement->context.end()) out.host_label = it->second;
  }
  if (out.host_label.empty()) {
    return core::fail(ErrorCode::usage, "--host-label is missing: the results do not say which host they are of",
                      "its labels are macos-mlx, macos-x64, linux-cuda and windows-cuda");
  }
  std::string captured = options.captured_at;
  if (captured.empty() && file.baseline) captured = file.baseline->captured_at;
  if (captured.empty()) captured = newest_start(file);
  if (captured.empty() && source.record != nullptr) captured = source.record->registered_at_utc;
  if (captured.empty()) {
    return core::fail(ErrorCode::usage, "--captured-at is missing: no passing result says when it was started",
                      "`--captured-at 2026-05-26T00:00:00Z`");
  }
  const auto time = read_time(captured);
  if (!time) {
    return core::fail(ErrorCode::usage, "--captured-at " + core::cited(captured) + " is not a time",
                      "write it like 2026-05-26T00:00:00Z");
  }
  out.captured_at = written_time(*time);
  out.commit = options.commit;
  if (!out.commit && file.baseline) out.commit = file.baseline->commit;
  if (!out.commit && source.record != nullptr && source.record->git_commit)
    out.commit = source.record->git_commit->substr(0, 7);  // as git's --short gives it
  out.notes = options.notes;
  if (!out.notes && !options.reason.empty()) out.notes = options.reason;
  if (!out.notes && file.baseline) out.notes = file.baseline->notes;
  return {};
}

// What passes and yet is lower than the threshold allows, and what the replaced file expects and the new one would no longer, is
// not written down without a reason. What is lost is listed either way.
Status check_refresh(const File& file, const Baseline* refreshed, const Baseline& written, const ExportOptions& options,
                     Exported& exported) {
  if (refreshed == nullptr) return {};
  std::vector<std::string> worse;
  for (const Entry& before : refreshed->entries) {
    const auto same = [&](const Entry& one) { return one.case_id == before.case_id; };
    if (!before.ok || std::any_of(written.entries.begin(), written.entries.end(), same)) continue;
    const auto out = std::find_if(exported.left_out.begin(), exported.left_out.end(),
                                  [&](const auto& one) { return one.first == before.case_id; });
    if (out == exported.left_out.end()) {
      exported.left_out.emplace_back(before.case_id, "expected until now, and not among the results");
      worse.push_back(before.case_id + ": not among the results");
    } else {
      out->second += ", expected until now";
      worse.push_back(before.case_id + ": " + out->second);
    }
  }
  std::vector<Cell> cells = file.cells;
  if (file.baseline) {
    for (const Entry& entry : file.baseline->entries) {
      if (entry.ok) cells.emplace_back().entry = entry;
    }
  }
  const Report report = analyze(refreshed, cells, 10);
  for (const Finding& finding : report.findings) {
    if (finding.kind == FindingKind::throughput_regression) worse.push_back(finding.case_id + ": " + finding.description);
  }
  if (worse.empty() || !options.reason.empty()) return {};
  return core::fail(ErrorCode::invalid_input, "this would make a regression the expectation: " + core::listed(worse),
                    "say why it is agreed on: `--reason TEXT` (it becomes the file's notes unless --notes says others)");
}

Expected<Exported> write(const ExportSource& source, const core::Measurement* refresh, const ExportOptions& options) {
  const File* file = file_of(source.measurement);
  if (file == nullptr) return core::fail(not_exportable(kExporter, source));
  const File* before = file_of(refresh);
  if (refresh != nullptr && (before == nullptr || !before->baseline)) {
    return core::fail(ErrorCode::usage, "--refresh names no baseline of TensorSharp",
                      "give the baseline-<host>.json that is replaced");
  }
  const Baseline* refreshed = before == nullptr ? nullptr : &*before->baseline;
  Exported out;
  Baseline baseline;
  if (file->baseline) {
    take_entries(*file->baseline, baseline, out);
  } else {
    take_cells(*file, baseline, out);
  }
  if (baseline.entries.empty()) {
    return core::fail(ErrorCode::invalid_input, "no case passed: there is nothing to expect of the next run",
                      out.left_out.empty() ? "" : "the first: " + out.left_out.front().first + ": " + out.left_out.front().second,
                      source.path);
  }
  if (auto ok = sort_entries(baseline); !ok) return core::fail(ok.error());
  if (auto ok = check_refresh(*file, refreshed, baseline, options, out); !ok) return core::fail(ok.error());
  if (auto ok = describe(*file, source, refreshed, options, baseline); !ok) return core::fail(ok.error());
  out.written = baseline.entries.size();
  out.file_name = as_file_name("baseline-" + baseline.host_label + ".json");
  out.text = text_of(baseline);
  return out;
}

// Cells of several results, entries of a family among them: as if they lay in one folder.
core::Measurement join(std::span<const core::Measurement* const> cases) {
  constexpr const char* kHost = "environment.host_label";
  core::Measurement out(cases.front()->shared_pool());
  File all;
  std::set<std::string> hosts;
  bool any = false;
  for (const core::Measurement* one : cases) {
    const File* file = file_of(one);
    if (file == nullptr || file->baseline) continue;
    any = true;
    all.cells.insert(all.cells.end(), file->cells.begin(), file->cells.end());
    if (const auto host = one->context.find(kHost); host != one->context.end()) hosts.insert(host->second);
    out.format = one->format;
  }
  if (!any) return out;
  if (hosts.size() == 1) out.context.emplace(kHost, *hosts.begin());
  core::NativeFile native;
  native.system = "tensorsharp";
  native.content = std::move(all);
  out.native = std::make_shared<const core::NativeFile>(std::move(native));
  return out;
}

}  // namespace

const Exporter kExporter = {.name = "tensorsharp",
                            .takes =
                                "TensorSharp's results (a folder, one of its files, or a family of entries of "
                                "them) or baseline",
                            .write = &write,
                            .join = &join};

}  // namespace plumbline::systems::tensorsharp
