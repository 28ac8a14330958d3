// The regression analysis of TensorSharp's test matrix: each cell that was run against the entry of its case id, five kinds of
// findings, three of which block. Decode throughput alone is compared where either side has one; nothing is said of cells that
// were skipped or are not there. Arithmetic as that program writes it.
#include "systems/tensorsharp/rule.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "systems/tensorsharp/cells.hpp"
#include "systems/tensorsharp/system.hpp"

namespace plumbline::systems::tensorsharp {

namespace {

constexpr double kThreshold = 10;

constexpr Setting kSettings[] = {
    {"host", "the host label that the report names; else the baseline's own"},
};

// .NET's F1: the nearest, ties as the runtime has them (here to the even digit, which newer runtimes document).
std::string one_digit(double value) {
  std::array<char, 400> text{};
  std::snprintf(text.data(), text.size(), "%.1f", value);
  return text.data();
}

Finding finding(const Cell& cell, FindingKind kind, std::string description, double baseline, double current, double delta) {
  return {cell.entry.case_id, kind, std::move(description), baseline, current, delta};
}

// Both passed: decode where either side decodes, else prefill. Nothing to compare with is nothing to say.
std::optional<Finding> throughput(const Entry& before, const Cell& cell, double threshold) {
  const bool decodes = cell.entry.decode_tps > 0 || before.decode_tps > 0;
  const double baseline = decodes ? before.decode_tps : before.prefill_tps;
  const double current = decodes ? cell.entry.decode_tps : cell.entry.prefill_tps;
  if (baseline <= 0) return std::nullopt;
  const double delta = ((current - baseline) / baseline) * 100;
  if (!(delta < -threshold)) return std::nullopt;
  return finding(cell, FindingKind::throughput_regression,
                 std::string(decodes ? "decode" : "prefill") + " TPS dropped " + one_digit(-delta) + "% (threshold " +
                     one_digit(threshold) + "%)",
                 baseline, current, delta);
}

std::optional<Finding> judged(const Entry* before, const Cell& cell, double threshold) {
  if (before == nullptr) {
    return finding(cell, FindingKind::untracked, "no baseline entry for this case", 0, cell.entry.decode_tps, 0);
  }
  if (before->ok && !cell.entry.ok) {
    if (cell.entry.correctness_ok == false) {
      return finding(cell, FindingKind::correctness_failure,
                     cell.correctness_error.value_or("output did not match expected substrings"), 1, 0, -100);
    }
    return finding(cell, FindingKind::runtime_failure, cell.error.value_or("runtime failure"), 1, 0, -100);
  }
  if (!before->ok && cell.entry.ok) {
    return finding(cell, FindingKind::improvement, "case previously failing, now passing", 0, 1, 100);
  }
  if (!before->ok) return std::nullopt;
  return throughput(*before, cell, threshold);
}

bool blocks(FindingKind kind) { return kind <= FindingKind::throughput_regression; }

}  // namespace

Report analyze(const Baseline* baseline, std::span<const Cell> cells, double threshold_pct) {
  Report report;
  report.threshold_pct = threshold_pct;
  const bool readable = baseline != nullptr && baseline->unreadable.empty();
  std::unordered_map<std::string_view, const Entry*> by_id;
  if (readable) {
    report.host_label = baseline->host_label;
    report.captured_at = baseline->captured_at;
    report.commit = baseline->commit;
    report.entries = baseline->entries.size();
    for (const Entry& entry : baseline->entries) by_id.emplace(entry.case_id, &entry);
  }
  report.cells = cells.size();
  for (const Cell& cell : cells) {
    if (cell.skipped) {
      ++report.skipped;
      continue;
    }
    if (!cell.entry.ok) ++report.failed;
    const auto it = by_id.find(cell.entry.case_id);
    auto one = judged(it == by_id.end() ? nullptr : it->second, cell, threshold_pct);
    if (!one) continue;
    report.blocking = report.blocking || blocks(one->kind);
    report.findings.push_back(std::move(*one));
  }
  // Without a baseline it leaves the order of the files as it is; one for all is easier to read, and here they are sorted anyway.
  std::stable_sort(report.findings.begin(), report.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.kind != b.kind ? a.kind < b.kind : a.case_id < b.case_id; });
  return report;
}

