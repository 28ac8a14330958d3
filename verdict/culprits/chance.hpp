// Whether chance explains that a part of the rows holds so many slow ones. A part is named where the rows that are sound by
// themselves stand in it more often than if they were dealt out to all rows, or where both of these fail to explain it:
//
// - the slow points, dealt out to all points (rows of one run at one point move together and count once);
// - noise about no change, of whatever size it is in this part, small messages for instance: Student's t of its points, their
//   variance drawn towards the scatter of their kind (Smyth 2004).
//
// Dealt out means the hypergeometric tail, which is exact for any noise that does not know of the part. Of very many rows the
// points are not counted; Hoeffding's (1963) bound for sampling without replacement is far enough then. All of it pays for every
// description that was tried (Bonferroni). Internal to verdict/culprits/.
#pragma once

#include <cstdint>
#include <span>

namespace plumbline::verdict::culprits {

inline constexpr double kAlpha = 0.02;

// n * KL(mean || share): minus the logarithm of the bound that n draws without replacement from numbers in 0..1 with this mean
// have at least this mean. 0 where it is not above the share.
[[nodiscard]] double surprise(double n, double mean, double share);

// Logarithm of P(at least `hits` of the `hits_total` among `rows` that stand in a part of `in`).
[[nodiscard]] double log_hypergeometric_tail(std::uint64_t hits, std::uint64_t in, std::uint64_t hits_total, std::uint64_t rows);

// Logarithm of the p of these values (one a point, in tolerances) having a mean above 0 by noise; `spread` is that of their kind.
[[nodiscard]] double log_chance_of_noise(std::span<const double> values, double spread);

// Logarithm of the ways to choose k of n.
[[nodiscard]] double log_choose(double n, double k);

}  // namespace plumbline::verdict::culprits
