#include "reports/suite.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/text.hpp"
#include "reports/budget.hpp"
#include "reports/native.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {

namespace {

using core::CaseState;
using core::SuiteCase;
using core::SuiteReport;

constexpr std::size_t kMarkdownCases = 500;

constexpr CaseState kStates[] = {CaseState::passed,      CaseState::failed,    CaseState::error,  CaseState::stale,
                                 CaseState::no_baseline, CaseState::untracked, CaseState::skipped};

std::string number_cell(const std::optional<double>& value, std::string_view unit) {
  return value ? figure(*value, unit) : std::string("-");
}

void write_case(JsonWriter& json, const SuiteCase& one, std::size_t bytes) {
  json.begin_object().field("case", shorten_bytes(one.id, bytes)).field("state", core::to_string(one.state));
  json.key("verdict");
  if (one.verdict) {
    json.value(core::to_string(*one.verdict));
  } else {
    json.null();
  }
  json.field("tier", core::to_string(one.tier));
  if (!one.reason.empty()) json.field("reason", core::shorten_sentence(one.reason, bytes));
  if (one.headline) {
    const core::CaseHeadline& headline = *one.headline;
    json.key("headline").begin_object().field("key", shorten_bytes(headline.key, bytes)).field("unit", headline.unit);
    json.field_or_null("baseline", headline.baseline).field_or_null("current", headline.current);
    json.field_or_null("delta_pct", headline.delta_pct).field("state", headline.state).end_object();
  }
  if (one.native != nullptr) {
    json.key("native").begin_object().field("system", one.native->system);
    json.field("verdict", shorten_bytes(one.native->verdict, bytes)).field_or_null("exit_code", one.native->exit_code);
    json.field("summary", shorten_bytes(one.native->summary, bytes)).end_object();
  }
  const auto files = [&](std::string_view name, const std::vector<std::string>& all) {
    if (all.empty()) return;
    json.key(name).begin_array();
    for (const std::string& file : all) json.value(shorten_bytes(file, bytes));
    json.end_array();
  };
  files("baseline", one.baseline_files);
  files("current", one.current_files);
  if (!one.paired_by.empty()) json.field("paired_by", one.paired_by);
  if (!one.note.empty()) json.field("note", shorten_bytes(one.note, bytes));
  if (!one.reasons.empty()) {
    json.key("codes").begin_array();
    for (std::size_t i = 0; i < std::min<std::size_t>(one.reasons.size(), 10); ++i) json.value(one.reasons[i].code.text());
    json.end_array();
  }
  json.field("rows", one.counts.compared).field("regressed", one.counts.regressed).field("missing", one.counts.missing);
  if (one.counts.waived > 0) json.field("waived", one.counts.waived);
  json.end_object();
}

// Reports of one system, in the order of the cases' names: as people list them.
std::map<std::string, std::vector<const SuiteCase*>> by_system(const SuiteReport& suite) {
  std::map<std::string, std::vector<const SuiteCase*>> out;
  for (const SuiteCase& one : suite.cases) {
    if (one.native != nullptr) out[one.native->system].push_back(&one);
  }
  for (auto& [system, cases] : out) {
    // Those systems list the files of their folder: "a-b.json" stands before "a.json".
    std::sort(cases.begin(), cases.end(),
              [](const SuiteCase* a, const SuiteCase* b) { return a->id + ".json" < b->id + ".json"; });
  }
  return out;
}

}  // namespace

void write_suite(JsonWriter& json, const SuiteReport& suite, std::size_t cases, std::size_t bytes) {
  json.begin_object().key("totals");
  compact(json, [&suite](JsonWriter& totals) {
    totals.begin_object().field("cases", std::uint64_t{suite.cases.size()});
    for (const CaseState state : kStates) totals.field(core::to_string(state), suite.count(state));
    if (suite.left_out > 0) totals.field("left_out", suite.left_out);
    totals.end_object();
  });
  json.key("cases").begin_array();
  const std::size_t shown = std::min(cases, suite.cases.size());
  for (std::size_t i = 0; i < shown; ++i) {
    compact(json, [&](JsonWriter& one) { write_case(one, suite.cases[i], bytes); });
  }
  json.end_array();
  write_omitted(json, "cases", suite.cases.size(), shown);
  json.end_object();
}

