#include "profiles/digest/sketch.hpp"

#include <algorithm>

namespace plumbline::profiles {

double Sketch::middle_of(std::uint32_t index) {
  if (index < 128) return index;
  const std::uint32_t power = (index >> 6U) - 1;  // of the bucket's width
  const auto low = static_cast<double>(64 + (index & 63U));
  const auto width = static_cast<double>(std::uint64_t{1} << power);
  return low * width + (width - 1) / 2;
}

void Sketch::add(const Sketch& more) {
  std::vector<Bucket> sum;
  sum.reserve(std::max(buckets_.size(), more.buckets_.size()));
  auto at = buckets_.begin();
  for (const Bucket& each : more.buckets_) {
    for (; at != buckets_.end() && at->index < each.index; ++at) sum.push_back(*at);
    sum.push_back(each);
    if (at != buckets_.end() && at->index == each.index) sum.back().count += (at++)->count;
  }
  sum.insert(sum.end(), at, buckets_.end());
  buckets_ = std::move(sum);
}

std::uint64_t Sketch::count() const {
  std::uint64_t sum = 0;
  for (const Bucket& each : buckets_) sum += each.count;
  return sum;
}

double Sketch::at(std::uint64_t place) const {
  std::uint64_t before = 0;
  for (const Bucket& each : buckets_) {
    before += each.count;
    if (before > place) return middle_of(each.index);
  }
  return 0;
}

double Sketch::median() const {
  const std::uint64_t all = count();
  if (all == 0) return 0;
  return (at((all - 1) / 2) + at(all / 2)) / 2;
}

Sketch SketchMaker::taken(std::uint32_t low, std::uint32_t high) {
  std::vector<Sketch::Bucket> buckets;
  for (std::uint32_t index = low; index <= high; ++index) {
    if (counts_[index] == 0) continue;
    buckets.push_back({index, counts_[index]});
    counts_[index] = 0;
  }
  buckets.shrink_to_fit();
  return Sketch(std::move(buckets));
}

}  // namespace plumbline::profiles
