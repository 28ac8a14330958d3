#include "profiles/diff/categories.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/speed_of_light.hpp"
#include "profiles/diff/metrics.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::string_view kPrecision = "{precision}";
constexpr double kMostlyMeasured = 0.9;  // of a category's time, from which its measured part speaks for it

struct Side {
  std::int64_t total = 0;
  std::uint64_t count = 0;
  double moved = 0;       // bytes, where known of all
  bool all_moved = true;  // every operation's size is known
};
struct Sums {
  Side sides[2];
  std::map<std::string, double, std::less<>> references, precisions;  // time on both sides
  const configs::KernelCategory* category = nullptr;                  // nullptr: the table does not declare it
};
using Table = std::map<std::string, Sums, std::less<>>;

std::string_view heaviest(const std::map<std::string, double, std::less<>>& shares) {
  const auto most =
      std::max_element(shares.begin(), shares.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == shares.end() ? std::string_view() : std::string_view(most->first);
}

void add(Side& side, const NamedAggregate& row) {
  side.total += row.aggregate.total;
  side.count += row.aggregate.count;
  side.moved += static_cast<double>(row.bytes);
  side.all_moved = side.all_moved && (row.bytes > 0 || row.aggregate.count == 0);
}

// "[CUDA memcpy Unified Host-to-Device]" -> "Memcpy Host-to-Device"
std::string memory_category(std::string_view name) {
  for (const std::string_view way : {"Host-to-Device", "Device-to-Host", "Device-to-Device", "Peer-to-Peer"}) {
    if (name.find(way) != std::string_view::npos) return "Memcpy " + std::string(way);
  }
  return name.find("memset") != std::string_view::npos ? "Memset" : "Memcpy other";
}

Table sum_up(const Profile* const (&profiles)[2], const configs::KernelCategories& categories) {
  Table table;
  for (const int side : {0, 1}) {
    for (const NamedAggregate& kernel : profiles[side]->kernels) {
      const configs::KernelCategory& category = categories.of(kernel.name);
      Sums& sums = table[category.name];
      sums.category = &category;
      add(sums.sides[side], kernel);
      const auto time = static_cast<double>(kernel.aggregate.total);
      sums.references[std::string(categories.reference(kernel.name))] += time;
      if (const std::string_view precision = categories.precision(kernel.name); !precision.empty())
        sums.precisions[std::string(precision)] += time;
    }
    for (const NamedAggregate& operation : profiles[side]->memory) {
      const std::string name = memory_category(operation.name);
      Sums& sums = table[name];
      sums.category = categories.find(name);
      add(sums.sides[side], operation);
    }
  }
  return table;
}

std::optional<core::Ceiling> ceiling_for(const Sums& sums, const core::Context& context, const configs::Ceilings& ceilings) {
  if (sums.category == nullptr || sums.category->metric.empty()) return std::nullopt;
  std::string metric = sums.category->metric;
  if (const std::size_t at = metric.find(kPrecision); at != std::string::npos) {
    const std::string_view precision = heaviest(sums.precisions);
    if (precision.empty()) return std::nullopt;
    metric.replace(at, kPrecision.size(), precision);
  }
  auto chosen = ceilings.choose(context, metric, sums.category->unit);
  if (!chosen) return std::nullopt;
  return std::move(chosen->ceiling);
}

// GB/s of a side, where sizes are known.
std::optional<double> rate(const std::string& name, const Side& side, const Sums& sums, const Profile& profile) {
  if (side.total <= 0) return std::nullopt;
  if (sums.category != nullptr && sums.category->communication) {
    double weighted = 0;
    double time = 0;
    for (const CollectiveGroup& group : profile.collectives) {
      if (!group.side.busbw) continue;
      const auto spent = static_cast<double>(group.side.total_ns);
      weighted += *group.side.busbw * spent;
      time += spent;
    }
    if (time <= 0 || time < kMostlyMeasured * static_cast<double>(side.total)) return std::nullopt;
    return weighted / time;
  }
  if (!name.starts_with("Mem") || !side.all_moved || side.moved <= 0) return std::nullopt;
  return side.moved * (name == "Memcpy Device-to-Device" ? 2 : 1) / static_cast<double>(side.total);
}

// Percent of the peak that a kernel profiler measured, by category and bound; launches weigh by their time where it is known.
class Measured {
 public:
  Measured(const Profile& profile, const configs::KernelCategories& categories) {
    std::map<std::pair<std::string_view, std::string_view>, const std::vector<double>*> times;
    for (const KernelMetric& metric : profile.metrics) {
      if (metric_key(metric.metric, metric.unit) == kDurationMetric) times[{metric.kernel, metric.shape}] = &metric.values;
    }
    for (const KernelMetric& metric : profile.metrics) {
      const std::string_view key = metric_key(metric.metric, metric.unit);  // labels of the details page are names too
      const bool compute = key == "sm__throughput.avg.pct_of_peak_sustained_elapsed";
      const bool memory = key == "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed" ||
                          key == "dram__throughput.avg.pct_of_peak_sustained_elapsed";
      if (!compute && !memory) continue;
      const auto time = times.find({metric.kernel, metric.shape});
      const bool timed = time != times.end() && time->second->size() == metric.values.size();
      Sum& sum = sums_[{categories.of(metric.kernel).name, compute ? "compute" : "bandwidth"}];
      for (std::size_t i = 0; i < metric.values.size(); ++i) {
        const double weight = timed ? (*time->second)[i] : 1;
        if (!(weight > 0) || !(metric.values[i] >= 0)) continue;
        sum.weighted += metric.values[i] * weight;
        sum.weight += weight;
      }
    }
  }
  [[nodiscard]] std::optional<double> percent(const std::string& category, const std::string& bound) const {
    const auto found = sums_.find({category, bound});
    if (found == sums_.end() || found->second.weight <= 0) return std::nullopt;
    return found->second.weighted / found->second.weight;
  }

 private:
  struct Sum {
    double weighted = 0, weight = 0;
  };
  std::map<std::pair<std::string, std::string>, Sum> sums_;
};

}  // namespace

