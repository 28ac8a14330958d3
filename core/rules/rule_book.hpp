// Which rule holds for a key: the strongest source first, within one source the more specific glob. Of one comparison; one
// thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/comparison.hpp"

namespace plumbline::core {

// What applies to one key after all rules have spoken.
struct Resolved {
  std::uint32_t tolerance = 0;
  const KeyRule* tolerance_rule = nullptr;
  const KeyRule* direction = nullptr;
  const KeyRule* unit = nullptr;
  const KeyRule* headline = nullptr;
  const KeyRule* gate = nullptr;
};

// Exact texts are looked up, globs are tried.
class RuleBook {
 public:
  // Tolerances of rules are put behind the default one, which comes first. The rules must outlive the book.
  RuleBook(const CompareRules& rules, const StringPool& pool, std::vector<Tolerance>& tolerances);

  [[nodiscard]] bool empty() const { return order_.empty(); }
  Resolved resolve(Id key, std::string_view text);
  // Rules of the command line and the entry that no key was asked about for: most likely a slip.
  void report_unused(std::vector<Warning>& warnings) const;

 private:
  struct Ranked {
    const KeyRule* rule;
    std::uint32_t tolerance;
    std::uint64_t uses;
  };
  std::vector<Ranked> order_;
  std::unordered_map<Id, std::vector<std::uint32_t>> exact_;
  std::vector<std::uint32_t> globs_;
  std::vector<std::uint32_t> matched_;
};

}  // namespace plumbline::core
