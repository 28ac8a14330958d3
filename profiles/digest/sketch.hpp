// The distribution of times as counts of buckets: any quantile of it lies within 1 % of the true one, and sketches of several
// captures add up to the sketch of all their events, whatever the order (C. Masson, J. E. Rim, H. K. Lee, "DDSketch: a fast and
// fully-mergeable quantile sketch with relative-error guarantees", VLDB 2019). The buckets are those of a logarithm that is
// linear between powers of two, 64 to each, as in G. Tene's HdrHistogram: the middle of a bucket is within 1/128 (0.79 %) of all
// in it, and integers alone decide, so every machine gives the same bytes. Values below 128 are exact.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace plumbline::profiles {

class Sketch {
 public:
  struct Bucket {
    std::uint32_t index = 0;
    std::uint64_t count = 0;  // not 0
    bool operator==(const Bucket&) const = default;
  };
  static constexpr std::uint32_t kBuckets = 59 * 64;  // of all of int64 that is not negative

  // `value` is not negative.
  [[nodiscard]] static std::uint32_t index_of(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    if (bits < 64) return static_cast<std::uint32_t>(bits);
    const auto power = static_cast<unsigned>(std::bit_width(bits)) - 1;
    return ((power - 5) << 6U) + static_cast<std::uint32_t>((bits >> (power - 6)) & 63U);
  }
  [[nodiscard]] static double middle_of(std::uint32_t index);

  Sketch() = default;
  // Sorted by index, each once.
  explicit Sketch(std::vector<Bucket> buckets) : buckets_(std::move(buckets)) {}

  void add(const Sketch& more);
  [[nodiscard]] bool empty() const { return buckets_.empty(); }
  [[nodiscard]] std::uint64_t count() const;
  // The mean of the middle two where their number is even; 0 for nothing.
  [[nodiscard]] double median() const;
  [[nodiscard]] const std::vector<Bucket>& buckets() const { return buckets_; }
  bool operator==(const Sketch&) const = default;

 private:
  [[nodiscard]] double at(std::uint64_t place) const;  // in ascending order, from 0

  std::vector<Bucket> buckets_;
};

// Many values to sketches, one after another, through one array of counters.
class SketchMaker {
 public:
  SketchMaker() : counts_(Sketch::kBuckets) {}
  // None negative.
  template <class T>
  [[nodiscard]] Sketch of(std::span<const T> values) {
    std::uint32_t low = Sketch::kBuckets, high = 0;
    for (const T value : values) {
      const std::uint32_t index = Sketch::index_of(static_cast<std::int64_t>(value));
      ++counts_[index];
      low = index < low ? index : low;
      high = index > high ? index : high;
    }
    return taken(low, high);
  }

 private:
  [[nodiscard]] Sketch taken(std::uint32_t low, std::uint32_t high);

  std::vector<std::uint64_t> counts_;  // all 0 between calls
};

}  // namespace plumbline::profiles
