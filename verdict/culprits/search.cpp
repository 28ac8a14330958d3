#include "verdict/culprits/search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "verdict/culprits/chance.hpp"
#include "verdict/culprits/families.hpp"

namespace plumbline::verdict::culprits {

namespace {

constexpr std::size_t kPartners = 6;     // singles that are tried with a second term
constexpr std::size_t kOfOneColumn = 2;  // … of them
constexpr std::size_t kMostRangeValues = 64;
constexpr double kMargin = 1e-9;  // of gains that are the same: the shorter or earlier description stays

struct Sum {
  double rows = 0, slow = 0;
  Sum& operator+=(const Sum& more) {
    rows += more.rows;
    slow += more.slow;
    return *this;
  }
  friend Sum operator-(Sum a, const Sum& b) { return {a.rows - b.rows, a.slow - b.slow}; }
};

// The best descriptions so far, the best first, few of one column.
class Best {
 public:
  void offer(Description&& one) {
    if (!(one.gain > 0)) return;
    const auto at =
        std::find_if(kept_.begin(), kept_.end(), [&](const Description& kept) { return one.gain > kept.gain + kMargin; });
    const auto of_column = [&](const Description& kept) {
      return kept.terms.size() == one.terms.size() && kept.terms.front().column == one.terms.front().column;
    };
    const auto better = static_cast<std::size_t>(std::count_if(kept_.begin(), at, of_column));
    if (better >= kOfOneColumn || (at == kept_.end() && kept_.size() >= 2 * kPartners)) return;
    kept_.insert(at, std::move(one));
    if (kept_.size() > 2 * kPartners) kept_.pop_back();
  }
  [[nodiscard]] const std::vector<Description>& kept() const { return kept_; }

 private:
  std::vector<Description> kept_;
};

class Search {
 public:
  Search(const Table& table, const Scores& scores, std::span<const std::uint32_t> rows)
      : table_(table), slow_(scores.slow), evidence_(scores.evidence), rows_(rows), tried_(table.columns) {
    for (const std::uint32_t i : rows) all_ += {1, slow_[i]};
    share_ = std::clamp(all_.slow / all_.rows, 0.5 / all_.rows, 1 - 0.5 / all_.rows);
  }

  Searched run() {
    for (std::size_t column = 0; column < table_.columns.size(); ++column) try_column(column, rows_, nullptr);
    const std::vector<Description> singles = best_.kept();
    std::size_t partners = 0;
    for (const Description& single : singles) {
      if (partners == kPartners) break;
      if (joins(single.terms.front())) {
        ++partners;
        try_with(single);
      }
    }
    return chosen();
  }

 private:
  // Unions and ranges stay alone: with a second term there would be more of them than rows could tell apart.
  static bool joins(const Term& term) {
    return term.op != Term::Op::range && term.op != Term::Op::prefix && std::count(term.holds.begin(), term.holds.end(), 1) > 0 &&
           (term.op != Term::Op::equal || std::count(term.holds.begin(), term.holds.end(), 1) == 1);
  }

  void try_with(const Description& first) {
    std::vector<std::uint32_t> inside;
    for (const std::uint32_t i : rows_) {
      if (first.holds(table_, i)) inside.push_back(i);
    }
    for (std::size_t column = 0; column < table_.columns.size(); ++column) {
      if (column != first.terms.front().column) try_column(column, inside, &first.terms.front());
    }
  }

  void try_column(std::size_t column, std::span<const std::uint32_t> rows, const Term* with) {
    const Column& its = table_.columns[column];
    const std::vector<Sum> sums = sums_of(its, rows);
    for (std::size_t code = 1; code < sums.size(); ++code) {
      Term term = blank(column, Term::Op::equal);
      term.holds[code] = 1;
      offer(std::move(term), sums[code], with, tried_.values());
    }
    if (its.ordered()) try_cuts(column, sums, with);
    if (with == nullptr) try_unions(column, sums);
  }

