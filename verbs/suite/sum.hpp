// Cases added up: one comparison of all rows (each key behind its case), one verdict, and reasons and warnings gathered by code.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/results/diff.hpp"
#include "core/results/suite.hpp"

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
  // Everything but the sides: verdict, tier, reasons in their order, counts, rows and the report.
  [[nodiscard]] core::DiffResult finish();

 private:
  struct Combined;
  // Reasons or warnings of one code: the first as it stands, the others counted.
  template <class Item>
  struct Gathered {
    Item first;
    std::string id;
    std::uint64_t cases = 0;
    std::vector<std::string> keys = {};
    std::uint64_t keys_count = 0;
  };

  void add_reason(const std::string& id, const core::Reason& reason);
  void add_warnings(const std::string& id, const std::vector<core::Warning>& warnings);
  void case_reasons();
  std::optional<core::Reason> many_regressed();
  void nothing_compared();

  std::shared_ptr<core::StringPool> pool_;
  std::shared_ptr<Combined> all_;
  core::SuiteReport report_;
  core::DiffResult result_;
  std::map<core::ReasonCode, Gathered<core::Reason>> reasons_;
  std::map<core::WarningCode, Gathered<core::Warning>> warnings_;
  std::vector<core::WarningCode> warning_order_;
  std::size_t compared_ = 0;
  bool own_rules_ = true;  // no case was judged by another policy: what rows of several cases say together is ours alone
  std::vector<std::pair<std::string, core::Reason>> broken_;  // results without a baseline that fail by themselves, by case
  core::Verdict advised_ = core::Verdict::green;              // of the case whose advice is taken
  bool all_verdicts_ = true;
};

}  // namespace plumbline::verbs
