#include "verdict/culprits/culprits.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "verdict/culprits/chance.hpp"
#include "verdict/culprits/points.hpp"
#include "verdict/culprits/scoring.hpp"
#include "verdict/culprits/search.hpp"
#include "verdict/culprits/table.hpp"
#include "verdict/culprits/words.hpp"

namespace plumbline::verdict {

namespace {

using culprits::Description;
using culprits::Scores;
using culprits::Table;

constexpr std::uint64_t kLeastRegressed = 3;  // fewer are named by themselves
constexpr std::size_t kMostCulprits = 3;
constexpr double kAllRows = 0.9;              // from this share on the whole regressed
constexpr double kLeastPrecision = 0.5;       // of a part whose name is worth saying
constexpr std::size_t kCountedRows = 20'000;  // up to which points are counted

class Finder {
 public:
  Finder(const core::Comparison& comparison, const core::RowMarks& marks)
      : c_(comparison), table_(culprits::table_of(comparison, marks)) {}

  CulpritFindings run() {
    CulpritFindings out;
    regressed_total_ = static_cast<std::uint64_t>(std::count(table_.regressed.begin(), table_.regressed.end(), 1));
    if (regressed_total_ < kLeastRegressed) return out;
    out.all_rows = static_cast<double>(regressed_total_) >= kAllRows * static_cast<double>(table_.rows());
    if (out.all_rows || table_.columns.empty()) return out;
    rows_.resize(table_.rows());
    std::iota(rows_.begin(), rows_.end(), 0);
    scores_ = culprits::score_rows(table_);
    if (table_.rows() <= kCountedRows) points_ = culprits::points_of(c_, table_);
    while (out.culprits.size() < kMostCulprits) {
      auto found = next();
      if (!found) break;
      out.culprits.push_back(std::move(*found));
    }
    if (out.culprits.empty()) out.exact = std::move(exact_);
    return out;
  }

 private:
  struct Inside {
    std::vector<std::uint32_t> rows;  // of the table
    std::uint64_t regressed = 0, sound = 0;
    double slow = 0;
  };

  [[nodiscard]] std::uint64_t count(const std::vector<std::uint8_t>& marks) const {
    return static_cast<std::uint64_t>(std::count_if(rows_.begin(), rows_.end(), [&](std::uint32_t i) { return marks[i] != 0; }));
  }

  // The part that explains most of what no other has explained yet; its rows are then left out.
  std::optional<core::Culprit> next() {
    if (count(table_.regressed) < kLeastRegressed) return std::nullopt;
    const culprits::Searched found = culprits::search(table_, scores_, rows_);
    if (!found.best) return std::nullopt;
    const Inside inside = rows_of(*found.best);
    if (inside.regressed < kLeastRegressed ||
        static_cast<double>(inside.regressed) < kLeastPrecision * static_cast<double>(inside.rows.size())) {
      return std::nullopt;
    }
    const double p = chance_of(*found.best, inside);
    if (p > culprits::kAlpha) {
      if (inside.regressed == inside.rows.size() && inside.regressed == regressed_total_) exact_ = predicate(table_, *found.best);
      return std::nullopt;
    }
    core::Culprit culprit = told(*found.best, inside);
    culprit.p = p;
    if (found.runner_up) culprit.runner_up = counted(predicate(table_, *found.runner_up), *found.runner_up);
    leave_out(*found.best);
    return culprit;
  }

  [[nodiscard]] Inside rows_of(const Description& part) const {
    Inside out;
    for (const std::uint32_t i : rows_) {
      if (!part.holds(table_, i)) continue;
      out.rows.push_back(i);
      out.regressed += table_.regressed[i];
      out.sound += table_.sound[i];
      out.slow += scores_.slow[i];
    }
    return out;
  }

  void leave_out(const Description& part) {
    std::erase_if(rows_, [&](std::uint32_t i) { return part.holds(table_, i); });
  }

