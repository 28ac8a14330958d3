#include "profiles/analysis/aggregates.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>

#include "profiles/analysis/pair_index.hpp"
#include "profiles/int128.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::int64_t kWide = 0xFFFFFFFF;  // lengths from here on are kept aside in 64 bits
constexpr std::size_t kShapes = 64;
// Shapes that are told apart in one capture; a capture with more has no use for a list of them.
constexpr std::uint32_t kShapesWatched = 1U << 18;

double squares_about(std::span<const std::int64_t> values, double mean) {
  double squares = 0;
  for (const std::int64_t value : values) squares += (static_cast<double>(value) - mean) * (static_cast<double>(value) - mean);
  return squares;
}
// Four sums side by side: they do not wait for each other.
double squares_about(std::span<const std::uint32_t> values, double mean) {
  double squares[4] = {0, 0, 0, 0};
  std::size_t i = 0;
  for (; i + 4 <= values.size(); i += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) {
      const double away = static_cast<double>(values[i + lane]) - mean;
      squares[lane] += away * away;
    }
  }
  for (; i < values.size(); ++i) squares[0] += (static_cast<double>(values[i]) - mean) * (static_cast<double>(values[i]) - mean);
  return (squares[0] + squares[1]) + (squares[2] + squares[3]);
}

template <class T>
Aggregate statistics(std::span<T> values, Int128 total) {
  Aggregate result;
  result.count = values.size();
  result.total = static_cast<std::int64_t>(total);
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  result.min = static_cast<std::int64_t>(*low);
  result.max = static_cast<std::int64_t>(*high);
  const double mean = static_cast<double>(total) / static_cast<double>(values.size());
  if (values.size() > 1)
    result.stddev = std::sqrt(squares_about(std::span<const T>(values), mean) / static_cast<double>(values.size() - 1));
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  result.median = static_cast<double>(*middle);
  if (values.size() % 2 == 0)
    result.median = (result.median + static_cast<double>(*std::max_element(values.begin(), middle))) / 2;
  return result;
}

// What of a distribution adds up over captures.
class Spreads {
 public:
  template <class T>
  void add(std::span<const T> values, Aggregate& to) {
    for (const T value : values) to.squares += static_cast<UInt128>(value) * static_cast<UInt128>(value);
    to.sketch = maker_.of(values);
  }

 private:
  SketchMaker maker_;
};

std::string shape_text(const LaunchShape& shape) {
  const auto triple = [](const std::uint32_t(&part)[3]) {
    return "(" + std::to_string(part[0]) + "," + std::to_string(part[1]) + "," + std::to_string(part[2]) + ")";
  };
  return triple(shape.grid) + "x" + triple(shape.block);
}

}  // namespace

bool aggregate(const Times& times, const Column<std::uint32_t>& names, const NameTable& table, const Selection& wanted,
               Aggregates& out, bool digest) {
  struct Name {
    std::uint32_t narrow = 0, slowest = kNone;
    std::int64_t longest = -1;
  };
  std::vector<Name> by_name(table.size());
  std::map<std::uint32_t, std::vector<std::int64_t>> wide;
  std::size_t narrow = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!wanted(i)) continue;
    const std::int64_t length = times.length(i);
    Name& name = by_name[names[i]];
    if (length > name.longest) {
      name.longest = length;
      name.slowest = static_cast<std::uint32_t>(i);
    }
    if (length < kWide) {
      ++name.narrow;
      ++narrow;
    } else {
      wide[names[i]].push_back(length);
    }
  }
  // Counting sort by name, then each name's run is worked on in place.
  Column<std::uint32_t> sorted;
  sorted.resize(narrow);
  std::vector<std::uint32_t> next(table.size());
  std::uint32_t place = 0;
  for (std::size_t id = 0; id < next.size(); ++id) {
    next[id] = place;
    place += by_name[id].narrow;
  }
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!wanted(i)) continue;
    const std::int64_t length = times.length(i);
    if (length < kWide) sorted[next[names[i]]++] = static_cast<std::uint32_t>(length);
  }
  Int128 all = 0;
  std::optional<Spreads> spreads;
  if (digest) spreads.emplace();
  for (std::uint32_t id = 0; id < table.size(); ++id) {
    if (by_name[id].slowest == kNone) continue;
    const std::span<std::uint32_t> run(sorted.data() + next[id] - by_name[id].narrow, by_name[id].narrow);
    Int128 sum = 0;
    for (const std::uint32_t value : run) sum += value;
    NamedAggregate one;
    one.name = table.text(id);
    const auto longer = wide.find(id);
    if (longer == wide.end()) {
      one.aggregate = statistics(run, sum);
      if (spreads) spreads->add(std::span<const std::uint32_t>(run), one.aggregate);
    } else {
      std::vector<std::int64_t>& values = longer->second;
      for (const std::int64_t value : values) sum += value;
      if (sum > kTimeBound) return false;
      values.insert(values.end(), run.begin(), run.end());
      one.aggregate = statistics(std::span<std::int64_t>(values), sum);
      if (spreads) spreads->add(std::span<const std::int64_t>(values), one.aggregate);
    }
    all += sum;
    if (all > kTimeBound) return false;
    out.rows.push_back(std::move(one));
    out.ids.push_back(id);
    out.slowest.push_back(by_name[id].slowest);
  }
  out.total = static_cast<std::int64_t>(all);
  return true;
}

