// The section "Regressions vs baseline" of TensorSharp's report, in Markdown as its program writes it.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "core/json_writer.hpp"
#include "systems/tensorsharp/model.hpp"
#include "systems/tensorsharp/system.hpp"

namespace plumbline::systems::tensorsharp {

namespace {

using core::JsonWriter;

// .NET's F1: the nearest, an exact tie as the runtime has it (newer ones document the even digit).
std::string f1(double value) {
  std::array<char, 400> text{};
  std::snprintf(text.data(), text.size(), "%.1f", value);
  return text.data();
}

// .NET's custom format +0.0;-0.0;0.0: fifteen significant digits first, and of those the half away from zero; what rounds to
// zero has no sign.
std::string signed_f1(double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.14e", std::fabs(value));
  const std::string_view printed = text.data();
  const std::size_t e = printed.find('e');
  if (e == std::string_view::npos) return printed.data();  // not finite
  const int exponent = std::atoi(printed.data() + e + 1);
  std::string digits(1, '0');  // room for a carry; then the digits, the point behind `whole` of them
  for (const char c : printed.substr(0, e)) {
    if (c != '.') digits.push_back(c);
  }
  int whole = exponent + 2;
  while (whole < 2) {
    digits.insert(1, 1, '0');
    ++whole;
  }
  const auto kept = static_cast<std::size_t>(whole) + 1;
  if (digits.size() < kept + 1) digits.append(kept + 1 - digits.size(), '0');
  const bool up = digits[kept] >= '5';
  digits.resize(kept);
  for (std::size_t i = kept; up && i-- > 0;) {
    if (digits[i] != '9') {
      ++digits[i];
      break;
    }
    digits[i] = '0';
  }
  std::string out = digits.substr(0, kept - 1);
  out.erase(0, std::min(out.find_first_not_of('0'), out.size() - 1));
  out += "." + digits.substr(kept - 1);
  if (out == "0.0") return out;
  return (value < 0 ? "-" : "+") + out;
}

// As the report escapes a cell of a table, and so that no other character leaves its line.
std::string cell(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c == '|') c = '/';
    if (c == '\n' || c == '\r') c = ' ';
    if (c == '\x1B') c = '?';
  }
  return out;
}

bool failure(FindingKind kind) { return kind == FindingKind::runtime_failure || kind == FindingKind::correctness_failure; }
bool blocks(FindingKind kind) { return failure(kind) || kind == FindingKind::throughput_regression; }

std::string_view label_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::runtime_failure:
      return "runtime regression";
    case FindingKind::correctness_failure:
      return "correctness regression";
    case FindingKind::throughput_regression:
      return "throughput regression";
    case FindingKind::improvement:
      return "improvement";
    case FindingKind::untracked:
      return "untracked";
  }
  return "untracked";
}

constexpr std::array<FindingKind, 5> kKinds = {FindingKind::runtime_failure, FindingKind::correctness_failure,
                                               FindingKind::throughput_regression, FindingKind::improvement,
                                               FindingKind::untracked};

std::size_t count_of(const Report& report, FindingKind kind) {
  return static_cast<std::size_t>(std::count_if(report.findings.begin(), report.findings.end(),
                                                [kind](const Finding& finding) { return finding.kind == kind; }));
}

std::string blocking_table(const Report& report) {
  std::string rows;
  for (const Finding& finding : report.findings) {
    if (!blocks(finding.kind)) continue;
    const bool failed = failure(finding.kind);
    rows += "| `" + cell(finding.case_id) + "` | " + std::string(label_of(finding.kind)) + " | " +
            (failed ? "ok" : f1(finding.baseline_value)) + " | " + (failed ? "fail" : f1(finding.current_value)) + " | " +
            signed_f1(finding.delta_pct) + "% | " + cell(finding.description) + " |\n";
  }
  if (rows.empty()) return {};
  return "**Blocking findings** (will fail `--fail-on-regression`):\n\n| Case | Kind | Baseline | Current | Δ% | Description |\n"
         "|---|---|---:|---:|---:|---|\n" +
         rows + "\n";
}

std::string improvements_list(const Report& report) {
  constexpr std::size_t kMost = 20;
  const std::size_t all = count_of(report, FindingKind::improvement);
  if (all == 0) return {};
  std::string out = "**Improvements** (" + std::to_string(all) + "):\n\n";
  std::size_t listed = 0;
  for (const Finding& finding : report.findings) {
    if (finding.kind != FindingKind::improvement || listed++ >= kMost) continue;
    out += "- `" + cell(finding.case_id) + "` — " + cell(finding.description) + "\n";
  }
  if (all > kMost) out += "- _… and " + std::to_string(all - kMost) + " more_\n";
  return out + "\n";
}

std::string text(const core::NativeReport& native) {
  const auto& report = *core::native_detail<Report>(native);
  std::string out = "## Regressions vs baseline\n\n";
  if (!report.baseline_path) {
    return out + "_No baseline available for this host._ Every cell counts as `untracked`, and nothing blocks.\n\n";
  }
  const auto captured = read_time(report.captured_at);
  out += "Baseline: `" + cell(*report.baseline_path) + "` (host `" + cell(report.host_label) + "`, captured " +
         round_trip_time(captured.value_or(Time())) + ", commit `" + cell(report.commit.value_or("?")) + "`).\n\n";
  out += "| Severity | Count |\n|---|---:|\n";
  const auto line = [&](const std::string& what, FindingKind kind) {
    out += "| " + what + " | " + std::to_string(count_of(report, kind)) + " |\n";
  };
  line("New runtime failure", FindingKind::runtime_failure);
  line("New correctness failure", FindingKind::correctness_failure);
  line("Throughput regression (> " + f1(report.threshold_pct) + "%)", FindingKind::throughput_regression);
  line("Improvement (failing → passing)", FindingKind::improvement);
  line("Untracked (no baseline entry)", FindingKind::untracked);
  out += "\n" + blocking_table(report) + improvements_list(report);
  const std::size_t untracked = count_of(report, FindingKind::untracked);
  if (untracked > 0) {
    out += "_" + std::to_string(untracked) + " cell(s) without a baseline entry._\n\n";
  }
  return out;
}

void fields(JsonWriter& json, const core::NativeReport& native, std::size_t rows) {
  const auto& report = *core::native_detail<Report>(native);
  json.field("host_label", report.host_label).field_or_null("baseline_path", report.baseline_path);
  if (report.baseline_path) json.field("captured_at", report.captured_at).field_or_null("commit", report.commit);
  json.field("threshold_pct", report.threshold_pct).field("blocking", report.blocking);
  json.field("cells", report.cells).field("entries", report.entries);
  json.field("failed", report.failed).field("skipped", report.skipped);
  json.key("counts").begin_object();
  for (const FindingKind kind : kKinds) json.field(to_string(kind), static_cast<std::uint64_t>(count_of(report, kind)));
  json.end_object();
  const std::size_t shown = std::min(rows, report.findings.size());
  json.key("findings").begin_array();
  for (std::size_t i = 0; i < shown; ++i) {
    const Finding& finding = report.findings[i];
    compact(json, [&](JsonWriter& one) {
      one.begin_object().field("case_id", finding.case_id).field("kind", to_string(finding.kind));
      one.field("description", finding.description).field("baseline_value", finding.baseline_value);
      one.field("current_value", finding.current_value).field("delta_pct", finding.delta_pct).end_object();
    });
  }
  json.end_array();
  write_omitted(json, "findings", report.findings.size(), shown);
}

}  // namespace

const core::NativePrinter kPrinter = {.fields = &fields, .text = &text};

}  // namespace plumbline::systems::tensorsharp