  // Two ways to be named, so each has half of alpha.
  [[nodiscard]] double chance_of(const Description& part, const Inside& inside) const {
    const double by_points = points_.empty() ? chance_of_rows(inside) : chance_of_points(inside);
    const double by_sound =
        culprits::log_hypergeometric_tail(inside.sound, inside.rows.size(), count(table_.sound), rows_.size());
    return std::min(1.0, 2 * std::exp(std::min(by_points, by_sound) + part.log_tried));
  }
  [[nodiscard]] double chance_of_points(const Inside& inside) const {
    std::vector<bool> in(table_.rows());
    for (const std::uint32_t i : inside.rows) in[i] = true;
    const culprits::PointCount n = culprits::count_points(table_, scores_, rows_, in, points_);
    return std::max(culprits::log_hypergeometric_tail(n.slow_in, n.in, n.slow, n.all),
                    culprits::log_chance_of_noise(n.changes, spread_of(inside)));
  }
  [[nodiscard]] double chance_of_rows(const Inside& inside) const {
    double share = 0;
    for (const std::uint32_t i : rows_) share += std::max(0.0F, scores_.slow[i]);
    std::vector<double> changes;
    for (const std::uint32_t i : inside.rows) {
      changes.push_back(std::clamp(table_.changes[i], -culprits::kMostChange, culprits::kMostChange));
    }
    const auto n = static_cast<double>(inside.rows.size());
    return std::max(-culprits::surprise(n, inside.slow / n, share / static_cast<double>(rows_.size())),
                    culprits::log_chance_of_noise(changes, spread_of(inside)));
  }
  [[nodiscard]] double spread_of(const Inside& inside) const {
    double squares = 0;
    for (const std::uint32_t i : inside.rows) squares += scores_.spreads[i] * scores_.spreads[i];
    return std::sqrt(squares / static_cast<double>(inside.rows.size()));
  }

  [[nodiscard]] const core::Delta& delta(std::uint32_t row) const { return c_.deltas[table_.deltas[row]]; }

  [[nodiscard]] core::Culprit told(const Description& part, const Inside& inside) const {
    core::Culprit out;
    out.predicate = predicate(table_, part);
    for (const culprits::Term& term : part.terms) out.terms.push_back(term_of(table_, term));
    out.regressed_in = inside.regressed;
    out.regressed_total = regressed_total_;
    out.others_in = inside.rows.size() - inside.regressed;
    out.others_total = table_.rows() - regressed_total_;
    out.effect_pct = effect(inside.rows);
    for (const std::uint32_t i : inside.rows) out.rows.push_back(table_.deltas[i]);
    for (std::size_t place = 0; place < part.terms.size(); ++place) {
      core::PartCount rest = turned(part, place);
      if (rest.rows > 0) out.not_affected.push_back(std::move(rest));
    }
    return out;
  }

  // Signed percent of the baseline, the median of the rows that are regressed.
  [[nodiscard]] double effect(const std::vector<std::uint32_t>& rows) const {
    std::vector<double> changes;
    for (const std::uint32_t i : rows) {
      if (table_.regressed[i] != 0 && std::isfinite(delta(i).delta_pct)) changes.push_back(delta(i).delta_pct);
    }
    if (changes.empty()) return 0;
    const auto middle = changes.begin() + static_cast<std::ptrdiff_t>(changes.size() / 2);
    std::nth_element(changes.begin(), middle, changes.end());
    return *middle;
  }

  [[nodiscard]] core::PartCount counted(std::string text, const Description& part) const {
    const Inside inside = rows_of(part);
    return {std::move(text), inside.regressed, inside.rows.size()};
  }

  [[nodiscard]] core::PartCount turned(const Description& part, std::size_t place) const {
    core::PartCount out{predicate_turned(table_, part, place)};
    for (const std::uint32_t i : rows_) {
      bool holds = true;
      for (std::size_t k = 0; k < part.terms.size() && holds; ++k) {
        const culprits::Term& term = part.terms[k];
        const culprits::Column& column = table_.columns[term.column];
        holds = term.of(column, i) != (k == place);
        // A row without the dimension is not said to lie on its other side.
        if (k == place && column.codes[i] == 0) holds = false;
      }
      if (!holds) continue;
      ++out.rows;
      out.regressed += table_.regressed[i];
    }
    return out;
  }

  const core::Comparison& c_;
  Table table_;
  Scores scores_;
  std::vector<std::uint32_t> points_;  // by row of the table, where they are counted
  std::vector<std::uint32_t> rows_;    // of the table, that no culprit has explained
  std::uint64_t regressed_total_ = 0;
  std::string exact_;  // CulpritFindings::exact
};

}  // namespace

CulpritFindings find_culprits(const core::Comparison& comparison, const core::RowMarks& marks) {
  const auto regressed = std::count_if(comparison.deltas.begin(), comparison.deltas.end(),
                                       [](const core::Delta& delta) { return delta.state == core::State::regressed; });
  if (static_cast<std::uint64_t>(regressed) < kLeastRegressed) return {};
  return Finder(comparison, marks).run();
}

}  // namespace plumbline::verdict
