// Cases added up: one comparison of all rows (each key behind its case), warnings gathered by code, and what verdict/suite.hpp
// makes of them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/results/diff.hpp"
#include "core/results/suite.hpp"
#include "verdict/suite.hpp"

namespace plumbline::verbs {

class SuiteSum {
 public:
  explicit SuiteSum(const std::shared_ptr<core::StringPool>& pool);

  // A case that was compared: its state comes from the verdict.
  void compared(core::SuiteCase one, const core::DiffResult& diff);
  // A case of which one side is not there, or not to be compared: its rows are missing or added. Either may be null.
  void apart(core::SuiteCase one, const core::Measurement* baseline, const core::Measurement* current);
  void add(core::SuiteCase one);
  void warn(core::WarningCode code, std::string message) { result_.warnings.push_back({code, std::move(message)}); }
  // Cases that nobody asked for.
  void leave_out(std::uint64_t cases) { left_out_ = cases; }
  // Everything but the sides: verdict, tier, reasons in their order, counts, rows and the report.
  [[nodiscard]] core::DiffResult finish();

 private:
  struct Combined;
  struct GatheredWarning {  // of one code: the first case's, the others counted
    std::string id, message;
    std::uint64_t cases = 0;
  };

  void add_waivers(const std::vector<core::WaiverUse>& waivers);
  void add_warnings(const std::string& id, const std::vector<core::Warning>& warnings);
  // What was judged, into the result; the cases, in the order in which they are told.
  std::shared_ptr<const core::SuiteReport> take(verdict::SuiteJudgement judgement);

  std::shared_ptr<core::StringPool> pool_;
  std::shared_ptr<Combined> all_;
  core::DiffResult result_;
  std::vector<core::SuiteCase> cases_;
  std::vector<verdict::CaseJudgement> compared_;
  std::vector<verdict::BrokenCase> broken_;
  std::map<core::WarningCode, GatheredWarning> warnings_;
  std::vector<core::WarningCode> warning_order_;
  bool own_rules_ = true;
  std::uint64_t left_out_ = 0;
};

}  // namespace plumbline::verbs
