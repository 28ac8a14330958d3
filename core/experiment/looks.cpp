#include "core/experiment/looks.hpp"

#include <algorithm>
#include <array>

namespace plumbline::core {
namespace {

struct Look {
  std::uint32_t trials;
  double share;  // of alpha
};

// Each look has a third more trials than the one before. Shares in 1/32; those behind the tenth halve from look to look, so that
// however long the list is they stay below 1 together. Five of 32 is what seven pairs need: their smallest p is 1/128.
constexpr std::array<Look, 18> kPairLooks{{{7, 5. / 32},
                                           {9, 4. / 32},
                                           {12, 4. / 32},
                                           {16, 4. / 32},
                                           {21, 4. / 32},
                                           {28, 3. / 32},
                                           {37, 2. / 32},
                                           {49, 2. / 32},
                                           {65, 1. / 32},
                                           {87, 1. / 32},
                                           {116, 1. / 32},
                                           {155, .5 / 32},
                                           {207, .25 / 32},
                                           {276, .125 / 32},
                                           {368, .06 / 32},
                                           {491, .03 / 32},
                                           {655, .015 / 32},
                                           {873, .015 / 32}}};
// A baseline of ten can tell with four trials (1/1001), one of three needs nine (1/220).
constexpr std::array<Look, 20> kRankLooks{
    {{4, 4. / 32},     {6, 4. / 32},     {9, 5. / 32},    {12, 5. / 32},   {16, 4. / 32},   {21, 3. / 32},   {28, 2. / 32},
     {37, 1. / 32},    {49, 1. / 32},    {65, 1. / 32},   {87, .5 / 32},   {116, .5 / 32},  {155, .25 / 32}, {207, .25 / 32},
     {276, .125 / 32}, {368, .125 / 32}, {491, .06 / 32}, {655, .06 / 32}, {873, .06 / 32}, {1000, .07 / 32}}};

constexpr double sum_of(std::span<const Look> looks) {
  double sum = 0;
  for (const Look& look : looks) sum += look.share;
  return sum;
}
static_assert(sum_of(kPairLooks) <= 1 && sum_of(kRankLooks) <= 1);

std::span<const Look> looks_of(Design design) {
  return design == Design::pairs ? std::span<const Look>(kPairLooks) : std::span<const Look>(kRankLooks);
}

// Every look in its order, until `look` says that it has seen enough. The one at `last` takes the place of those from there on.
template <class Seen>
void for_looks(Design design, std::uint32_t last, Seen seen) {
  double left = 1;
  for (const Look& look : looks_of(design)) {
    if (last > 0 && look.trials >= last) break;
    if (!seen(look)) return;
    left -= look.share;
  }
  constexpr double kNothing = 1e-9;  // shares are not all sums of halves
  if (last > 0 && left > kNothing) seen(Look{last, left});
}

template <class P>
double smallest_p(Design design, std::uint32_t last, std::size_t trials, P p_of) {
  double p = 1;
  for_looks(design, last, [&](const Look& look) {
    if (look.trials > trials) return false;
    p = std::min(p, p_of(look.trials) / look.share);
    return true;
  });
  return p;
}

// `out` has the estimate of all trials, and gets the tightest bounds.
template <class Estimate>
void tighten(Design design, std::uint32_t last, std::size_t trials, double alpha, ShiftEstimate& out, Estimate estimate_of) {
  out.lower.reset();
  out.upper.reset();
  for_looks(design, last, [&](const Look& look) {
    if (look.trials > trials) return false;
    const ShiftEstimate at = estimate_of(look.trials, alpha * look.share);
    if (at.lower && (!out.lower || *at.lower > *out.lower)) out.lower = at.lower;
    if (at.upper && (!out.upper || *at.upper < *out.upper)) out.upper = at.upper;
    return true;
  });
}

}  // namespace

std::uint32_t next_look(Design design, std::uint32_t trials, std::uint32_t last) {
  std::uint32_t next = UINT32_MAX;
  for_looks(design, last, [&](const Look& look) {
    if (look.trials > trials) next = look.trials;
    return next == UINT32_MAX;
  });
  return next;
}

double look_share(Design design, std::uint32_t trials, std::uint32_t last) {
  double share = 0;
  for_looks(design, last, [&](const Look& look) {
    if (look.trials == trials) share = look.share;
    return share == 0;
  });
  return share;
}

double pairs_greater_at_any_stop(std::span<const double> differences, double shift, std::uint32_t last) {
  return smallest_p(Design::pairs, last, differences.size(),
                    [&](std::uint32_t n) { return signed_rank_greater(differences.first(n), shift); });
}

ShiftEstimate pairs_at_any_stop(std::span<const double> differences, double alpha, std::uint32_t last) {
  ShiftEstimate out = signed_rank(differences, alpha);
  tighten(Design::pairs, last, differences.size(), alpha, out,
          [&](std::uint32_t n, double share) { return signed_rank(differences.first(n), share); });
  return out;
}

double ranks_greater_at_any_stop(std::span<const double> baseline, std::span<const double> current, double shift,
                                 std::uint32_t last) {
  return smallest_p(Design::ranks, last, current.size(),
                    [&](std::uint32_t n) { return mann_whitney_greater(baseline, current.first(n), shift); });
}

ShiftEstimate ranks_at_any_stop(std::span<const double> baseline, std::span<const double> current, double alpha,
                                std::uint32_t last) {
  ShiftEstimate out = hodges_lehmann(baseline, current, alpha);
  tighten(Design::ranks, last, current.size(), alpha, out,
          [&](std::uint32_t n, double share) { return hodges_lehmann(baseline, current.first(n), share); });
  return out;
}

}  // namespace plumbline::core
