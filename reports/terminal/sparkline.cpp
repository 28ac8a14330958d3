#include "reports/terminal/sparkline.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/unicode.hpp"

namespace plumbline::reports {
namespace {

constexpr std::size_t kFewest = 3;
constexpr char32_t kLowest = U'\u2581';
constexpr int kBlocks = 8;

std::vector<double> means_of_neighbours(std::span<const double> values, std::size_t most) {
  std::vector<double> out;
  const std::size_t count = std::min(values.size(), most);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t from = i * values.size() / count, to = (i + 1) * values.size() / count;
    out.push_back(std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(from),
                                  values.begin() + static_cast<std::ptrdiff_t>(to), 0.0) /
                  static_cast<double>(to - from));
  }
  return out;
}

std::string blocks(const std::vector<double>& values, double low, double high) {
  const double range = high - low;
  std::string out;
  for (const double value : values) {
    const double share = range > 0 && std::isfinite(range) ? (value - low) / range : 0.5;
    const double block = std::isfinite(share) ? std::clamp(std::floor(share * kBlocks), 0.0, kBlocks - 1.0) : kBlocks / 2.0;
    core::append_utf8(out, kLowest + static_cast<char32_t>(block));
  }
  return out;
}

}  // namespace

std::string sparkline(std::span<const double> values, std::size_t most) {
  if (values.size() < kFewest) return {};
  const std::vector<double> shown = means_of_neighbours(values, most);
  const auto [low, high] = std::minmax_element(shown.begin(), shown.end());
  return blocks(shown, *low, *high);
}

std::string two_sparklines(std::span<const double> baseline, std::span<const double> current, std::size_t most) {
  if (baseline.size() < kFewest && current.size() < kFewest) return {};
  const std::vector<double> before = means_of_neighbours(baseline, most), after = means_of_neighbours(current, most);
  std::vector<double> all = before;
  all.insert(all.end(), after.begin(), after.end());
  const auto [low, high] = std::minmax_element(all.begin(), all.end());
  return blocks(before, *low, *high) + " " + blocks(after, *low, *high);
}

}  // namespace plumbline::reports
