// How much a class of measurement is known to scatter between runs (class-noise.yaml): a prior for single trials.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace plumbline::configs {

// Immutable after parse. A rule is two globs, of the format and of the metric's key, and a coefficient of variation in percent;
// the first that matches holds, case does not matter.
class ClassNoise {
 public:
  static core::Expected<std::shared_ptr<const ClassNoise>> parse(std::string_view yaml, std::string_view where);
  static std::shared_ptr<const ClassNoise> builtin();  // parsed once
  [[nodiscard]] std::optional<double> pct(std::string_view format, std::string_view metric) const;

 private:
  struct Rule {
    std::string format, metric;
    double cv_pct = 0;
  };
  std::vector<Rule> rules_;
};

}  // namespace plumbline::configs
