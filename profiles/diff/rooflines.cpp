#include "profiles/diff/rooflines.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/speed_of_light.hpp"

namespace plumbline::profiles {
namespace {

constexpr double kPerTera = 1e12, kPerGiga = 1e9, kNsPerS = 1e9;

// What bounds a call of some work on one GPU.
struct Limit {
  std::string bound, unit;
  core::Ceiling ceiling;
  [[nodiscard]] bool same_as(const Limit& other) const {
    return bound == other.bound && ceiling.key == other.ceiling.key && ceiling.value == other.ceiling.value &&
           ceiling.unit == other.ceiling.unit;
  }
};

double amount(const OpWork& work, std::string_view unit) {
  return unit == "TFLOPS" ? work.flops / kPerTera : work.bytes / kPerGiga;
}

class Hardware {
 public:
  Hardware(const Profile& profile, const configs::KernelCategories& categories, const configs::Ceilings& ceilings)
      : context_(profile.info.context), categories_(categories), ceilings_(ceilings) {}

  [[nodiscard]] std::optional<Limit> limit(const OpWork& work) {
    const std::string precision = work.dtype == "float" ? std::string(fp32_or_tf32(work)) : work.dtype;
    if (precision.empty()) return std::nullopt;
    const auto compute = ceiling(precision + " flops", "TFLOPS"), memory = ceiling("memory bandwidth", "GB/s");
    if (!compute || !memory) return std::nullopt;
    // Of a call that took a second: what takes the larger share of its peak takes longer at the peak.
    const auto of_compute = core::sol_percent(amount(work, "TFLOPS"), "TFLOPS", compute->value, compute->unit);
    const auto of_memory = core::sol_percent(amount(work, "GB/s"), "GB/s", memory->value, memory->unit);
    if (!of_compute || !of_memory) return std::nullopt;
    if (*of_compute >= *of_memory) return Limit{"compute", "TFLOPS", *compute};
    return Limit{"bandwidth", "GB/s", *memory};
  }

 private:
  [[nodiscard]] std::string_view fp32_or_tf32(const OpWork& work) const {
    const std::string_view precision = categories_.precision(work.kernel);
    return precision == "tf32" || precision == "fp32" ? precision : std::string_view();
  }
  std::optional<core::Ceiling> ceiling(const std::string& metric, std::string_view unit) {
    const auto [known, is_new] = known_.try_emplace(metric);
    if (is_new) {
      if (auto chosen = ceilings_.choose(context_, metric, unit)) known->second = std::move(chosen->ceiling);
    }
    return known->second;
  }

  const core::Context& context_;
  const configs::KernelCategories& categories_;
  const configs::Ceilings& ceilings_;
  std::map<std::string, std::optional<core::Ceiling>> known_;
};

core::ProfileRooflineSide side_of(const OpWork& work, const std::string& unit, const Limit* limit) {
  core::ProfileRooflineSide side;
  side.calls = work.calls;
  side.total_ns = work.total;
  const double done = amount(work, unit) * static_cast<double>(work.calls) * kNsPerS / static_cast<double>(work.total);
  side.achieved = done;
  if (limit != nullptr) side.sol_pct = core::sol_percent(done, unit, limit->ceiling.value, limit->ceiling.unit);
  return side;
}

core::ProfileRoofline row_of(const OpWork* const (&sides)[2], Hardware (&hardware)[2]) {
  const OpWork& known = sides[1] != nullptr ? *sides[1] : *sides[0];
  core::ProfileRoofline row;
  row.op = known.op;
  row.shape = known.shape;
  row.dtype = known.dtype;
  row.flops = known.flops;
  row.bytes = known.bytes;
  row.unit = "TFLOPS";
  std::optional<Limit> limits[2];
  for (const int side : {0, 1}) {
    if (sides[side] != nullptr) limits[side] = hardware[side].limit(*sides[side]);
  }
  const std::optional<Limit>& shown = limits[1] ? limits[1] : limits[0];
  if (shown) {
    row.bound = shown->bound;
    row.unit = shown->unit;
    row.ceiling_key = shown->ceiling.key;
    row.ceiling_value = shown->ceiling.value;
    row.ceiling_unit = shown->ceiling.unit;
  }
  for (const int side : {0, 1}) {
    if (sides[side] == nullptr) continue;
    const bool own = shown && limits[side] && limits[side]->same_as(*shown);
    (side == 0 ? row.baseline : row.candidate) = side_of(*sides[side], row.unit, own ? &*limits[side] : nullptr);
    row.delta_ns += side == 0 ? -sides[side]->total : sides[side]->total;
  }
  return row;
}

std::int64_t most_time(const core::ProfileRoofline& row) {
  return std::max(row.baseline ? row.baseline->total_ns : 0, row.candidate ? row.candidate->total_ns : 0);
}

}  // namespace

Rooflines compare_rooflines(const Profile& baseline, const Profile& candidate, const configs::KernelCategories& categories,
                            const configs::Ceilings& ceilings) {
  struct Pair {
    const OpWork* sides[2] = {nullptr, nullptr};
  };
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, Pair> pairs;
  for (const OpWork& work : baseline.op_work) pairs[{work.op, work.shape, work.dtype}].sides[0] = &work;
  for (const OpWork& work : candidate.op_work) pairs[{work.op, work.shape, work.dtype}].sides[1] = &work;
  Hardware hardware[2] = {{baseline, categories, ceilings}, {candidate, categories, ceilings}};
  Rooflines result;
  for (const auto& [what, pair] : pairs) result.rows.push_back(row_of(pair.sides, hardware));
  std::stable_sort(result.rows.begin(), result.rows.end(),
                   [](const core::ProfileRoofline& a, const core::ProfileRoofline& b) { return most_time(a) > most_time(b); });
  if (result.rows.size() > kMostRooflines) {
    result.left_out = result.rows.size() - kMostRooflines;
    result.rows.resize(kMostRooflines);
  }
  return result;
}

}  // namespace plumbline::profiles
