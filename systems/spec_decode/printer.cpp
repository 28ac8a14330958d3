// What the vLLM RFC's regression test of speculative decoding prints: the block of its Appendix C, and for several variants the
// summary of its section on reporting. The RFC's own columns, marks and words; lines that would hold nothing are left out.
#include <algorithm>
#include <cmath>

#include "core/citing.hpp"
#include "core/json_writer.hpp"
#include "core/text.hpp"
#include "systems/spec_decode/model.hpp"
#include "systems/spec_decode/system.hpp"

namespace plumbline::systems::spec_decode {
namespace {

using core::JsonWriter;
using core::one_line;

std::string mark(bool passed) { return passed ? "✓" : "✗"; }

std::string expected_text(const Row& row) {
  return "(expected: " + expected_figure(row.metric, row.expected) + " " + (row.rule == Rule::band ? "±" : "-") +
         core::number_text(row.tolerance_pct) + "%)";
}

std::string base_name(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return one_line(slash == std::string::npos ? path : path.substr(slash + 1));
}

// "4m 32s"
std::string duration_text(double seconds) {
  const std::int64_t whole = std::llround(std::clamp(seconds, 0.0, 1e9));
  return std::to_string(whole / 60) + "m " + std::to_string(whole % 60) + "s";
}

void passed_rows(std::string& out, const Report& report) {
  std::size_t name = 0, actual = 0, band = 0;
  for (const Row& row : report.rows) {
    name = std::max(name, row.metric.size());
    actual = std::max(actual, figure(row.metric, *row.actual).size());
    band = std::max(band, band_text(row).size());
  }
  const auto padded = [](std::string text, std::size_t width) {
    text.resize(std::max(width, text.size()), ' ');
    return text;
  };
  out += "Metrics (all within tolerance):\n";
  for (const Row& row : report.rows) {
    out += "  " + padded(one_line(row.metric) + ":", name + 2) + " " + padded(figure(row.metric, *row.actual), actual);
    out += " within " + padded(band_text(row), band) + " " + expected_text(row) + " ✓\n";
  }
}

void failed_rows(std::string& out, const Report& report) {
  out += "Regression detected:\n";
  for (const Row& row : report.rows) {
    if (row.passed) continue;
    out += "  - " + one_line(row.metric) + ": ";
    out += row.actual ? figure(row.metric, *row.actual) + " outside range " + band_text(row) : "not in the run";
    out += " " + expected_text(row) + "\n";
  }
}

void line(std::string& out, std::string_view label, std::string_view text) {
  if (!text.empty()) out += std::string(label) + ": " + one_line(text) + "\n";
}

std::string text_of(const core::NativeReport& native) {
  const auto& report = *core::native_detail<Report>(native);
  const Baseline& baseline = report.baseline;
  std::string out = "===== Speculative Decoding Regression Test Results =====\n\n";
  line(out, "Test", variant_title(baseline.variant) + " Regression - " + std::string(model_name(baseline.model)));
  out += "Status: " + mark(report.passed) + (report.passed ? " PASSED\n" : " FAILED\n");
  if (report.duration_s) out += "Duration: " + duration_text(*report.duration_s) + "\n";
  out += "\n";
  if (report.passed) {
    line(out, "Baseline", base_name(report.baseline_path));
    out += "\n";
    passed_rows(out, report);
    std::string details;
    if (report.num_prompts) line(details, "  Test Prompts", core::number_text(*report.num_prompts));
    line(details, "  GPU", baseline.hardware);
    line(details, "  Dataset", baseline.dataset);
    line(details, "  Commit", baseline.baseline_commit);
    if (!details.empty()) out += "\nDetails:\n" + details;
  } else {
    failed_rows(out, report);
    out += "\n";
    line(out, "Baseline", base_name(report.baseline_path));
    line(out, "Last updated", baseline.last_updated);
    line(out, "Commit", baseline.baseline_commit);
    out +=
        "\nAction Required:\n"
        "  1. Investigate recent changes to spec decode code\n"
        "  2. Check if this is an intentional change requiring baseline update\n"
        "  3. If regression is real, bisect to find problematic commit\n";
  }
  return out + "\n" + std::string(55, '=') + "\n";
}

// The RFC's short form has a unit for the speedup alone and a dash between the bounds.
std::string short_row(const Row& row) {
  const std::string unit = row.metric == "speedup" ? "x" : "";
  std::string out = "  " + one_line(row.metric) + ": " + (row.actual ? figure(row.metric, *row.actual) + unit : "not in the run");
  if (row.rule == Rule::at_least) {
    out += " [>=" + figure(row.metric, row.low) + "] ";
  } else {
    out += " [" + figure(row.metric, row.low) + "-" + figure(row.metric, row.high) + "] ";
  }
  return out + mark(row.passed) + "\n";
}

void fields_of(JsonWriter& json, const core::NativeReport& native, std::size_t rows) {
  const auto& report = *core::native_detail<Report>(native);
  json.field("variant", report.baseline.variant).field("model", report.baseline.model);
  const auto optional = [&json](std::string_view name, const std::string& text) {
    if (!text.empty()) json.field(name, text);
  };
  optional("draft_model", report.baseline.draft_model);
  optional("hardware", report.baseline.hardware);
  optional("dataset", report.baseline.dataset);
  optional("baseline_commit", report.baseline.baseline_commit);
  optional("last_updated", report.baseline.last_updated);
  const std::size_t shown = std::min(rows, report.rows.size());
  json.key("metrics").begin_array();
  for (std::size_t i = 0; i < shown; ++i) {
    const Row& row = report.rows[i];
    compact(json, [&row](JsonWriter& one) {
      one.begin_object().field("name", row.metric).field("key", vllm_name(row.metric).name);
      one.field("rule", row.rule == Rule::band ? "band" : "at_least");
      one.field("expected", row.expected).field("tolerance_pct", row.tolerance_pct).field("low", row.low);
      if (row.rule == Rule::band) one.field("high", row.high);
      one.field_or_null("actual", row.actual).field("passed", row.passed).end_object();
    });
  }
  json.end_array();
  write_omitted(json, "metrics", report.rows.size(), shown);
}

// Several variants: one block each.
std::string summary(std::span<const core::NativeReport* const> reports) {
  std::size_t passing = 0;
  std::string date, commit;
  for (const core::NativeReport* native : reports) {
    const auto& report = *core::native_detail<Report>(*native);
    passing += report.passed ? 1 : 0;
    date = std::max(date, report.baseline.last_updated);
    if (commit.empty()) commit = report.baseline.baseline_commit;
  }
  std::string out = "Speculative Decoding Regression Test Summary\n" + std::string(44, '=') + "\n";
  if (!date.empty() || !commit.empty()) {
    out += "Date: " + (date.empty() ? "unknown" : one_line(date)) +
           " | Commit: " + (commit.empty() ? "unknown" : one_line(commit)) + "\n";
  }
  const bool all = passing == reports.size();
  out += "\nOverall: " + mark(all) + (all ? " PASSED (" : " FAILED (") + std::to_string(passing) + "/" +
         std::to_string(reports.size()) + " variants passing)\n";
  for (const core::NativeReport* native : reports) {
    const auto& report = *core::native_detail<Report>(*native);
    out += "\n" + one_line(title_of(report.baseline)) + ": " + mark(report.passed) + (report.passed ? " PASS\n" : " FAIL\n");
    for (const Row& row : report.rows) out += short_row(row);
  }
  return out;
}

}  // namespace

const core::NativePrinter kPrinter = {.fields = &fields_of, .text = &text_of, .suite = &summary};

}  // namespace plumbline::systems::spec_decode
