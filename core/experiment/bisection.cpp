#include "core/experiment/bisection.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace plumbline::core {
namespace {

constexpr double kDegrees = 4;

double log_density(double z) { return -(kDegrees + 1) / 2 * std::log1p(z * z / kDegrees); }

}  // namespace

Bisection::Bisection(std::size_t commits, double shift, double sigma)
    : shift_(shift), sigma_(sigma), evidence_(commits + 1), measurable_(commits + 1, 1) {}

void Bisection::observe(std::size_t commit, double difference) {
  evidence_[commit] += log_density((difference - shift_) / sigma_) - log_density(difference / sigma_);
}

void Bisection::cannot_measure(std::size_t commit) { measurable_[commit] = 0; }

// If k is the culprit, all commits from k on are bad. So the logarithm of its posterior is the sum of the evidence from k on, but
// for what is the same for all.
std::vector<double> Bisection::posterior() const {
  std::vector<double> out(evidence_.size());
  double sum = 0;
  for (std::size_t k = evidence_.size(); k-- > 1;) {
    sum += evidence_[k];
    out[k] = sum;
  }
  if (out.size() < 2) return out;
  const double most = *std::max_element(out.begin() + 1, out.end());
  out[0] = 0;
  double total = 0;
  for (std::size_t k = 1; k < out.size(); ++k) total += out[k] = std::exp(out[k] - most);
  for (std::size_t k = 1; k < out.size(); ++k) out[k] /= total;
  return out;
}

std::size_t Bisection::next() const {
  const std::vector<double> each = posterior();
  std::size_t best = 0;
  double nearest = 0.4999;  // a commit whose state is as good as certain tells nothing
  double bad = 0;           // probability that the commit is bad already
  for (std::size_t i = 1; i + 1 < each.size(); ++i) {
    bad += each[i];
    if (measurable_[i] == 0 || std::fabs(bad - 0.5) >= nearest) continue;
    nearest = std::fabs(bad - 0.5);
    best = i;
  }
  return best;
}

Bisection::Answer Bisection::best() const {
  const std::vector<double> each = posterior();
  Answer out;
  std::size_t first = 1;
  double sum = 0;
  for (std::size_t k = 1; k < each.size(); ++k) {
    sum += each[k];
    // Whether k or a later one is the culprit is told by measuring k, and the last one is known to be bad.
    if (measurable_[k] == 0 && k + 1 < each.size()) continue;
    if (sum > out.probability) out = {first, k, sum};
    first = k + 1;
    sum = 0;
  }
  return out;
}

double Bisection::probability(std::size_t commit) const { return posterior()[commit]; }

}  // namespace plumbline::core