std::vector<core::ProfileCategory> compare_categories(const Profile& baseline, const Profile& candidate,
                                                      const configs::KernelCategories& categories,
                                                      const configs::Ceilings& ceilings) {
  const Profile* const profiles[2] = {&baseline, &candidate};
  const Measured measured[2] = {Measured(baseline, categories), Measured(candidate, categories)};
  std::vector<core::ProfileCategory> list;
  for (const auto& [name, sums] : sum_up(profiles, categories)) {
    core::ProfileCategory row;
    row.name = name;
    row.baseline_ns = sums.sides[0].total;
    row.candidate_ns = sums.sides[1].total;
    row.delta_ns = row.candidate_ns - row.baseline_ns;
    row.baseline_count = sums.sides[0].count;
    row.candidate_count = sums.sides[1].count;
    row.reference_name = heaviest(sums.references);
    row.rigor = "L1";
    if (sums.category != nullptr) {
      if (row.reference_name.empty()) row.reference_name = sums.category->reference;
      row.bound = sums.category->bound;
    }
    // The candidate's ceiling stands in the row; a percentage of another one (another GPU, another precision) does not.
    std::optional<core::Ceiling> limits[2];
    for (const int side : {0, 1}) limits[side] = ceiling_for(sums, profiles[side]->info.context, ceilings);
    const std::optional<core::Ceiling>& shown = limits[1] ? limits[1] : limits[0];
    if (shown) {
      row.ceiling_key = shown->key;
      row.ceiling_value = shown->value;
      row.ceiling_unit = shown->unit;
    }
    for (const int side : {0, 1}) {
      const auto& limit = limits[side];
      const bool of_the_shown =
          limit.has_value() == shown.has_value() &&
          (!limit || (limit->key == shown->key && limit->value == shown->value && limit->unit == shown->unit));
      if (!of_the_shown) continue;
      std::optional<double>& pct = side == 0 ? row.baseline_sol_pct : row.candidate_sol_pct;
      const char* rigor = "L1";
      if (const auto moved = rate(name, sums.sides[side], sums, *profiles[side]); limit && moved) {
        pct = core::sol_percent(*moved, "GB/s", limit->value, limit->unit);
        if (pct) rigor = "L3";
      }
      if (const auto by_profiler = measured[side].percent(name, row.bound)) {
        pct = by_profiler;
        rigor = "L4";
      }
      row.rigor = std::max<std::string>(row.rigor, rigor);
    }
    list.push_back(std::move(row));
  }
  std::stable_sort(list.begin(), list.end(), [](const core::ProfileCategory& a, const core::ProfileCategory& b) {
    const std::int64_t left = a.delta_ns < 0 ? -a.delta_ns : a.delta_ns;
    const std::int64_t right = b.delta_ns < 0 ? -b.delta_ns : b.delta_ns;
    return left > right;
  });
  return list;
}

}  // namespace plumbline::profiles
