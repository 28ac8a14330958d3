// What the readers of Google Benchmark's outputs share: which names are aggregates of others. Since 1.5 the JSON says it
// (run_type); before that, and in the console text and the CSV, "BM_Sort_mean" is told from a benchmark of that name only by the
// company it is in. Private to formats/harness. Copies what it is given; not thread-safe.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_set>

namespace plumbline::formats {

struct GoogleBenchmarkName {
  std::string_view benchmark, aggregate;  // "mean", "cv", …; "" for a benchmark itself
};

class GoogleBenchmarkNames {
 public:
  void add(std::string_view name) { names_.emplace(name); }
  // "BM_Sort_mean" is the mean of BM_Sort where that is there too, or BM_Sort_median or another aggregate of it.
  [[nodiscard]] GoogleBenchmarkName split(std::string_view name) const {
    for (const std::string_view aggregate : kAggregates) {
      if (!name.ends_with(aggregate) || name.size() <= aggregate.size() + 1) continue;
      const std::string_view stem = name.substr(0, name.size() - aggregate.size());
      if (!stem.ends_with('_')) continue;
      const std::string_view benchmark = stem.substr(0, stem.size() - 1);
      const auto beside = [&](std::string_view other) {
        return other != aggregate && names_.contains(std::string(stem) + std::string(other));
      };
      if (names_.contains(std::string(benchmark)) || std::any_of(std::begin(kAggregates), std::end(kAggregates), beside)) {
        return {benchmark, aggregate};
      }
    }
    return {name, {}};
  }

 private:
  static constexpr std::string_view kAggregates[] = {"mean", "median", "stddev", "cv", "min", "max", "BigO", "RMS"};
  std::unordered_set<std::string> names_;
};

}  // namespace plumbline::formats
