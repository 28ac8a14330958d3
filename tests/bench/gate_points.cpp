// What becomes of gates of failures whose truth is known: P(RED) and P(YELLOW) of the whole default policy, of binomial draws
// with known counts. Nothing changed: RED in at most 2 % of the draws, for 1 to 5 gates, 50 to 10,000 requests and p of .001 to
// .1; the exit status is 1 where that is missed by more than two Monte-Carlo errors. Then how often a true increase is found.
// bench_gate_points [DRAWS]: 4,000 a cell.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/comparison.hpp"
#include "verdict/policy.hpp"

namespace {

using namespace plumbline;

core::Measurement measurement(const std::shared_ptr<core::StringPool>& pool, const std::vector<int>& failed, int requests) {
  core::Measurement m(pool);
  core::MetricClass rate;
  rate.direction = core::Direction::lower;
  rate.role = core::Role::gate;
  rate.share = core::Share::reliability;
  core::MetricClass total;
  total.role = core::Role::context;
  for (std::size_t i = 0; i < failed.size(); ++i) {
    const std::string point = "point[" + std::to_string(i) + "].";
    const auto add = [&](const char* metric, const core::MetricClass& klass, double value) {
      core::Row row;
      row.key = pool->intern(point + metric);
      row.metric = pool->intern(metric);
      row.metric_class = m.intern_class(klass);
      m.add_row(row, {&value, 1});
    };
    add("error_rate", rate, static_cast<double>(failed[i]) / requests);
    add("requests", total, requests);
  }
  return m;
}

struct Share {
  double red = 0, yellow = 0, error = 0;
};
Share drawn(int gates, int requests, double before, double now, int draws, std::mt19937_64& random) {
  core::CompareRules rules;
  rules.tally_of = [](std::string_view name) {
    return name == "requests" ? core::Tally{core::TallyKind::attempts, 0} : core::Tally{};
  };
  const auto side = [&](const std::shared_ptr<core::StringPool>& pool, double p) {
    std::binomial_distribution<int> failures(requests, p);
    std::vector<int> failed(static_cast<std::size_t>(gates));
    for (int& one : failed) one = failures(random);
    return measurement(pool, failed, requests);
  };
  int red = 0, yellow = 0;
  for (int i = 0; i < draws; ++i) {
    const auto pool = std::make_shared<core::StringPool>();
    const core::Measurement baseline = side(pool, before), current = side(pool, now);
    core::Comparison comparison = core::compare(baseline, current, rules);
    verdict::JudgeInput input;
    input.comparison = &comparison;
    const core::Verdict verdict = verdict::find("plumbline")->judge(input).verdict;
    red += verdict == core::Verdict::red ? 1 : 0;
    yellow += verdict == core::Verdict::yellow ? 1 : 0;
  }
  const double share = static_cast<double>(red) / draws;
  return {share, static_cast<double>(yellow) / draws, std::sqrt(share * (1 - share) / draws)};
}

}  // namespace

int main(int argc, char** argv) {
  const int draws = argc > 1 ? std::atoi(argv[1]) : 4000;
  std::mt19937_64 random(20260801);
  int missed = 0;
  double most = 0;
  std::puts("nothing changed\n  gates requests      p     RED %  YELLOW %");
  for (const int gates : {1, 2, 5}) {
    for (const int requests : {50, 200, 1000, 10000}) {
      for (const double p : {0.001, 0.01, 0.03, 0.1}) {
        const Share share = drawn(gates, requests, p, p, draws, random);
        const bool bad = share.red > 0.02 + 2 * share.error;
        missed += bad ? 1 : 0;
        most = std::max(most, share.red);
        std::printf("  %5d %8d %6g  %8.2f  %8.2f%s\n", gates, requests, p, 100 * share.red, 100 * share.yellow,
                    bad ? "  MISSED" : "");
      }
    }
  }
  std::printf("most RED %.2f %%\n\nfailures became more frequent, one gate\n  requests  before     now     RED %%  YELLOW %%\n",
              100 * most);
  for (const int requests : {50, 200, 1000, 10000}) {
    for (const auto& [before, now] : {std::pair(0.0, 0.005), {0.0, 0.05}, {0.01, 0.02}, {0.01, 0.05}, {0.1, 0.15}}) {
      const Share share = drawn(1, requests, before, now, draws, random);
      std::printf("  %8d  %6g  %6g  %8.2f  %8.2f\n", requests, before, now, 100 * share.red, 100 * share.yellow);
    }
  }
  return missed == 0 ? 0 : 1;
}
