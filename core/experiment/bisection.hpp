// Bisection where a measurement may err: which of commits 1 to N made something worse by a known shift, when each measurement of
// a commit scatters. Instead of a yes or no for each commit there is a probability for each; every measurement changes all of
// them by Bayes' rule, and the next one is taken where the question is most open (probabilistic bisection: Horstein 1963; Waeber,
// Frazier & Henderson 2013). A commit that misleads once is asked again, because it stays open.
//
// A measurement is a difference from the last good state, on a scale where + is worse: around 0 before the culprit and around
// `shift` from it on, as Student's t of four degrees of freedom about either, so that one wild trial cannot decide. All commits
// are equally likely beforehand. Commits that cannot be measured (they do not build) are passed over: those that nothing can tell
// apart any more are one answer together. Pure; O(N) a measurement.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plumbline::core {

class Bisection {
 public:
  // `commits` between the good state and the bad one, which is the last of them. `sigma`: of one difference; both positive.
  Bisection(std::size_t commits, double shift, double sigma);

  void observe(std::size_t commit, double difference);  // from 1
  void cannot_measure(std::size_t commit);
  // The commit to measure next; 0 where none is left that would tell anything.
  [[nodiscard]] std::size_t next() const;

  // Neighbours that nothing can tell apart, most often one commit.
  struct Answer {
    std::size_t first = 0, last = 0;
    double probability = 0;
  };
  [[nodiscard]] Answer best() const;
  [[nodiscard]] double probability(std::size_t commit) const;  // that it is the culprit

 private:
  [[nodiscard]] std::vector<double> posterior() const;  // by commit, from index 1

  double shift_, sigma_;
  std::vector<double>
      evidence_;  // by commit: logarithm of how much likelier its measurements are if it is bad than if it is good
  std::vector<std::uint8_t> measurable_;
};

}  // namespace plumbline::core