namespace {

bool applies(const core::Measurement& baseline, const core::Measurement& current) {
  const File* before = core::native_file<File>(baseline);
  const File* after = core::native_file<File>(current);
  return before != nullptr && before->baseline && after != nullptr && !after->baseline;
}

std::uint64_t number_of(const Report& report, FindingKind kind) {
  return static_cast<std::uint64_t>(std::count_if(report.findings.begin(), report.findings.end(),
                                                  [kind](const Finding& finding) { return finding.kind == kind; }));
}

core::Reason miss(core::ReasonCode code, std::string message, std::vector<std::string> keys) {
  core::Reason reason{code};
  reason.message = std::move(message);
  reason.keys_count = keys.size();
  if (keys.size() > 20) keys.resize(20);
  reason.keys = std::move(keys);
  return reason;
}

// What became of the baseline's entries that it does not ask about.
struct Unseen {
  std::vector<std::string> absent, skipped, prefill, unlocked;
};

Unseen unseen(const Baseline& baseline, std::span<const Cell> cells, double threshold) {
  Unseen out;
  std::unordered_map<std::string_view, const Cell*> by_id;
  for (const Cell& cell : cells) by_id[cell.entry.case_id] = &cell;
  for (const Entry& entry : baseline.entries) {
    const auto it = by_id.find(entry.case_id);
    if (it == by_id.end()) {
      out.absent.push_back(entry.case_id + ".ok");
      continue;
    }
    const Cell& cell = *it->second;
    if (cell.skipped) {
      out.skipped.push_back(entry.case_id + ".ok");
      continue;
    }
    if (!entry.ok || !cell.entry.ok) continue;
    const bool decodes = entry.decode_tps > 0 || cell.entry.decode_tps > 0;
    if (decodes && entry.prefill_tps > 0 &&
        ((cell.entry.prefill_tps - entry.prefill_tps) / entry.prefill_tps) * 100 < -threshold) {
      out.prefill.push_back(entry.case_id + ".prefill_tps");
    }
    if (decodes && entry.decode_tps <= 0) out.unlocked.push_back(entry.case_id + ".decode_tps");
  }
  return out;
}

void add_misses(const Baseline& baseline, const File& run, const Report& report, core::NativeReport& out) {
  const auto add = [&](core::ReasonCode code, std::vector<std::string> keys, std::string_view singular, std::string_view plural,
                       const std::string& rest) {
    if (keys.empty()) return;
    std::string message = core::counted(keys.size(), singular, plural) + rest;
    out.misses.push_back(miss(code, std::move(message), std::move(keys)));
  };
  if (!baseline.unreadable.empty()) {
    out.misses.push_back(miss("native_vanished_passes",
                              "it cannot read the baseline (" + baseline.unreadable +
                                  ") and goes on as if there were none: every cell is untracked, and its gate passes",
                              {}));
    return;
  }
  Unseen cells = unseen(baseline, run.cells, report.threshold_pct);
  add("native_vanished_passes", std::move(cells.absent), "case of the baseline", "cases of the baseline",
      " not among the results: it looks at results only");
  add("native_vanished_passes", std::move(cells.skipped), "case of the baseline", "cases of the baseline",
      " skipped in this run: it does not look at skipped cells");
  add("native_unchecked", std::move(cells.prefill), "prefill throughput", "prefill throughputs",
      " lower by more than the threshold: it compares decode alone where a cell decodes");
  add("native_unchecked", std::move(cells.unlocked), "case", "cases",
      " with a decode throughput that the baseline has none of: neither decode nor prefill is compared");
  if (run.unread_files > 0) {
    out.misses.push_back(
        miss("native_unchecked",
             core::counted(run.unread_files, "result file") + " unreadable: it prints a line and goes on without the cell", {}));
  }
  std::vector<std::string> single;
  for (const Finding& finding : report.findings) {
    if (finding.kind == FindingKind::throughput_regression) {
      single.push_back(finding.case_id + (finding.description.starts_with("decode") ? ".decode_tps" : ".prefill_tps"));
    }
  }
  add("native_noise_unknown", std::move(single), "throughput regression", "throughput regressions",
      " from one run on each side: the noise of the cell is not known to it");
}

// Of a label that the tool itself gives, and that the run's backend and command speak against: it compares with whatever file it
// is given. Labels of a user's own say nothing of backend and command.
void add_host_miss(const core::Measurement& baseline, const core::Measurement& current, core::NativeReport& out) {
  constexpr std::array<std::string_view, 4> kOwn = {"macos-mlx", "macos-x64", "linux-cuda", "windows-cuda"};
  constexpr const char* kHost = "environment.host_label";
  const auto before = baseline.context.find(kHost), now = current.context.find(kHost);
  if (before == baseline.context.end() || now == current.context.end() || before->second == now->second) return;
  if (std::find(kOwn.begin(), kOwn.end(), before->second) == kOwn.end()) return;
  out.misses.push_back(miss("native_hidden_context",
                            "the baseline is of the host " + before->second +
                                ", and backend and commands of the results are those of " + now->second +
                                ": it compares them all the same",
                            {}));
}

std::string key_of(const Finding& finding) {
  switch (finding.kind) {
    case FindingKind::throughput_regression:
      return finding.case_id + (finding.description.starts_with("decode") ? ".decode_tps" : ".prefill_tps");
    case FindingKind::correctness_failure:
      return finding.case_id + ".correctness_ok";
    case FindingKind::runtime_failure:
    case FindingKind::improvement:
    case FindingKind::untracked:
      return finding.case_id + ".ok";
  }
  return finding.case_id;
}

core::Expected<core::NativeReport> judge(const core::Measurement& baseline, const core::Measurement& current,
                                         const Options& options) {
  const Baseline& before = *core::native_file<File>(baseline)->baseline;
  const File& run = *core::native_file<File>(current);
  Report report = analyze(&before, run.cells, options.tolerance_percent.value_or(kThreshold));
  if (before.unreadable.empty()) report.baseline_path = baseline.native->path;
  if (const auto host = options.setting("host")) report.host_label = *host;
  core::NativeReport out;
  out.system = "tensorsharp";
  out.verdict = report.blocking ? "blocking" : "passing";
  out.outcome = report.blocking ? core::NativeOutcome::fail : core::NativeOutcome::pass;
  // Of --fail-on-regression; with --fail-on-error too, failed cells that the baseline knows as failing end it with 3.
  out.exit_code = report.blocking ? 4 : options.strict && report.failed > 0 ? 3 : 0;
  const auto count = [&](FindingKind kind) { return std::to_string(number_of(report, kind)); };
  out.summary = "runtime=" + count(FindingKind::runtime_failure) + " correctness=" + count(FindingKind::correctness_failure) +
                " throughput=" + count(FindingKind::throughput_regression) + " improvements=" + count(FindingKind::improvement) +
                " untracked=" + count(FindingKind::untracked);
  for (const Finding& finding : report.findings) {
    if (!blocks(finding.kind)) continue;
    out.said.push_back(core::cited_path(finding.case_id) + ": " + finding.description);
    out.said_keys.push_back(key_of(finding));
  }
  add_misses(before, run, report, out);
  add_host_miss(baseline, current, out);
  out.detail = std::move(report);
  return out;
}

// A finding decides its row; cells that it looked at and said nothing of are unchanged; the rest it does not look at.
core::Comparison decide_rows(const core::NativeReport& native, core::Comparison comparison) {
  const Report& report = *core::native_detail<Report>(native);
  std::unordered_map<std::string, core::State> states;
  std::unordered_set<std::string> failed;  // of a cell that failed it says one thing, and compares nothing else
  for (const Finding& finding : report.findings) {
    const core::State state = blocks(finding.kind)                       ? core::State::regressed
                              : finding.kind == FindingKind::improvement ? core::State::improved
                                                                         : core::State::added;
    states.emplace(key_of(finding), state);
    if (finding.kind <= FindingKind::correctness_failure) failed.insert(finding.case_id + ".");
  }
  const auto decodes = [](const core::Measurement& side, std::uint32_t row) {
    return row != core::kNoRow && side.rows()[row].value_count > 0;
  };
  // Prefill is what it compares only where neither side decodes.
  std::unordered_set<std::string> decoding;
  for (const core::Delta& delta : comparison.deltas) {
    const std::string_view key = comparison.side(delta).pool().view(delta.key);
    if (key.ends_with(".decode_tps") &&
        (decodes(*comparison.baseline, delta.baseline_row) || decodes(*comparison.current, delta.current_row)))
      decoding.insert(std::string(key.substr(0, key.size() - std::string_view("decode_tps").size())));
  }
  for (core::Delta& delta : comparison.deltas) {
    const std::string key(comparison.side(delta).pool().view(delta.key));
    const bool both = delta.baseline_row != core::kNoRow && delta.current_row != core::kNoRow;
    const std::size_t dot = key.rfind('.');
    const std::string metric = key.substr(dot + 1);
    const bool compared =
        metric == "ok" || metric == "decode_tps" || (metric == "prefill_tps" && decoding.count(key.substr(0, dot + 1)) == 0);
    const auto it = states.find(key);
    const core::State before = delta.state;
    delta.state = it != states.end() ? it->second : both && compared ? core::State::unchanged : core::State::context;
    if (it == states.end() && before == core::State::context) delta.state = before;
    delta.exceeds = delta.adverse = delta.state == core::State::regressed;
  }
  return comparison;
}

}  // namespace

const System kSystem = {.name = "tensorsharp",
                        .title = "the regression analysis of TensorSharp's test matrix",
                        .needs = "a baseline-<host>.json and a folder of results (or one result)",
                        .settings = kSettings,
                        .applies = &applies,
                        .judge = &judge,
                        .decide_rows = &decide_rows,
                        .printer = &kPrinter,
                        .exporter = &kExporter,
                        .cases = &cells_as_cases,
                        .run_problem = &run_problem,
                        .skipped = &skipped};

}  // namespace plumbline::systems::tensorsharp