  [[nodiscard]] std::vector<Sum> sums_of(const Column& column, std::span<const std::uint32_t> rows) const {
    std::vector<Sum> sums(column.values.size() + 1);
    for (const std::uint32_t i : rows) {
      const Sum one{1, slow_[i]};
      sums[column.codes[i]] += one;
      if (column.either() && column.seconds[i] != column.codes[i]) sums[column.seconds[i]] += one;
    }
    return sums;
  }

  void try_cuts(std::size_t column, const std::vector<Sum>& sums, const Term* with) {
    const std::vector<std::size_t> order = by_magnitude(table_.columns[column]);
    std::vector<Sum> below(order.size() + 1);  // of the first so many values
    for (std::size_t i = 0; i < order.size(); ++i) {
      below[i + 1] = below[i];
      below[i + 1] += sums[order[i]];
    }
    const std::size_t n = order.size();
    for (std::size_t cut = 2; cut + 1 <= n; ++cut) {
      if (cut < n) offer(span_of(column, order, 0, cut, Term::Op::at_most), below[cut], with, tried_.cuts());
      if (n - (cut - 1) >= 2) {
        offer(span_of(column, order, cut - 1, n, Term::Op::at_least), below[n] - below[cut - 1], with, tried_.cuts());
      }
    }
    if (with != nullptr || n > kMostRangeValues) return;
    for (std::size_t first = 1; first + 2 < n; ++first) {
      for (std::size_t end = first + 2; end < n; ++end) {
        offer(span_of(column, order, first, end, Term::Op::range), below[end] - below[first], with, tried_.ranges());
      }
    }
  }

  // The values that are slowest, as many as explain most.
  void try_unions(std::size_t column, const std::vector<Sum>& sums) {
    const Column& its = table_.columns[column];
    const std::size_t most = std::min(kMostOfUnion, its.values.size() / 2);
    if (most < 2) return;
    const std::vector<std::size_t> order = by_mean(sums);
    const std::vector<Sum> first = its.either() ? unions_of_ends(its, order, most) : unions_of_values(sums, order, most);
    for (std::size_t k = 2; k <= most; ++k) {
      Term term = blank(column, Term::Op::equal);
      for (std::size_t i = 0; i < k; ++i) term.holds[order[i]] = 1;
      const bool named = is_prefix(its, term.holds);
      if (named) term.op = Term::Op::prefix;
      offer(std::move(term), first[k], nullptr, named ? tried_.prefixes() : tried_.unions(k));
    }
  }
  static std::vector<Sum> unions_of_values(const std::vector<Sum>& sums, const std::vector<std::size_t>& order,
                                           std::size_t most) {
    std::vector<Sum> first(most + 1);
    for (std::size_t k = 0; k < most; ++k) {
      first[k + 1] = first[k];
      first[k + 1] += sums[order[k]];
    }
    return first;
  }
  // A row whose two ends are both among them counts once: at the one that comes first.
  [[nodiscard]] std::vector<Sum> unions_of_ends(const Column& column, const std::vector<std::size_t>& order,
                                                std::size_t most) const {
    std::vector<std::size_t> place(column.values.size() + 1, order.size());
    for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    std::vector<Sum> first(order.size() + 2);
    for (const std::uint32_t i : rows_) {
      first[std::min(place[column.codes[i]], place[column.seconds[i]]) + 1] += Sum{1, slow_[i]};
    }
    for (std::size_t k = 1; k <= most; ++k) first[k] += first[k - 1];
    return first;
  }

  [[nodiscard]] Term blank(std::size_t column, Term::Op op) const {
    return {column, op, std::vector<std::uint8_t>(table_.columns[column].values.size() + 1, 0)};
  }
  [[nodiscard]] Term span_of(std::size_t column, const std::vector<std::size_t>& order, std::size_t first, std::size_t end,
                             Term::Op op) const {
    Term term = blank(column, op);
    for (std::size_t i = first; i < end; ++i) term.holds[order[i]] = 1;
    return term;
  }

