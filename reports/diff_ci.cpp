// What machines of a CI read: CSV, JUnit XML, and GitHub's workflow commands.
#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "core/tolerance.hpp"
#include "reports/reports.hpp"
#include "reports/rows.hpp"
#include "reports/suite.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {
namespace {

using core::State;

void csv_number(std::string& out, const std::optional<double>& value) {
  if (value && std::isfinite(*value)) core::append_number(out, *value);
}

// A row that a CI job should count as failed, and under which type.
const char* failure_type(const RowView& row) {
  switch (row.state) {
    case State::regressed:
      return row.gate ? "gate_failed" : row.suspect ? "suspect" : "regressed";
    case State::missing:
      return row.gate ? "gate_failed" : "missing";
    case State::invalid:
      return row.gate ? "gate_failed" : "invalid";
    default:
      return nullptr;
  }
}

std::string sentence(const RowView& row) {
  std::string text = state_text(row) + ": " + baseline_cell(row) + " -> " + current_cell(row);
  if (row.delta) text += " (" + change_cell(row) + ")";
  if (row.tolerance != nullptr) text += ", tolerance " + core::tolerance_text(*row.tolerance);
  if (row.direction != core::Direction::unknown) text += ", " + std::string(to_string(row.direction));
  if (!row.note.empty()) text += "; " + std::string(row.note);
  return text;
}

std::string suite_name(const core::DiffResult& result) {
  return result.family.empty() ? result.measurement : result.family + "/" + result.measurement;
}

}  // namespace

std::string diff_csv(const core::DiffResult& result) {
  const Rows rows(result);
  std::string out =
      "key,metric,unit,direction,state,suspect,baseline,current,delta,delta_pct,tolerance_kind,tolerance_value,tolerance_source,"
      "exceeds,headline,gate,n_baseline,n_current,p,note\r\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows.omitted(i)) continue;
    const RowView row = rows.at(i);
    out += csv_field(row.key) + "," + csv_field(row.metric) + "," + csv_field(row.unit) + ",";
    out += to_string(row.direction);
    out += ',';
    out += to_string(row.state);
    out += row.suspect ? ",true," : ",false,";
    for (const std::optional<double>& value : {row.baseline, row.current, row.delta, row.delta_pct}) {
      csv_number(out, value);
      out += ',';
    }
    if (row.tolerance != nullptr) {
      out += to_string(row.tolerance->kind);
      out += ',';
      csv_number(out, row.tolerance->value);
      out += ',';
      out += to_string(row.tolerance->source);
      out += ',';
    } else {
      out += ",,,";
    }
    out += row.exceeds ? "true," : "false,";
    out += row.headline ? "true," : "false,";
    out += row.gate ? "true," : "false,";
    core::append_number(out, row.n_baseline);
    out += ',';
    core::append_number(out, row.n_current);
    out += ',';
    if (row.statistics != nullptr) csv_number(out, row.statistics->p);
    out += ',';
    out += csv_field(row.note);
    out += "\r\n";
  }
  return out;
}

