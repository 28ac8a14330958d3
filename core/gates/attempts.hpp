// Of how many the failures beside a gate are: the numbers of the same point (the same path but for the metric's name, or one of
// its dimensions) that say how often something was tried, succeeded or failed. Names are data: what one says is asked for.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/gates/more_failures.hpp"
#include "core/measurement.hpp"

namespace plumbline::core {

using TallyOf = std::function<Tally(std::string_view name)>;

// The path of a row up to its metric: "serving[concurrency=8]." of "serving[concurrency=8].error_rate".
[[nodiscard]] std::string_view point_of(const Measurement& measurement, const Row& row);

// How often things were tried at the points of one side.
class Attempts {
 public:
  // `gates`: the rows whose points are looked at.
  Attempts(const Measurement& side, const std::vector<std::uint32_t>& gates, const TallyOf& tally_of);

  // What became of the attempts of a gate that is a share of them (`failed_share`: of each trial, 0..1), or a count of failures
  // or of successes; nothing where it is not known how many there were. Trials are added up.
  [[nodiscard]] std::optional<Failures> of_share(const Row& gate, const std::vector<double>& failed_share) const;
  [[nodiscard]] std::optional<Failures> of_failures(const Row& gate) const;
  [[nodiscard]] std::optional<Failures> of_successes(const Row& gate) const;

 private:
  struct Counted {
    const Row* row = nullptr;
    std::uint8_t rank = 0;
  };
  struct Point {
    Counted attempts, successes, failures;
  };
  [[nodiscard]] const Point* point(const Row& gate) const;
  [[nodiscard]] std::optional<double> from_dims(const Row& gate) const;
  // In all trials of the gate together; `others`: the sum to take where only successes or failures are known.
  [[nodiscard]] std::optional<double> total(const Row& gate, const Row* without_total, const Row* and_this) const;
  [[nodiscard]] std::optional<double> sum(const Row* row, const Row& gate) const;

  const Measurement& side_;
  const TallyOf& tally_of_;
  std::unordered_map<std::string_view, Point> points_;
};

}  // namespace plumbline::core
