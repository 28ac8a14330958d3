// The question of a suite as the question of one case: keys may name the case ("decode*:ttft_ms"), what concerns the whole answer
// is left out, and a key that no case has is still an error.
#pragma once

#include <set>
#include <string>

#include "core/results/diff.hpp"
#include "verbs/diff/key_use.hpp"
#include "verbs/diff/request.hpp"

namespace plumbline::verbs {

class CaseRequests {
 public:
  explicit CaseRequests(const DiffRequest& request);

  // What is asked of every case, all key rules included.
  [[nodiscard]] const DiffRequest& any() const { return request_; }
  // The request with the key rules that mean rows of this case.
  [[nodiscard]] DiffRequest request(const std::string& id, const core::Measurement& baseline,
                                    const core::Measurement& current) const;
  // Every KEY that was given named a row of some case. `result` holds all rows of the suite.
  [[nodiscard]] Status check(const core::DiffResult& result) const;
  // What the keys did in a case that was compared; after all of them, what those that did nothing are to be told.
  void see(const std::string& id, const core::Comparison& comparison) const { key_use_.see(comparison, id); }
  [[nodiscard]] std::vector<core::Warning> warnings() const { return key_use_.warnings(); }

 private:
  DiffRequest request_;
  mutable std::set<std::string, std::less<>> used_;  // keys that named a row
  mutable KeyUse key_use_;
};

}  // namespace plumbline::verbs
