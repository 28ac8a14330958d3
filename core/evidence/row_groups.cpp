#include "core/evidence/row_groups.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/large_block.hpp"
#include "core/statistics.hpp"

namespace plumbline::core {
namespace {

constexpr double kSlack = 1e-12;  // relative
constexpr std::size_t kWays = 3;
constexpr std::size_t kKinds = 2 * kWays;  // of a way, with and without trials

bool has_trials(const EvidenceRow& row) { return std::min(row.baseline.size(), row.current.size()) >= kLeastTrials; }

bool is_positive(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return x > 0; });
}

Way way_of(const EvidenceRow& row) {
  if (row.absolute) return Way::absolute;
  return is_positive(row.baseline) ? Way::ratio : Way::relative;
}

template <class T>
void make_room(std::vector<T>& into, std::size_t count) {
  reserve_large(into, count);
  into.resize(count);
}

}  // namespace

bool exceeds(double value, double limit) {
  if (std::isinf(value) || std::isinf(limit)) return value > limit;
  return value > limit + kSlack * std::max(std::fabs(value), std::fabs(limit));
}

double middle(std::span<const double> values) { return values.size() == 1 ? values.front() : median(values); }

double median_of(std::vector<double>& x) {
  if (x.empty()) return 0;
  const auto middle = x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2);
  std::nth_element(x.begin(), middle, x.end());
  if (x.size() % 2 == 1) return *middle;
  return std::midpoint(*std::max_element(x.begin(), middle), *middle);
}

RowGroups::RowGroups(std::span<const ClassName> classes, const EvidenceRows& rows, Evidence& out)
    : classes_(classes), rows_(rows), out_(out) {
  make_room(out_.rows, rows_.size());
  std::vector<std::uint8_t> kinds(rows_.size(), kKinds);
  std::array<std::vector<std::uint32_t>, kKinds> counts;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const EvidenceRow row = rows_[i];
    if (row.baseline.empty() || row.current.empty() || row.klass >= classes_.size()) continue;
    const bool trials = has_trials(row);
    const auto way = static_cast<std::size_t>(way_of(row));
    kinds[i] = static_cast<std::uint8_t>(way + (trials ? kWays : 0));
    out_.rows[i].trials = trials;
    out_.rows[i].group = row.klass;  // until groups are made of the classes
    std::vector<std::uint32_t>& of_kind = counts[kinds[i]];
    if (of_kind.empty()) of_kind.resize(classes_.size());
    ++of_kind[row.klass];
    ++out_.judged;
    with_trials_ += trials ? 1 : 0;
  }
  std::array<ClassGroups, kKinds> groups;
  std::array<std::uint32_t, kKinds> first{};
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    first[kind] = static_cast<std::uint32_t>(out_.groups.size());
    groups[kind] = group_classes(classes_, counts[kind]);
    add_groups(kind, groups[kind], counts[kind]);
  }
  for (std::uint32_t i = 0; i < rows_.size(); ++i) {
    if (kinds[i] != kKinds) out_.rows[i].group = first[kinds[i]] + groups[kinds[i]].of_class[out_.rows[i].group];
  }
}

void RowGroups::list_rows() {
  first_row_.assign(out_.groups.size() + 1, 0);
  for (std::size_t g = 0; g < out_.groups.size(); ++g) first_row_[g + 1] = first_row_[g] + out_.groups[g].rows;
  make_room(order_, out_.judged);
  std::vector<std::size_t> next(first_row_.begin(), first_row_.end());
  for (std::uint32_t i = 0; i < rows_.size(); ++i) {
    if (out_.rows[i].group != kNoGroup) order_[next[out_.rows[i].group]++] = i;
  }
}

void RowGroups::add_groups(std::size_t kind, const ClassGroups& groups, const std::vector<std::uint32_t>& counts) {
  const std::size_t first = out_.groups.size();
  out_.groups.resize(first + groups.count);
  kinds_.resize(out_.groups.size());
  for (std::uint32_t klass = 0; klass < counts.size(); ++klass) {
    if (groups.of_class[klass] == kNoGroup) continue;
    GroupEvidence& group = out_.groups[first + groups.of_class[klass]];
    if (group.rows == 0) group.klass = klass;
    group.rows += counts[klass];
    group.trials = kind >= kWays;
    group.small = group.rows < kClassRows;
    kinds_[first + groups.of_class[klass]] = kind;
  }
}

bool RowGroups::is_absolute(std::uint32_t g) const { return kinds_[g] % kWays == static_cast<std::size_t>(Way::absolute); }

RowScale RowGroups::scale_of(const EvidenceRow& row) {
  if (row.tolerance != tolerance_) {  // rows of one tolerance stand together
    tolerance_ = row.tolerance;
    logs_ = ToleranceLogs(tolerance_);
  }
  const bool positive = row.absolute || is_positive(row.baseline);
  return {row.baseline, positive ? 0 : middle(row.baseline), classes_[row.klass].direction, row.tolerance, logs_, row.absolute};
}

}  // namespace plumbline::core
