// Rows that a first look left in doubt, judged from trials that it has not seen (core/experiment/confirmation.hpp): each of them
// has to be answered, and one that is confirmed is a regression, whatever the others do.
#pragma once

#include <vector>

#include "core/comparison.hpp"
#include "core/results/second_look.hpp"
#include "core/row_marks.hpp"

namespace plumbline::verdict {

// Rows in doubt become headlines, each of which speaks for itself. Those that nobody doubted become context: they are shown and
// not judged.
void pass_over_others(const core::SecondLook& look, core::Comparison& comparison);

// Marks the regressed rows whose p does not survive Holm's correction as suspects. Gates and counts that repeat exactly are
// not a matter of chance; a row without three trials a side is one.
void mark_unconfirmed(const core::SecondLook& look, double alpha, const core::Comparison& comparison, core::RowMarks& marks);

// Of each row of the look, in its order; `marks` as the policy left them.
[[nodiscard]] std::vector<core::SecondAnswer> answers_of(const core::SecondLook& look, const core::Comparison& comparison,
                                                         const core::RowMarks& marks);
// What is left open of one row that both sides have.
[[nodiscard]] core::SecondAnswer answer_of(const core::Comparison& comparison, const core::Delta& delta, bool suspect);

}  // namespace plumbline::verdict