void add_places(const Capture& capture, Aggregates& gpu) {
  for (std::size_t row = 0; row < gpu.rows.size(); ++row) {
    const std::uint32_t op = gpu.slowest[row];
    const Queue& queue = capture.queues[capture.ops.queue[op]];
    gpu.rows[row].slowest = {queue.device, queue.stream, capture.ops.times.start(op), capture.ops.times.length(op)};
  }
}

void add_shapes(const Capture& capture, Aggregates& kernels) {
  if (capture.launch_shapes.size() == 0) return;
  struct Sum {
    std::uint64_t count = 0;
    std::int64_t total = 0;
  };
  const GpuOps& ops = capture.ops;
  PairIndex index;  // (name, launch shape)
  std::vector<Sum> sums;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops.kind[i] != OpKind::kernel || ops.detail[i] == kNone) continue;
    const std::uint32_t pair = index.id(ops.name[i], ops.detail[i], kShapesWatched);
    if (pair == PairIndex::kAbsent) continue;
    if (pair == sums.size()) sums.emplace_back();
    ++sums[pair].count;
    sums[pair].total += ops.times.length(i);
  }
  std::vector<std::uint32_t> row_of(capture.names.size(), kNone);
  for (std::uint32_t row = 0; row < kernels.rows.size(); ++row) row_of[kernels.ids[row]] = row;
  for (std::uint32_t pair = 0; pair < sums.size(); ++pair) {
    const LaunchShape& shape = capture.launch_shapes[index.second(pair)];
    if (shape == LaunchShape{}) continue;
    const std::uint32_t row = row_of[index.first(pair)];
    if (row != kNone) kernels.rows[row].shapes.push_back({shape_text(shape), sums[pair].count, sums[pair].total});
  }
  const bool all_watched = index.size() < kShapesWatched;
  for (NamedAggregate& kernel : kernels.rows) {
    std::vector<Share>& shapes = kernel.shapes;
    if (shapes.empty()) continue;
    std::stable_sort(shapes.begin(), shapes.end(),
                     [](const Share& a, const Share& b) { return a.total != b.total ? a.total > b.total : a.name < b.name; });
    Share rest{all_watched ? "unknown" : "other", kernel.aggregate.count, kernel.aggregate.total};
    for (const Share& each : shapes) {
      rest.count -= each.count;
      rest.total -= each.total;
    }
    if (rest.count > 0) shapes.push_back(rest);
    if (shapes.size() <= kShapes) continue;
    Share other{"other", 0, 0};
    for (std::size_t i = kShapes; i < shapes.size(); ++i) {
      other.count += shapes[i].count;
      other.total += shapes[i].total;
    }
    shapes.resize(kShapes);
    shapes.push_back(std::move(other));
  }
}

}  // namespace plumbline::profiles
