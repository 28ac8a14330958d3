// Which part of a measurement regressed: the smallest description that covers what regressed and spares what did not. Where rows
// have dimensions (collective, size, place, GPU pair, ISL, OSL, …) a regression seldom has as many causes as rows.
//
// The search is fault localisation over attributes (Adtributor: Bhagwan et al. 2014; Squeeze: Li et al. 2019; subgroup discovery:
// Wrobel 1997), its measure the scan statistic of Bernoulli trials (Kulldorff 1997), its rows weighed by how surely each of them
// is slow rather than by their state alone. Described are single values, a few values, prefixes of names, ranges of a number, an
// endpoint in either role, and two of these together. Nothing is named that chance explains: see chance.hpp.
//
// Pure. Takes linear time in the rows; none where fewer than three regressed.
#pragma once

#include <string>
#include <vector>

#include "core/comparison.hpp"
#include "core/results/culprit.hpp"
#include "core/row_marks.hpp"

namespace plumbline::verdict {

struct CulpritFindings {
  std::vector<core::Culprit> culprits;  // at most three, the one that explains most first
  // Nearly all rows regressed: what they share is the whole measurement.
  bool all_rows = false;
  // Where nothing is named: a part that holds every regressed row and no other, of so few rows that chance explains it. "" =
  // none.
  std::string exact;
};

// Of the rows that were decided. Gates, context and rows derived from others (the slowest pair of a matrix) are none.
[[nodiscard]] CulpritFindings find_culprits(const core::Comparison& comparison, const core::RowMarks& marks);

}  // namespace plumbline::verdict
