// GitHub's workflow commands. Errors exactly where the gate that the call asked for trips; what else is adverse is a warning.
#include <algorithm>

#include "core/text.hpp"
#include "reports/ci/findings.hpp"
#include "reports/headline.hpp"
#include "reports/reports.hpp"
#include "reports/text.hpp"
#include "reports/waivers.hpp"

namespace plumbline::reports {
namespace {

// GitHub shows ten annotations of a step and drops the others without a word: so they are counted, and the last tells the
// verdict.
constexpr std::size_t kAnnotations = 10;

class Annotations {
 public:
  explicit Annotations(std::string_view file) : file_(file) {}

  void add(const char* level, std::string_view title, std::string_view message) {
    if (said_ + 1 == kAnnotations) {
      ++unsaid_;
    } else {
      write(level, title, message);
    }
  }
  // The last one, whatever was said before.
  void write(const char* level, std::string_view title, std::string_view message) {
    ++said_;
    out_ += std::string("::") + level + " ";
    if (!file_.empty()) out_ += "file=" + github_property(file_) + ",";
    out_ += "title=" + github_property(title) + "::" + github_data(message) + "\n";
  }
  [[nodiscard]] std::size_t unsaid() const { return unsaid_; }
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  std::string_view file_;
  std::string out_;
  std::size_t said_ = 0, unsaid_ = 0;
};

void add_rows(Annotations& out, const core::DiffResult& result) {
  const Rows rows(result);
  for (const std::uint32_t index : rows.top(1000)) {
    const RowView row = rows.at(index);
    if (row.waived()) continue;  // its waiver says so
    const bool doubtful = row.suspect || row.state == core::State::inconclusive || row.state == core::State::unclassified;
    if (adverse_type(row) == nullptr && !(row.headline && doubtful)) continue;
    out.add(result.gate && !doubtful ? "error" : "warning", "plumbline " + suite_name(result),
            std::string(row.key) + ": " + row_sentence(row));
  }
}

// A waiver is told once, whatever it excuses.
void add_waivers(Annotations& out, const core::DiffResult& result) {
  for (const core::WaiverUse& use : result.waivers) {
    if (use.waived == 0) continue;
    std::string text = waiver_sentence(use);
    if (!use.waiver->link.empty()) text += "\n" + use.waiver->link;
    out.add("notice", "plumbline waiver", text);
  }
}

void add_reasons(Annotations& out, const core::DiffResult& result) {
  if (result.verdict == core::Verdict::green) return;
  for (const core::Reason& reason : result.reasons) {
    if (reason.keys.empty()) out.add("warning", "plumbline " + std::string(reason.code.text()), reason.message);
  }
}

void add_context(Annotations& out, const core::DiffResult& result) {
  for (const core::ContextDifference& difference : result.context_differences) {
    if (difference.declared || difference.severity == core::Severity::informative) continue;
    out.add("warning", "plumbline context " + difference.key,
            "the sides differ: " + (difference.baseline_known ? difference.baseline : "not known") + " -> " +
                (difference.current_known ? difference.current : "not known"));
  }
}

}  // namespace

std::string diff_github(const core::DiffResult& result, std::string_view file) {
  Annotations out(file);
  add_rows(out, result);
  add_waivers(out, result);
  add_reasons(out, result);
  add_context(out, result);
  const std::string verdict(to_string(result.verdict));
  std::string message =
      verdict + " (" + std::string(to_string(result.tier)) + ") " + suite_name(result) + ": " + summary_sentence(result);
  if (result.gate) message += "\ngate: " + *result.gate;
  if (out.unsaid() > 0) message += "\n" + core::counted(out.unsaid(), "more finding") + " in the bundle";
  if (!result.recommendation.message.empty()) message += "\n" + result.recommendation.message;
  if (!result.diff_dir.empty()) message += "\nbundle: " + result.diff_dir;
  if (!result.bundle_sha256.empty()) message += "\nsha256: " + result.bundle_sha256;
  out.write(result.gate ? "error" : "notice", "plumbline " + verdict, message);
  return out.take();
}

}  // namespace plumbline::reports
