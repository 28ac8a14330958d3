// JUnit XML. It has failures exactly where the gate that the call asked for trips: a job that counts them ends as the command
// does. Elements and attributes are those that Jenkins' and Maven Surefire's schemas know, in their order.
#include "reports/ci/findings.hpp"
#include "reports/headline.hpp"
#include "reports/reports.hpp"
#include "reports/suite.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {
namespace {

class Suite {
 public:
  Suite(std::string name, bool tripped) : name_(std::move(name)), tripped_(tripped) {}

  // `type`: what is wrong with it, null for nothing; said as a failure where the gate tripped, else beside the case.
  void add(std::string_view name, const char* type, std::string_view text) {
    const bool failed = type != nullptr && tripped_;
    failures_ += failed ? 1 : 0;
    const std::string words = markup(text);
    if (failed) {
      close(name, "<failure type=\"" + std::string(type) + "\" message=\"" + words + "\"/>");
    } else {
      close(name, words.empty() ? std::string() : "<system-out>" + words + "</system-out>");
    }
  }
  void skip(std::string_view name, std::string_view why) {
    ++skipped_;
    close(name, "<skipped message=\"" + markup(why) + "\"/>");
  }

  [[nodiscard]] const std::string& cases() const { return cases_; }
  // The totals of all suites have no `skipped`: Jenkins' schema knows none there.
  [[nodiscard]] std::string totals() const {
    return " tests=\"" + std::to_string(tests_) + "\" failures=\"" + std::to_string(failures_) + "\" errors=\"0\" time=\"0\"";
  }
  [[nodiscard]] std::string skipped() const { return " skipped=\"" + std::to_string(skipped_) + "\""; }

 private:
  void close(std::string_view name, const std::string& inside) {
    ++tests_;
    cases_ += "    <testcase classname=\"" + markup(name_) + "\" name=\"" + markup(name) + "\" time=\"0\"";
    cases_ += inside.empty() ? "/>\n" : ">\n      " + inside + "\n    </testcase>\n";
  }

  std::string name_;
  bool tripped_;
  std::string cases_;
  std::uint64_t tests_ = 0, failures_ = 0, skipped_ = 0;
};

// The verdict is a case of its own: a gate may trip on something that no row says.
void add_verdict(Suite& suite, const core::DiffResult& result) {
  const Headline headline = headline_of(result);
  const std::string verdict = std::string(to_string(headline.verdict)) + " (" + std::string(to_string(headline.tier)) + "): ";
  suite.add("verdict", result.gate ? "gate" : nullptr, (result.gate ? *result.gate + "; " : "") + verdict + headline.sentence);
}

void add_rows(Suite& suite, const Rows& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows.omitted(i)) continue;
    const RowView row = rows.at(i);
    if (row.state == core::State::context && row.tolerance != nullptr) {
      suite.skip(row.key, "context: not judged");
    } else if (row.waived()) {
      suite.skip(row.key, row_sentence(row));
    } else {
      suite.add(row.key, adverse_type(row), row.state == core::State::unchanged ? std::string() : row_sentence(row));
    }
  }
}

void add_cases(Suite& suite, const core::SuiteReport& report) {
  for (const core::SuiteCase& one : report.cases) {
    std::string text = case_headline_text(one);
    if (const std::string remark = case_remark(one); !remark.empty()) text += (text.empty() ? "" : "; ") + remark;
    if (one.state == core::CaseState::failed) {
      const std::string type(one.reasons.empty() ? "failed" : one.reasons.front().code.text());
      suite.add(one.id, type.c_str(), text);
    } else if (one.state == core::CaseState::error) {
      suite.add(one.id, "error", text);
    } else if (one.state == core::CaseState::passed) {
      suite.add(one.id, nullptr, text);
    } else {
      suite.skip(one.id, case_state_text(one) + (text.empty() ? "" : ": ") + text);
    }
  }
}

std::string properties_of(const core::DiffResult& result, const Rows& rows) {
  std::string out;
  const auto property = [&out](const char* name, std::string_view value) {
    out += std::string("      <property name=\"") + name + "\" value=\"" + markup(value) + "\"/>\n";
  };
  property("verdict", to_string(result.verdict));
  property("tier", to_string(result.tier));
  property("policy", result.policy);
  if (!result.diff_dir.empty()) property("bundle", result.diff_dir);
  if (!result.bundle_sha256.empty()) property("bundle_sha256", result.bundle_sha256);
  for (const core::Reason& reason : result.reasons) property("reason", std::string(reason.code.text()) + ": " + reason.message);
  if (rows.omitted_count() > 0) property("unchanged_rows_omitted", std::to_string(rows.omitted_count()));
  return "    <properties>\n" + out + "    </properties>\n";
}

}  // namespace

std::string diff_junit(const core::DiffResult& result) {
  const Rows rows(result);
  Suite suite(suite_name(result), result.gate.has_value());
  add_verdict(suite, result);
  if (result.cases() != nullptr) {
    add_cases(suite, *result.cases());
  } else {
    add_rows(suite, rows);
  }
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"plumbline\"" + suite.totals() +
                    ">\n  <testsuite name=\"" + markup(suite_name(result)) + "\"" + suite.totals() + suite.skipped();
  if (!result.compared_at_utc.empty()) {
    std::string stamp = result.compared_at_utc;  // the JUnit schema's dateTime has no zone
    if (stamp.back() == 'Z') stamp.pop_back();
    out += " timestamp=\"" + markup(stamp) + "\"";
  }
  return out + ">\n" + properties_of(result, rows) + suite.cases() + "  </testsuite>\n</testsuites>\n";
}

}  // namespace plumbline::reports
