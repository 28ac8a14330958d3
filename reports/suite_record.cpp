// What `record --as suite` answers: the entries that were written, and every case that was not taken with why.
#include <algorithm>

#include "core/results/suite.hpp"
#include "core/text.hpp"
#include "reports/budget.hpp"
#include "reports/terminal/terminal.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {

namespace {

std::string with_share(const core::SuiteRecord& result, const Share& share) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("schema", "plumbline.result.record.v1");
  json.field("tool", "perf_baseline_record").field("library", "perf_baseline").field("verb", "record");
  json.field("safety", "writes_artifacts").field("family", result.family).field("shape", "suite");
  json.field("dry_run", result.dry_run).field("reason", shorten_bytes(result.reason, share.text));
  if (!result.against.empty()) json.field("against", shorten_bytes(result.against, share.text));
  const std::size_t entries = std::min(share.items, result.entries.size());
  json.key("entries").begin_array();
  for (std::size_t i = 0; i < entries; ++i) {
    const core::SuiteEntry& entry = result.entries[i];
    compact(json, [&](JsonWriter& one) {
      one.begin_object().field("case", shorten_bytes(entry.id, share.text)).field("measurement", entry.measurement);
      one.field("state", core::to_string(entry.state)).key("verdict");
      if (entry.verdict) {
        one.value(core::to_string(*entry.verdict));
      } else {
        one.null();
      }
      one.field("slug", entry.slug).place("entry_dir", entry.entry_dir);
      if (!entry.entry_sha256.empty()) one.field("entry_sha256", entry.entry_sha256);
      one.end_object();
    });
  }
  json.end_array();
  json.field("entries_count", std::uint64_t{result.entries.size()});
  write_omitted(json, "entries", result.entries.size(), entries);
  const std::size_t left_out = std::min(share.items, result.left_out.size());
  json.key("left_out").begin_array();
  for (std::size_t i = 0; i < left_out; ++i) {
    const core::SuiteLeftOut& out = result.left_out[i];
    compact(json, [&](JsonWriter& one) {
      one.begin_object().field("case", shorten_bytes(out.id, share.text)).field("state", core::to_string(out.state));
      one.field("reason", core::shorten_sentence(out.reason, share.text)).end_object();
    });
  }
  json.end_array();
  json.field("left_out_count", std::uint64_t{result.left_out.size()});
  write_omitted(json, "left_out", result.left_out.size(), left_out);
  write_some_warnings(json, result.warnings, std::min<std::size_t>(share.items, 20), share.text, "");
  json.end_object();
  text += '\n';
  return text;
}

}  // namespace

std::string suite_record_json(const core::SuiteRecord& result) {
  return fitted(ResponseFormat::concise, [&](const Share& share) { return with_share(result, share); });
}

std::string suite_record_table(const core::SuiteRecord& result, bool colour) {
  const Terminal terminal(colour);
  std::string out = terminal.paint(Paint::bold, result.dry_run ? "would record" : "recorded") + "    " +
                    core::counted(result.entries.size(), "entry", "entries") + " of " + one_line(result.family) + "\n";
  for (const core::SuiteEntry& entry : result.entries) {
    out += "  " + one_line(entry.id) + "  ->  " + one_line(result.family) + "/" + one_line(entry.measurement) + "@" +
           one_line(entry.slug) + " (" + (entry.verdict ? std::string(core::to_string(*entry.verdict)) : std::string("first")) +
           ")\n";
  }
  if (!result.left_out.empty()) {
    out += terminal.paint(Paint::bold, "left out") + "    " + core::counted(result.left_out.size(), "case") + "\n";
    for (const core::SuiteLeftOut& one : result.left_out) {
      out += "  " + one_line(one.id) + "  " +
             std::string(one.worse && one.state == core::CaseState::passed ? "YELLOW" : core::to_string(one.state)) +
             (one.reason.empty() ? "" : ": " + one_line(one.reason)) + "\n";
    }
  }
  out += "reason      " + one_line(result.reason) + "\n";
  for (const core::Warning& warning : result.warnings) {
    out += terminal.paint(Paint::yellow, "warning") + "     " + one_line(warning.message) + "\n";
  }
  return out;
}

}  // namespace plumbline::reports