  void offer(Term&& term, const Sum& in, const Term* with, double log_tried) {
    if (in.rows < 2 || in.rows > all_.rows - 1 || !(in.slow / in.rows > share_)) return;
    Description one;
    one.log_tried = with == nullptr ? log_tried : tried_.pairs();
    one.gain = likelihood(in) - one.log_tried;
    if (!(one.gain > 0)) return;
    one.rows = in.rows;
    one.slow = in.slow;
    if (with != nullptr) one.terms.push_back(*with);
    one.terms.push_back(std::move(term));
    (with == nullptr ? best_ : pairs_).offer(std::move(one));
  }

  // Of Bernoulli trials with a share of their own inside and outside, over one with the same everywhere (Kulldorff 1997).
  [[nodiscard]] double likelihood(const Sum& in) const {
    const Sum out = all_ - in;
    return surprise(in.rows, in.slow / in.rows, share_) + surprise(out.rows, 1 - std::max(0.0, out.slow / out.rows), 1 - share_);
  }

  [[nodiscard]] Searched chosen() const {
    Searched out;
    std::vector<const Description*> all;
    for (const Best* list : {&best_, &pairs_}) {
      for (const Description& one : list->kept()) all.push_back(&one);
    }
    std::stable_sort(all.begin(), all.end(), [](const auto* a, const auto* b) { return a->gain > b->gain + kMargin; });
    if (all.empty()) return out;
    out.best = *all.front();
    for (std::size_t place = 0; place < out.best->terms.size(); ++place) refine(*out.best, place);
    sort_terms(*out.best);
    const auto other = std::find_if(all.begin(), all.end(), [&](const auto* one) { return differs(*one, *out.best); });
    if (other != all.end()) {
      out.runner_up = **other;
      sort_terms(*out.runner_up);
    }
    return out;
  }
  // Moves a cut to where the evidence of the rows beyond it, for which the other term holds, is largest.
  void refine(Description& one, std::size_t place) const {
    Term& term = one.terms[place];
    if (term.op != Term::Op::at_least && term.op != Term::Op::at_most) return;
    const Column& column = table_.columns[term.column];
    std::vector<double> evidence(column.values.size() + 1);
    for (const std::uint32_t i : rows_) {
      if (one.terms.size() == 1 || one.terms[1 - place].of(table_.columns[one.terms[1 - place].column], i)) {
        evidence[column.codes[i]] += evidence_[i];
      }
    }
    std::vector<std::size_t> order = by_magnitude(column);
    if (term.op == Term::Op::at_least) std::reverse(order.begin(), order.end());
    double sum = 0, most = -HUGE_VAL;
    std::size_t end = 0;
    for (std::size_t k = 0; k + 1 < order.size(); ++k) {
      sum += evidence[order[k]];
      if (sum <= most) continue;
      most = sum;
      end = k + 1;
    }
    term = span_of(term.column, order, 0, end, term.op);
  }

  // As one would say it: who, what, from which size on.
  void sort_terms(Description& one) const {
    const auto rank = [&](const Term& term) {
      const Column& column = table_.columns[term.column];
      return column.either() ? 0 : column.ordered() ? 2 : 1;
    };
    std::stable_sort(one.terms.begin(), one.terms.end(), [&](const Term& a, const Term& b) { return rank(a) < rank(b); });
  }
  // Of other columns, and of other rows: several columns may say the same.
  static bool differs(const Description& a, const Description& b) {
    if (a.rows == b.rows && a.slow == b.slow) return false;
    return !std::is_permutation(a.terms.begin(), a.terms.end(), b.terms.begin(), b.terms.end(),
                                [](const Term& one, const Term& other) { return one.column == other.column; });
  }

  const Table& table_;
  const std::vector<float>& slow_;
  const std::vector<float>& evidence_;
  std::span<const std::uint32_t> rows_;
  Tried tried_;
  Sum all_;
  double share_ = 0;
  Best best_, pairs_;
};

}  // namespace

bool Description::holds(const Table& table, std::size_t row) const {
  return std::all_of(terms.begin(), terms.end(), [&](const Term& term) { return term.of(table.columns[term.column], row); });
}

Searched search(const Table& table, const Scores& scores, std::span<const std::uint32_t> rows) {
  return Search(table, scores, rows).run();
}

}  // namespace plumbline::verdict::culprits
