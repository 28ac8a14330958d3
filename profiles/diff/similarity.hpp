// How alike two kernels of two captures are that do not have the same name: by what their names say, how often and from where
// they are launched, and with which shapes. Private to the matching. Pure; every measure is the same from both sides.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "configs/kernel_categories.hpp"
#include "profiles/names/family.hpp"
#include "profiles/profile.hpp"

namespace plumbline::profiles {

struct Candidate {  // a kernel that looks for its counterpart
  const NamedAggregate* aggregate = nullptr;
  bool used = false;  // has a row
  std::string canonical;
  KernelFamily family;
  std::string kind;                  // its category, whatever the precision: "GEMM"
  std::string parent;                // the operator or range that launched most of its time, without running numbers
  std::vector<std::uint64_t> words;  // of the canonical name, hashed, sorted, once each
};
// Fills what the name and the parents say; canonical must stand.
void describe(Candidate& kernel, const configs::KernelCategories& categories);

// 1 = as often for the same work (`ratio`: the candidate's work over the baseline's), 0.5 = twice or half as often.
[[nodiscard]] double count_likeness(std::uint64_t baseline, std::uint64_t candidate, double ratio);
[[nodiscard]] double time_likeness(const Aggregate& baseline, const Aggregate& candidate);  // of a call
[[nodiscard]] double word_likeness(const Candidate& a, const Candidate& b);                 // Jaccard index of the words
// Overlap of the shares of calls by launch shape; negative where a side has no shapes.
[[nodiscard]] double shape_likeness(const NamedAggregate& a, const NamedAggregate& b);

// 0..1 -> what best_assignment() takes. Equal scores are told apart by a hash of both names that does not depend on the side,
// so that swapping the sides gives the same pairs.
[[nodiscard]] std::int64_t worth_of(double score, const Candidate& a, const Candidate& b);

}  // namespace plumbline::profiles