std::string diff_junit(const core::DiffResult& result) {
  const Rows rows(result);
  std::string cases;
  std::uint64_t tests = 0, failures = 0, errors = 0, skipped = 0;
  const std::string suite = markup(suite_name(result));
  if (result.cases() != nullptr) {
    CaseCounts counts;
    cases = suite_testcases(*result.cases(), suite_name(result), counts);
    tests = counts.tests;
    failures = counts.failures;
    errors = counts.errors;
    skipped = counts.skipped;
  }
  for (std::size_t i = 0; i < (result.cases() == nullptr ? rows.size() : 0); ++i) {
    if (rows.omitted(i)) continue;
    const RowView row = rows.at(i);
    ++tests;
    cases += "    <testcase classname=\"" + suite + "\" name=\"" + markup(row.key) + "\"";
    const std::string text = markup(sentence(row));
    if (const char* type = failure_type(row); type != nullptr) {
      ++failures;
      cases += ">\n      <failure type=\"" + std::string(type) + "\" message=\"" + text + "\"/>\n    </testcase>\n";
    } else if (row.state == State::context) {
      ++skipped;
      cases += ">\n      <skipped message=\"context: not judged\"/>\n    </testcase>\n";
    } else if (row.state != State::unchanged) {
      cases += ">\n      <system-out>" + text + "</system-out>\n    </testcase>\n";
    } else {
      cases += "/>\n";
    }
  }
  std::string properties;
  const auto property = [&properties](const char* name, std::string_view value) {
    properties += std::string("      <property name=\"") + name + "\" value=\"" + markup(value) + "\"/>\n";
  };
  property("verdict", to_string(result.verdict));
  property("tier", to_string(result.tier));
  property("policy", result.policy);
  if (!result.diff_dir.empty()) property("bundle", result.diff_dir);
  for (const core::Reason& reason : result.reasons) property("reason", std::string(reason.code.text()) + ": " + reason.message);
  if (rows.omitted_count() > 0) property("unchanged_rows_omitted", std::to_string(rows.omitted_count()));
  const std::string totals = " tests=\"" + std::to_string(tests) + "\" failures=\"" + std::to_string(failures) + "\" errors=\"" +
                             std::to_string(errors) + "\" skipped=\"" + std::to_string(skipped) + "\"";
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"plumbline\"" + totals +
                    ">\n  <testsuite name=\"" + suite + "\"" + totals;
  if (!result.compared_at_utc.empty()) {
    std::string stamp = result.compared_at_utc;  // the JUnit schema's dateTime has no zone
    if (stamp.back() == 'Z') stamp.pop_back();
    out += " timestamp=\"" + markup(stamp) + "\"";
  }
  return out + ">\n    <properties>\n" + properties + "    </properties>\n" + cases + "  </testsuite>\n</testsuites>\n";
}

std::string diff_github(const core::DiffResult& result) {
  // GitHub shows ten annotations of a kind per step; the rest would vanish without a word, so they are counted here.
  constexpr std::size_t kAnnotations = 10;
  const Rows rows(result);
  const std::string name = suite_name(result);
  std::string out;
  std::size_t errors = 0, warnings = 0, unsaid = 0;
  const auto say = [&](bool error, std::string_view title, std::string_view message) {
    std::size_t& said = error ? errors : warnings;
    if (said + 1 >= kAnnotations) {
      ++unsaid;
      return;
    }
    ++said;
    out += std::string(error ? "::error" : "::warning") + " title=" + github_property(title) + "::" + github_data(message) + "\n";
  };
  for (const std::uint32_t index : rows.top(1000)) {
    const RowView row = rows.at(index);
    const bool doubtful = row.suspect || row.state == State::inconclusive || row.state == State::unclassified;
    if (failure_type(row) == nullptr && !(row.headline && doubtful)) continue;
    const bool error = result.verdict == core::Verdict::red && !doubtful;
    say(error, "plumbline " + name, std::string(row.key) + ": " + sentence(row));
  }
  if (result.verdict != core::Verdict::green) {
    for (const core::Reason& reason : result.reasons) {
      if (reason.keys.empty()) say(false, "plumbline " + std::string(reason.code.text()), reason.message);
    }
  }
  for (const core::ContextDifference& difference : result.context_differences) {
    if (difference.declared || difference.severity == core::Severity::informative) continue;
    say(false, "plumbline context " + difference.key,
        "the sides differ: " + (difference.baseline_known ? difference.baseline : "not known") + " -> " +
            (difference.current_known ? difference.current : "not known"));
  }
  std::string message = std::string(to_string(result.verdict)) + " (" + std::string(to_string(result.tier)) + ") " + name + ": " +
                        summary_sentence(result);
  if (unsaid > 0) message += "\n" + core::counted(unsaid, "more finding") + " in the bundle";
  if (!result.recommendation.message.empty()) message += "\n" + result.recommendation.message;
  if (!result.diff_dir.empty()) message += "\nbundle: " + result.diff_dir;
  return out + "::notice title=" + github_property("plumbline " + std::string(to_string(result.verdict))) +
         "::" + github_data(message) + "\n";
}

}  // namespace plumbline::reports
