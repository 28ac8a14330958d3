#include "verdict/culprits/scoring.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "core/evidence/scatter.hpp"

namespace plumbline::verdict::culprits {

namespace {

constexpr std::size_t kSample = 20'000;  // rows of a class that its scatter is read from
constexpr double kLeastSpread = 0.05;    // in tolerances: numbers are rounded
constexpr double kMostEvidence = 12;     // of one row, in natural logarithms of odds
constexpr double kEdge = 3;              // spreads that a row which stayed seldom reaches
constexpr int kRounds = 6;               // of the share of slow rows, which has settled by then

// ---- scatter -------------------------------------------------------------------------------------------------------------

// The ordered column with most values: what noise depends on, if on anything.
const Column* size_column(const Table& table) {
  const Column* best = nullptr;
  for (const Column& column : table.columns) {
    if (column.ordered() && (best == nullptr || column.values.size() > best->values.size())) best = &column;
  }
  return best;
}

class Scatter {
 public:
  explicit Scatter(const Table& table) : table_(table), size_(size_column(table)), spreads_(table.rows()) {}

  std::vector<float> run() {
    order_by_metric();
    std::vector<std::uint32_t> few;
    for (std::size_t metric = 0; metric < table_.metric_count; ++metric) {
      const std::span<const std::uint32_t> rows = std::span(order_).subspan(first_[metric], first_[metric + 1] - first_[metric]);
      if (rows.size() >= core::kClassRows) {
        measure(rows);
      } else {
        few.insert(few.end(), rows.begin(), rows.end());
      }
    }
    if (!few.empty()) measure(few);
    return std::move(spreads_);
  }

 private:
  void order_by_metric() {
    first_.assign(table_.metric_count + 1, 0);
    for (const std::uint32_t metric : table_.metrics) ++first_[metric + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    order_.resize(table_.rows());
    for (std::uint32_t i = 0; i < table_.rows(); ++i) order_[next[table_.metrics[i]]++] = i;
  }

  void measure(std::span<const std::uint32_t> rows) {
    std::vector<std::uint32_t> sample;
    const std::size_t step = std::max<std::size_t>(1, rows.size() / kSample);
    for (std::size_t i = 0; i < rows.size(); i += step) sample.push_back(rows[i]);
    if (size_ == nullptr) {
      const float spread = spread_of(sample);
      for (const std::uint32_t i : rows) spreads_[i] = spread;
      return;
    }
    measure_by_size(rows, sample);
  }

  // Rows of one size stand in one part, so the parts of a sample tell those of all rows.
  void measure_by_size(std::span<const std::uint32_t> rows, const std::vector<std::uint32_t>& sample) {
    std::vector<double> sizes, changes;
    sizes.reserve(sample.size());
    changes.reserve(sample.size());
    for (const std::uint32_t i : sample) {
      const Code code = size_->codes[i];
      sizes.push_back(code == 0 ? 0 : size_->magnitudes[code - 1]);
      changes.push_back(table_.changes[i]);
    }
    std::vector<float> of_code(size_->values.size() + 1, -1);
    for (const std::vector<std::uint32_t>& part : core::parts_by_size(sizes, changes)) {
      std::vector<std::uint32_t> members;
      members.reserve(part.size());
      for (const std::uint32_t k : part) members.push_back(sample[k]);
      const float spread = spread_of(members);
      for (const std::uint32_t i : members) of_code[size_->codes[i]] = spread;
    }
    const float whole = spread_of(sample);
    for (const std::uint32_t i : rows) spreads_[i] = of_code[size_->codes[i]] < 0 ? whole : of_code[size_->codes[i]];
  }

  // Where a third or more of the rows regressed the shortest interval may hold both kinds: then each is taken about its own
  // middle.
  [[nodiscard]] float spread_of(std::span<const std::uint32_t> rows) const {
    std::vector<double> stayed, slow;
    for (const std::uint32_t i : rows) (table_.regressed[i] != 0 ? slow : stayed).push_back(table_.changes[i]);
    std::vector<double> all(stayed);
    all.insert(all.end(), slow.begin(), slow.end());
    std::sort(all.begin(), all.end());
    double spread = core::shortest_share_spread(all);
    if (3 * slow.size() >= all.size() && std::min(slow.size(), stayed.size()) >= core::kClassRows) {
      spread = std::min(spread, core::shortest_share_spread(about_middles(std::move(stayed), std::move(slow))));
    }
    return static_cast<float>(std::max(spread, kLeastSpread));
  }

  static std::vector<double> about_middles(std::vector<double> stayed, std::vector<double> slow) {
    std::vector<double> out;
    for (std::vector<double>* part : {&stayed, &slow}) {
      const auto middle = part->begin() + static_cast<std::ptrdiff_t>(part->size() / 2);
      std::nth_element(part->begin(), middle, part->end());
      const double centre = *middle;
      for (const double x : *part) out.push_back(x - centre);
    }
    std::sort(out.begin(), out.end());
    return out;
  }

  const Table& table_;
  const Column* size_;
  std::vector<float> spreads_;
  std::vector<std::uint32_t> order_, first_;  // rows by metric, and where each metric's begin
};

// ---- mixture -------------------------------------------------------------------------------------------------------------

double median_regressed(const Table& table) {
  std::vector<float> changes;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (table.regressed[i] != 0) changes.push_back(table.changes[i]);
  }
  const auto middle = changes.begin() + static_cast<std::ptrdiff_t>(changes.size() / 2);
  std::nth_element(changes.begin(), middle, changes.end());
  return *middle;
}

// Logarithm of the odds that a row which changed by so much is slow: that of two normal distributions, with the edge between them
// at the tolerance where half the typical change lies beyond it and the row's scatter does not.
double evidence(double change, double typical, double spread) {
  const double edge = std::min(typical / 2, std::max(1.0, kEdge * spread));
  return std::clamp(typical * (change - edge) / (spread * spread), -kMostEvidence, kMostEvidence);
}

}  // namespace

Scores score_rows(const Table& table) {
  Scores out;
  out.spreads = Scatter(table).run();
  const double typical = median_regressed(table);
  const std::size_t n = table.rows();
  std::vector<float> worse(n), better(n);
  out.evidence.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    out.evidence[i] = static_cast<float>(evidence(table.changes[i], typical, out.spreads[i]));
    worse[i] = std::exp(out.evidence[i]);
    better[i] = static_cast<float>(std::exp(evidence(-table.changes[i], typical, out.spreads[i])));
  }
  const auto regressed = static_cast<double>(std::count(table.regressed.begin(), table.regressed.end(), 1));
  double share = regressed / static_cast<double>(n);
  const auto probability = [&](float odds) {
    const double weighed = share * odds;
    return weighed / (1 - share + weighed);
  };
  for (int round = 0; round < kRounds; ++round) {
    double sum = 0;
    for (const float odds : worse) sum += probability(odds);
    share = std::clamp(sum / static_cast<double>(n), 1 / static_cast<double>(n), 0.95);
  }
  out.slow.resize(n);
  for (std::size_t i = 0; i < n; ++i) out.slow[i] = static_cast<float>(probability(worse[i]) - probability(better[i]));
  return out;
}

}  // namespace plumbline::verdict::culprits