std::string case_state_text(const SuiteCase& one) {
  if (one.state == CaseState::no_baseline) return "no baseline value";
  std::string text(core::to_string(one.state));
  if (one.state == CaseState::passed && one.verdict == core::Verdict::yellow) text += ", YELLOW";
  return text;
}

std::string_view case_tone(const SuiteCase& one) {
  switch (one.state) {
    case CaseState::failed:
    case CaseState::error:
      return "bad";
    case CaseState::stale:
    case CaseState::no_baseline:
      return "doubt";
    case CaseState::passed:
      return one.verdict == core::Verdict::yellow ? "doubt" : "good";
    case CaseState::untracked:
    case CaseState::skipped:
      return "";
  }
  return "";
}

std::string case_change_text(const core::CaseHeadline& headline) {
  if (headline.delta_pct) return signed_percent(*headline.delta_pct);
  if (headline.baseline && headline.current) return signed_figure(*headline.current - *headline.baseline, headline.unit);
  return "-";
}

std::string case_headline_text(const SuiteCase& one) {
  if (!one.headline) return {};
  const core::CaseHeadline& headline = *one.headline;
  std::string out = one_line(headline.key) + " " + number_cell(headline.baseline, headline.unit) + " -> " +
                    number_cell(headline.current, headline.unit);
  if (headline.baseline && headline.current) out += " (" + case_change_text(headline) + ")";
  return out;
}

std::string case_remark(const SuiteCase& one) {
  std::string out = one_line(one.reason);
  const auto add = [&out](const std::string& text) {
    if (!text.empty()) out += (out.empty() ? "" : "; ") + text;
  };
  if (one.native != nullptr) add(native_line(*one.native));
  if (one.counts.waived > 0) add(core::counted(one.counts.waived, "row") + " waived");
  add(one_line(one.note));
  return out;
}

std::string suite_markdown(const SuiteReport& suite) {
  std::string out = "\n## Cases\n\n" + markdown_text(core::totals_text(suite)) +
                    ".\n\n| Case | State | Headline | Baseline | Current | Change | Remark |\n|---|---|---|---:|---:|---:|---|\n";
  const std::size_t shown = std::min(kMarkdownCases, suite.cases.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const SuiteCase& one = suite.cases[i];
    out += "| " + markdown_text(one.id) + " | " + case_state_text(one) + " | ";
    if (one.headline) {
      out += markdown_text(one.headline->key) + " | " + markdown_text(number_cell(one.headline->baseline, one.headline->unit)) +
             " | " + markdown_text(number_cell(one.headline->current, one.headline->unit)) + " | " +
             markdown_text(case_change_text(*one.headline));
    } else {
      out += "- | - | - | -";
    }
    out += " | " + markdown_text(case_remark(one)) + " |\n";
  }
  if (suite.cases.size() > shown) out += "\n" + grouped(suite.cases.size() - shown) + " more cases are in `diff.json`.\n";
  return out;
}

std::string suite_native_text(const SuiteReport& suite) {
  std::string out;
  for (const auto& [system, cases] : by_system(suite)) {
    if (!out.empty()) out += "\n";
    if (const auto together = cases.front()->native->printer->suite) {
      std::vector<const core::NativeReport*> reports;
      for (const SuiteCase* one : cases) reports.push_back(one->native.get());
      out += together(reports);
      continue;
    }
    for (const SuiteCase* one : cases) {
      if (cases.size() > 1) out += "# " + one_line(one->id) + "\n";
      out += native_text(*one->native);
    }
  }
  return out;
}

std::string suite_native_json(const SuiteReport& suite) {
  std::string text;
  JsonWriter json(text);
  json.begin_array();
  for (const auto& [system, cases] : by_system(suite)) {
    for (const SuiteCase* one : cases) {
      json.begin_object().field("case", one->id).key("native");
      write_native(json, *one->native, kAllNativeRows);
      json.end_object();
    }
  }
  json.end_array();
  return text + "\n";
}

}  // namespace plumbline::reports
